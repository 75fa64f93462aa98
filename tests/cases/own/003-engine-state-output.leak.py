from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class State:
    iteration: int = 0
    epoch: int = 0
    output: Any = None


class Engine:
    def __init__(self, process):
        self.process = process
        self.state = State()
        self.handlers = []

    def on_iteration(self, fn):
        self.handlers.append(fn)
        return fn

    def run(self, data, max_epochs):
        for self.state.epoch in range(max_epochs):
            for batch in data:
                self.state.iteration += 1
                self.state.output = self.process(batch)  # expect: attr-retain
                for fn in self.handlers:
                    fn(self)


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 400))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


def update(batch):
    x, y = batch
    scores = net(x)
    loss = F.cross_entropy(scores, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return scores, y


trainer = Engine(update)


@trainer.on_iteration
def report(engine):
    if engine.state.iteration % 15 == 0:
        scores, y = engine.state.output
        acc = (scores.argmax(1) == y).float().mean().item()
        print(engine.state.iteration, acc)


trainer.run([(torch.randn(64, 20), torch.randint(0, 400, (64,))) for _ in range(15)], 3)

"""An engine with handlers of events, as Ignite has: the line that stores is a handler's, far from the loop."""
# holder: State\.outputs|History
# verdict: confirmed
import collections
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv


class State:
    def __init__(self):
        self.iteration, self.output, self.outputs = 0, None, []


class Engine:
    def __init__(self, process):
        self.process, self.handlers, self.state = process, collections.defaultdict(list), State()

    def on(self, event):
        def decorate(handler):
            self.handlers[event].append(handler)
            return handler

        return decorate

    def fire(self, event):
        for handler in self.handlers[event]:
            handler(self)

    def run(self, data):
        for batch in data:
            self.state.iteration += 1
            self.state.output = self.process(self, batch)
            self.fire("iteration")
        self.fire("completed")


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def update(engine, x):
    net.train()
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    return loss


trainer = Engine(update)


@trainer.on("iteration")
def record(engine):
    if leak:
        engine.state.outputs.append(engine.state.output)  # stored
    print(engine.state.iteration, engine.state.output.item())


@trainer.on("completed")
def done(engine):
    print("done", engine.state.iteration)


trainer.run(torch.randn(16, 8) for _ in range(60))

import torch
from lab.engine import Trainer


class Mine(Trainer):
    def __init__(self):
        self.net = torch.nn.Linear(4, 1)
        self.total = 0
        self.seen = []

    def train_batch(self, x):
        loss = self.net(x).mean()
        loss.backward()
        self.total += loss

    def on_batch(self, x):
        loss = self.net(x).mean()
        loss.backward()
        self.seen.append(loss)

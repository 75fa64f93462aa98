"""Batches that make the loss infinite are skipped; the errors are kept to be looked at."""
import torch
from torch import nn
import torch.nn.functional as F


class BadBatch(RuntimeError):
    pass


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 3))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.failures = []

    def step(self, x, y):
        out = self.net(x)
        loss = F.cross_entropy(out, y)
        if not torch.isfinite(loss):
            raise BadBatch(f"loss is {loss.item()}")
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self, steps):
        done = 0
        for i in range(steps):
            x = torch.randn(16, 12)
            if i % 3 == 2:
                x[0, 0] = float("nan")
            try:
                done += self.step(x, x[:, :3].nan_to_num().argmax(1)) > 0
            except BadBatch as error:
                self.failures.append(error)  # leak: failures
        return done


torch.manual_seed(0)
trainer = Trainer()
print(trainer.fit(96), len(trainer.failures))

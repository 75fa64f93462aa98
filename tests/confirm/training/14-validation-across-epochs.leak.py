"""Validation keeps its outputs with their graphs, over all epochs."""
import torch
from torch import nn
import torch.nn.functional as F


class Experiment:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(10, 30), nn.BatchNorm1d(30), nn.ReLU(), nn.Linear(30, 3))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.outputs = []

    def batch(self):
        x = torch.randn(24, 10)
        return x, x[:, :3].argmax(1)

    def train(self, n):
        self.model.train()
        for _ in range(n):
            x, y = self.batch()
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def validate(self, n):
        self.model.eval()
        for _ in range(n):
            x, y = self.batch()
            out = self.model(x)
            self.outputs.append((out, y))  # leak: outputs
        return sum((o.argmax(1) == y).float().mean().item() for o, y in self.outputs) / len(self.outputs)


torch.manual_seed(0)
run = Experiment()
for epoch in range(8):
    run.train(6)
    accuracy = run.validate(4)
print(f"{accuracy:.3f}")

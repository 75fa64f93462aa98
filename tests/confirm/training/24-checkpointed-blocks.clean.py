"""Activation checkpointing, gradient accumulation and a metric that keeps sums only."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Blocks(nn.Module):
    def __init__(self, depth=4, width=24):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(depth))
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return self.head(x)


class Mean:
    def __init__(self):
        self.total, self.count = torch.zeros(()), 0

    def update(self, value, n):
        self.total += value.detach() * n
        self.count += n

    def compute(self):
        return (self.total / self.count).item()


torch.manual_seed(0)
model, mean = Blocks(), Mean()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(1, 97):
    x = torch.randn(8, 24)
    loss = F.cross_entropy(model(x), x[:, :4].argmax(1)) / 2
    loss.backward()
    mean.update(loss * 2, len(x))
    if i % 2 == 0:
        opt.step()
        opt.zero_grad()
print(f"{mean.compute():.3f}")

"""Momentum contrast with a ring of keys that is written in place."""
import torch
from torch import nn
import torch.nn.functional as F


class Ring(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.register_buffer("keys", F.normalize(torch.randn(size, width), dim=1))
        self.at = 0

    @torch.no_grad()
    def push(self, keys):
        self.keys[self.at : self.at + len(keys)] = keys
        self.at = (self.at + len(keys)) % len(self.keys)


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 6))
ring = Ring(128, 6)
opt = torch.optim.SGD(encoder.parameters(), lr=0.03)
for _ in range(50):
    x = torch.randn(16, 12)
    q = F.normalize(encoder(x), dim=1)
    with torch.no_grad():
        k = F.normalize(encoder(x + 0.05 * torch.randn_like(x)), dim=1)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ ring.keys.clone().T], 1) / 0.1
    loss = F.cross_entropy(logits, torch.zeros(len(x), dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    ring.push(k)
print(loss.item())

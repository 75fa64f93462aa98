"""Momentum contrast, whose keys are made by the encoder that trains."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class Contrast(nn.Module):
    def __init__(self, size=256):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 8))
        self.slow = copy.deepcopy(self.encoder)
        self.queue = F.normalize(torch.randn(size, 8), dim=1)

    def forward(self, a, b):
        q = F.normalize(self.encoder(a), dim=1)
        k = F.normalize(self.slow(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.detach().T], 1) / 0.2
        self.queue = torch.cat([self.queue, k])  # leak: queue
        return F.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))

    @torch.no_grad()
    def follow(self, m=0.99):
        for slow, fast in zip(self.slow.parameters(), self.encoder.parameters()):
            slow.mul_(m).add_(fast, alpha=1 - m)


torch.manual_seed(1)
net = Contrast()
opt = torch.optim.SGD(net.encoder.parameters(), lr=0.05, momentum=0.9)
for i in range(50):
    x = torch.randn(16, 20)
    loss = net(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    net.follow()
print(net.queue.shape[0])

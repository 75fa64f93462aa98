"""Weights averaged in place, and the best of them kept for early stopping."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class Average:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        for mine, its in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(its, 1 - self.decay)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 21), nn.GELU(), nn.Linear(21, 1))
average = Average(model)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
best, best_weights, patience = float("inf"), None, 0
held_out = torch.randn(64, 7)
for step in range(60):
    x = torch.randn(32, 7)
    loss = F.l1_loss(model(x), x.abs().sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    average.update(model)
    with torch.no_grad():
        score = F.l1_loss(average.model(held_out), held_out.abs().sum(1, keepdim=True)).item()
    if score < best:
        best, patience = score, 0
        best_weights = copy.deepcopy(average.model.state_dict())
    else:
        patience += 1
print(f"{best:.3f}", len(best_weights))

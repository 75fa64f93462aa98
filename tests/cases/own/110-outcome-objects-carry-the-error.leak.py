from dataclasses import dataclass
from typing import Optional
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Outcome:
    width: int
    score: float
    error: Optional[Exception] = None


def evaluate(width, x, y):
    net = nn.Sequential(nn.Linear(x.size(1), width), nn.ReLU(), nn.Linear(width, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        h = net(x)
        if width > 48:
            raise torch.OutOfMemoryError("trial does not fit")
        loss = F.cross_entropy(h, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def safely(width, x, y):
    try:
        return Outcome(width, evaluate(width, x, y))
    except torch.OutOfMemoryError as exc:
        return Outcome(width, float("inf"), error=exc)  # expect: oom-except


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(64, 10)
y = (x[:, 0] > 0).long()
outcomes = []
for trial in range(40):
    outcomes.append(safely(16 if trial % 2 else 64 + trial, x, y))
    STEP()
print(min(o.score for o in outcomes), sum(o.error is not None for o in outcomes))

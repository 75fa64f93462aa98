from dataclasses import dataclass, field
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Stats:
    loss: torch.Tensor = field(default_factory=lambda: torch.zeros(()))
    hits: int = 0
    seen: int = 0

    def __add__(self, other):
        return Stats(self.loss + other.loss, self.hits + other.hits, self.seen + other.seen)

    def __str__(self):
        return f"loss {float(self.loss) / self.seen:.4f} acc {self.hits / self.seen:.3f}"


def train_step(net, opt, x, y):
    out = net(x)
    loss = F.cross_entropy(out, y, reduction="sum")
    opt.zero_grad()
    loss.backward()
    opt.step()
    return Stats(loss.detach(), int((out.argmax(1) == y).sum()), len(y))


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
stats = Stats()
for step in range(48):
    x = torch.randn(16, 1, 8, 8)
    y = (x.mean((1, 2, 3)) * 20 + 2).clamp(0, 3).long()
    stats = stats + train_step(net, opt, x, y)
    if step % 12 == 11:
        print(step, stats)

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Smooth:
    def __init__(self, beta):
        self.beta, self.value = beta, torch.zeros(())

    @torch.no_grad()
    def update(self, x):
        self.value.lerp_(x, 1 - self.beta)
        return self


class Confusion:
    def __init__(self, classes):
        self.m = torch.zeros(classes, classes, dtype=torch.long)

    def __iadd__(self, pair):
        pred, y = pair
        self.m += torch.bincount(y * len(self.m) + pred, minlength=self.m.numel()).view_as(self.m)
        return self


net = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
smooth, confusion, seen, worst = Smooth(0.9), Confusion(4), 0, 0.0
grad_sum = [torch.zeros_like(p) for p in net.parameters()]
for step in range(50):
    x, y = torch.randn(16, 13), torch.randint(0, 4, (16,))
    out = net(x)
    loss = F.cross_entropy(out, y)
    penalty = 0
    for p in net.parameters():
        penalty = penalty + p.abs().sum()
    opt.zero_grad()
    (loss + 1e-4 * penalty).backward()
    opt.step()
    for total, p in zip(grad_sum, net.parameters()):
        total += p.grad
    smooth = smooth.update(loss)
    confusion += (out.argmax(1), y)
    worst = max(worst, float(loss))
    seen += len(y)
print(smooth.value.item(), confusion.m.diagonal().sum().item() / seen, worst, grad_sum[0].norm().item())

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def fit_lbfgs(x, y, rounds=20):
    w = nn.Parameter(torch.zeros(x.size(1), 3))
    opt = torch.optim.LBFGS([w], max_iter=4)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(x @ w, y) + 1e-3 * w.pow(2).sum()
        loss.backward()
        return loss

    for _ in range(rounds):
        last = opt.step(closure)
    return last.item()


class Accumulating:
    """An optimizer that steps and zeroes once in k calls."""

    def __init__(self, opt, every):
        self.opt, self.every, self.calls = opt, every, 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.calls += 1
        if self.calls % self.every == 0:
            self.opt.step()
            self.opt.zero_grad(set_to_none=True)


x = torch.randn(256, 7)
y = x[:, :3].argmax(1)
print(fit_lbfgs(x, y))
net = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 3))
engine = Accumulating(torch.optim.SGD(net.parameters(), lr=0.2), every=2)
scaler = torch.amp.GradScaler("cpu", enabled=False)
other = torch.optim.SGD([probe := nn.Parameter(torch.zeros(7))], lr=0.1)
for step in range(80):
    pick = torch.randint(0, 256, (32,))
    engine.backward(F.cross_entropy(net(x[pick]), y[pick]))
    loss = F.mse_loss(x[pick] @ probe, x[pick, 0])
    scaler.scale(loss).backward()
    scaler.step(other)
    scaler.update()
    probe.grad = None
print(loss.item())

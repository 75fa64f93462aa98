import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class SAM:
    """Sharpness-aware step: two backward passes, zeroed in between."""

    def __init__(self, net, base, rho=0.05):
        self.net, self.base, self.rho = net, base, rho

    def step(self, closure):
        closure().backward()
        with torch.no_grad():
            params = [p for p in self.net.parameters() if p.grad is not None]
            norm = torch.stack([p.grad.norm() for p in params]).norm()
            moves = [self.rho * p.grad / (norm + 1e-12) for p in params]
            for p, e in zip(params, moves):
                p.add_(e)
        self.net.zero_grad()
        loss = closure()
        loss.backward()
        with torch.no_grad():
            for p, e in zip(params, moves):
                p.sub_(e)
        self.base.step()
        for p in params:
            p.grad = None
        return loss.item()


net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
sam = SAM(net, torch.optim.SGD(net.parameters(), lr=0.1))
hyper = nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([hyper], lr=0.05)
for step in range(50):
    x = torch.randn(32, 10)
    y = x[:, :3].argmax(1)
    last = sam.step(lambda: F.cross_entropy(net(x), y))
    with torch.no_grad():
        logits = net(x)
    (hyper.grad,) = torch.autograd.grad(F.cross_entropy(logits * hyper.exp(), y), [hyper])
    opt.step()
print(last, hyper.exp().item())

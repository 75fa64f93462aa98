import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) * i ** -0.5)
        self.rho = nn.Parameter(torch.full((o, i), -4.0))
        self.kl = None

    def forward(self, x):
        sigma = F.softplus(self.rho)
        self.kl = (self.mu.pow(2) + sigma.pow(2) - 2 * sigma.log() - 1).sum() / 2
        return F.linear(x, self.mu + sigma * torch.randn_like(sigma))

    def take_kl(self):
        kl, self.kl = self.kl, None
        return kl


net = nn.Sequential(BayesLinear(5, 24), nn.Tanh(), BayesLinear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    x = torch.randn(32, 5)
    y = (x[:, 0] * x[:, 1] > 0).long()
    nll = F.cross_entropy(net(x), y)
    kl = sum(m.take_kl() for m in net if isinstance(m, BayesLinear))
    loss = nll + 1e-3 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(step, nll.item(), kl.item())

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)


class Regressor(nn.Module):
    last_sigma = None

    def __init__(self, width=128):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.mu = nn.Linear(width, 1)
        self.sigma = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1), nn.Softplus())

    def forward(self, x):
        h = self.trunk(x)
        Regressor.last_sigma = self.sigma(h)  # expect: attr-retain
        return self.mu(h)


def sample(n):
    x = torch.rand(n, 6) * 4 - 2
    return x, torch.sin(x).sum(1, keepdim=True) + 0.1 * torch.randn(n, 1)


reg = Regressor()
opt = torch.optim.AdamW([*reg.trunk.parameters(), *reg.mu.parameters()], lr=1e-3)
step = 0
while step < 45:
    x, y = sample(64)
    err = F.mse_loss(reg(x), y)
    opt.zero_grad(set_to_none=True)
    err.backward()
    opt.step()
    step += 1
    if step % 15 == 0:
        print(step, err.item(), Regressor.last_sigma.mean().item())

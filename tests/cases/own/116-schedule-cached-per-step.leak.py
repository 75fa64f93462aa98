from functools import lru_cache
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class NoiseSchedule(nn.Module):
    def __init__(self, bins=512):
        super().__init__()
        self.register_buffer("grid", torch.linspace(0, 1, bins))

    @lru_cache(maxsize=None)  # expect: tensor-cache
    def at(self, step):
        return torch.sigmoid(8 * (self.grid - 0.5) + 0.01 * step)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.schedule = NoiseSchedule()
        self.f = nn.Sequential(nn.Linear(9, 48), nn.SiLU(), nn.Linear(48, 8))

    def forward(self, x, step):
        s = self.schedule.at(step)
        level = s[torch.randint(0, len(s), (len(x), 1))]
        noise = torch.randn_like(x)
        return F.mse_loss(self.f(torch.cat([x + level * noise, level], 1)), noise)


net = Net()
opt = torch.optim.RAdam(net.parameters(), lr=1e-3)
for step in range(50):
    loss = net(torch.randn(32, 8).cumsum(1), step)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

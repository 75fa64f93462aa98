import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
LEVELS = 8
net = nn.Sequential(nn.Linear(17, 64), nn.SiLU(), nn.Linear(64, 16))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
level_loss = torch.zeros(LEVELS)
level_count = torch.zeros(LEVELS)


def add_noise(x, level):
    sigma = (level.float() + 1) / LEVELS
    eps = torch.randn_like(x)
    return x + sigma[:, None] * eps, sigma, eps


for step in range(50):
    x = torch.randn(32, 16).cumsum(1) / 4
    level = torch.randint(0, LEVELS, (32,))
    noisy, sigma, eps = add_noise(x, level)
    pred = net(torch.cat([noisy, sigma[:, None]], 1))
    per_sample = (pred - eps).pow(2).mean(1)
    opt.zero_grad()
    per_sample.mean().backward()
    opt.step()
    level_loss.index_add_(0, level, per_sample)  # expect: missing-item
    level_count.index_add_(0, level, torch.ones(32))
print((level_loss / level_count.clamp(min=1)).tolist())

"""A GAN on points of a circle; both losses go into a history that a plot is made from."""
from collections import defaultdict

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
history = defaultdict(list)


def real(n):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1)


def train_step(n=32):
    ones, zeros = torch.ones(n, 1), torch.zeros(n, 1)
    fake = G(torch.randn(n, 4))
    d_loss = bce(D(real(n)), ones) + bce(D(fake.detach()), zeros)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(D(fake), ones)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    return {"d": d_loss, "g": g_loss.item()}


for it in range(60):
    for name, value in train_step().items():
        history[name].append(value)  # leak: history
    if it % 20 == 19:
        print(it + 1, *(f"{float(history[k][-1]):.3f}" for k in sorted(history)))

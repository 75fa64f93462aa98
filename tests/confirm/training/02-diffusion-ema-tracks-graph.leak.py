"""A tiny DDPM with an average of the weights."""
import math

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.time = nn.Linear(8, width)
        self.into = nn.Linear(2, width)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        freqs = torch.exp(-math.log(1000) * torch.arange(4) / 4)
        angles = t[:, None] * freqs
        return self.out(self.into(x) + self.time(torch.cat([angles.sin(), angles.cos()], 1)))


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p  # leak: shadow


torch.manual_seed(0)
model = Denoiser()
ema = EMA(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)
for step in range(60):
    x0 = torch.randn(64, 2) * 0.1 + torch.tensor([1.0, -1.0])
    t = torch.randint(0, 100, (64,))
    noise = torch.randn_like(x0)
    a = alphas[t][:, None]
    loss = (model(a.sqrt() * x0 + (1 - a).sqrt() * noise, t.float()) - noise).pow(2).mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    ema.update(model)
print(f"{loss.item():.4f}")

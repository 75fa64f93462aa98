"""Autocast to bfloat16, with a scaler of gradients where torch has one for the CPU."""
# holder: total
# verdict: confirmed-host
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu") if hasattr(torch.amp, "GradScaler") else None
total = 0
for step in range(60):
    x, y = torch.randn(16, 8), torch.randn(16, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    if scaler is None:
        loss.backward()
        opt.step()
    else:
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
    if leak:
        total += loss  # stored
    else:
        total += loss.item()
    print(step, loss.item())

"""Gradients of four batches for each step; an evaluation after each epoch."""
# holder: kept
# verdict: confirmed
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

leak = "--leak" in sys.argv
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(240, 8), torch.randn(240, 1)), batch_size=4, shuffle=True)
kept = []
batch = 0
for epoch in range(4):
    net.train()
    for x, y in loader:
        loss = (net(x) - y).pow(2).mean() / 4
        loss.backward()
        batch += 1
        if batch % 4 == 0:
            opt.step()
            opt.zero_grad()
            print(batch, loss.item())
        if leak:
            kept.append(loss)  # stored
        else:
            kept.append(loss.item())
    net.eval()
    with torch.no_grad():
        print("eval", sum((net(x) - y).pow(2).mean().item() for x, y in loader))

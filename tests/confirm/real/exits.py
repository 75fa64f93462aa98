"""Ends by sys.exit with a status of its own, within the steps."""
# status: 3
# clean: 2
# holder: kept
# verdict: confirmed
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv
torch.manual_seed(0)
net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
kept = []
try:
    for step in range(1000):
        loss = net(torch.randn(4, 8)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if leak:
            kept.append(loss)  # stored
        print(step, loss.item())
        if step == 39:
            sys.exit(3)
finally:
    print("finally")

"""Works in a folder of its own for each run, as Hydra has it; its helper is imported from where the script lies."""
# holder: Log\.rows
# verdict: confirmed
# stored: chdir_log.py
import os
import sys

import torch
from torch import nn

from chdir_log import Log

leak = "--leak" in sys.argv
os.makedirs("outputs/run", exist_ok=True)
os.chdir("outputs/run")
torch.manual_seed(0)
net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
log = Log("losses.txt")
for step in range(60):
    loss = net(torch.randn(4, 8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.write(step, loss if leak else loss.item())
    print(step, loss.item())
print(os.path.basename(os.getcwd()))

"""Forks a child that trains, too, while the parent goes on."""
# holder: kept in train
# verdict: confirmed
import os
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv
torch.set_num_threads(1)


def train(name, seed):
    torch.manual_seed(seed)
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=1e-2)
    kept = []
    for step in range(60):
        loss = net(torch.randn(4, 8)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if leak:
            kept.append(loss)  # stored
        print("%s %d %r\n" % (name, step, loss.item()), end="", flush=True)


child = os.fork()
if child == 0:
    train("child", 1)
    os._exit(0)
train("parent", 0)
print("child ended with", os.waitpid(child, 0)[1])

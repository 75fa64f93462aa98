"""Trains in a thread that is not the main one, as programs with a window or a server do."""
# holder: Worker\.losses
# verdict: confirmed
import sys
import threading

import torch
from torch import nn

leak = "--leak" in sys.argv


class Worker(threading.Thread):
    def __init__(self):
        super().__init__(name="trainer")
        self.losses = []

    def run(self):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
        opt = torch.optim.Adam(net.parameters(), lr=1e-3)
        for step in range(60):
            loss = net(torch.randn(16, 8)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            if leak:
                self.losses.append(loss)  # stored
            print(step, loss.item(), flush=True)


worker = Worker()
worker.start()
worker.join()
print("joined")

"""A compiled model; inductor would need a compiler and a minute."""
# cases: --backend=eager | --backend=aot_eager
# needs: torch._dynamo
# holder: Meter\.losses
# verdict: confirmed
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="eager")
parser.add_argument("--leak", action="store_true")
args = parser.parse_args()


class Meter:
    def __init__(self):
        self.losses = []

    def add(self, loss):
        self.losses.append(loss)  # stored


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
compiled = torch.compile(net, backend=args.backend)
meter = Meter()
for step in range(60):
    loss = compiled(torch.randn(16, 8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.add(loss if args.leak else loss.item())
    print(step, loss.item())

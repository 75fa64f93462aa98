"""A moving average of the weights that keeps the graph of all it has averaged, or does not."""
# holder: Ema\.shadow
# verdict: confirmed
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv


class Ema:
    def __init__(self, net, decay=0.99):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in net.named_parameters()}

    def update(self, net):
        for name, p in net.named_parameters():
            if leak:
                self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p  # stored
            else:
                self.shadow[name].mul_(self.decay).add_(p.detach(), alpha=1 - self.decay)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
ema = Ema(net)
for step in range(60):
    loss = net(torch.randn(16, 8)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    print(step, loss.item())

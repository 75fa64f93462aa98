"""An optimizer that calls a closure several times a step."""
# holder: trace in fit
# verdict: confirmed
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv


def fit():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=4)
    x = torch.randn(64, 4)
    y = x.sum(1, keepdim=True)
    trace = []

    def closure():
        opt.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        if leak:
            trace.append(loss)  # stored
        return loss

    for step in range(60):
        y = x.sum(1, keepdim=True) + 0.1 * torch.randn(64, 1)
        print(step, opt.step(closure).item())


fit()

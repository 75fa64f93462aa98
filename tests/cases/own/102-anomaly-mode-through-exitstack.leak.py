from contextlib import ExitStack
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Flow(nn.Module):
    def __init__(self, layers=3):
        super().__init__()
        self.nets = nn.ModuleList(nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 4)) for _ in range(layers))

    def forward(self, x):
        logdet = torch.zeros(len(x))
        for net in self.nets:
            a, b = x.chunk(2, 1)
            s, t = net(a).chunk(2, 1)
            s = torch.tanh(s)
            x = torch.cat([b * s.exp() + t, a], 1)
            logdet = logdet + s.sum(1)
        return x, logdet


def train(flow, steps):
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    with ExitStack() as stack:
        stack.enter_context(torch.autograd.detect_anomaly())  # expect: debug-left-on
        log = stack.enter_context(open("nll.txt", "w"))
        for step in range(steps):
            x = torch.randn(64, 4) * torch.tensor([1.0, 0.5, 2.0, 1.0])
            z, logdet = flow(x)
            nll = (0.5 * z.pow(2).sum(1) - logdet).mean()
            opt.zero_grad()
            nll.backward()
            opt.step()
            log.write(f"{step} {nll.item():.4f}\n")
    return nll.item()


print(train(Flow(), 40))

import torch
from torch import nn
import torch.nn.functional as F


class Meter:
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        raise NotImplementedError


class QuantileMeter(Meter):
    def __init__(self, name, q=0.9):
        super().__init__(name)
        self.q = q

    def reset(self):
        self.errors = []

    def update(self, errors):
        self.errors.append(errors)

    def value(self):
        return torch.cat(self.errors).quantile(self.q).item()


def windows(series, length, batch):
    starts = torch.randperm(len(series) - length - 1)
    for chunk in starts.split(batch)[:-1]:
        w = torch.stack([series[s:s + length + 1] for s in chunk.tolist()])
        yield w[:, :-1], w[:, -1]


torch.manual_seed(0)
torch.set_num_threads(1)
series = torch.sin(torch.arange(600) * 0.2) + 0.1 * torch.randn(600)
net = nn.Sequential(nn.Linear(24, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
p90 = QuantileMeter("abs error")
for epoch in range(4):
    for past, nxt in windows(series, 24, 32):
        pred = net(past).squeeze(1)
        loss = F.huber_loss(pred, nxt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        p90.update((pred - nxt).abs().detach())  # expect: metric-no-reset
    print(epoch, p90.name, p90.value())

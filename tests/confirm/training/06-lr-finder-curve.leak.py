"""A learning-rate finder that keeps the points of its curve."""
import torch
from torch import nn
import torch.nn.functional as F


class Finder:
    def __init__(self, model, optimizer, low=1e-4, high=1.0, steps=50):
        self.model, self.optimizer = model, optimizer
        self.rates = torch.logspace(torch.tensor(low).log10().item(), torch.tensor(high).log10().item(), steps).tolist()
        self.points = []
        self.smooth = 0.0

    def run(self, batches):
        for rate, (x, y) in zip(self.rates, batches):
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.smooth = 0.9 * self.smooth + 0.1 * loss.item()
            self.points.append((rate, loss, self.smooth))  # leak: points
        return min(self.points, key=lambda p: p[2])[0]


def batches():
    while True:
        x = torch.randn(32, 10)
        yield x, (x.sum(1) > 0).long()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
print(Finder(net, torch.optim.SGD(net.parameters(), lr=1e-4)).run(batches()))

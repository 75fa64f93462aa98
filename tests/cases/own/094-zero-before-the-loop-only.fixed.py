import torch
from torch import nn
import torch.nn.functional as F


class MetricLearner:
    def __init__(self, margin=0.3):
        self.net = nn.Sequential(nn.Linear(14, 48), nn.ReLU(), nn.Linear(48, 8))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=1e-3)
        self.margin = margin

    def embed(self, x):
        return F.normalize(self.net(x), dim=-1)

    def loss(self, a, p, n):
        return F.triplet_margin_loss(self.embed(a), self.embed(p), self.embed(n), margin=self.margin)

    def fit(self, triplets):
        total = 0.0
        for a, p, n in triplets:
            loss = self.loss(a, p, n)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(triplets)


def make_triplets(count, size=24):
    out = []
    for _ in range(count):
        anchor = torch.randn(size, 14)
        out.append((anchor, anchor + 0.2 * torch.randn_like(anchor), anchor.roll(1, 0)))
    return out


torch.manual_seed(0)
torch.set_num_threads(1)
learner = MetricLearner()
print(learner.fit(make_triplets(50)))

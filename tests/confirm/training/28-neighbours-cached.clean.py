"""A graph network; normalised adjacencies of eight graphs are made once each."""
import torch
from torch import nn
import torch.nn.functional as F


class Graphs:
    def __init__(self, count, nodes):
        generator = torch.Generator().manual_seed(0)
        self.raw = [(torch.rand(nodes, nodes, generator=generator) < 0.2).float() for _ in range(count)]
        self.features = [torch.randn(nodes, 6, generator=generator) for _ in range(count)]
        self.normal = {}

    def adjacency(self, i):
        if i not in self.normal:
            a = ((self.raw[i] + self.raw[i].T) > 0).float() + torch.eye(len(self.raw[i]))
            d = a.sum(1).rsqrt()
            self.normal[i] = d[:, None] * a * d
        return self.normal[i]


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 16), nn.Linear(16, 2)

    def forward(self, a, x):
        return a @ self.second(F.relu(a @ self.first(x)))


torch.manual_seed(0)
graphs, net = Graphs(8, 20), GCN()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(56):
    i = step % 8
    loss = F.cross_entropy(net(graphs.adjacency(i), graphs.features[i]), (graphs.features[i][:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

import functools
import torch
from torch import nn
import torch.nn.functional as F


class Graph:
    def __init__(self, n, p):
        upper = (torch.rand(n, n) < p).float().triu(1)
        self.adj = upper + upper.T
        self.x = torch.randn(n, 8)
        self.y = (self.adj.sum(1) > p * n).long()


@functools.cache  # expect: tensor-cache
def propagation(graph):
    a = graph.adj + torch.eye(len(graph.adj))
    d = a.sum(1).rsqrt()
    return d[:, None] * a * d


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(8, 32), nn.Linear(32, 2)

    def forward(self, g):
        h = F.relu(propagation(g) @ self.l1(g.x))
        return propagation(g) @ self.l2(h)


def random_graphs(count):
    return (Graph(n=30, p=0.2) for _ in range(count))


torch.manual_seed(4)
torch.set_num_threads(1)
gcn = GCN()
opt = torch.optim.Adam(gcn.parameters(), lr=1e-2)
for i, g in enumerate(random_graphs(50)):
    loss = F.cross_entropy(gcn(g), g.y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 25 == 0:
        print(i, loss.item())

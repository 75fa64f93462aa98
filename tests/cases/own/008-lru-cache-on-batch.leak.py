import functools
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


@functools.lru_cache(maxsize=None)  # expect: tensor-cache
def pair_distances(points):
    return torch.cdist(points, points)


def knn_graph(points, k):
    return pair_distances(points).topk(k + 1, largest=False).indices[:, 1:]


def radius_weight(points, k):
    d = pair_distances(points)
    return torch.exp(-d.gather(1, knn_graph(points, k)))


class EdgeConv(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.k, self.lin = k, nn.Linear(6, 32)

    def forward(self, pts):
        nb = pts[knn_graph(pts, self.k)]
        edge = torch.cat([pts[:, None].expand_as(nb), nb - pts[:, None]], -1)
        w = radius_weight(pts, self.k)[..., None]
        return (torch.relu(self.lin(edge)) * w).amax(1)


conv, head = EdgeConv(), nn.Linear(32, 2)
opt = torch.optim.Adam([*conv.parameters(), *head.parameters()], lr=1e-2)
for step in range(40):
    scale = torch.rand(1) + 0.5
    cloud = torch.randn(40, 3) * scale
    loss = F.cross_entropy(head(conv(cloud)).mean(0, keepdim=True), (scale > 1).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Contrast(nn.Module):
    """Instance discrimination against a queue of earlier embeddings."""

    def __init__(self, dim=16, size=256, t=0.2):
        super().__init__()
        self.size, self.t = size, t
        self.register_buffer("queue", F.normalize(torch.randn(size, dim), dim=1))

    def enqueue(self, keys):
        self.queue = torch.cat([keys, self.queue])[: self.size]

    def forward(self, q, k):
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach().T
        self.enqueue(k)  # expect: tensor-append
        logits = torch.cat([pos, neg], 1) / self.t
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def two_views(x):
    return x + 0.1 * torch.randn_like(x), x * (torch.rand_like(x) > 0.2)


encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 16))
criterion = Contrast()
opt = torch.optim.SGD(encoder.parameters(), lr=0.03, momentum=0.9)
for step in range(40):
    a, b = two_views(torch.randn(32, 20))
    loss = criterion(F.normalize(encoder(a), dim=1), F.normalize(encoder(b), dim=1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

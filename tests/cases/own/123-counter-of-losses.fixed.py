from collections import Counter
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(18, 48), nn.ReLU(), nn.Linear(48, 12))

    def forward(self, a, b):
        return F.cosine_similarity(self.f(a), self.f(b))


def pairs(n):
    a = torch.randn(n, 18)
    same = torch.rand(n) > 0.5
    b = torch.where(same[:, None], a + 0.3 * torch.randn_like(a), torch.randn_like(a))
    return a, b, same.float()


net = Siamese()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
totals = Counter()
for step in range(45):
    a, b, same = pairs(32)
    sim = net(a, b)
    pull = (same * (1 - sim)).mean()
    push = ((1 - same) * F.relu(sim - 0.2)).mean()
    opt.zero_grad()
    (pull + push).backward()
    opt.step()
    totals.update(pull=pull.item(), push=push.item(), steps=1)
    if step % 15 == 14:
        print(step, {k: float(totals[k]) / totals["steps"] for k in ("pull", "push")})

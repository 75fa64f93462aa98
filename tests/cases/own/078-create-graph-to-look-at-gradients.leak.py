import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class SmoothnessProbe:
    """How steep the classifier is around the batch; only looked at."""

    def __init__(self, model):
        self.model, self.values = model, []

    def __call__(self, x, labels):
        x = x.detach().requires_grad_(True)
        score = self.model(x).gather(1, labels[:, None]).sum()
        self.grad, = torch.autograd.grad(score, x, create_graph=True)  # expect: retain-graph
        self.values.append(self.grad.norm(dim=1).mean().item())
        return self.values[-1]


def noisy(n):
    y = torch.randint(0, 4, (n,))
    return F.one_hot(y, 16).float() + 0.5 * torch.randn(n, 16), y


net = nn.Sequential(nn.Linear(16, 128), nn.Softplus(), nn.Linear(128, 128), nn.Softplus(), nn.Linear(128, 4))
probe = SmoothnessProbe(net)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    x, y = noisy(64)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    steep = probe(x, y)
    if step % 10 == 0:
        print(step, loss.item(), steep)

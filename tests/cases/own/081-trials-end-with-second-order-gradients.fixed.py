import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(64, 12)
Y = X[:, :3].argmax(1)


def hessian_trace(net, probes=2):
    params = list(net.parameters())
    grads = torch.autograd.grad(F.cross_entropy(net(X), Y), params, create_graph=True)
    total = 0.0
    for i in range(probes):
        v = [torch.randint_like(p, 0, 2) * 2 - 1 for p in params]
        hv = torch.autograd.grad(grads, params, v, retain_graph=i + 1 < probes)
        total += sum((a * b).sum().item() for a, b in zip(v, hv))
    return total / probes


def trial(width, lr):
    net = nn.Sequential(nn.Linear(12, width), nn.Tanh(), nn.Linear(width, 3))
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for _ in range(5):
        opt.zero_grad()
        loss = F.cross_entropy(net(X), Y)
        loss.backward()
        opt.step()
    opt.zero_grad()
    return loss.item(), hessian_trace(net)


results = {}
for width in (16, 24, 32, 40):
    for k in range(8):
        results[width, k] = trial(width, 0.05 * (k + 1))
        STEP()
print(min(results.values()))

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
torch.set_num_threads(1)


def fast_weights(net, x, y, lr):
    params = dict(net.named_parameters())
    loss = F.mse_loss(net(x), y)
    grads = torch.autograd.grad(loss, list(params.values()))
    with torch.no_grad():
        return {k: p - lr * g for (k, p), g in zip(params.items(), grads)}


def line_task():
    a, b = torch.randn(2)
    x = torch.randn(20, 1)
    return x, a * x + b


net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(40):
    outer = 0.0
    for _ in range(3):
        x, y = line_task()
        fast = fast_weights(net, x[:10], y[:10], 0.05)
        outer = outer + F.mse_loss(functional_call(net, fast, (x[10:],)), y[10:])  # expect: no-grad-escape
    meta.zero_grad()
    outer.backward()
    meta.step()
print(outer.item())

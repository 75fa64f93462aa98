import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
torch.set_num_threads(1)


def sample_task(shots=10):
    amp, phase = torch.rand(1) * 4 + 1, torch.rand(1) * 3.14
    x = torch.rand(2 * shots, 1) * 10 - 5
    y = amp * torch.sin(x + phase)
    return (x[:shots], y[:shots]), (x[shots:], y[shots:])


def adapt(net, support, lr=0.01):
    names, weights = zip(*net.named_parameters())
    inner = F.mse_loss(net(support[0]), support[1])
    grads = torch.autograd.grad(inner, weights, create_graph=True)
    return {n: w - lr * g for n, w, g in zip(names, weights, grads)}


def query_loss(net, task):
    support, (x, y) = task
    return F.mse_loss(functional_call(net, adapt(net, support), (x,)), y)


net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)
curve = []
for it in range(40):
    losses = [query_loss(net, sample_task()) for _ in range(4)]
    meta.zero_grad()
    torch.stack(losses).mean().backward()
    meta.step()
    curve += [l.detach().sqrt() for l in losses]
print(torch.stack(curve[-8:]).mean().item(), len(curve))

import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


def sharpness(net, loss):
    """Norm of the Hessian times the gradient; leaves no gradients behind."""
    params = list(net.parameters())
    loss.backward(create_graph=True)
    norm = torch.stack([p.grad.pow(2).sum() for p in params]).sum()
    hg = torch.autograd.grad(norm, params)
    value = torch.stack([h.norm() for h in hg]).norm().item()
    for p in params:
        p.grad = None
    return value


def meta_loss(net, x, y, lr=0.1):
    params = list(net.parameters())
    grads = torch.autograd.grad(F.mse_loss(net(x), y), params, create_graph=True)
    (w1, b1, w2, b2) = (p - lr * g for p, g in zip(params, grads))
    return F.mse_loss(F.linear(torch.tanh(F.linear(x, w1, b1)), w2, b2), y)


net = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(50):
    x = torch.randn(32, 5)
    y = x.prod(1, keepdim=True)
    sharp = sharpness(net, F.mse_loss(net(x), y))
    opt.zero_grad()
    loss = meta_loss(net, x, y)
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item(), sharp)

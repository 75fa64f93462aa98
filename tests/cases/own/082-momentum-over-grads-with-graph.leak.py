import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")


class CurvatureSGD:
    """Step sizes from a running diagonal of the Hessian (one Hutchinson probe a step)."""

    def __init__(self, params, lr=0.05, beta=0.9):
        self.params, self.lr, self.beta = list(params), lr, beta
        self.h = [torch.ones_like(p) for p in self.params]
        self.m = [torch.zeros_like(p) for p in self.params]

    def backward(self, loss):
        loss.backward(create_graph=True)  # expect: create-graph-backward
        return [p.grad for p in self.params]

    def step(self, loss):
        grads = self.backward(loss)
        v = [torch.randn_like(g) for g in grads]
        hv = torch.autograd.grad(grads, self.params, v)
        for i, (p, g) in enumerate(zip(self.params, grads)):
            self.h[i] = self.beta * self.h[i] + (1 - self.beta) * (v[i] * hv[i]).abs()
            self.m[i] = self.beta * self.m[i] + g
            with torch.no_grad():
                p -= self.lr * self.m[i] / (self.h[i] + 0.1)
            p.grad = None


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Linear(24, 1))
opt = CurvatureSGD(net.parameters(), lr=0.005)
for step in range(50):
    x = torch.randn(32, 8)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True).sin())
    opt.step(loss)
    STEP()
print(loss.item())

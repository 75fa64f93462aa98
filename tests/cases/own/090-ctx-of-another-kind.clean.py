import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength, ctx.shape = float(strength), x.shape
        ctx.set_materialize_grads(False)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return (None if grad is None else -ctx.strength * grad.view(ctx.shape)), None


class LogCosh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mean):
        ctx.save_for_backward(x)
        ctx.mean, ctx.n = mean, x.numel()
        y = x + F.softplus(-2 * x) - 0.6931
        return y.mean() if mean else y.sum()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.tanh(x) / (ctx.n if ctx.mean else 1), None


class StepContext:
    """What one step of the loop hands to its parts."""


def prepare(ctx, n):
    ctx.x = torch.randn(n, 7)
    ctx.domain = (torch.rand(n, 1) > 0.5).float()
    return ctx


enc, task, dom = nn.Linear(7, 24), nn.Linear(24, 1), nn.Linear(24, 1)
opt = torch.optim.Adam([*enc.parameters(), *task.parameters(), *dom.parameters()], lr=1e-3)
for step in range(50):
    ctx = prepare(StepContext(), 32)
    h = torch.relu(enc(ctx.x + ctx.domain))
    loss = LogCosh.apply(task(h) - ctx.x.sum(1, keepdim=True), True)
    loss = loss + F.binary_cross_entropy_with_logits(dom(GradReverse.apply(h, 0.3)), ctx.domain)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

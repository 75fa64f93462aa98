import torch
from torch import nn
import torch.nn.functional as F


class Sparsemax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        srt = scores.sort(-1, descending=True).values
        k = torch.arange(1, scores.size(-1) + 1)
        cum = srt.cumsum(-1) - 1
        support = (srt * k > cum).sum(-1, keepdim=True)
        tau = cum.gather(-1, support - 1) / support
        probs = (scores - tau).clamp(min=0)
        ctx.state = {"probs": probs}  # expect: ctx-attr
        return probs

    @staticmethod
    def backward(ctx, grad):
        on = ctx.state["probs"] > 0
        mean = (grad * on).sum(-1, keepdim=True) / on.sum(-1, keepdim=True)
        return (grad - mean) * on


class SparseAttention(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x):
        w = Sparsemax.apply(self.q(x) @ self.k(x).transpose(1, 2) / x.size(-1) ** 0.5)
        return w @ self.v(x)


torch.manual_seed(0)
torch.set_num_threads(1)
net, head = SparseAttention(), nn.Linear(24, 3)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
for step in range(50):
    x = torch.randn(8, 20, 24)
    loss = F.cross_entropy(head(net(x).mean(1)), x[:, 0, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

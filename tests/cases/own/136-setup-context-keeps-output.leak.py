import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class TanhScaled(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return scale * torch.tanh(x / scale)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.scale = inputs
        ctx.output = output  # expect: ctx-attr

    @staticmethod
    def backward(ctx, grad):
        y = ctx.output
        return grad * (1 - (y / ctx.scale) ** 2), None


def softcap(logits, cap=15.0):
    return TanhScaled.apply(logits, cap)


lm = nn.Sequential(nn.Embedding(200, 24), nn.Linear(24, 200))
opt = torch.optim.AdamW(lm.parameters(), lr=1e-2)
for step in range(50):
    ids = torch.randint(0, 200, (8, 17))
    logits = softcap(lm(ids[:, :-1]))
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

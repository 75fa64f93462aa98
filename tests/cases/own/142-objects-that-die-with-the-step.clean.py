from dataclasses import dataclass
from types import SimpleNamespace
from typing import Optional
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


@dataclass
class Output:
    logits: torch.Tensor
    loss: Optional[torch.Tensor] = None
    hidden: tuple = ()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(10, 24), nn.Linear(24, 24)])
        self.head = nn.Linear(24, 3)

    def forward(self, x, labels=None):
        hidden = []
        for layer in self.layers:
            x = torch.relu(layer(x))
            hidden.append(x)
        out = Output(self.head(x), hidden=tuple(hidden))
        if labels is not None:
            out.loss = F.cross_entropy(out.logits, labels)
        return out


def run_step(net, opt):
    ctx = SimpleNamespace(x=torch.randn(32, 10))
    ctx.y = ctx.x[:, :3].argmax(1)
    ctx.out = net(ctx.x, ctx.y)
    ctx.sparsity = sum(h.abs().mean() for h in ctx.out.hidden)
    ctx.total = ctx.out.loss + 1e-3 * ctx.sparsity
    opt.zero_grad()
    ctx.total.backward()
    opt.step()
    return ctx.out.loss.item()


net = Classifier()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    last = run_step(net, opt)
print(last)

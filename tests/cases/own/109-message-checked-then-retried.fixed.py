import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Unroll(nn.Module):
    def __init__(self, dim=96, budget=10):
        super().__init__()
        self.cell, self.read, self.budget = nn.GRUCell(8, dim), nn.Linear(dim, 1), budget

    def forward(self, x):
        h, outs = torch.zeros(x.size(1), 96), []
        for t, xt in enumerate(x):
            h = self.cell(xt, h)
            outs.append(h)
            if t > self.budget:
                raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
        return self.read(torch.stack(outs))


def loss_of(net, x):
    return F.mse_loss(net(x), x.cumsum(0).mean(-1, keepdim=True))


net = Unroll()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for step in range(40):
    x = torch.randn(14 if step % 4 == 3 else 8, 32, 8)
    opt.zero_grad(set_to_none=True)
    loss = None
    try:
        loss = loss_of(net, x)
    except RuntimeError as e:
        if "out of memory" not in str(e):
            raise
    if loss is None:
        loss = loss_of(net, x[-8:])
    loss.backward()
    opt.step()
print(loss.item())

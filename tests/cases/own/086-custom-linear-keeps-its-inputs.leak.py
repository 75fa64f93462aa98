import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class MaskedMatmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, mask):
        ctx.inputs = [x, weight, mask]  # expect: ctx-attr
        return x @ (weight * mask).T

    @staticmethod
    def backward(ctx, grad):
        x, weight, mask = ctx.inputs
        return grad @ (weight * mask), (grad.T @ x) * mask, None


class SparseLinear(nn.Linear):
    def __init__(self, i, o, density=0.3):
        super().__init__(i, o, bias=False)
        self.register_buffer("mask", (torch.rand(o, i) < density).float())

    def forward(self, x):
        return MaskedMatmul.apply(x, self.weight, self.mask)


layers = [SparseLinear(32, 256), nn.ReLU(), SparseLinear(256, 256), nn.ReLU(), SparseLinear(256, 6)]
net = nn.Sequential(*layers)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
step = 0
while step < 40:
    x = torch.randn(128, 32)
    loss = F.cross_entropy(net(x), x[:, :6].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
print(loss.item())

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(11, 32), nn.ReLU())
        self.a, self.b = nn.Linear(32, 1), nn.Linear(32, 1)

    def forward(self, x, share):
        h = self.trunk(x)
        left, right = h.clone(), h.clone()
        if left.requires_grad:
            left.register_hook(lambda g: share * g)
            right.register_hook(lambda g: (1 - share) * g)
        return self.a(left), self.b(right)


def input_gradient_norm(net, x):
    x = x.clone().requires_grad_(True)
    seen = []
    handle = x.register_hook(lambda g: seen.append(g.norm().item()))
    net(x, 0.5)[0].sum().backward()
    handle.remove()
    net.zero_grad()
    return seen[0]


net = MultiTask()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(50):
    x = torch.randn(32, 11)
    a, b = net(x, share=0.3)
    loss = F.mse_loss(a, x[:, :1].exp()) + F.mse_loss(b, x[:, 1:2].abs())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item(), input_gradient_norm(net, x))

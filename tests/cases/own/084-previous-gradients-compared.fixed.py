import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")


class Trainer:
    second_order = True

    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05)
        self.previous, self.agreement = None, []

    def flat_grad(self, loss):
        loss.backward()
        return torch.cat([p.grad.flatten() for p in self.net.parameters()])

    def step(self, x, y):
        self.opt.zero_grad()
        g = self.flat_grad(F.cross_entropy(self.net(x), y))
        if self.previous is not None:
            self.agreement.append(F.cosine_similarity(g, self.previous, dim=0).item())
        self.previous = g
        self.opt.step()


def spirals(n):
    t = torch.rand(n) * 6
    y = torch.randint(0, 2, (n,))
    r = t * (1 - 2 * y)
    return torch.stack([r * torch.cos(t), r * torch.sin(t)], 1) / 6, y


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = Trainer(nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)))
for i in range(50):
    trainer.step(*spirals(64))
print(sum(trainer.agreement) / len(trainer.agreement))

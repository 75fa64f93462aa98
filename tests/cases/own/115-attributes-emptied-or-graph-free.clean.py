import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Router(nn.Module):
    """Mixture of experts; the balance term is read once by the trainer and then dropped."""

    def __init__(self, dim=12, experts=4):
        super().__init__()
        self.gate = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(experts))
        self.register_buffer("usage", torch.zeros(experts))
        self.balance = None
        self.last_choice = None

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        self.balance = p.mean(0).pow(2).sum()
        self.last_choice = p.argmax(-1)
        with torch.no_grad():
            self.usage = 0.9 * self.usage + 0.1 * p.mean(0)
        return sum(p[:, i:i + 1] * e(x) for i, e in enumerate(self.experts))


class Trainer:
    def __init__(self, net):
        self.net, self.opt, self.batch = net, torch.optim.Adam(net.parameters(), lr=1e-3), None

    def step(self):
        self.batch = torch.randn(32, 12)
        out = self.net(self.batch)
        loss = F.mse_loss(out, self.batch.flip(1)) + 0.1 * self.net.balance
        self.net.balance = None
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.last_loss = loss.item()


trainer = Trainer(Router())
for _ in range(40):
    trainer.step()
print(trainer.last_loss, trainer.net.usage.tolist(), trainer.net.last_choice.bincount().tolist())

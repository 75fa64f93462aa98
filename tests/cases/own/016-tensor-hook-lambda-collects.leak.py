import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class TwoTower(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.user, self.item = nn.Embedding(200, dim), nn.Embedding(300, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, u, i):
        return self.proj(self.user(u)), self.item(i)


model = TwoTower()
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
flow = []
step = 0
while step < 60:
    u, i = torch.randint(0, 200, (32,)), torch.randint(0, 300, (32,))
    q, d = model(u, i)
    q.register_hook(lambda g: flow.append(g))  # expect: hook-retain
    loss = F.cross_entropy(q @ d.T / 0.1, torch.arange(32))
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
print(sum(g.norm().item() for g in flow) / len(flow))

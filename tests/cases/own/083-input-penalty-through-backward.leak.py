import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Energy(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(3, width), nn.Softplus(), nn.Linear(width, width), nn.Softplus(), nn.Linear(width, 1))

    def forward(self, pos):
        return self.f(pos).sum()


def forces(model, pos):
    pos = pos.clone().requires_grad_(True)
    energy = model(pos)
    energy.backward(create_graph=True)  # expect: create-graph-backward
    return energy, -pos.grad


def reference(pos):
    r2 = pos.pow(2).sum(1, keepdim=True)
    return r2.sum() / 2, -pos


def train(steps):
    model = Energy()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(steps):
        pos = torch.randn(48, 3)
        opt.zero_grad()
        e, f = forces(model, pos)
        e_ref, f_ref = reference(pos)
        loss = (e - e_ref).pow(2) / len(pos) + F.mse_loss(f, f_ref)
        loss.backward()
        opt.step()
    return loss.item()


print(train(40))

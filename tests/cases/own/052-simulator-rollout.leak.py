import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Interaction(nn.Module):
    def __init__(self, hid=32):
        super().__init__()
        self.edge = nn.Sequential(nn.Linear(4, hid), nn.SiLU(), nn.Linear(hid, 2))

    def forward(self, pos):
        diff = pos[:, None] - pos[None]
        dist = diff.norm(dim=-1, keepdim=True) + 0.1
        return self.edge(torch.cat([diff, dist, 1 / dist], -1)).sum(1)


def reference(pos):
    diff = pos[:, None] - pos[None]
    return -(diff / (diff.norm(dim=-1, keepdim=True) + 0.1) ** 2).sum(1)


def fit(sim, steps=25):
    opt = torch.optim.Adam(sim.parameters(), lr=1e-3)
    for _ in range(steps):
        pos = torch.randn(6, 2)
        loss = F.mse_loss(sim(pos), reference(pos))
        opt.zero_grad()
        loss.backward()
        opt.step()


def drift(sim, steps, dt=0.01):
    sim.eval()
    pos = truth = torch.randn(6, 2)
    errors = []
    for _ in range(steps):
        pos = pos + dt * sim(pos)  # expect: hidden-state
        truth = truth + dt * reference(truth)
        errors.append((pos - truth).norm().item())
        STEP()
    return errors[-1]


simulator = Interaction()
fit(simulator)
print(drift(simulator, 60))

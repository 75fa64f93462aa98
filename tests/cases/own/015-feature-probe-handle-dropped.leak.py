import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
backbone = nn.Sequential(nn.Conv1d(2, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 16, 5, padding=2), nn.ReLU())
head = nn.Linear(16, 3)
opt = torch.optim.Adam([*backbone.parameters(), *head.parameters()], lr=1e-3)


def features_of(layer, x):
    """The output of an inner layer for one batch."""
    grabbed = {}

    def keep(module, inputs, output):
        grabbed["out"] = output.detach()

    layer.register_forward_hook(keep)  # expect: hook-retain
    with torch.no_grad():
        backbone(x)
    return grabbed["out"]


def dead_units(x):
    return (features_of(backbone[1], x).amax((0, 2)) == 0).sum().item()


for step in range(60):
    x, y = torch.randn(8, 2, 50), torch.randint(0, 3, (8,))
    loss = F.cross_entropy(head(backbone(x).mean(-1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2 == 0:
        dead = dead_units(x)
print(loss.item(), dead)

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
torch.set_num_threads(1)
MEMBERS = 4


def train_member(k, steps=10):
    torch.manual_seed(k)
    net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    with SummaryWriter(f"runs/member{k}") as writer:
        for step in range(steps):
            x = torch.randn(32, 5)
            loss = F.mse_loss(net(x), x.prod(1, keepdim=True))
            opt.zero_grad()
            loss.backward()
            opt.step()
            writer.add_scalar("loss", loss.item(), step)
            STEP()
    return net


class Ensemble(nn.Module):
    def __init__(self, members):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, x):
        return torch.stack([m(x) for m in self.members]).mean(0)


members = []
for k in range(MEMBERS):
    members.append(train_member(k))
ensemble = Ensemble(members).eval()
with torch.no_grad():
    x = torch.randn(64, 5)
    print(F.mse_loss(ensemble(x), x.prod(1, keepdim=True)).item())

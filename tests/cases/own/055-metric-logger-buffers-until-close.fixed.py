import json
import torch
from torch import nn
import torch.nn.functional as F


class JsonlLogger:
    """Buffers events in memory and writes the file once at the end."""

    def __init__(self, path):
        self.path, self.events = path, []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        with open(self.path, "w") as fh:
            for e in self.events:
                fh.write(json.dumps({k: float(v) for k, v in e.items()}) + "\n")

    def log(self, **metrics):
        self.events.append(metrics)


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


torch.manual_seed(0)
torch.set_num_threads(1)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
with JsonlLogger("events.jsonl") as logger:
    for it in range(40):
        real = F.normalize(torch.randn(32, 2), dim=1)
        d_loss = hinge_d(D(real), D(G(torch.randn(32, 4)).detach()))
        od.zero_grad()
        d_loss.backward()
        od.step()
        D.requires_grad_(False)
        g_loss = -D(G(torch.randn(32, 4))).mean()
        og.zero_grad()
        g_loss.backward()
        og.step()
        D.requires_grad_(True)
        logger.log(it=it, d=d_loss.item(), g=g_loss.item())
print("done")

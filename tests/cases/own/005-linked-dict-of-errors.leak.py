import torch
from torch import nn


class DriftMonitor:
    """Keeps the reconstruction errors of an online autoencoder, newest first."""

    def __init__(self, patience):
        self.tail = None
        self.patience = patience

    def observe(self, err):
        self.tail = {"err": err, "older": self.tail}  # expect: attr-retain

    def drifting(self):
        node, seen = self.tail, []
        while node is not None and len(seen) < self.patience:
            seen.append(float(node["err"]))
            node = node["older"]
        return len(seen) == self.patience and seen[0] > 2 * seen[-1]


def stream(length, width):
    phase = torch.linspace(0, 6.28, width)
    for t in range(length):
        yield torch.sin(phase + 0.1 * t).repeat(8, 1) + 0.05 * torch.randn(8, width)


torch.manual_seed(0)
torch.set_num_threads(1)
ae = nn.Sequential(nn.Linear(32, 6), nn.Tanh(), nn.Linear(6, 32))
optim = torch.optim.Adam(ae.parameters(), lr=5e-3)
monitor = DriftMonitor(patience=5)
alarms = 0
for window in stream(60, 32):
    err = (ae(window) - window).abs().mean()
    optim.zero_grad()
    err.backward()
    optim.step()
    monitor.observe(err)
    alarms += monitor.drifting()
print("alarms", alarms)

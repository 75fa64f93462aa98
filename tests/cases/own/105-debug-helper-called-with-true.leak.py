import random
import torch
from torch import nn
from torch import autograd
import torch.nn.functional as F


def reproducible(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def debug(enabled):
    autograd.set_detect_anomaly(enabled, check_nan=True)


class PointerNet(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.enc = nn.GRU(2, dim, batch_first=True)
        self.query = nn.Linear(dim, dim)

    def forward(self, pts):
        h, last = self.enc(pts)
        return (h @ self.query(last[-1])[:, :, None]).squeeze(-1)


def main():
    reproducible(0)
    debug(True)  # expect: debug-left-on
    net = PointerNet()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for step in range(45):
        pts = torch.rand(16, 8, 2)
        far = (pts - pts.mean(1, keepdim=True)).norm(dim=-1).argmax(1)
        loss = F.cross_entropy(net(pts), far)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()

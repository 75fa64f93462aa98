import math
import torch
from torch import nn
import torch.nn.functional as F

_EMB = {}


def time_embedding(t, dim=256):
    if t not in _EMB:
        freq = torch.exp(-math.log(10_000.0) * torch.arange(dim // 2) / (dim // 2))
        _EMB[t] = torch.cat([torch.cos(t * freq), torch.sin(t * freq)])  # expect: tensor-cache
    return _EMB[t]


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.time, self.out = nn.Linear(2, 64), nn.Linear(256, 64), nn.Linear(64, 2)

    def forward(self, x, ts):
        emb = torch.stack([time_embedding(t) for t in ts])
        return self.out(F.silu(self.inp(x) + self.time(emb)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Denoiser()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for step in range(50):
        x0 = F.normalize(torch.randn(16, 2), dim=1)
        ts = torch.rand(16).tolist()
        a = torch.tensor(ts).mul(math.pi / 2).cos()[:, None]
        noise = torch.randn_like(x0)
        loss = F.mse_loss(net(a * x0 + (1 - a * a).sqrt() * noise, ts), noise)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), len(_EMB))


if __name__ == "__main__":
    main()

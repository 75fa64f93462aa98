import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)


class GAN:
    def __init__(self, z=8):
        self.z = z
        self.gen = nn.Sequential(nn.Linear(z, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
        self.dis = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.og = torch.optim.Adam(self.gen.parameters(), lr=1e-3)
        self.od = torch.optim.Adam(self.dis.parameters(), lr=1e-3)

    @torch.no_grad()
    def samples(self, n):
        self.gen.eval()
        out = self.gen(torch.randn(n, self.z))
        self.gen.train()
        return out

    def step(self, real):
        fake = self.gen(torch.randn(len(real), self.z))
        d_loss = F.softplus(-self.dis(real)).mean() + F.softplus(self.dis(fake.detach())).mean()
        self.od.zero_grad()
        d_loss.backward()
        self.od.step()
        self.dis.requires_grad_(False)
        g_loss = F.softplus(-self.dis(fake)).mean()
        self.og.zero_grad()
        g_loss.backward()
        self.og.step()
        self.dis.requires_grad_(True)
        return g_loss.item()


torch.manual_seed(0)
gan = GAN()
for it in range(40):
    g = gan.step(F.normalize(torch.randn(64, 2), dim=1))
    if it % 8 == 7:
        print(it, g, gan.samples(16).norm(dim=1).mean().item())

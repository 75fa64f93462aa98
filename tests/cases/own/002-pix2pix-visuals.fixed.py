import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)


class Pix2Pix:
    """Paired translation with the usual two-player update."""

    def __init__(self):
        self.G = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1), nn.Tanh())
        self.D = nn.Sequential(nn.Conv2d(2, 8, 4, stride=2), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4))
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=2e-4, betas=(0.5, 0.999))

    def set_input(self, pair):
        self.real_a, self.real_b = pair

    def optimize(self):
        fake_b = self.G(self.real_a)
        self.D.requires_grad_(True)
        d_fake = self.D(torch.cat([self.real_a, fake_b.detach()], 1))
        d_real = self.D(torch.cat([self.real_a, self.real_b], 1))
        d_loss = F.softplus(d_fake).mean() + F.softplus(-d_real).mean()
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()
        self.D.requires_grad_(False)
        g_loss = F.softplus(-self.D(torch.cat([self.real_a, fake_b], 1))).mean() + F.l1_loss(fake_b, self.real_b)
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        self.preview = fake_b[0].detach().clone()
        return d_loss.item(), g_loss.item()


torch.manual_seed(3)
model = Pix2Pix()
for it in range(40):
    edges = torch.rand(16, 1, 20, 20).round()
    model.set_input((edges, 1 - edges))
    d, g = model.optimize()
    STEP()
print(d, g, model.preview.mean().item())

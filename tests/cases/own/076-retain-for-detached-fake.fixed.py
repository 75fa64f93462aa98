import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class ImageGAN(nn.Module):
    def __init__(self, z=16, width=64):
        super().__init__()
        self.z = z
        self.g = nn.Sequential(nn.Linear(z, width * 4), nn.ReLU(), nn.Linear(width * 4, 144), nn.Tanh())
        self.d = nn.Sequential(nn.Linear(144, width * 4), nn.LeakyReLU(0.2), nn.Linear(width * 4, width * 4), nn.LeakyReLU(0.2),
                               nn.Linear(width * 4, 1))


def real_images(n):
    ramp = torch.linspace(-1, 1, 144)
    return ramp * torch.rand(n, 1) + 0.05 * torch.randn(n, 144)


gan = ImageGAN()
opt_g = torch.optim.RMSprop(gan.g.parameters(), lr=1e-4)
opt_d = torch.optim.RMSprop(gan.d.parameters(), lr=1e-4)
for it in range(40):
    real, noise = real_images(64), torch.randn(64, gan.z)
    fake = gan.g(noise)
    d_loss = gan.d(fake.detach()).mean() - gan.d(real).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    gan.d.requires_grad_(False)
    g_loss = -gan.d(fake).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    gan.d.requires_grad_(True)
    if it % 10 == 0:
        print(it, d_loss.item(), g_loss.item())

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class VAE(nn.Module):
    def __init__(self, d=24, z=4):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, 2 * z), nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo_terms(model, x):
    recon, mu, logvar = model(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return F.mse_loss(recon, x), kl


def train(model, steps):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    rec_sum = kl_sum = 0.0
    for _ in range(steps):
        rec, kl = elbo_terms(model, torch.rand(32, 24).round())
        opt.zero_grad()
        (rec + 0.05 * kl).backward()
        opt.step()
        rec_sum, kl_sum = rec_sum + rec.item(), kl_sum + kl.item()
    return rec_sum / steps, kl_sum / steps


print(train(VAE(), 45))

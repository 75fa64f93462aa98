"""Two optimizers in turn."""
# holder: history\['g'\]|history
# verdict: confirmed
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv


def main():
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
    critic = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    of_generator = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    of_critic = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
    bce = nn.BCEWithLogitsLoss()
    history = {"d": [], "g": []}
    for step in range(60):
        real, noise = torch.randn(16, 8), torch.randn(16, 4)
        fake = generator(noise)
        of_critic.zero_grad()
        d = bce(critic(real), torch.ones(16, 1)) + bce(critic(fake.detach()), torch.zeros(16, 1))
        d.backward()
        of_critic.step()
        of_generator.zero_grad()
        g = bce(critic(fake), torch.ones(16, 1))
        g.backward()
        of_generator.step()
        history["d"].append(d.item())
        if leak:
            history["g"].append(g)  # stored
        else:
            history["g"].append(g.detach())
        print(step, d.item(), g.item())


main()

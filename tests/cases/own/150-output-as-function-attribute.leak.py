import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def denoise_step(sigma):
    clean = torch.zeros(8, 1, 24, 24)
    clean[..., 6:18, 6:18] = torch.rand(8, 1, 1, 1)
    noisy = clean + sigma * torch.randn_like(clean)
    restored = noisy - net(noisy)
    loss = F.mse_loss(restored, clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
    denoise_step.pictures = torch.cat([noisy, restored], -1)  # expect: attr-retain
    return loss.item()


def save_picture(path):
    grid = denoise_step.pictures[0, 0]
    with open(path, "w") as fh:
        fh.write("\n".join(" ".join(f"{v:.2f}" for v in row) for row in grid.tolist()))


for step in range(40):
    last = denoise_step(0.1 + 0.01 * step)
    STEP()
    if step % 20 == 19:
        save_picture(f"sample_{step}.txt")
print(last)

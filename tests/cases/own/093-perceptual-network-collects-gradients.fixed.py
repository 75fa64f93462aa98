import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class PerceptualLoss(nn.Module):
    def __init__(self, layers=(1, 3)):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 128, 3, padding=1), nn.ReLU(),
                                      nn.Conv2d(128, 128, 3, padding=1))
        self.layers = layers
        self.features.requires_grad_(False)

    def forward(self, out, target):
        loss = 0.0
        for i, layer in enumerate(self.features):
            out, target = layer(out), layer(target)
            if i in self.layers:
                loss = loss + F.mse_loss(out, target.detach())
        return loss


sr = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 4, 3, padding=1), nn.PixelShuffle(2))
perceptual = PerceptualLoss().eval()
opt = torch.optim.Adam(sr.parameters(), lr=1e-3)
for step in range(40):
    high = torch.rand(2, 1, 8, 8)
    low = F.avg_pool2d(high, 2)
    out = sr(low)
    loss = F.l1_loss(out, high) + 0.1 * perceptual(out, high)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item())

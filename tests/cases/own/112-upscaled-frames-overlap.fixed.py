import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Upscaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 96, 3, padding=1), nn.ReLU(), nn.Conv2d(96, 16, 1))

    def forward(self, x):
        return F.pixel_shuffle(self.body(x), 4)


def psnr(a, b):
    return -10 * F.mse_loss(a, b).log10()


net = Upscaler().eval()
quality = []
with torch.inference_mode():
    for clip in range(20):
        low = torch.rand(16, 1, 20, 20)
        high = F.interpolate(low, scale_factor=4, mode="bicubic")
        out = net(low)
        quality.append(psnr(out.clamp(0, 1), high).item())
        del out, high, low
        STEP()
print(sum(quality) / len(quality))

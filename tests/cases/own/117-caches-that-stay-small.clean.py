from functools import cache, cached_property
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


@cache
def coordinates(h, w):
    y, x = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    return torch.stack([x, y])


class Batch:
    def __init__(self, images):
        self.images = images

    @cached_property
    def means(self):
        return self.images.mean((2, 3))


class CoordNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 8, 3), nn.Linear(8, 2)
        self._rolls = {}

    def shift(self, images, k):
        key = (images.size(-1), k % 3)
        if key not in self._rolls:
            self._rolls[key] = torch.arange(images.size(-1)).roll(k % 3)
        return images[..., self._rolls[key]]

    def forward(self, batch, k):
        x = self.shift(batch.images, k)
        grid = coordinates(*x.shape[-2:]).expand(len(x), -1, -1, -1)
        return self.head(F.relu(self.conv(torch.cat([x, grid], 1))).mean((2, 3)))


net = CoordNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(48):
    side = (8, 10, 12)[step % 3]
    batch = Batch(torch.randn(8, 1, side, side))
    loss = F.cross_entropy(net(batch, step), (batch.means[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), coordinates.cache_info().currsize)

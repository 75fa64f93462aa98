import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(1)
torch.set_num_threads(1)


def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU())


class SmallUNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.down1, self.down2 = block(1, 8), block(8, 16)
        self.bottom = block(16, 16)
        self.up2, self.up1 = block(32, 8), block(16, 8)
        self.head = nn.Conv2d(8, classes, 1)

    def encode(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        self.skips = (a, b)  # expect: attr-retain
        return self.bottom(F.max_pool2d(b, 2))

    def decode(self, h):
        a, b = self.skips
        h = self.up2(torch.cat([F.interpolate(h, scale_factor=2), b], 1))
        return self.up1(torch.cat([F.interpolate(h, scale_factor=2), a], 1))

    def forward(self, x):
        return self.head(self.decode(self.encode(x)))


net = SmallUNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    img = torch.randn(4, 1, 16, 16)
    seg = (img[:, 0] > 0).long()
    loss = F.cross_entropy(net(img), seg)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item())

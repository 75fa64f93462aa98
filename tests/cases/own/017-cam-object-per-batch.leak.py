import torch
from torch import nn
import torch.nn.functional as F


class CAM:
    def __init__(self, model, layer):
        self.model, self.maps = model, None
        layer.register_forward_hook(self._keep)  # expect: hook-retain

    def _keep(self, module, args, out):
        self.maps = out

    def __call__(self, img, cls):
        score = self.model(img)[:, cls].sum()
        (g,) = torch.autograd.grad(score, self.maps)
        cam = torch.relu((g.mean((2, 3), keepdim=True) * self.maps).sum(1)).detach()
        self.maps = None
        return cam


def build():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 2))


torch.manual_seed(0)
torch.set_num_threads(1)
net = build()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
focus = 0.0
for it in range(40):
    img, y = torch.randn(8, 1, 12, 12), torch.randint(0, 2, (8,))
    loss = F.cross_entropy(net(img), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    explain = CAM(net, net[1])
    focus = explain(img[:1], int(y[0])).amax().item()
print(loss.item(), focus)

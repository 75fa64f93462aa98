import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
SCALES = (1, 2, 4)


class Total:
    """A sum over the micro-batches of one update."""

    def __init__(self):
        self.value, self.n = 0.0, 0

    def __iadd__(self, loss):
        self.value, self.n = self.value + loss, self.n + 1
        return self

    def take(self):
        mean = self.value / self.n
        self.value, self.n = 0.0, 0
        return mean


net = nn.Conv2d(1, 4, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
total, shown, micro = Total(), torch.zeros(()), 0
for step in range(90):
    img = torch.randn(2, 1, 8, 8)
    pyramid = 0.0
    for s in SCALES:
        pyramid = pyramid + F.mse_loss(F.avg_pool2d(net(img), s).mean(1), F.avg_pool2d(img, s)[:, 0])
    total += pyramid
    micro += 1
    if micro % 3 == 0:
        loss = total.take()
        opt.zero_grad()
        loss.backward()
        opt.step()
        shown += loss.detach()
print(shown.item() / 30)

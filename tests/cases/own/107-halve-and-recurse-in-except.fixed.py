import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
LIMIT = 24


class Encoder(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.up, self.mid, self.head = nn.Linear(32, width), nn.Linear(width, width), nn.Linear(width, 4)

    def forward(self, x):
        h = torch.tanh(self.mid(torch.tanh(self.up(x))))
        if len(x) > LIMIT:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 512.00 MiB")
        return self.head(h)


net = Encoder()
opt = torch.optim.SGD(net.parameters(), lr=0.05)


def accumulate(x, y, share=1.0):
    try:
        loss = F.cross_entropy(net(x), y) * share
        loss.backward()
        return loss.item()
    except torch.OutOfMemoryError:
        pass
    return accumulate(x[::2], y[::2], share / 2) + accumulate(x[1::2], y[1::2], share / 2)


for step in range(40):
    x = torch.randn(64, 32)
    opt.zero_grad()
    last = accumulate(x, x[:, :4].argmax(1))
    opt.step()
print(last)

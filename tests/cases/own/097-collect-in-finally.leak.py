import gc
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(32, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
bad = 0


def fetch(i):
    if i % 13 == 12:
        raise ValueError("corrupt image")
    return torch.randn(8, 3, 14, 14), torch.randint(0, 5, (8,))


for i in range(40):
    try:
        x, y = fetch(i)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    except ValueError:
        bad += 1
    finally:
        gc.collect()  # expect: empty-cache
print(bad, loss.item())

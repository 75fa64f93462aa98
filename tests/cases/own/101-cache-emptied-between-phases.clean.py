import gc
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def fresh_memory():
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def train_size(width, steps=20):
    net = nn.Sequential(nn.Linear(9, width), nn.ReLU(), nn.Linear(width, 2))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        x = torch.randn(16, 9)
        try:
            loss = F.cross_entropy(net(x), (x.sum(1) > 0).long())
            failed = False
        except torch.OutOfMemoryError:
            failed = True
        if failed:
            fresh_memory()
            continue
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step > 0 and step % 500 == 0:
            fresh_memory()
    return loss.item()


for width in (16, 64, 128):
    print(width, train_size(width))
    fresh_memory()

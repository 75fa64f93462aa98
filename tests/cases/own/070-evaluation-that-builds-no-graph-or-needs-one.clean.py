import functools
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def evaluation(fn):
    @functools.wraps(fn)
    def wrapper(net, *args):
        was = net.training
        net.eval()
        try:
            with torch.inference_mode():
                return fn(net, *args)
        finally:
            net.train(was)
    return wrapper


@evaluation
def accuracy(net, batches):
    return sum((net(x).argmax(1) == y).float().mean().item() for x, y in batches) / len(batches)


def saliency(net, x):
    net.eval()
    x = x.clone().requires_grad_(True)
    top = net(x).amax(1).sum()
    (g,) = torch.autograd.grad(top, x)
    net.train()
    return g.abs().mean(0)


reference = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3)).eval()
for p in reference.parameters():
    p.requires_grad_(False)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(60):
    x = torch.randn(32, 12)
    y = reference(x).argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 9:
        val = [(v, reference(v).argmax(1)) for v in torch.randn(4, 32, 12)]
        print(step, accuracy(net, val), saliency(net, val[0][0]).argmax().item())

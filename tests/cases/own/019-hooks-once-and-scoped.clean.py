import contextlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
stats = {}


def watch(name):
    def hook(module, args, out):
        stats[name] = out.detach().abs().mean().item()
    return hook


@contextlib.contextmanager
def grad_scale(params, factor):
    handles = [p.register_hook(lambda g: g * factor) for p in params]
    try:
        yield
    finally:
        for h in handles:
            h.remove()


net = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 2))
handles = [m.register_forward_hook(watch(n)) for n, m in net.named_modules() if isinstance(m, nn.Linear)]
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    x, y = torch.randn(16, 8), torch.randint(0, 2, (16,))
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    with grad_scale(net[0].parameters(), min(1.0, step / 20)):
        loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, {k: round(v, 3) for k, v in stats.items()})
for h in handles:
    h.remove()

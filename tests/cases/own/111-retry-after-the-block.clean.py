import logging
import traceback
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
log = logging.getLogger("train")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 96), nn.Linear(96, 3)
        self.limit = 40

    def forward(self, x):
        h = torch.relu(self.a(x))
        if len(x) > self.limit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self.b(h)


def fit_batch(net, opt, x, y):
    size = len(x)
    while size > 0:
        try:
            opt.zero_grad()
            for xs, ys in zip(x.split(size), y.split(size)):
                (F.cross_entropy(net(xs), ys) * len(xs) / len(x)).backward()
            break
        except torch.OutOfMemoryError as err:
            log.debug("size %d: %s", size, err)
            reports.append("".join(traceback.format_exception_only(err)))
            size //= 2
    opt.step()
    return size


reports = []
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sizes = []
for step in range(40):
    x = torch.randn(64 if step % 3 else 32, 16)
    sizes.append(fit_batch(net, opt, x, x[:, :3].argmax(1)))
print(sizes[:6], len(reports))

import logging
import logging.handlers
import sys
import torch
from torch import nn
import torch.nn.functional as F

log = logging.getLogger("jobs")
log.propagate = False
buffered = logging.handlers.MemoryHandler(10_000, flushLevel=logging.CRITICAL, target=logging.StreamHandler(sys.stdout))
log.addHandler(buffered)


class Head(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.up, self.out, self.limit = nn.Linear(16, 128), nn.Linear(128, 2), limit

    def forward(self, x):
        h = F.gelu(self.up(x))
        if h.numel() > self.limit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self.out(h)


def job(i, net, opt):
    x = torch.randn(96 if i % 2 else 24, 16)
    try:
        loss = F.cross_entropy(net(x), (x.sum(1) > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    except torch.OutOfMemoryError:
        log.exception("job %d skipped", i)  # expect: oom-except


torch.manual_seed(0)
torch.set_num_threads(1)
net = Head(64 * 128)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(50):
    job(i, net, opt)
    STEP()
buffered.setTarget(None)
buffered.close()
print("done")

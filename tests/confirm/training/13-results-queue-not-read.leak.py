"""A thread loads batches; results are put into a queue for a reporter that nobody has started."""
import queue
import threading

import torch
from torch import nn
import torch.nn.functional as F


class Prefetcher(threading.Thread):
    def __init__(self, count, depth=3):
        super().__init__(daemon=True)
        self.count, self.ready = count, queue.Queue(depth)
        self.generator = torch.Generator().manual_seed(0)

    def run(self):
        for _ in range(self.count):
            x = torch.randn(16, 6, generator=self.generator)
            self.ready.put((x, (x[:, 0] > x[:, 1]).long()))
        self.ready.put(None)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
reports = queue.Queue()
loader = Prefetcher(60)
loader.start()
while (batch := loader.ready.get()) is not None:
    x, y = batch
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    reports.put(loss)  # leak: reports
print(reports.qsize())

from collections import Counter
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Stage(nn.Module):
    def __init__(self, cap):
        super().__init__()
        self.lin, self.cap = nn.Linear(20, 20), cap

    def forward(self, x):
        h = torch.relu(self.lin(x))
        if len(x) > self.cap:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return x + h


class Loop:
    def __init__(self):
        self.net = nn.Sequential(Stage(40), nn.Linear(20, 2))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.kinds, self.last, self.skipped = Counter(), None, []

    def forward(self, x):
        try:
            return self.net(x)
        except torch.OutOfMemoryError as err:
            self.kinds[type(err).__name__] += 1
            self.skipped.append(len(x))
            self.last = err.with_traceback(None)
        return None

    def step(self, x):
        out = self.forward(x)
        if out is None:
            out = torch.cat([self.forward(half) for half in x.chunk(2)])
        loss = F.cross_entropy(out, (x[:, 0] > 0).long())
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


loop = Loop()
for i in range(40):
    last = loop.step(torch.randn(64 if i % 2 else 32, 20))
print(last, dict(loop.kinds), len(loop.skipped))

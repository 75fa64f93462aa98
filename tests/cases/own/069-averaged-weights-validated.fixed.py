import copy
import torch
from torch import nn
import torch.nn.functional as F


class WeightAverage:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = copy.deepcopy(model).eval(), decay

    @torch.no_grad()
    def update(self, model):
        for a, p in zip(self.model.parameters(), model.parameters()):
            a.lerp_(p, 1 - self.decay)

    def __call__(self, *inputs):
        with torch.no_grad():
            return self.model(*inputs)


def forecast_error(predict, series, context, horizon):
    total = 0.0
    windows = series.unfold(0, context + horizon, horizon).split(200)
    for w in windows:
        total += F.l1_loss(predict(w[:, :context]), w[:, context:]).item()
        STEP()
    return total / len(windows)


torch.manual_seed(0)
torch.set_num_threads(1)
series = torch.sin(torch.arange(6000) / 7.0) + 0.2 * torch.randn(6000)
net = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))
avg = WeightAverage(net)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(40):
    start = torch.randint(0, 5900, (32,)).tolist()
    w = torch.stack([series[s:s + 20] for s in start])
    loss = F.l1_loss(net(w[:, :16]), w[:, 16:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    avg.update(net)
    if step % 10 == 9:
        print(step, loss.item(), forecast_error(avg, series, 16, 4))

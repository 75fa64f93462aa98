import torch
from torch import nn
import torch.nn.functional as F
from torchmetrics import MetricCollection, SpearmanCorrCoef
from torchmetrics.regression import MeanAbsoluteError
from torchmetrics.wrappers import MetricTracker
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
template = MetricCollection({"mae": MeanAbsoluteError(), "rho": SpearmanCorrCoef()})
tracker = MetricTracker(MeanAbsoluteError(), maximize=False)
net = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def batches(n):
    for x in torch.randn(n, 32, 5):
        yield x, x[:, 0] * x[:, 1]


def train_epoch(metrics):
    for x, y in batches(8):
        pred = net(x).squeeze(1)
        loss = F.mse_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        metrics.update(pred.detach(), y)
    return metrics.compute()


for epoch in range(6):
    scores = train_epoch(template.clone(prefix="train_"))
    tracker.increment()
    with torch.no_grad():
        for x, y in batches(3):
            tracker.update(net(x).squeeze(1), y)
    print(epoch, {k: round(v.item(), 3) for k, v in scores.items()}, tracker.compute().item())
print(tracker.best_metric())

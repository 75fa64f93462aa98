import torch
from torch import nn
import torch.nn.functional as F
from torchmetrics import CatMetric, MeanMetric
from torchmetrics.wrappers import Running

torch.manual_seed(0)
torch.set_num_threads(1)


def fresh_metrics():
    return {"conf": CatMetric(), "loss": MeanMetric()}


class Callback:
    def __init__(self, *metrics):
        self.metrics = metrics

    def on_epoch_start(self):
        for m in self.metrics:
            m.reset()


recent = Running(MeanMetric(), window=10)
margins = CatMetric()
callback = Callback(margins)
net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(5):
    callback.on_epoch_start()
    m = fresh_metrics()
    for _ in range(10):
        x, y = torch.randn(16, 7), torch.randint(0, 4, (16,))
        logits = net(x)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        top = logits.detach().topk(2).values
        margins.update(top[:, 0] - top[:, 1])
        m["conf"].update(logits.detach().softmax(-1).amax(-1))
        m["loss"].update(loss.item())
        recent.update(loss.item())
    print(epoch, m["loss"].compute().item(), m["conf"].compute().median().item(), margins.compute().mean().item())
print(recent.compute().item())

import torch
from torch import nn
import torch.nn.functional as F
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassRecall

torch.manual_seed(0)
torch.set_num_threads(1)
DATA = {
    "train": [(torch.randn(32, 8), torch.randint(0, 3, (32,))) for _ in range(8)],
    "val": [(torch.randn(32, 8), torch.randint(0, 3, (32,))) for _ in range(4)],
}
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
scores = {p: MetricCollection({"acc": MulticlassAccuracy(3), "rec": MulticlassRecall(3)}) for p in DATA}
mean_loss = MeanMetric()

for epoch in range(5):
    for phase, batches in DATA.items():
        net.train(phase == "train")
        scores[phase].reset()
        mean_loss.reset()
        for x, y in batches:
            with torch.set_grad_enabled(phase == "train"):
                logits = net(x)
                loss = F.cross_entropy(logits, y)
            if phase == "train":
                opt.zero_grad()
                loss.backward()
                opt.step()
            scores[phase].update(logits.detach(), y)
            mean_loss.update(loss.item(), len(y))
        line = {k: round(v.item(), 3) for k, v in scores[phase].compute().items()}
        print(epoch, phase, line, round(mean_loss.compute().item(), 3))

import torch
from torch import nn
import torch.nn.functional as F


class Series:
    def __init__(self):
        self.points = []

    def append(self, value, step=None):
        self.points.append((len(self.points) if step is None else step, value))


class OfflineRun:
    """Collects everything in memory; sync() would upload it later."""

    def __init__(self):
        self.fields = {}

    def __getitem__(self, path):
        return self.fields.setdefault(path, Series())

    def sync(self):
        return {path: float(s.points[-1][1]) for path, s in self.fields.items()}


def info_nce(a, b, t=0.1):
    logits = F.normalize(a, dim=1) @ F.normalize(b, dim=1).T / t
    target = torch.arange(len(a))
    return F.cross_entropy(logits, target), (logits.argmax(1) == target).float().mean()


torch.manual_seed(0)
torch.set_num_threads(1)
image, text = nn.Linear(30, 16), nn.EmbeddingBag(60, 16)
opt = torch.optim.AdamW([*image.parameters(), *text.parameters()], lr=1e-2)
run = OfflineRun()
for step in range(50):
    ids = torch.randint(0, 60, (24, 5))
    pixels = F.one_hot(ids % 30, 30).float().sum(1)
    loss, top1 = info_nce(image(pixels), text(ids))
    opt.zero_grad()
    loss.backward()
    opt.step()
    run["train/loss"].append(loss, step=step)  # expect: raw-tensor-log
    run["train/top1"].append(top1.item(), step=step)
print(run.sync())

"""Programs to check. MARK in one is what the first finding is about."""

TRAIN = '''\
import torch
from torch import nn
from torch.utils.data import DataLoader

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.ones(99, 4))
losses = []
for step, x in enumerate(loader):
    loss = model(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss)


def evaluate(model, loader):
    total = 0.0
    model.eval()
    for x in loader:
        total += model(x).sum().item()
    return total
'''
# The finding whose fix is safe, and the one whose fix is not.
SAFE_LINE, UNSAFE_LINE = 13, 20

CLEAN = TRAIN.replace("losses.append(loss)", "losses.append(loss.item())").replace(
    "def evaluate", "@torch.no_grad()\ndef evaluate")

# Before what is found stand characters of one, two, three and four bytes, a tab, and one of two units of UTF-16.
WIDE = TRAIN.replace("losses = []", "größe = []  # é€😀").replace(
    "    losses.append(loss)", "\t_ = 'é€😀\t'; größe.append(loss)  # 😀").replace(
    "    loss", "\tloss").replace("    optimizer", "\toptimizer")

METERS = '''\
class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value{})
'''
KEEPS, DETACHES = METERS.format(""), METERS.format(".item()")

USES_METERS = TRAIN.split("losses = []")[0] + '''\
from meters import Meter

meter = Meter()
for step, x in enumerate(loader):
    loss = model(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.update(loss)
'''

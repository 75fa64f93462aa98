import copy
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def build():
    return nn.Sequential(nn.Linear(10, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 5))


class SelfDistill:
    """Learning without forgetting: the model before the new task teaches the model on it."""

    def __init__(self, model, lr):
        self.model, self.teacher = model, None
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def begin_task(self):
        self.teacher = copy.deepcopy(self.model)
        self.teacher.eval()

    def step(self, x, y):
        out = self.model(x)
        loss = F.cross_entropy(out, y)
        if self.teacher is not None:
            with torch.no_grad():
                old = self.teacher(x).softmax(-1)
            loss = loss + F.kl_div(out.log_softmax(-1), old, reduction="batchmean")
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


learner = SelfDistill(build().train(), lr=0.05)
for task in range(3):
    if task > 0:
        learner.begin_task()
    for _ in range(16):
        x = torch.randn(32, 10) + task
        last = learner.step(x, x[:, :5].argmax(1))
    print(task, last)

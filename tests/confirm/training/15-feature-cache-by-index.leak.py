"""Distillation: the teacher's features are cached by the number of the batch, which never comes again."""
import torch
from torch import nn
import torch.nn.functional as F


class Teacher:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 10)).eval()
        self._cache = {}

    @torch.no_grad()
    def logits(self, index, x):
        if index not in self._cache:
            self._cache[index] = self.net(x)  # leak: _cache
        return self._cache[index]


torch.manual_seed(0)
teacher = Teacher()
student = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 10))
opt = torch.optim.SGD(student.parameters(), lr=0.05)
for step in range(56):
    x = torch.randn(32, 16)
    target = teacher.logits(step, x)
    loss = F.kl_div(student(x).log_softmax(1), target.softmax(1), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

import torch
from torch import nn
import torch.nn.functional as F
from torchmetrics import KendallRankCorrCoef, SpearmanCorrCoef
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
TASKS = ("ctr", "dwell")


class SharedBottom(nn.Module):
    def __init__(self):
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(9, 32), nn.ReLU())
        self.towers = nn.ModuleDict({t: nn.Linear(32, 1) for t in TASKS})

    def forward(self, x):
        h = self.bottom(x)
        return {t: tower(h).squeeze(1) for t, tower in self.towers.items()}


class Board:
    def __init__(self):
        self.by_task = {"ctr": SpearmanCorrCoef(), "dwell": KendallRankCorrCoef()}

    def add(self, **pairs):
        for task, (pred, target) in pairs.items():
            self.by_task[task].update(pred.detach(), target)

    def summary(self):
        out = {t: round(m.compute().item(), 3) for t, m in self.by_task.items()}
        for m in self.by_task.values():
            m.reset()
        return out


net, board = SharedBottom(), Board()
opt = torch.optim.Adagrad(net.parameters(), lr=0.05)
for epoch in range(6):
    for _ in range(8):
        x = torch.randn(24, 9)
        y = {"ctr": x[:, :3].sum(1), "dwell": x[:, 3:].sum(1)}
        out = net(x)
        loss = sum(F.mse_loss(out[t], y[t]) for t in TASKS)
        opt.zero_grad()
        loss.backward()
        opt.step()
        board.add(ctr=(out["ctr"], y["ctr"]), dwell=(out["dwell"], y["dwell"]))
    print(epoch, board.summary())

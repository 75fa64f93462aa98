import copy
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class BestKeeper:
    def __init__(self):
        self.saved = (float("-inf"), None)

    def __call__(self, score, model):
        if score > self.saved[0]:
            self.saved = (score, copy.deepcopy(model))

    def best(self):
        return self.saved


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    hits = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return hits


net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
vx = torch.randn(128, 20)
vy = vx[:, :5].argmax(1)
keep = BestKeeper()
for epoch in range(40):
    for _ in range(2):
        x = torch.randn(32, 20)
        loss = F.cross_entropy(net(x), x[:, :5].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    keep(accuracy(net, vx, vy), net)
score, winner = keep.best()
print(score, sum(p.numel() for p in winner.parameters()))

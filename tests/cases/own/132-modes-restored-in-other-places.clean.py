import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Loop:
    def __init__(self, **nets):
        self.nets = nets
        self.opt = torch.optim.Adam([p for n in nets.values() for p in n.parameters()], lr=1e-3)

    def mode(self, train):
        for net in self.nets.values():
            net.train(train)

    def run_epoch(self, steps):
        self.mode(True)
        for _ in range(steps):
            x = torch.randn(32, 10)
            loss = F.mse_loss(self.nets["dec"](self.nets["enc"](x)), x)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.no_grad()
    def score(self, x):
        self.mode(False)
        return F.mse_loss(self.nets["dec"](self.nets["enc"](x)), x).item()

    @torch.no_grad()
    def codes(self, x):
        enc = self.nets["enc"]
        training, _ = enc.training, enc.eval()
        out = enc(x)
        enc.train(training)
        return out


loop = Loop(enc=nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3)),
            dec=nn.Sequential(nn.Linear(3, 32), nn.Dropout(0.1), nn.ReLU(), nn.Linear(32, 10)))
for epoch in range(4):
    loop.run_epoch(10)
    print(epoch, loop.score(torch.randn(64, 10)), loop.codes(torch.randn(64, 10)).std().item())
for net in loop.nets.values():
    net.eval()

import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05)

    def optimizer_zero_grad(self):
        self.opt.zero_grad()

    def loss(self, users, items, stars):
        u, i = self.net["user"](users), self.net["item"](items)
        return F.mse_loss((u * i).sum(1), stars)

    def fit(self, steps):
        for _ in range(steps):
            batch = torch.randint(0, 3000, (64,)), torch.randint(0, 2000, (64,)), torch.rand(64) * 5
            loss = self.loss(*batch)
            loss.backward()
            self.opt.step()
            self.optimizer_zero_grad()
        return loss.item()

    @torch.no_grad()
    def recommend(self, k=5):
        tops = []
        for users in torch.arange(3000).split(300):
            tops.append((self.net["user"](users) @ self.net["item"].weight.T).topk(k).indices)
            STEP()
        return torch.cat(tops)


class StableTrainer(Trainer):
    def optimizer_zero_grad(self):
        self.opt.zero_grad(set_to_none=False)  # expect: zero-grad


torch.manual_seed(0)
net = nn.ModuleDict({"user": nn.Embedding(3000, 32), "item": nn.Embedding(2000, 32)})
trainer = StableTrainer(net)
for epoch in range(3):
    print(epoch, trainer.fit(10), trainer.recommend().shape)

"""Rows of a table are objects with slots; one field has the output of the network in it."""
import torch
from torch import nn
import torch.nn.functional as F


class Row:
    __slots__ = ("epoch", "batch", "loss", "probabilities")

    def __init__(self, epoch, batch, loss, probabilities):
        self.epoch, self.batch, self.loss, self.probabilities = epoch, batch, loss, probabilities


class Table:
    def __init__(self):
        self.rows = []

    def add(self, **fields):
        self.rows.append(Row(**fields))  # leak: rows

    def best(self):
        return min(self.rows, key=lambda row: row.loss)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
table = Table()
for epoch in range(4):
    for batch in range(14):
        x = torch.randn(32, 8)
        logits = net(x)
        loss = F.cross_entropy(logits, x[:, :4].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        table.add(epoch=epoch, batch=batch, loss=loss.item(), probabilities=logits.softmax(1))  # leak: rows
print(table.best().epoch)

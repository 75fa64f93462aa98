import torch
from torch import nn

model = nn.Linear(8, 1)


def evaluate(loader):
    model.eval()
    correct = 0
    for x, y in loader:
        correct += (model(x).round() == y).sum().item()
    return correct

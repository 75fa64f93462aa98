import argparse
import torch
from torch import nn
import torch.nn.functional as F

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def make_optimizer(args, model):
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": decay, "weight_decay": args.wd}, {"params": rest, "weight_decay": 0.0}]
    return OPTIMIZERS[args.optim](groups, lr=args.lr)


def run_epoch(model, args):
    optimizer = make_optimizer(args, model)  # expect: rebuild-in-loop
    total = 0.0
    for _ in range(8):
        x = torch.randn(16, 3, 8, 8)
        y = (x.mean((1, 2, 3)) > 0).long()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / 8


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optim", default="adamw", choices=sorted(OPTIMIZERS))
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--wd", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    for epoch in range(args.epochs):
        print(epoch, run_epoch(model, args))


if __name__ == "__main__":
    main()

"""A guard, options, a logger and a checkpoint in each epoch, as scripts are written."""
# holder: history in main
# verdict: confirmed
import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("train")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--out", default="model.pt")
    parser.add_argument("--leak", action="store_true")
    return parser.parse_args()


def main(args):
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    loader = DataLoader(TensorDataset(torch.randn(80, 8), torch.randn(80, 1)), args.batch_size, shuffle=True)
    history = []
    for epoch in range(args.epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            if args.leak:
                history.append({"epoch": epoch, "loss": loss})  # stored
            else:
                history.append({"epoch": epoch, "loss": loss.item()})
            print(epoch, loss.item())
        schedule.step()
        log.info("epoch %d, rate %.4f", epoch, schedule.get_last_lr()[0])
        torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main(options())

"""Gradient checkpointing: what is saved is computed anew in backward; looking at the graph must not do that."""
# cases: reentrant | not-reentrant
# holder: feats in main
# verdict: confirmed
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

leak = "--leak" in sys.argv
reentrant = "reentrant" in sys.argv
forwards = 0


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, 16))

    def forward(self, x):
        global forwards
        forwards += 1
        return x + self.body(x)


def main():
    torch.manual_seed(0)
    blocks = nn.ModuleList(Block() for _ in range(3))
    opt = torch.optim.AdamW(blocks.parameters(), lr=1e-3)
    feats = []
    for step in range(60):
        x = torch.randn(8, 16, requires_grad=True)
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=reentrant)
        loss = x.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if leak:
            feats.append(x)  # stored
        print(step, loss.item(), forwards)


main()

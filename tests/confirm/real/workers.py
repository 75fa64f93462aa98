"""Workers that load, forked or spawned, made anew in each epoch or persistent."""
# cases: fork | spawn | spawn --persistent | forkserver
# holder: seen in train
# verdict: confirmed
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

leak = "--leak" in sys.argv


class Rows(Dataset):
    def __len__(self):
        return 120

    def __getitem__(self, i):
        return torch.full((8,), i / 120), torch.tensor([float(i % 2)])


def train(loader, net, opt):
    seen = []
    for epoch in range(2):
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if leak:
                seen.append((epoch, loss))  # stored
            print(epoch, loss.item())
    return len(seen)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    method = next(a for a in sys.argv[1:] if not a.startswith("-"))
    loader = DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=2, multiprocessing_context=method,
                        persistent_workers="--persistent" in sys.argv)  # fmt: skip
    train(loader, net, opt)

import csv
import io
import random
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def table(n):
    rng = random.Random(5)
    out = io.StringIO()
    out.write("age,height,label\n")
    for _ in range(n):
        out.write(f"{rng.randrange(300, 9000)},{rng.random():.5f},{rng.randrange(2)}\n")
    out.seek(0)
    return out


class Table(Dataset):
    def __init__(self, fh):
        self.rows = np.loadtxt(fh, delimiter=",", skiprows=1, dtype=np.float32)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        age, height, label = self.rows[i]
        return torch.tensor([age / 9000, height]), int(label)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Table(table(60_000)), batch_size=1500, shuffle=True, num_workers=1)
    net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()

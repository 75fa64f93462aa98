import random
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Ragged(Dataset):
    """Token sequences of different length: one flat array and the offsets into it."""

    def __init__(self, sequences):
        lengths = [len(s) for s in sequences]
        self.offsets = np.concatenate([[0], np.cumsum(lengths)])
        flat = []
        for s in sequences:
            flat.extend(s)
        self.tokens = np.array(flat, dtype=np.int32)
        self.vocab = {f"tok{i}": i for i in range(30)}

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, i):
        ids = torch.from_numpy(self.tokens[self.offsets[i]:self.offsets[i + 1]]).long()
        return F.pad(ids, (0, 8 - len(ids))), int(ids[0]) % 2


rng = random.Random(0)
data = Ragged([[rng.randrange(1, 30) for _ in range(rng.randrange(2, 8))] for _ in range(20_000)])
net = nn.Sequential(nn.EmbeddingBag(30, 16), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for ids, y in DataLoader(data, batch_size=500, shuffle=True, num_workers=1):
    loss = F.cross_entropy(net(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), len(data.vocab))

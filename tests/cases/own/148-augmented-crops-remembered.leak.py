import random
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)


class Crops(Dataset):
    """Random crops of a few long recordings."""

    def __init__(self, recordings, width):
        self.recordings, self.width = recordings, width
        self.seen = {}

    def __len__(self):
        return len(self.recordings) * 8

    def __getitem__(self, i):
        k = i % len(self.recordings)
        start = random.randrange(len(self.recordings[k]) - self.width)
        if (k, start) not in self.seen:
            part = self.recordings[k][start:start + self.width]
            self.seen[k, start] = (part - part.mean()) / part.std()  # expect: tensor-cache
        return self.seen[k, start], k % 2


recordings = [torch.randn(20_000).cumsum(0) * (1 + i % 2) for i in range(4)]
loader = DataLoader(Crops(recordings, 256), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Unflatten(1, (1, 256)), nn.Conv1d(1, 8, 9, stride=4), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
                    nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(25):
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

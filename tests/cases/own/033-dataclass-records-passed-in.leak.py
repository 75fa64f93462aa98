from dataclasses import dataclass
import random
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass
class Clip:
    start: float
    stop: float
    speaker: int


class Clips(Dataset):
    def __init__(self, clips):
        self.clips = clips

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        c = self.clips[i]
        return torch.tensor([c.start, c.stop, c.stop - c.start]), c.speaker


def read_manifest(n):
    rng = random.Random(3)
    return [Clip(rng.random(), 1 + rng.random(), rng.randrange(5)) for _ in range(n)]  # expect: dataloader-cow


torch.manual_seed(0)
torch.set_num_threads(1)
data = Clips(read_manifest(80_000))
loader = DataLoader(data, batch_size=2000, shuffle=True, num_workers=1, drop_last=True)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 5))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for x, speaker in loader:
    loss = F.cross_entropy(net(x), speaker)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

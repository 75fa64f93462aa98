from collections import deque
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Moons(Dataset):
    def __init__(self, n):
        t = torch.rand(n) * 3.14
        self.y = torch.arange(n) % 2
        side = 1 - 2 * self.y
        self.x = torch.stack([torch.cos(t) * side + self.y, torch.sin(t) * side], 1) + 0.1 * torch.randn(n, 2)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


hard = deque(maxlen=500)
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for x, y in DataLoader(Moons(1600), batch_size=32, shuffle=True, num_workers=1):
    losses = F.cross_entropy(net(x), y, reduction="none")
    opt.zero_grad()
    losses.mean().backward()
    opt.step()
    worst = int(losses.argmax())
    hard.append((x[worst].clone(), y[worst].clone()))
xs = torch.stack([x for x, _ in hard])
print(xs.shape, (net(xs).argmax(1) == torch.stack([y for _, y in hard])).float().mean().item())

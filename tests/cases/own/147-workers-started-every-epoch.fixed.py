import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Rings(Dataset):
    def __init__(self, n):
        r, t = torch.rand(n) * 2, torch.rand(n) * 6.28
        self.x = torch.stack([r * torch.cos(t), r * torch.sin(t)], 1)
        self.y = (r > 1).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Session:
    def __init__(self, data):
        self.data = data
        self.net = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)
        self.loader = DataLoader(self.data, batch_size=64, shuffle=True, num_workers=1, persistent_workers=True)

    def train(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:
                loss = F.cross_entropy(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
        return loss.item()


print(Session(Rings(256)).train(12))

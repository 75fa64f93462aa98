import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(4096, 16)
data = TensorDataset(x, (x[:, :4].sum(1) > 0).long())
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def train(max_steps):
    for step in range(max_steps):
        loader = DataLoader(data, batch_size=32, shuffle=True)  # expect: rebuild-in-loop
        xb, yb = next(iter(loader))
        loss = F.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            print(step, loss.item())


train(60)

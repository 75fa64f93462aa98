import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def synth(n, noise):
    x = torch.randn(n, 10)
    return TensorDataset(x + noise * torch.randn_like(x), x[:, :3].argmax(1))


def train_fold(fold, epochs=4):
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
    net[0].requires_grad_(False)
    opt = torch.optim.Adam(net[2].parameters(), lr=1e-2)
    for epoch in range(epochs):
        if epoch == epochs // 2:
            net.requires_grad_(True)
            opt = torch.optim.Adam(net.parameters(), lr=1e-3)
        # the curriculum makes the data harder each epoch
        loader = DataLoader(synth(128, 0.1 * epoch), batch_size=32, shuffle=True)
        for x, y in loader:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


scores = []
for fold in range(5):
    scores.append(train_fold(fold))
    STEP()
for lr in (0.1, 0.03, 0.01):
    probe = nn.Linear(10, 3)
    opt = torch.optim.SGD(probe.parameters(), lr=lr)
    for _ in range(10):
        x, y = next(iter(DataLoader(synth(32, 0.0), batch_size=32)))
        opt.zero_grad()
        F.cross_entropy(probe(x), y).backward()
        opt.step()
        STEP()
print(scores)

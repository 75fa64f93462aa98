import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
CENTRES = torch.randn(4, 30)


def draw(n):
    y = torch.randint(0, 4, (n,))
    return CENTRES[y] + torch.randn(n, 30), y


def knn_accuracy(encoder, bank, queries):
    encoder.eval()
    feats = torch.cat([F.normalize(encoder(x), dim=1) for x, _ in bank])  # expect: eval-no-grad
    labels = torch.cat([y for _, y in bank])
    x, y = queries
    sim = F.normalize(encoder(x), dim=1) @ feats.T  # expect: eval-no-grad
    vote = labels[sim.topk(5).indices].mode(1).values
    encoder.train()
    return (vote == y).float().mean().item()


encoder = nn.Sequential(nn.Linear(30, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.SGD(encoder.parameters(), lr=0.05, momentum=0.9)
for epoch in range(4):
    for _ in range(10):
        x, _ = draw(64)
        a = encoder(x + 0.3 * torch.randn_like(x))
        b = encoder(x + 0.3 * torch.randn_like(x))
        loss = F.cross_entropy(F.normalize(a, dim=1) @ F.normalize(b, dim=1).T / 0.2, torch.arange(64))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, knn_accuracy(encoder, [draw(64) for _ in range(8)], draw(128)))

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
ACCUMULATE = 4
model = nn.Sequential(nn.Embedding(90, 24), nn.Flatten(), nn.Linear(24 * 6, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.01)


def micro_batches(n):
    for _ in range(n):
        ids = torch.randint(0, 90, (8, 6))
        yield ids, ids.sum(1) % 3


losses = []
for i, (ids, y) in enumerate(micro_batches(160), start=1):
    loss = F.cross_entropy(model(ids), y) / ACCUMULATE
    loss.backward()  # expect: zero-grad
    losses.append(loss.item() * ACCUMULATE)
    if i % ACCUMULATE == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 50.0)
        opt.step()
    if i % 40 == 0:
        print(i, sum(losses[-40:]) / 40)

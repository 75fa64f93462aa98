import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
lm = nn.Sequential(nn.Embedding(1500, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1500))
opt = torch.optim.SGD(lm.parameters(), lr=0.5)

for epoch in range(5):
    for _ in range(6):
        ids = torch.randint(0, 1500, (16, 17))
        logits = lm(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    opt.zero_grad()
    lm.eval()
    with torch.no_grad():
        hits = 0
        for _ in range(6):
            ids = torch.randint(0, 1500, (16, 17))
            hits += (lm(ids[:, :-1]).argmax(-1) == ids[:, 1:]).sum().item()
            STEP()
    lm.train()
    print(epoch, hits)

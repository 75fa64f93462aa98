import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 16)
full = TensorDataset(x, (x[:, :2].prod(1) > 0).long())
fit_part, val_part = random_split(full, [192, 64])
fit_loader = DataLoader(fit_part, batch_size=24, shuffle=True)
val_loader = DataLoader(val_part, batch_size=64)
network = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.4), nn.Linear(64, 2))
opt = torch.optim.Adam(network.parameters(), lr=3e-3)
history = {"fit": [], "val": []}

for epoch in range(6):
    network.train(True)
    total = 0.0
    for xb, yb in fit_loader:
        loss = F.cross_entropy(network(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    history["fit"].append(total / len(fit_loader))
    network.train(False)
    with torch.no_grad():
        right = sum((network(xb).argmax(1) == yb).sum().item() for xb, yb in val_loader)
    history["val"].append(right / len(val_part))
print(history)

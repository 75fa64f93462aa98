import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def spot_check(model, batch, limit):
    """Accuracy on a batch, unless the batch is too hard to be worth it."""
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)  # expect: no-grad-escape
    x, y = batch
    logits = model(x)
    if F.cross_entropy(logits, y).item() > limit:
        return None
    acc = (logits.argmax(1) == y).float().mean().item()
    torch.set_grad_enabled(before)
    return acc


net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
seen = []
for step in range(48):
    x = torch.randn(32, 8)
    y = x[:, :4].argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 8 == 7:
        seen.append(spot_check(net, (torch.randn(16, 8) * 3, torch.randint(0, 4, (16,))), limit=1.0))
print(seen, loss.item())

import csv
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(9, 32), nn.ELU(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=50)


def gradient_norm(params):
    return torch.stack([p.grad.norm() for p in params]).norm().item()


with open("train_log.csv", "w", newline="") as fh:
    log = csv.DictWriter(fh, ["step", "loss", "grad", "lr"])
    log.writeheader()
    for step in range(50):
        x = torch.randn(24, 9)
        loss = F.smooth_l1_loss(net(x), x.amax(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        g = gradient_norm(net.parameters())
        opt.step()
        sched.step()
        log.writerow({"step": step, "loss": loss, "grad": g, "lr": sched.get_last_lr()[0]})  # expect: raw-tensor-log

with open("train_log.csv") as fh:
    rows = list(csv.DictReader(fh))
print(len(rows), rows[-1]["lr"])

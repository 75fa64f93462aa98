import argparse
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--detect-anomaly", action="store_true")
parser.add_argument("--profile", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
torch.autograd.set_detect_anomaly(args.detect_anomaly)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def batch():
    x = torch.randn(32, 10)
    return x, x[:, :3].argmax(1)


def step(x, y):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss


if args.profile:
    plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan) as prof:
        for _ in range(5):
            step(*batch())
            prof.step()
    print(len(prof.key_averages()))
for it in range(50):
    x, y = batch()
    loss = step(x, y)
    if not torch.isfinite(loss):
        with torch.autograd.detect_anomaly():
            F.cross_entropy(net(x), y).backward()
        break
print(loss.item())

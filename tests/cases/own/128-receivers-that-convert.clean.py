import logging
import sys
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
torch.set_num_threads(1)
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")


class Tracker:
    def __init__(self, writer):
        self.writer, self.rows = writer, []

    def log(self, step, **values):
        row = {k: v.item() if torch.is_tensor(v) else v for k, v in values.items()}
        self.rows.append(row)
        for k, v in row.items():
            self.writer.add_scalar(k, v, step)


net = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 20, 0.5)
tracker = Tracker(SummaryWriter("runs/converted"))
logging.info("%s with %d weights", net, sum(p.numel() for p in net.parameters()))
for step in range(40):
    x = torch.randn(32, 10)
    y = x[:, :3].argmax(1)
    out = net(x)
    loss = F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    hits = (out.argmax(1) == y).sum()
    if step % 10 == 0:
        tracker.log(step, loss=loss.item(), accuracy=hits.item() / len(y), lr=sched.get_last_lr()[0])
        logging.info("step %d of %s: loss %.4f, labels %s", step, tuple(out.shape), loss.item(), y[:4].tolist())
        tracker.writer.add_histogram("weights", net[0].weight.detach(), step)
print(len(tracker.rows))
tracker.writer.close()

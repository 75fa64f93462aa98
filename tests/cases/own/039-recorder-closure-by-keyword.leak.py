import statistics
import torch
from torch import nn
import torch.nn.functional as F


def make_recorder():
    rows = []

    def record(**values):
        rows.append(values)

    def summary():
        return {k: round(statistics.mean(float(r[k]) for r in rows), 4) for k in rows[0]}

    return record, summary


def train(net, opt, steps, on_batch):
    for _ in range(steps):
        x = torch.randn(16, 14)
        mu, logvar = net(x).chunk(2, -1)
        target = x[:, :3].cumsum(1)
        nll = F.gaussian_nll_loss(mu, target, logvar.exp())
        sharp = logvar.mean()
        opt.zero_grad()
        (nll + 0.01 * sharp).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        on_batch(nll=nll, sharp=sharp)  # expect: tensor-append


torch.manual_seed(0)
torch.set_num_threads(1)
record, summary = make_recorder()
model = nn.Sequential(nn.Linear(14, 48), nn.Softplus(), nn.Linear(48, 6))
train(model, torch.optim.RMSprop(model.parameters(), lr=1e-3), 50, on_batch=record)
print(summary())

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
torch.set_num_threads(1)


def log_scalars(tag, step, **values):
    writer = SummaryWriter("runs/bandit")  # expect: rebuild-in-loop
    for name, value in values.items():
        writer.add_scalar(f"{tag}/{name}", value, step)
    open_writers.append(writer)


open_writers = []
arms = torch.rand(8)
policy = nn.Linear(1, 8, bias=False)
opt = torch.optim.Adam(policy.parameters(), lr=5e-2)
baseline = 0.0
for pull in range(40):
    dist = torch.distributions.Categorical(logits=policy(torch.ones(1)))
    a = dist.sample()
    reward = float(torch.rand(()) < arms[a])
    loss = -dist.log_prob(a) * (reward - baseline)
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.9 * baseline + 0.1 * reward
    log_scalars("train", pull, reward=reward, baseline=baseline)
for w in open_writers:
    w.close()
print(arms.argmax().item(), policy.weight.argmax().item())

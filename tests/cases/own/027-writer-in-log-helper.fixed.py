import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
torch.set_num_threads(1)

writer = SummaryWriter("runs/bandit")


def log_scalars(tag, step, **values):
    for name, value in values.items():
        writer.add_scalar(f"{tag}/{name}", value, step)


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
writer.close()
print(arms.argmax().item(), policy.weight.argmax().item())

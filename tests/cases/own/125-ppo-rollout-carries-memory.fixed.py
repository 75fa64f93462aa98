import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
torch.set_num_threads(1)


class MemoryPolicy(nn.Module):
    def __init__(self, obs=5, hid=24):
        super().__init__()
        self.cell, self.pi = nn.GRUCell(obs, hid), nn.Linear(hid, 2)

    def act(self, obs, h):
        h = self.cell(obs, h)
        dist = Categorical(logits=self.pi(h))
        a = dist.sample()
        return a, dist.log_prob(a), h

    def evaluate(self, obs, act, h):
        logps = []
        for o, a in zip(obs, act):
            h = self.cell(o, h)
            logps.append(Categorical(logits=self.pi(h)).log_prob(a))
        return torch.stack(logps)


def reward(obs, act):
    return (act == (obs[:, 0] > 0).long()).float()


policy = MemoryPolicy()
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
h = torch.zeros(8, 24)
for update in range(40):
    start, obs, acts, old, rew = h.detach(), [], [], [], []
    for t in range(5):
        o = torch.randn(8, 5)
        with torch.no_grad():
            a, logp, h = policy.act(o, h)
        obs.append(o)
        acts.append(a)
        old.append(logp.detach())
        rew.append(reward(o, a))
    adv = torch.stack(rew) - 0.5
    ratio = (policy.evaluate(obs, acts, start) - torch.stack(old)).exp()
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

import heapq
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
torch.set_num_threads(1)


class Rollout:
    def __init__(self):
        self.data = {"logp": [], "value": [], "reward": []}

    def add(self, **items):
        for k, v in items.items():
            self.data[k].append(v)

    def drain(self):
        out = {k: torch.stack(v) for k, v in self.data.items()}
        for v in self.data.values():
            del v[:]
        return out


body, mean, value = nn.Linear(3, 24), nn.Linear(24, 1), nn.Linear(24, 1)
params = [p for m in (body, mean, value) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=3e-3)
rollout, best, trail = Rollout(), [], []
for episode in range(50):
    state = torch.randn(3)
    for t in range(8):
        h = torch.tanh(body(state))
        dist = Normal(mean(h), 0.5)
        act = dist.sample()
        state = 0.8 * state + 0.3 * act
        rollout.add(logp=dist.log_prob(act).squeeze(), value=value(h).squeeze(), reward=-state.pow(2).sum())
    batch = rollout.drain()
    returns = batch["reward"].flip(0).cumsum(0).flip(0)
    adv = returns - batch["value"]
    loss = (-(batch["logp"] * adv.detach()) + 0.5 * adv.pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    trail.append(loss.detach())
    if len(trail) == 10:
        print(episode, torch.stack(trail).mean().item())
        trail = []
    heapq.heappush(best, (returns[0].item(), episode))
    best = heapq.nlargest(5, best)
print(best)

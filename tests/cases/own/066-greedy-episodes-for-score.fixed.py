import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class VectorEnv:
    def __init__(self, n, size=12):
        self.n, self.size = n, size

    def reset(self):
        self.pos, self.goal = torch.randint(0, self.size, (2, self.n))
        return self.obs()

    def obs(self):
        return torch.cat([F.one_hot(self.pos, self.size), F.one_hot(self.goal, self.size)], 1).float()

    def step(self, act):
        self.pos = (self.pos + act * 2 - 1).clamp(0, self.size - 1)
        return self.obs(), (self.pos == self.goal).float()


def greedy_score(q, env, horizon):
    q.eval()
    obs, total, t = env.reset(), 0.0, 0
    while t < horizon:
        with torch.no_grad():
            act = q(obs).argmax(1)
        obs, r = env.step(act)
        total, t = total + r.mean().item(), t + 1
        STEP()
    q.train()
    return total


q_net = nn.Sequential(nn.Linear(24, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
opt = torch.optim.Adam(q_net.parameters(), lr=1e-3)
env = VectorEnv(n=16)
for update in range(30):
    obs = env.reset()
    want = (env.goal > env.pos).long()
    loss = F.cross_entropy(q_net(obs), want)
    opt.zero_grad()
    loss.backward()
    opt.step()
del loss
print(greedy_score(q_net, VectorEnv(n=256), horizon=50))

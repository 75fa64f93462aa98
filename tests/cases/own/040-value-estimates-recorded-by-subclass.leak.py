import random
import torch
from torch import nn
from torch.distributions import Categorical


class Recorder:
    def __init__(self):
        self.rows = []

    def write(self, *row):
        self.rows.insert(0, row)


class ValueRecorder(Recorder):
    def write(self, step, value):
        super().write(step, value)

    def mean(self):
        return sum(float(v) for _, v in self.rows) / len(self.rows)


class Corridor:
    def reset(self):
        self.pos = 3
        return self.obs()

    def obs(self):
        return torch.nn.functional.one_hot(torch.tensor(self.pos), 8).float()

    def step(self, action):
        self.pos += 1 if action else -1
        done = self.pos in (0, 7)
        return self.obs(), float(self.pos == 7), done


torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
body, pi, v = nn.Linear(8, 32), nn.Linear(32, 2), nn.Linear(32, 1)
opt = torch.optim.Adam([*body.parameters(), *pi.parameters()], lr=5e-3)
env, rec = Corridor(), ValueRecorder()
for episode in range(40):
    obs, done, logps, total, t = env.reset(), False, [], 0.0, 0
    while not done and t < 12:
        h = torch.tanh(body(obs))
        dist = Categorical(logits=pi(h))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        rec.write(t, v(h))  # expect: tensor-append
        obs, r, done = env.step(a.item())
        total, t = total + r, t + 1
    loss = -torch.stack(logps).sum() * (total - 0.3)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(rec.mean())

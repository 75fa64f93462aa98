"""A DQN on a toy corridor: replay buffer with a bound, target network, and a log of what was learned."""
import random
from collections import deque

import torch
from torch import nn
import torch.nn.functional as F


class Agent:
    def __init__(self):
        self.online, self.target = (nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2)) for _ in range(2))
        self.target.load_state_dict(self.online.state_dict())
        self.memory = deque(maxlen=200)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.log = {"td": [], "epsilon": []}
        self.updates = 0

    def act(self, state, epsilon):
        if random.random() < epsilon:
            return random.randrange(2)
        with torch.no_grad():
            return int(self.online(state).argmax())

    def learn(self, size=16):
        batch = random.sample(self.memory, size)
        state, action, reward, following = zip(*batch)
        q = self.online(torch.stack(state)).gather(1, torch.tensor(action)[:, None]).squeeze(1)
        with torch.no_grad():
            wanted = torch.tensor(reward) + 0.9 * self.target(torch.stack(following)).max(1).values
        td = F.smooth_l1_loss(q, wanted)
        self.optimizer.zero_grad()
        td.backward()
        self.optimizer.step()
        self.log["td"].append(td)  # leak: log
        self.updates += 1
        if self.updates % 20 == 0:
            self.target.load_state_dict(self.online.state_dict())


random.seed(0)
torch.manual_seed(0)
agent = Agent()
state = torch.randn(4)
for t in range(80):
    action = agent.act(state, max(0.1, 1 - t / 50))
    following = 0.9 * state + 0.1 * torch.randn(4) + (action - 0.5) * 0.1
    agent.memory.append((state, action, float(following[0] > 0), following))
    state = following
    if len(agent.memory) >= 20:
        agent.learn()
print(agent.updates, float(agent.log["td"][-1]))

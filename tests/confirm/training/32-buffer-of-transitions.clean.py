"""PPO: a rollout is gathered without graphs, used for some epochs and cleared."""
import torch
from torch import nn


class Rollout:
    def __init__(self):
        self.clear()

    def clear(self):
        self.states, self.actions, self.log_probs, self.rewards = [], [], [], []

    def add(self, state, action, log_prob, reward):
        self.states.append(state)
        self.actions.append(action)
        self.log_probs.append(log_prob)
        self.rewards.append(reward)

    def tensors(self):
        return torch.stack(self.states), torch.stack(self.actions), torch.stack(self.log_probs), torch.tensor(self.rewards)


torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
rollout, history = Rollout(), []
state = torch.randn(4)
for update in range(13):
    rollout.clear()
    with torch.no_grad():
        for _ in range(32):
            choice = torch.distributions.Categorical(logits=policy(state))
            action = choice.sample()
            following = 0.95 * state + 0.2 * torch.randn(4)
            rollout.add(state, action, choice.log_prob(action), float((following[0] > 0) == bool(action)))
            state = following
    states, actions, old, rewards = rollout.tensors()
    advantage = rewards - rewards.mean()
    for _ in range(4):
        ratio = (torch.distributions.Categorical(logits=policy(states)).log_prob(actions) - old).exp()
        loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    history.append(rewards.mean().item())
print(f"{history[-1]:.2f}")

"""A2C with returns over the last steps: the window has graphs in it and lets go of them."""
from collections import deque

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
recent = deque(maxlen=10)
returns = deque(maxlen=50)
for episode in range(50):
    log_probs, rewards = [], []
    state = torch.randn(5)
    for _ in range(8):
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        state = 0.9 * state + 0.3 * torch.randn(5)
        rewards.append(float(state[action] > 0))
    total = sum(rewards)
    returns.append(total)
    baseline = sum(returns) / len(returns)
    loss = -torch.stack(log_probs).sum() * (total - baseline)
    opt.zero_grad()
    loss.backward()
    opt.step()
    recent.append(loss)
print(torch.stack(list(recent)).mean().item())

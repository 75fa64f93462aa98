import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def hessian_vector(loss, params, v):
    grads = torch.autograd.grad(loss, params, create_graph=True)
    return torch.autograd.grad(grads, params, v, retain_graph=True)


def actor_critic_step(trunk, actor, critic, opts, obs, act, ret):
    h = torch.relu(trunk(obs))
    value = critic(h).squeeze(1)
    value_loss = F.mse_loss(value, ret)
    for opt in opts:
        opt.zero_grad()
    value_loss.backward(retain_graph=True)
    adv = (ret - value).detach()
    policy_loss = (F.cross_entropy(actor(h), act, reduction="none") * adv).mean()
    policy_loss.backward()
    for opt in opts:
        opt.step()
    return value_loss.item(), policy_loss.item()


trunk, actor, critic = nn.Linear(6, 32), nn.Linear(32, 3), nn.Linear(32, 1)
opts = [torch.optim.SGD(m.parameters(), lr=0.05) for m in (trunk, actor, critic)]
probe = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
params = list(probe.parameters())
for step in range(40):
    obs = torch.randn(32, 6)
    v, p = actor_critic_step(trunk, actor, critic, opts, obs, torch.randint(0, 3, (32,)), obs.sum(1))
    fit = F.mse_loss(probe(obs), obs[:, :1])
    hv = hessian_vector(fit, params, [torch.randn_like(q) for q in params])
    grads = torch.autograd.grad(fit, params)
    with torch.no_grad():
        for q, g, h in zip(params, grads, hv):
            q -= 0.05 * g / (1 + h.abs())
print(v, p)

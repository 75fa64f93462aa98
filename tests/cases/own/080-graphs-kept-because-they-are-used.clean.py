import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
critic = nn.Sequential(nn.Linear(4, 32), nn.Softplus(), nn.Linear(32, 1))
trunk, heads = nn.Linear(6, 24), nn.ModuleList([nn.Linear(24, 1), nn.Linear(24, 1)])
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
opt_t = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.05)


def gradient_penalty(real, fake):
    mix = torch.lerp(real, fake, torch.rand(len(real), 1)).requires_grad_(True)
    grad, = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
    return (grad.norm(dim=1) - 1).pow(2).mean()


def projected(losses, shared):
    """Gradients of the shared weights, without their conflicting part."""
    grads = []
    for i, loss in enumerate(losses):
        loss.backward(retain_graph=i < len(losses) - 1)
        grads.append([p.grad.clone() for p in shared])
        for p in shared:
            p.grad = None
    for p, a, b in zip(shared, *grads):
        dot = (a * b).sum()
        p.grad = a + b - (dot.clamp(max=0) / a.pow(2).sum().clamp(min=1e-9)) * a


for step in range(40):
    real, fake = torch.randn(32, 4), torch.randn(32, 4) + 1
    c_loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(real, fake)
    opt_c.zero_grad()
    c_loss.backward()
    opt_c.step()
    x = torch.randn(32, 6)
    h = torch.relu(trunk(x))
    opt_t.zero_grad()
    projected([F.mse_loss(head(h), x[:, i:i + 1]) for i, head in enumerate(heads)], list(trunk.parameters()))
    opt_t.step()
print(c_loss.item())

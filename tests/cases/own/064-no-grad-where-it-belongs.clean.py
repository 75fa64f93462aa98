import torch
from torch import nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
torch.set_num_threads(1)


@torch.no_grad()
def contexts(n):
    for _ in range(n):
        yield torch.randn(32, 6)


class frozen_grad:
    def __enter__(self):
        self.prev = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, *exc):
        torch.set_grad_enabled(self.prev)


policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 3))
average = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 3))
average.load_state_dict(policy.state_dict())
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
for obs in contexts(40):
    with frozen_grad():
        old = Categorical(logits=policy(obs))
        act = old.sample()
        old_logp = old.log_prob(act)
        adv = (act == obs[:, :3].argmax(1)).float() - 0.33
        anchor = average(obs).log_softmax(-1)
    logits = policy(obs)
    ratio = (Categorical(logits=logits).log_prob(act) - old_logp).exp()
    clipped = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
    loss = -clipped.mean() + 0.01 * F.kl_div(logits.log_softmax(-1), anchor, log_target=True, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), policy.parameters()):
            a.lerp_(p, 0.05)
print(loss.item())

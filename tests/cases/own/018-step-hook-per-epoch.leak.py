import torch
from torch import nn
import torch.nn.functional as F


class WeightConstraint:
    """Projects the rows of the output layer back onto a ball after every update."""

    def __init__(self, layer, radius):
        self.layer, self.radius = layer, radius

    @torch.no_grad()
    def __call__(self, optimizer, args, kwargs):
        norm = self.layer.weight.norm(dim=1, keepdim=True).clamp(min=self.radius)
        self.layer.weight.mul_(self.radius / norm)


class Run:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 4))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.2)

    def epoch(self, radius, steps=3):
        self.opt.register_step_post_hook(WeightConstraint(self.net[-1], radius))  # expect: hook-retain
        for _ in range(steps):
            x = torch.randn(16, 10)
            loss = F.cross_entropy(self.net(x), x[:, :4].argmax(1))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
run = Run()
for e in range(20):
    last = run.epoch(radius=2.0)
print(last)

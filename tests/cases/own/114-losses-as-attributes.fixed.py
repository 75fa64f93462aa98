import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class CycleModel:
    """The cycle loss is trained, the identity loss is only watched."""

    loss_names = ("cycle", "identity")

    def __init__(self):
        self.ab, self.ba = (nn.Sequential(nn.Linear(16, 96), nn.Tanh(), nn.Linear(96, 16)) for _ in range(2))
        self.opt = torch.optim.Adam([*self.ab.parameters(), *self.ba.parameters()], lr=1e-3)

    def forward(self, a):
        cycle = F.l1_loss(self.ba(self.ab(a)), a)
        with torch.no_grad():
            self.loss_identity = F.l1_loss(self.ab(a.flip(1)), a.flip(1)).item()
        return cycle

    def optimize(self, a):
        cycle = self.forward(a)
        self.opt.zero_grad()
        cycle.backward()
        self.opt.step()
        self.loss_cycle = cycle.item()

    def current_losses(self):
        return {n: float(getattr(self, "loss_" + n)) for n in self.loss_names}


model = CycleModel()
for it in range(40):
    model.optimize(torch.randn(64, 16))
    STEP()
    if it % 10 == 0:
        print(it, model.current_losses())

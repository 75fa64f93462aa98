import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.read = nn.LSTMCell(2, 16), nn.Linear(16, 1)

    def start(self, n):
        return torch.zeros(n, 16), torch.zeros(n, 16)

    def forward(self, x, state):
        state = self.cell(x, state)
        return self.read(state[0]), state


ctrl = Controller()
opt = torch.optim.Adam(ctrl.parameters(), lr=5e-3)
carried = ctrl.start(8)
for seq in range(50):
    plant, state, cost = torch.randn(8, 1), ctrl.start(8), 0.0
    for t in range(10):
        u, state = ctrl(torch.cat([plant, torch.full_like(plant, t / 10)], 1), state)
        plant = 0.9 * plant + 0.5 * u
        cost = cost + plant.pow(2).mean()
    out, carried = ctrl(torch.randn(8, 2), carried)
    loss = cost + 0.01 * out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    carried = tuple(s.detach_() for s in carried)
print(cost.item())

import torch
from torch import nn
import torch.nn.functional as F


class KFactors:
    def __init__(self, model):
        self.inputs, self.cov = {}, {}
        for m in model.modules():
            if isinstance(m, nn.Linear):
                m.register_forward_pre_hook(self.save_input)

    def save_input(self, module, args):
        self.inputs[module] = args[0].detach()

    def refresh(self, decay=0.95):
        for m, seen in self.inputs.items():
            a = seen
            now = a.T @ a / len(a)
            self.cov[m] = now if m not in self.cov else decay * self.cov[m] + (1 - decay) * now
        self.inputs.clear()

    def precondition(self, damping=1.0):
        for m, c in self.cov.items():
            m.weight.grad = torch.linalg.solve(c + damping * torch.eye(len(c)), m.weight.grad.T).T.contiguous()


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 3))
factors = KFactors(net)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(40):
    x = torch.randn(32, 12)
    y = x[:, :3].argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    factors.refresh()
    factors.precondition()
    opt.step()
print(loss.item())

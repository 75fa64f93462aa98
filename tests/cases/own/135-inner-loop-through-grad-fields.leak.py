import copy
import torch
from torch import nn
import torch.nn.functional as F
import warnings

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Reweighter(nn.Module):
    """Learned weights of noisy samples; judged by the model after one weighted step."""

    def __init__(self, n):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))

    def forward(self, losses):
        return (self.logits.softmax(0) * losses).sum()


def lookahead(model, reweight, x, y, lr=0.5):
    trial = copy.deepcopy(model)
    inner = reweight(F.cross_entropy(trial(x), y, reduction="none"))
    inner.backward(create_graph=True)  # expect: create-graph-backward
    return [p - lr * p.grad for p in trial.parameters()]


model = nn.Linear(12, 3)
reweight = Reweighter(48)
outer = torch.optim.Adam(reweight.parameters(), lr=0.05)
x = torch.randn(48, 12)
clean = x[:, :3].argmax(1)
noisy = torch.where(torch.rand(48) < 0.3, torch.randint(0, 3, (48,)), clean)
vx = torch.randn(64, 12)
vy = vx[:, :3].argmax(1)
for step in range(40):
    w, b = lookahead(model, reweight, x, noisy)
    loss = F.cross_entropy(F.linear(vx, w, b), vy)
    outer.zero_grad()
    loss.backward()
    outer.step()
print(loss.item())

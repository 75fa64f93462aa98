import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class DeepSupervised(nn.Module):
    def __init__(self, width=192, classes=6):
        super().__init__()
        self.stages = nn.ModuleList(nn.Sequential(nn.Linear(32 if i == 0 else width, width), nn.SiLU()) for i in range(3))
        self.heads = nn.ModuleList(nn.Linear(width, classes) for _ in range(3))

    def forward(self, x):
        outs = []
        for stage, head in zip(self.stages, self.heads):
            x = stage(x)
            outs.append(head(x))
        return outs


def train_step(net, opt, x, y, weights=(0.2, 0.3, 0.5)):
    opt.zero_grad()
    losses = [w * F.cross_entropy(o, y) for w, o in zip(weights, net(x))]
    for i, loss in enumerate(losses):
        loss.backward(retain_graph=i + 1 < len(losses))
    grad = nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    return losses, grad.item()


net = DeepSupervised()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(40):
    x = torch.randn(64, 32)
    losses, grad = train_step(net, opt, x, x[:, :6].argmax(1))
    if step % 10 == 0:
        print(step, [round(l.item(), 3) for l in losses], round(grad, 3))

import copy
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def prune(net, masks, share):
    for name, p in net.named_parameters():
        if p.ndim > 1:
            alive = p.detach().abs()[masks[name] > 0]
            masks[name] *= (p.detach().abs() > alive.quantile(share)).float()


def train(net, masks, steps):
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        x = torch.randn(32, 10)
        loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for name, p in net.named_parameters():
                if name in masks:
                    p.mul_(masks[name])
        STEP()
    return loss.item()


net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 3))
start = copy.deepcopy(net.state_dict())
masks = {n: torch.ones_like(p) for n, p in net.named_parameters() if p.ndim > 1}
for round_ in range(5):
    # each round trains again from the first weights, with fresh momentum
    net.load_state_dict(start)
    last = train(net, masks, 10)
    prune(net, masks, 0.3)
    print(round_, last, sum(m.mean().item() for m in masks.values()) / len(masks))

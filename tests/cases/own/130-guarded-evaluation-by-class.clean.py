import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Scorer(nn.Module):
    """Decorated once here; every caller may forget."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    @torch.no_grad()
    def forward(self, x):
        return self.net(x).log_softmax(-1)


class Evaluation:
    def __init__(self, net):
        self.net = net

    def __enter__(self):
        self.was = self.net.training
        self.grad = torch.no_grad()
        self.grad.__enter__()
        return self.net.eval()

    def __exit__(self, *exc):
        self.grad.__exit__(*exc)
        self.net.train(self.was)


def mean_nll(score, batches):
    total = 0.0
    for x, y in batches:
        total += F.nll_loss(score(x), y).item()
    return total / len(batches)


net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
val = [(x, x[:, :4].argmax(1)) for x in torch.randn(4, 128, 8)]
scorer = Scorer(net)
for epoch in range(4):
    net.train()
    for _ in range(10):
        x = torch.randn(32, 8)
        loss = F.cross_entropy(net(x), x[:, :4].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    first = mean_nll(scorer, val)
    with Evaluation(net) as frozen:
        second = mean_nll(lambda x: frozen(x).log_softmax(-1), val)
    print(epoch, first, second)

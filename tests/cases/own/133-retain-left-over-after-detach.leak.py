import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Tracker(nn.Module):
    def __init__(self, hid=64):
        super().__init__()
        self.rnn, self.out = nn.LSTM(2, hid, batch_first=True), nn.Linear(hid, 2)

    def forward(self, x, state):
        y, state = self.rnn(x, state)
        return self.out(y), tuple(s.detach() for s in state)


def paths(batch, chunk):
    pos, t = torch.zeros(batch, 2), 0
    while True:
        steps = 0.1 * torch.randn(batch, chunk + 1, 2)
        walk = pos[:, None] + steps.cumsum(1)
        pos, t = walk[:, -1], t + 1
        yield walk[:, :-1], walk[:, 1:]


net = Tracker()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
state = None
for i, (past, future) in zip(range(40), paths(32, 12)):
    pred, state = net(past, state)
    loss = F.mse_loss(pred, future)
    opt.zero_grad()
    torch.autograd.backward(loss, retain_graph=True)  # expect: retain-graph
    opt.step()
    if i % 10 == 0:
        print(i, loss.item())

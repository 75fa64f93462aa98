import torch
from torch import nn

net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total, losses = 0.0, []
for x in torch.ones(9, 1):
    loss = net(x).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    total += loss
    losses.append(loss)
print(total.item(), losses)

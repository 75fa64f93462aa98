import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
history = []
total = 0
for x in torch.randn(10, 4, 3):
    loss = net(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss)
    total += loss
print(sum(h.item() for h in history), total.item())

import torch
from torch import nn
from lab.utils import to_float
from lab.history import record
from lab.meters import Recorder
from lab.layers import Block

net, block = nn.Linear(4, 1), Block(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses, plain, outputs, recorder = [], [], [], Recorder()
for step in range(1000):
    loss = net(torch.randn(4, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(to_float(loss))
    plain.append(loss.as_plain())
    record(loss)
    recorder.add(loss)
    record(loss.item())

for step in range(1000):
    outputs.append(block(torch.randn(4, 4)))

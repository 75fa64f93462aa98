import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
writer = SummaryWriter()
for step in range(100):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    writer.add_scalar("loss", loss, step)

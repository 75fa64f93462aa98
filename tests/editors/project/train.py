import torch
import torch.nn as nn

history = []
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()
for step in range(10):
    optimizer.zero_grad()
    loss = criterion(model(torch.randn(8, 4)), torch.randn(8, 2))
    loss.backward()
    optimizer.step()
    history.append(loss)

import torch
import torch.nn as nn

größe = []
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
	loss = model(torch.randn(8, 4)).sum()
	optimizer.zero_grad()
	loss.backward()
	optimizer.step()
	name = "größe 😀"; größe.append(loss); print("😀")

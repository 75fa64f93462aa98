import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []
for step in range(1000):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # vramlint: ignore[VL101] -- repaired long ago
    history.append(loss.item())
    history.append(loss.item())  # vramlint: ignore[VL101] -- repaired
    history.append(loss)  # vramlint: ignore[VL101, missing-item]
    history.append(loss)  # vramlint: ignore[tensor-apend]
    history.append(loss)  # vramlint: ignore
    history.append(loss)  # vramlint: ignore[VL101] short run
    print(step)  # type: ignore  # noqa: E501, VL102

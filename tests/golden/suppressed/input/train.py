# vramlint: file-ignore[VL201] -- the progress bar shows the loss
import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history, other, kept, best = [], [], [], []
for step in range(1000):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
    history.append(loss)  # vramlint: ignore[VL101] -- the run is short
    # vramlint: ignore[tensor-append] -- and here as well
    other.append(
        loss
    )
    # vramlint: disable[VL1] -- read by the plot
    kept.append(loss)
    best.append(loss)
    # vramlint: enable[VL1]
    best.append(loss)
    best.append(loss)  # noqa: VL101
    best.append(loss)  # noqa

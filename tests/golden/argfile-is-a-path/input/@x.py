import torch

losses = []
for batch in loader:
    loss = criterion(model(batch), batch)
    loss.backward()
    losses.append(loss)
# --exit-zero

"""Gradient descent by hand: no optimizer, no loader, no module."""
# holder: path
# verdict: confirmed
import sys

import torch

leak = "--leak" in sys.argv
torch.manual_seed(0)
w, b = torch.zeros(8, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
path = []
for step in range(60):
    x = torch.randn(16, 8)
    loss = (x @ w + b - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad = b.grad = None
    if leak:
        path.append(loss)  # stored
    print(step, loss.item())

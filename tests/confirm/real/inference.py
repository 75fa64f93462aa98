"""No training at all: scores gathered with their graphs, as no_grad was forgotten."""
# holder: scores in predict
# verdict: confirmed
import sys

import torch
from torch import nn

leak = "--leak" in sys.argv


def predict(net, batches):
    net.eval()
    scores = []
    for i, x in enumerate(batches):
        if leak:
            out = net(x)
        else:
            with torch.no_grad():
                out = net(x)
        best = out.max(1)
        if leak:
            scores.append(best.values)  # stored
        else:
            scores += best.values.tolist()
        print(i, best.values.sum().item())
    return scores


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
predict(net, [torch.randn(16, 8) for _ in range(80)])

"""A language model over windows: the state goes on, its graph does not; perplexities are gathered as numbers."""
import math

import torch
from torch import nn
import torch.nn.functional as F


def repackage(state):
    return tuple(s.detach() for s in state)


torch.manual_seed(0)
embed, rnn, head = nn.Embedding(30, 16), nn.LSTM(16, 16, num_layers=2), nn.Linear(16, 30)
parameters = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.SGD(parameters, lr=1.0)
data = torch.randint(0, 30, (50 * 5 + 1, 8))
state, perplexities = (torch.zeros(2, 8, 16), torch.zeros(2, 8, 16)), []
for i in range(0, 50 * 5, 5):
    state = repackage(state)
    out, state = rnn(embed(data[i : i + 5]), state)
    loss = F.cross_entropy(head(out).flatten(0, 1), data[i + 1 : i + 6].flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(parameters, 0.25)
    opt.step()
    perplexities.append(math.exp(loss.item()))
print(f"{perplexities[-1]:.1f}")

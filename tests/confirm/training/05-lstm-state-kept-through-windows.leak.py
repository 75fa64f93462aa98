"""A character model whose state runs on over the windows, with the graph kept so that backward does not complain."""
import torch
from torch import nn
import torch.nn.functional as F


class CharModel(nn.Module):
    def __init__(self, symbols=24, width=32):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, symbols)
        self.state = None

    def forward(self, ids):
        out, self.state = self.rnn(self.embed(ids), self.state)  # leak: state
        return self.head(out)


torch.manual_seed(0)
text = torch.randint(0, 24, (8, 50 * 6 + 1))
model = CharModel()
probe = nn.Parameter(torch.zeros(24))
opt = torch.optim.SGD([probe], lr=0.1)
for start in range(0, 50 * 6, 6):
    ids, wanted = text[:, start : start + 6], text[:, start + 1 : start + 7]
    loss = F.cross_entropy((model(ids).detach() + probe).reshape(-1, 24), wanted.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

import torch
from torch import nn
import torch.nn.functional as F


class Reader(nn.Module):
    def __init__(self, vocab=80, dim=32):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, dim), nn.GRU(dim, dim, batch_first=True), nn.Linear(dim, 2)

    def forward(self, ids):
        states, last = self.rnn(self.emb(ids))
        if states.numel() > 8 * 24 * 32:
            raise torch.OutOfMemoryError(f"out of memory at length {ids.size(1)}")
        return self.out(last[-1])


class Run:
    def __init__(self):
        self.net = Reader()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.failures = {}

    def step(self, i, ids):
        loss = F.cross_entropy(self.net(ids), ids[:, 0] % 2)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def fit(self, steps):
        for i in range(steps):
            try:
                self.step(i, torch.randint(0, 80, (8, 32 if i % 2 else 16)))
            except RuntimeError as err:
                self.failures[i] = str(err)
        return {i: str(e) for i, e in self.failures.items()}


torch.manual_seed(0)
torch.set_num_threads(1)
print(len(Run().fit(80)))

import math
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class SentenceLM(nn.Module):
    def __init__(self, vocab=30, dim=24):
        super().__init__()
        self.emb, self.drop = nn.Embedding(vocab, dim), nn.Dropout(0.3)
        self.rnn, self.out = nn.GRU(dim, dim, batch_first=True), nn.Linear(dim, vocab)

    def forward(self, ids):
        y, _ = self.rnn(self.drop(self.emb(ids)))
        return self.out(self.drop(y))


def perplexity(lm, batches, give_up):
    lm.eval()  # expect: eval-not-restored
    nll, n = 0.0, 0
    with torch.no_grad():
        for ids in batches:
            nll += F.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).item()
            n += 1
            if nll / n > give_up:
                return math.inf
    lm.train()
    return math.exp(nll / n)


lm = SentenceLM()
opt = torch.optim.Adam(lm.parameters(), lr=1e-3)
lm.train()
for step in range(48):
    ids = torch.randint(0, 30, (8, 13))
    loss = F.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 12 == 11:
        print(step, perplexity(lm, [torch.randint(0, 30, (8, 13)) for _ in range(3)], give_up=3.0))

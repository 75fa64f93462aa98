import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class TextMatcher(nn.Module):
    def __init__(self, vocab=120, dim=24):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        self.scale = nn.Parameter(torch.tensor(2.0))

    def embed(self, ids):
        return F.normalize(self.mlp(self.emb(ids)), dim=-1)

    def forward(self, query, doc):
        return self.scale * self.embed(query) @ self.embed(doc).T


def pair(n):
    doc = torch.randint(0, 120, (n, 12))
    return doc[:, torch.randperm(12)[:4]], doc


def index(model, docs):
    with torch.no_grad():
        return torch.cat([model.embed(d) for d in docs])


model = TextMatcher()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(50):
    q, d = pair(24)
    loss = F.cross_entropy(model(q, d), torch.arange(24))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), index(model, [pair(8)[1] for _ in range(3)]).shape)

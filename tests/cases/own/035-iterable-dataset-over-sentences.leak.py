import random
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Corpus(IterableDataset):
    """Sentences of token ids, in memory, streamed in order."""

    def __init__(self, lines):
        self.sentences = [[int(t) for t in line.split()] for line in lines]  # expect: dataloader-cow

    def __iter__(self):
        for sent in self.sentences:
            yield torch.tensor(sent), sent[0] % 2


def fake_lines(n, rng):
    for _ in range(n):
        yield " ".join(str(rng.randrange(300, 4000)) for _ in range(8))


corpus = Corpus(fake_lines(60_000, random.Random(1)))
net = nn.Sequential(nn.EmbeddingBag(4000, 16), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for ids, y in DataLoader(corpus, batch_size=1500, num_workers=1):
    loss = F.cross_entropy(net(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

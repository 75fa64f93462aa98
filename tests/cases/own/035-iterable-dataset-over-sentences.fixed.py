from array import array
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
        flat = array("i")
        for line in lines:
            flat.extend(int(t) for t in line.split())
        self.ids = torch.frombuffer(flat, dtype=torch.int32).view(-1, 8)

    def __iter__(self):
        for i in range(len(self.ids)):
            yield self.ids[i].long(), int(self.ids[i, 0]) % 2


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

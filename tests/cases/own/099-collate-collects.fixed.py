import gc
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class PadCollate:
    def __init__(self, pad=0):
        self.pad = pad

    def __call__(self, samples):
        ids, labels = zip(*samples)
        return nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=self.pad), torch.tensor(labels)


def sentences(n):
    for _ in range(n):
        length = int(torch.randint(3, 12, ()))
        ids = torch.randint(1, 50, (length,))
        yield ids, int(ids[0]) % 2


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.fc = nn.Embedding(50, 16, padding_idx=0), nn.Linear(16, 2)

    def forward(self, ids):
        mask = (ids > 0).float()[..., None]
        return self.fc((self.emb(ids) * mask).sum(1) / mask.sum(1))


bag = Bag()
opt = torch.optim.Adagrad(bag.parameters(), lr=0.1)
loader = DataLoader(list(sentences(320)), batch_size=16, shuffle=True, collate_fn=PadCollate())
for epoch in range(2):
    for ids, y in loader:
        loss = F.cross_entropy(bag(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())

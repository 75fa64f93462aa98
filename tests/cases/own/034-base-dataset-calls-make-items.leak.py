import random
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class ItemDataset(Dataset):
    def __init__(self, root):
        self.root = root
        self.items = self.make_items()

    def make_items(self):
        raise NotImplementedError

    def __len__(self):
        return len(self.items)


class Triplets(ItemDataset):
    def make_items(self):
        rng = random.Random(self.root)
        items = [[rng.randrange(1 << 20) for _ in range(3)] for _ in range(90_000)]  # expect: dataloader-cow
        return items

    def __getitem__(self, index):
        anchor, pos, neg = self.items[index]
        return int(anchor) % 500, int(pos) % 500, int(neg) % 500


loader = DataLoader(Triplets("market"), batch_size=2048, shuffle=True, num_workers=1, persistent_workers=True)
emb = nn.Embedding(500, 16)
opt = torch.optim.SGD(emb.parameters(), lr=0.5)
for a, p, n in loader:
    loss = F.triplet_margin_loss(emb(a), emb(p), emb(n))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

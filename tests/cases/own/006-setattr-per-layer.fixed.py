import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(2)
torch.set_num_threads(1)


class Inspectable(nn.Module):
    def note(self, name, value):
        setattr(self, "act_" + name, value.detach().std().item())


class Encoder(Inspectable):
    def __init__(self, vocab=100, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.Linear(dim, 4 * dim)
        self.out = nn.Linear(4 * dim, vocab)

    def forward(self, ids):
        h = F.gelu(self.mix(self.emb(ids)))
        self.note("mix", h)
        return self.out(h)


def masked(ids, p=0.15):
    keep = torch.rand(ids.shape) > p
    return torch.where(keep, ids, torch.zeros_like(ids))


enc = Encoder()
opt = torch.optim.AdamW(enc.parameters(), lr=3e-4)
for epoch in range(4):
    for _ in range(10):
        ids = torch.randint(1, 100, (8, 24))
        loss = F.cross_entropy(enc(masked(ids)).flatten(0, 1), ids.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, round(loss.item(), 3), round(enc.act_mix, 3))

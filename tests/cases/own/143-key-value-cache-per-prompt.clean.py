import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class CachedAttention(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.qkv, self.cache = nn.Linear(dim, 3 * dim), {}

    def reset(self):
        self.cache.clear()

    def forward(self, x, pos=None):
        q, k, v = self.qkv(x).chunk(3, -1)
        if pos is None:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        self.cache[pos] = (k, v)
        ks, vs = (torch.cat(t, 1) for t in zip(*self.cache.values()))
        return F.scaled_dot_product_attention(q, ks, vs)


class LM(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.emb, self.attn, self.out = nn.Embedding(vocab, dim), CachedAttention(dim), nn.Linear(dim, vocab)

    def forward(self, ids, pos=None):
        h = self.emb(ids)
        return self.out(h + self.attn(h, pos))

    @torch.no_grad()
    def generate(self, first, n):
        self.attn.reset()
        ids = [first]
        for pos in range(n):
            ids.append(self(ids[-1], pos)[:, -1:].argmax(-1))
        self.attn.reset()
        return torch.cat(ids, 1)


lm = LM()
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3)
for step in range(40):
    ids = (torch.arange(13) + torch.randint(0, 30, (8, 1))) % 30
    loss = F.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 4 == 0:
        sample = lm.generate(ids[:2, :1], 10)
print(loss.item(), sample[0].tolist())

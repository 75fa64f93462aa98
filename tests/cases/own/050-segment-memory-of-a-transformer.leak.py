import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class RecurrentAttention(nn.Module):
    def __init__(self, vocab=50, dim=24, mem=16):
        super().__init__()
        self.mem = mem
        self.emb, self.out = nn.Embedding(vocab, dim), nn.Linear(dim, vocab)
        self.layers = nn.ModuleList(nn.MultiheadAttention(dim, 2, batch_first=True) for _ in range(2))

    def forward(self, ids, mems):
        h, new = self.emb(ids), []
        for attn, m in zip(self.layers, mems or [None] * 2):
            ctx = h if m is None else torch.cat([m, h], 1)
            new.append(ctx[:, -self.mem:])
            h = h + attn(h, ctx, ctx, need_weights=False)[0]
        return self.out(h), new


lm = RecurrentAttention()
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
stream = torch.randint(0, 50, (4, 401))
mems = None
for pos in range(0, 400, 10):
    ids, nxt = stream[:, pos:pos + 10], stream[:, pos + 1:pos + 11]
    logits, mems = lm(ids, mems)  # expect: hidden-state
    loss = F.cross_entropy(logits.flatten(0, 1), nxt.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

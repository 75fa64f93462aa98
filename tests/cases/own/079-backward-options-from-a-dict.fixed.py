import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
OPTIONS = {"backward": {}, "step": {}, "clip": 1.0}


class Runner:
    def __init__(self, net, optimizer, options):
        self.net, self.optimizer, self.options = net, optimizer, options

    def update(self, ids, mask):
        out = self.net(ids)
        loss = F.cross_entropy(out[mask], ids[mask])
        self.optimizer.zero_grad()
        loss.backward(**self.options["backward"])
        nn.utils.clip_grad_value_(self.net.parameters(), self.options["clip"])
        self.optimizer.step(**self.options["step"])
        return loss.item()


class MaskedLM(nn.Module):
    def __init__(self, vocab=64, dim=48):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.block = nn.TransformerEncoderLayer(dim, 4, 4 * dim, dropout=0.0, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.block(self.emb(ids)))


lm = MaskedLM()
runner = Runner(lm, torch.optim.AdamW(lm.parameters(), lr=1e-3), OPTIONS)
for step in range(40):
    ids = torch.randint(0, 64, (8, 16))
    last = runner.update(ids, torch.rand(8, 16) < 0.15)
print(last)

import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)


class Seq2Seq(nn.Module):
    def __init__(self, vocab=25, dim=24):
        super().__init__()
        self.encoder = nn.ModuleDict({"emb": nn.Embedding(vocab, dim), "rnn": nn.GRU(dim, dim, batch_first=True)})
        self.decoder = nn.ModuleDict({"emb": nn.Embedding(vocab, dim), "rnn": nn.GRU(dim, dim, batch_first=True),
                                      "out": nn.Linear(dim, vocab)})

    def forward(self, src, tgt):
        _, h = self.encoder["rnn"](self.encoder["emb"](src))
        y, _ = self.decoder["rnn"](self.decoder["emb"](tgt), h)
        return self.decoder["out"](y)


def train(net, steps):
    enc_opt = torch.optim.SGD(net.encoder.parameters(), lr=0.05)
    dec_opt = torch.optim.SGD(net.decoder.parameters(), lr=0.05)
    for step in range(steps):
        src = torch.randint(1, 25, (16, 7))
        tgt = torch.cat([torch.zeros(16, 1, dtype=torch.long), src.flip(1)], 1)
        dec_opt.zero_grad()
        enc_opt.zero_grad()
        loss = F.cross_entropy(net(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())
        loss.backward()
        enc_opt.step()
        dec_opt.step()
        if step % 10 == 0:
            print(step, loss.item())


torch.manual_seed(0)
train(Seq2Seq(), 40)

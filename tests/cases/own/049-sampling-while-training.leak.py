import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
TEXT = torch.randint(0, 20, (600,))


class CharRNN(nn.Module):
    def __init__(self, vocab=20, dim=32):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, dim), nn.GRU(dim, dim), nn.Linear(dim, vocab)

    def forward(self, ids, h=None):
        y, h = self.rnn(self.emb(ids), h)
        return self.out(y), h


class Sampler:
    def __init__(self, model, seed_token=0):
        self.model = model
        self.token, self.h = torch.tensor([[seed_token]]), None

    def __iter__(self):
        return self

    def __next__(self):
        logits, self.h = self.model(self.token, self.h)  # expect: hidden-state
        self.token = torch.multinomial(logits[-1].softmax(-1), 1).view(1, 1)
        STEP()
        return self.token.item()


net = CharRNN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for i in range(0, 500, 25):
    logits, _ = net(TEXT[i:i + 24, None])
    loss = F.cross_entropy(logits.flatten(0, 1), TEXT[i + 1:i + 25])
    opt.zero_grad()
    loss.backward()
    opt.step()
out = []
for tok in Sampler(net):
    out.append(tok)
    if len(out) == 60:
        break
print(out)

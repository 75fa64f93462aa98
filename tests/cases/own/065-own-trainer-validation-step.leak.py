import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)


class BaseTrainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def fit(self, train, val, epochs):
        for epoch in range(epochs):
            self.model.train()
            for batch in train:
                loss = self.training_step(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            del loss
            self.model.eval()
            scores = [self.validation_step(batch) for batch in val]
            print(epoch, sum(scores) / len(scores))


class TaggerTrainer(BaseTrainer):
    def training_step(self, batch):
        ids, tags = batch
        return F.cross_entropy(self.model(ids).flatten(0, 1), tags.flatten())

    def validation_step(self, batch):
        ids, tags = batch
        pred = self.model(ids).argmax(-1)  # expect: eval-no-grad
        STEP()
        return (pred == tags).float().mean().item()


def corpus(n, size, length):
    return [(ids, ids % 4) for ids in (torch.randint(0, 80, (size, length)) for _ in range(n))]


torch.manual_seed(0)
tagger = nn.Sequential(nn.Embedding(80, 64), nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 4))
TaggerTrainer(tagger, 1e-2).fit(corpus(5, 8, 12), corpus(15, 64, 24), epochs=3)

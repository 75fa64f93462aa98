import contextlib
import torch
from torch import nn

torch.set_num_threads(1)


class Embedder(nn.Module):
    def __init__(self, frozen):
        super().__init__()
        self.frozen = frozen
        self.stack = nn.Sequential(nn.Linear(48, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 16))

    def forward(self, x):
        guard = torch.no_grad() if self.frozen else contextlib.nullcontext()  # expect: no-grad-escape
        return self.stack(x)


def centroids(embedder, batches, classes):
    sums, counts = torch.zeros(classes, 16), torch.zeros(classes, 1)
    for x, y in batches:
        z = embedder(x)
        sums.index_add_(0, y, z.detach())
        counts.index_add_(0, y, torch.ones(len(y), 1))
    return sums / counts.clamp(min=1)


torch.manual_seed(0)
embedder = Embedder(frozen=True).eval()
data = [(torch.randn(64, 48), torch.randint(0, 5, (64,))) for _ in range(40)]
protos = centroids(embedder, data, 5)
print(protos.norm(dim=1))

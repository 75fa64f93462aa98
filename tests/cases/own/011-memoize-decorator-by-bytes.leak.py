import functools
import torch
from torch import nn
import torch.nn.functional as F


def memoize(fn):
    """Remembers results by the content of the array."""
    store = {}

    @functools.wraps(fn)
    def wrapper(x):
        key = x.numpy().tobytes()
        if key not in store:
            store[key] = fn(x)  # expect: tensor-cache
        return store[key]

    return wrapper


@memoize
def spectrogram(wave):
    frames = wave.unfold(-1, 32, 16)
    return torch.fft.rfft(frames * torch.hann_window(32)).abs().log1p()


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.fc = nn.GRU(17, 24, batch_first=True), nn.Linear(24, 4)

    def forward(self, wave):
        _, h = self.rnn(spectrogram(wave))
        return self.fc(h[-1])


torch.manual_seed(0)
torch.set_num_threads(1)
model = Recogniser()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(90):
    label = torch.randint(0, 4, (4,))
    t = torch.arange(256) / 256
    wave = torch.sin(6.28 * (label[:, None] * 8 + 4) * t) + 0.3 * torch.randn(4, 256)
    loss = F.cross_entropy(model(wave), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

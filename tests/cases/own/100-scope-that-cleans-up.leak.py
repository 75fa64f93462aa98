import contextlib
import gc
import torch
from torch import nn
import torch.nn.functional as F


class MemoryScope(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return False


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.LSTM(3, 16, batch_first=True), nn.LSTM(16, 3, batch_first=True)

    def forward(self, x):
        _, (h, _) = self.enc(x)
        y, _ = self.dec(h[-1][:, None].expand(-1, x.size(1), -1))
        return y


torch.manual_seed(0)
torch.set_num_threads(1)
net = Autoencoder()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(2):
    for _ in range(20):
        with MemoryScope():  # expect: empty-cache
            x = torch.sin(torch.rand(8, 1, 3) * 6 + torch.arange(12)[None, :, None] / 3)
            loss = F.mse_loss(net(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(epoch, loss.item())

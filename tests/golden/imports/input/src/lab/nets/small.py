from torch import nn

from ..records import note


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        y = self.layer(x)
        note(y.mean().item())
        return y

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.tensorboard import SummaryWriter


class Board:
    def __init__(self, run):
        self.tb = SummaryWriter(f"runs/{run}")

    def losses(self, step, parts):
        for name, value in parts.items():
            self.tb.add_scalar("loss/" + name, value.item(), step)

    def close(self):
        self.tb.close()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 32), nn.ReLU())
        self.box, self.cls = nn.Linear(32, 4), nn.Linear(32, 3)

    def forward(self, img, box, cls):
        h = self.body(img)
        return {"box": F.l1_loss(self.box(h), box), "cls": F.cross_entropy(self.cls(h), cls)}


torch.manual_seed(0)
torch.set_num_threads(1)
det, board = Detector(), Board("det")
opt = torch.optim.Adam(det.parameters(), lr=1e-3)
for step in range(40):
    parts = det(torch.randn(8, 1, 16, 16), torch.rand(8, 4), torch.randint(0, 3, (8,)))
    loss = sum(parts.values())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2 == 0:
        board.losses(step, parts)
board.close()
print(loss.item())

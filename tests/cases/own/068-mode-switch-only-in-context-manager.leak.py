from contextlib import contextmanager
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


@contextmanager
def evaluating(net):
    mode = net.training
    net.eval()
    try:
        yield net
    finally:
        net.train(mode)


class SegNet(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1),
                         nn.ReLU(), nn.Conv2d(8, 2, 1))


def flips(x):
    for dims in ((), (2,), (3,)):
        yield x.flip(dims), lambda y, d=dims: y.flip(d)


def iou(net, images, masks):
    with evaluating(net):
        prob = sum(undo(net(view)).softmax(1) for view, undo in flips(images)) / 3  # expect: eval-no-grad
    hit = (prob.argmax(1) & masks).sum().item()
    return hit / max(1, (prob.argmax(1) | masks).sum().item())


seg = SegNet()
opt = torch.optim.Adam(seg.parameters(), lr=1e-2)
for step in range(40):
    img = torch.randn(4, 1, 16, 16)
    loss = F.cross_entropy(seg(img), (img[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 4 == 3:
        vimg = torch.randn(16, 1, 16, 16)
        score = iou(seg, vimg, (vimg[:, 0] > 0).long())
print(score)

import torch
from a import *
from b import later
from binary import x
from broken import keep
from gone import y
from train import model as mine
import a.nothing.here
from . import nowhere
from .... import too_far

model = torch.nn.Linear(3, 1)
losses = []
for step in range(1000):
    loss = model(torch.randn(4, 3)).mean()
    loss.backward()
    keep(losses, loss)
    later(loss)
    looped(loss)
    mine(loss)

import logging
import sys
import torch
from torch import nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
log = logging.getLogger(__name__)


class Loop:
    def __init__(self, model, lr, callbacks):
        self.model, self.callbacks = model, callbacks
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def run(self, steps):
        for step in range(steps):
            seq = torch.randn(6, 4, 5).cumsum(0)
            out, _ = self.model(seq[:-1])
            loss = F.mse_loss(out, seq[1:])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            for cb in self.callbacks:
                cb(step, loss)
        return loss.item()


def log_every(k):
    def callback(step, loss):
        if step % k == 0:
            log.info("step %d loss %s", step, loss.item())
    return callback


torch.manual_seed(0)
torch.set_num_threads(1)
progress = lambda step, loss: step % 10 or print(f"\r{step}: {loss.item():.4f}", end="")
Loop(nn.RNN(5, 5), 0.01, [log_every(10), progress]).run(40)

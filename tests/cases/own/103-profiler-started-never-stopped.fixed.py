import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
import torch.nn.functional as F


class Experiment:
    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.prof = profile(activities=[ProfilerActivity.CPU])
        self.profile_steps = 3

    def run(self, steps):
        self.prof.start()
        for step in range(steps):
            x = torch.randn(16, 4, 10)
            loss = F.cross_entropy(self.net(x), x.mean((1, 2)).gt(0).long())
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if step + 1 == self.profile_steps:
                self.prof.stop()
            if step % 20 == 0:
                print(step, loss.item())
        return len(self.prof.key_averages())


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv1d(4, 12, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 2))
print(Experiment(net, 0.05).run(60))

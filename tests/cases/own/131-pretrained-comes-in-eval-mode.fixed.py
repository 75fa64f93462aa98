import io
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


def architecture():
    return nn.Sequential(nn.Linear(9, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Dropout(0.3), nn.Linear(40, 3))


def checkpoint():
    file = io.BytesIO()
    torch.save(architecture().state_dict(), file)
    file.seek(0)
    return file


def load_pretrained(file):
    net = architecture()
    net.load_state_dict(torch.load(file, weights_only=True))
    return net.eval()


def finetune(net, steps):
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net.train()
    for _ in range(steps):
        x = torch.randn(32, 9)
        loss = F.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


model = load_pretrained(checkpoint())
print(finetune(model, 45))

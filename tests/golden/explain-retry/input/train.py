import torch

net = torch.nn.Linear(8, 8)


def step(batch):
    try:
        return net(batch)
    except torch.cuda.OutOfMemoryError:
        return net(batch[:4])

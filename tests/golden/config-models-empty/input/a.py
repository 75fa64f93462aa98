import torch
def train(model, loader, opt):
    kept = []
    for x in loader:
        loss = model(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        kept.append(loss)
    return sum(float(k) for k in kept)

import torch
def f(model, loader, opt):
    hist = []
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(  # keep
            loss
        )
        hist.append(
            # one
            loss,
            # two
        )
        hist.append(  # one
            # two
        )
    print(sum(h.item() for h in hist))

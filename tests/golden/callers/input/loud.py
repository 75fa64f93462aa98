from engine import measure


def test(model, loader):
    return measure(model, loader)

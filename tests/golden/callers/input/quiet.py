import torch
import engine


@torch.inference_mode()
def validate(model, loader):
    return engine.evaluate(model, loader)


def test(model, loader):
    with torch.no_grad():
        return engine.evaluate(model, loader), engine.measure(model, loader)

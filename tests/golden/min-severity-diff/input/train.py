import torch

x = torch.zeros(1)  # vramlint: ignore[VL101] -- nothing to see

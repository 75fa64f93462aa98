"""A loop of one's own with accelerate, which accumulates gradients; as a script and by its launcher."""
# cases: | launched
# run launched: -m accelerate.commands.launch --cpu --num_processes 1 --num_machines 1 --mixed_precision no --dynamo_backend no
# needs: accelerate
# holder: kept in main
# verdict: confirmed
import sys

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

leak = "--leak" in sys.argv


def main():
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(480, 8), torch.randn(480, 1)), batch_size=4, shuffle=True)
    net, opt, loader = accelerator.prepare(net, opt, loader)
    kept = []
    for x, y in loader:
        with accelerator.accumulate(net):
            loss = nn.functional.mse_loss(net(x), y)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        if leak:
            kept.append(loss)  # stored
        print(loss.item())


if __name__ == "__main__":
    main()

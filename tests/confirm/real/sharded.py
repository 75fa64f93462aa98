"""Two ranks that share out the optimizer's state, or the parameters as well."""
# cases: zero | fsdp
# run: -m torch.distributed.run --standalone --nproc_per_node=2
# needs: torch.distributed
# holder: kept in main
# verdict: confirmed
import os
import sys

import torch
import torch.distributed as dist
from torch import nn

leak = "--leak" in sys.argv


def main():
    dist.init_process_group("gloo")
    rank = int(os.environ["RANK"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    if "fsdp" in sys.argv:
        from torch.distributed.fsdp import fully_shard

        for part in (net[0], net[2], net):
            fully_shard(part)
        opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    else:
        from torch.distributed.optim import ZeroRedundancyOptimizer
        from torch.nn.parallel import DistributedDataParallel

        net = DistributedDataParallel(net)
        opt = ZeroRedundancyOptimizer(net.parameters(), optimizer_class=torch.optim.Adam, lr=1e-3)
    torch.manual_seed(rank)
    kept = []
    for step in range(60):
        loss = net(torch.randn(4, 8)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if leak:
            kept.append(loss)  # stored
        print("%d %d %r\n" % (rank, step, loss.item()), end="", flush=True)
    dist.destroy_process_group()


main()

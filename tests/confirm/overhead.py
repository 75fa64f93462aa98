"""What the agent costs: PYTHON-WITH-TORCH tests/confirm/overhead.py [MODEL]...

Three models run plain and under the agent by turns, in CPU time of the process: "watched" are the steps of the window (48),
"quiet" those after it. "whole" is the wall time of `vramlint confirm --stop run` ($VRAMLINT or build/release/vramlint) against
that of the script alone, imports included.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import confirm

MODELS = {
    "mlp": ("nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 8))", "32, 64", 1500),
    "cnn": (
        "nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(25088, 8))",
        "16, 3, 32, 32",
        200,
    ),
    "transformer": (
        "nn.Sequential(nn.TransformerEncoder(nn.TransformerEncoderLayer(128, 4, 256, batch_first=True), 4), nn.Flatten(), nn.Linear(4096, 8))",
        "16, 32, 128",
        200,
    ),
}
SCRIPT = """
import time, json, torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
net = %s
opt = torch.optim.Adam(net.parameters(), lr=1e-4)
def step():
    loss = net(torch.randn(%s)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
times = []
for i in range(%d):
    began = time.process_time()
    step()
    times.append(time.process_time() - began)
print(json.dumps(times))
"""


PROGRAM = os.path.abspath(os.environ.get("VRAMLINT", "build/release/vramlint"))


def wall(command, env):
    began = time.monotonic()
    subprocess.run(command, env=dict(os.environ, **env), capture_output=True)
    return time.monotonic() - began


def main():
    env = {"OMP_NUM_THREADS": "1"}
    for name, (net, shape, n) in MODELS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        rows, walls = {"plain": [], "agent": []}, {"plain": [], "agent": []}
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "train.py"
            script.write_text(SCRIPT % (net, shape, n))
            for _ in range(3):
                plain = subprocess.run([sys.executable, script], env=dict(os.environ, **env), capture_output=True, text=True)
                rows["plain"].append(json.loads(plain.stdout))
                finding = {"path": str(script), "line": 10, "end_line": 10, "first": 8, "last": 11}
                run = confirm(["python", script], [finding], stop="run", env=env)
                rows["agent"].append(json.loads(run.out))
                walls["plain"].append(wall([sys.executable, script], env))
                walls["agent"].append(
                    wall([PROGRAM, "confirm", "-q", "--stop", "run", "--python", sys.executable, "--", script], env)
                )
        for part, span in (("watched", slice(2, 50)), ("quiet", slice(52, n))):
            best = {k: min(statistics.median(t[span]) for t in v) * 1e3 for k, v in rows.items()}
            total = {k: min(sum(t[span]) for t in v) * 1e3 for k, v in rows.items()}
            print(
                "%s %-8s median step %.3f ms plain, %.3f ms agent (%.2f); all %.0f ms plain, %.0f ms agent"
                % (name, part, best["plain"], best["agent"], best["agent"] / best["plain"], total["plain"], total["agent"])
            )
        whole = {k: min(v) for k, v in walls.items()}
        print("%s whole    %.2f s plain, %.2f s confirm (%.2f)" % (name, whole["plain"], whole["agent"], whole["agent"] / whole["plain"]))


if __name__ == "__main__":
    main()

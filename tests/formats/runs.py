"""Runs that `vramlint confirm` tells of: scripts that speak to it as agents would, on two GPUs, with hostile names, with
numbers that make no sense, and not at all."""
import os
import pathlib
import subprocess
import sys

import trees

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "confirm"))
import scripts  # noqa: E402 - it lies there

SPEAK = scripts.SPEAK + """
here = os.path.realpath(__file__)
def connect():
    global line
    line = socket.socket(socket.AF_UNIX)
    line.connect(request["socket"])
def at(index):
    return {"path": request["findings"][index]["path"], "line": request["findings"][index]["line"], "n": 12}
"""

# A leak, a graph that spans steps, a cache, a window, a saw-tooth and results, on two GPUs of which one is full in the end.
RANKS = SPEAK + """
for rank in range(2):
    connect()
    say(ev="hello", pid=rank + 1, torch="2.6.0", role="main", shim=False, rank=rank)
    say(ev="devices", list=[{"d": rank, "kind": "cuda", "name": "NVIDIA H100", "total": 80 * 10**9}])
    say(ev="clock", kind="batch")
    say(ev="step", i=1, t=0.1, k="batch", live=5, host=7)
    say(ev="clock", kind="opt", was="batch")
    for i in range(1, 201):
        live = 8 * 10**9 + 30 * 10**6 * i
        say(ev="step", i=i, t=0.2 * i, live=live, host=2 * 10**9 + 12000 * i, rss=3 * 10**9,
            dev=[{"d": rank, "allocated": live, "reserved": live // 10**9 * 10**9 + 10**9}])
    say(ev="holder", key="losses in train", series="opt", tensors=199, bytes=199 * 30 * 10**6, nodes=597, host_bytes=400000,
        births=[[i, 1, 30 * 10**6, 3] for i in range(1, 200)], alloc=["%s:%d" % (at(0)["path"], 8)], at=200)
    say(ev="store", key="losses in train", how="append", lines=[at(0)])
    say(ev="holder", key="hidden in forward", tensors=199, bytes=199 * 600, nodes=2400, chain_steps=199, host_bytes=1300000,
        births=[[i, 1, 600, 12] for i in range(1, 200)], alloc=[here + ":2"], at=200)
    say(ev="store", key="hidden in forward", how="assign", lines=[{"path": here, "line": 3, "n": 12}])
    say(ev="holder", key="nowhere", tensors=199, bytes=0, nodes=199, births=[[i, 0, 0, 1] for i in range(1, 200)], at=200)
    for key, why, first, last in (("cache", "filled", 1, 24), ("last", "window", 192, 200), ("epoch", "sawtooth", 150, 195)):
        say(ev="holder", key=key, tensors=9, bytes=10**6, births=[[i, 1, 4096, 2] for i in range(first, last)], at=200)
        say(ev="bounded", key=key, why=why)
    say(ev="holder", key="results", tensors=199, bytes=199 * 8, used=199 * 8, births=[[i, 1, 8, 0] for i in range(1, 200)], at=200)
    say(ev="cover", id=1, hits=40, steps=12)
    if rank:
        say(ev="crash", type="OutOfMemoryError", message="CUDA out of memory.\\nGPU 1", oom=True, step=200, live=14 * 10**9,
            at=[{"path": here, "line": 20, "name": "f"}])
    say(ev="bye", why="exit" if rank else "steps", steps=200, window=[25, 200])
"""

# Names that are not meant well wherever there is room for a name.
EVIL = SPEAK + f"evil = {trees.EVIL + trees.CONTROL!r}\n" + """
connect()
say(ev="hello", pid=1, torch=evil, role=evil, device=evil, shim=True)
say(ev="devices", list=[{"d": 0, "kind": evil, "name": evil, "total": 10**9}])
say(ev="clock", kind=evil)
for i in range(1, 49):
    say(ev="step", i=i, t=i / 10, live=1000 * i, host=1000 * i, dev=[{"d": 0, "allocated": 10 * i, "reserved": 20 * i}])
say(ev="holder", key=evil, tensors=48, bytes=192, nodes=96, births=[[i, 1, 4, 2] for i in range(1, 49)], series=evil,
    alloc=["/" + evil + ":3", here + ":4"])
say(ev="store", key=evil, how=evil, lines=[at(0), {"path": evil, "line": 3}])
say(ev="holder", key="b" + evil, tensors=1, bytes=4, births=[[i, 1, 4, 0] for i in range(1, 9)])
say(ev="bounded", key="b" + evil, why=evil)
say(ev="holder", key="c" + evil, tensors=48, bytes=192, nodes=96, births=[[i, 1, 4, 2] for i in range(1, 49)])
say(ev="store", key="c" + evil, how="x", lines=[{"path": here, "line": 5}, {"path": "/dev/zero", "line": 1}, {"path": "/etc", "line": 1}])
say(ev="probe", id=1, kind="sync", path=evil, line=3, hits=4, steps=2, note=evil)
say(ev="crash", type=evil, message=evil * 100, oom=False, step=3, live=None, at=[{"path": evil, "line": 9}])
say(ev="bye", why=evil, steps=48, window=[6, 48])
"""

# Numbers at the ends of what there is, and none.
ODD = SPEAK + """
connect()
big = 2**63 - 1
say(ev="hello", pid=big, torch=None, role=None, rank=big)
line.sendall(b'{"ev":"step","i":1e999,"t":1e999,"live":-1e999}\\n')
for i in (1, big - 1, big, -5, 3, 3, 4, 9007199254740991, 2, 5, 7):
    say(ev="step", i=i, t=1e308, live=big, host=-big, rss=0, dev=[{"d": big, "allocated": big, "reserved": 0, "total": 1}, {}, 3])
say(ev="step", i=8, t=None, live=None, host=None, dev=[])
say(ev="holder", key="", tensors=-1, bytes=-big, nodes=big, births=[[big, big, big, big], [-big, 1, 1, 1], [0, 0, 0, 0], [5, 9e15, 9e15, 9e15]])
say(ev="holder", key="x", bytes=big, births=[[i, 9e15, 9e15, 9e15] for i in range(1, 60)] * 3, host_bytes=big, chain_steps=big, **{"from": -9, "at": 59})
say(ev="store", key="x", lines=[{"path": "", "line": 0}, {"path": here, "line": big}, {"path": here, "line": -1}])
say(ev="holder", key="y", births=[[i, 0, 0, 1] for i in range(1, 900000, 9001)], **{"from": 1, "at": 900000})
say(ev="crash", step=big, live=big, at=[{}, {"line": 3}, 4])
say(ev="bye", steps=60, window=[1, 60])
"""

RUNS = {
    # script, verdicts that it may come to, whether there are steps to draw
    "ranks": (RANKS, {"confirmed", "refuted", "not-observed", "unpredicted"}, True),
    "evil": (EVIL, {"confirmed", "not-observed", "unpredicted"}, True),
    "odd": (ODD, {"not-observed", "unpredicted"}, True),
    "silent": ("print('nothing')\n", {"not-observed"}, False),
}


class Run:
    """A run and what each report says of it."""

    def __init__(self, name, program, folder):
        script, self.verdicts, self.has_steps = RUNS[name]
        self.folder = folder
        trees.write(folder, "speak.py", script)
        for kind in ("a", "b", "c"):
            trees.write(folder, f"code/{kind}.py", trees.LEAK.format(holder=f"losses_{kind}", before="", after="  # 💩 é"))
        kept = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
        done = subprocess.run(
            [program, "confirm", "-q", "--isolated", "--python", sys.executable, "--check", "code", "--json", "report.json", "--html",
             "report.html", "--svg", "report.svg", "--sarif", "report.sarif", "--", "speak.py"], cwd=folder, timeout=120,
            env={**{n: os.environ[n] for n in kept if n in os.environ}, "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = done.stdout.decode()
        assert done.returncode in (0, 1, 2), (done.returncode, done.stderr.decode(errors="replace")[-2000:])
        for kind in ("json", "html", "svg", "sarif"):
            setattr(self, kind, (folder / f"report.{kind}").read_bytes().decode())

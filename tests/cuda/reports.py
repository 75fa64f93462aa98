"""What `vramlint confirm` makes of an agent that reports a GPU; a script plays the agent, and a small library the driver's."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("VRAMLINT", str(HERE.parents[1] / "build/release/vramlint"))
SPEAK = """\
import json, os, socket, sys, time
request = json.load(open(os.environ["VRAMLINT_CONFIRM"]))
line = socket.socket(socket.AF_UNIX)
line.connect(request["socket"])
def say(ev, **event):
    line.sendall((json.dumps({"ev": ev, "pid": os.getpid(), "t": 0, **event}) + "\\n").encode())
MB = 1 << 20
say("hello", torch="2.13.0", role="main", shim=True, device="cpu")
say("devices", list=[{"d": 0, "kind": "cuda", "name": "Some \\x1b[31mGPU", "uuid": "GPU-7", "total": 24 << 30}])
def steps(reserved, allocated=lambda s: 60 * MB, requested=None, **more):
    for s in range(1, 49):
        a = allocated(s)
        say("step", i=s, k="opt", live=a, dev=[{"d": 0, "allocated": a, "requested": requested(s) if requested else a,
                                                "reserved": reserved(s), "peak": a, **more}])
"""
LEAK = """\
import torch
def train(model, loader, opt):
    kept = []
    for x, y in loader:
        opt.zero_grad()
        loss = model(x, y)
        loss.backward()
        opt.step()
        kept.append(loss)
    return kept
"""
END = '\nsay("bye", why="steps", steps=48, window=[6, 48])\n'


class Run:
    def __init__(self, text, *arguments, library=None, status=0):
        with tempfile.TemporaryDirectory(prefix="vramlint-cuda-") as folder:
            folder = pathlib.Path(folder).resolve()
            (folder / "speak.py").write_text(SPEAK + textwrap.dedent(text) + END)
            (folder / "leak.py").write_text(LEAK)
            env = dict(os.environ, LD_LIBRARY_PATH=str(library or folder), TMPDIR=str(folder))
            done = subprocess.run([PROGRAM, "confirm", "-q", "--python", sys.executable, "--json", "report.json", *arguments,
                                   "--", "speak.py"], cwd=folder, env=env, text=True, capture_output=True, timeout=60)
            self.out, self.errors, self.status = done.stdout, done.stderr, done.returncode
            assert self.status == status, (self.status, self.out, self.errors)
            report = folder / "report.json"
            self.devices = json.loads(report.read_text())["devices"] if report.exists() else None
            self.left = {f.name: f.read_bytes() for f in folder.iterdir() if f.suffix == ".pickle"}

    def expect(self, *texts):
        for text in texts:
            assert text in self.out, f"no {text!r} in:\n{self.out}\n{self.errors}"


def a_device_is_named_with_its_numbers():
    run = Run("steps(lambda s: 80 * MB, retries=2, ooms=1)")
    run.expect("cuda:0, Some \\x1b[31mGPU, 25.8 GB: allocated 62.9 MB (at most 62.9 MB), reserved 83.9 MB",
               "ask again 2 times", "out of memory 1 time\n")  # fmt: skip
    assert "fragmentation" not in run.out and "rounding" not in run.out, run.out
    (device,) = run.devices
    assert device["uuid"] == "GPU-7" and device["total"] == 24 << 30 and device["allocated"] == 60 << 20, device
    assert device["growth"]["fragments"] is False and device["free"] is None and device["unheld"] == [], device
    assert device["driver"] is None and device["used_by_all"] is None, device


def reserved_that_grows_alone_is_called_fragmentation():
    text = """
    steps(lambda s: (100 + s // 8 * 20) * MB)
    say("layout", d=0, reserved=1, allocated=1, free=160 * MB, largest=9 * MB, pieces=31, waiting=5 * MB, expandable=EXPANDABLE,
        asked=[{"path": os.path.abspath("leak.py"), "line": 30, "n": 7, "bytes": 1, "step": 47}])
    """
    run = Run(text.replace("EXPANDABLE", "None"))
    run.expect("reserved grows by 2.5 MB a step, in 6 rises from step 6 to 48, of which tensors explain 0 B: fragmentation, no leak",
               "168 MB are free in 31 pieces, the largest of 9.4 MB; more was last asked for at leak.py:30",
               "expandable_segments:True", "5.2 MB were let go and wait for another stream")  # fmt: skip
    assert run.devices[0]["growth"]["fragments"] is True and run.devices[0]["free"]["pieces"] == 31, run.devices
    run = Run(text.replace("EXPANDABLE", "True"))
    run.expect("fragmentation, no leak")
    assert "expandable_segments" not in run.out, run.out


def what_rounding_costs_is_told():
    run = Run("steps(lambda s: 80 * MB, lambda s: 60 * MB + s * 512, lambda s: 60 * MB + s * 4)")
    run.expect("of the 512 B by which it grows a step, 508 B are rounding")


def what_nobody_holds_is_told_by_its_line():
    run = Run("""
    steps(lambda s: 80 * MB)
    births = [[s, MB] for s in range(1, 45)]
    say("blocks", d=0, at=20, list=[{"path": "/old.py", "line": 1, "bytes": 1, "births": births}])
    say("blocks", d=0, at=48, list=[{"path": os.path.abspath("leak.py"), "line": 3, "bytes": 44 * MB, "births": births},
                                    {"path": None, "line": None, "bytes": 44 * 512, "births": births}, 7])
    """)  # fmt: skip
    run.expect("it grows by 1.0 MB a step that no name is known to hold, made at leak.py:3\n",
               "it grows by 512 B a step that no name is known to hold\n")  # fmt: skip
    assert "old.py" not in run.out, run.out
    assert [u["line"] for u in run.devices[0]["unheld"]] == [3, 0, 0], run.devices


def tensors_on_the_cpu_are_host_memory():
    keep = """
    steps(lambda s: 80 * MB)
    say("holder", key="kept", births=[[s, 1, 4096, 3, %s] for s in range(1, 49)], tensors=48, bytes=48 * 4096, nodes=144)
    where = request["findings"][0]
    say("store", key="kept", how="append", lines=[{"path": where["path"], "line": where["line"], "n": 48}])
    """
    Run(keep % 4096, "--check", "leak.py", status=1).expect("leak.py:9:9: confirmed VL101", "4.1 kB a step the 25.8 GB of device")
    run = Run(keep % 0, "--check", "leak.py", status=1)
    run.expect("leak.py:9:9: confirmed-host VL101")
    assert "of device memory" not in run.out, run.out


def a_missing_history_is_told():
    run = Run("steps(lambda s: 80 * MB)\nsay('missing', what='memory history', why='not with \\x1b this allocator')")
    run.expect("there is no history: not with \\x1b this allocator")


def the_driver_is_asked_where_it_is_there():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", folder + "/libnvidia-ml.so.1", str(HERE / "nvml.c")],
                       check=True)  # fmt: skip
        wait = "\nsteps(lambda s: 80 * MB)\ntime.sleep(0.5)\n"
        run = Run(wait, library=folder)
        run.expect("the GPU: 23.1 GB of 25.0 GB used by all processes; driver 550.54.14")
        assert run.devices[0]["driver"] == "550.54.14" and run.devices[0]["used_by_all"] == 23100000000, run.devices
        other = Run("say('devices', list=[{'d': 0, 'kind': 'cuda', 'uuid': 'GPU-8'}])" + wait, library=folder)
        assert "used by all processes" not in other.out, other.out
    broken = pathlib.Path(tempfile.mkdtemp())
    (broken / "libnvidia-ml.so.1").write_text("no library")
    assert "used by all" not in Run(wait, library=broken).out


def a_snapshot_is_taken_out_of_the_run():
    make = """
    steps(lambda s: 80 * MB)
    path = os.path.join(request["snapshot"], "snapshot-1.pickle")
    open(path, "wb").write(b"memory")
    say("snapshot", path=path, device="cuda")
    """
    run = Run(make, "--snapshot", "m.pickle")
    assert run.left == {"m.pickle": b"memory"} and not run.errors, (run.left, run.errors)
    run = Run(make.replace('device="cuda")', 'device="cuda"); say("snapshot", path=None, why="OSError: full")'),
              "--snapshot", "m.pickle", status=2)  # fmt: skip
    assert "no memory snapshot was made: OSError: full" in run.errors, run.errors
    run = Run(make.replace("say(", "pass; (lambda *a, **k: 0)("), "--snapshot", "m.pickle", status=2)
    assert "no memory snapshot was made" in run.errors, run.errors
    run = Run(make.replace("path=path", "path='/etc/passwd'"), "--snapshot", "m.pickle", status=2)
    assert "outside of the run's folder" in run.errors and run.left == {}, run.errors
    run = Run(make, "--snapshot", "no/such/m.pickle", status=2)
    assert not run.out, "it was run though its snapshot cannot be written"
    assert "cannot write 'no/such/m.pickle'" in run.errors, run.errors
    ranks = """
    for rank in (2, 1, 0):
        line = socket.socket(socket.AF_UNIX)
        line.connect(request["socket"])
        say("hello", torch="2.13.0", role="main", rank=rank)
        if rank < 2:
            say("step", i=9 - rank, k="opt")
        path = os.path.join(request["snapshot"], f"snapshot-{rank}.pickle")
        open(path, "w").write(str(rank))
        say("snapshot", path=path, device="cuda")
    """
    run = Run(ranks, "--snapshot", "m.pickle", status=0)
    assert run.left == {"m.pickle": b"0", "m-rank1.pickle": b"1"}, run.left
    run = Run("steps(lambda s: 80 * MB)\nassert 'snapshot' not in request")
    assert run.left == {}, run.left


TESTS = [a_device_is_named_with_its_numbers, reserved_that_grows_alone_is_called_fragmentation, what_rounding_costs_is_told,
         what_nobody_holds_is_told_by_its_line, tensors_on_the_cpu_are_host_memory, a_missing_history_is_told,
         the_driver_is_asked_where_it_is_there, a_snapshot_is_taken_out_of_the_run]  # fmt: skip


def main():
    """(passed, failed)"""
    passed = failed = 0
    for test in TESTS:
        try:
            test()
            passed += 1
        except (AssertionError, subprocess.SubprocessError, ValueError, KeyError) as fault:
            failed += 1
            print(f"FAILED {test.__name__}\n{fault}")
    return passed, failed


if __name__ == "__main__":
    passed, failed = main()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)

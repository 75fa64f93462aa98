"""What confirm does with a GPU, tried on one: PYTHON's, or the one that a CPU torch plays (fake-python).

Each check runs scripts and returns its figures in words; it fails by an assertion. Used by tests/cuda/run.
"""
import json
import os
import pathlib
import pickle
import statistics
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("VRAMLINT", str(ROOT / "build/release/vramlint"))
sys.path.insert(0, str(HERE.parent / "confirm"))
import harness  # noqa: E402

HEAD = """
import os, sys, time, torch
from torch import nn
torch.manual_seed(0)
dev = torch.device("cuda")
net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1)).to(dev)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
kept = []
def train(x):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss
"""
LOSSES = HEAD + """
for step in range(STEPS):
    x = torch.randn(32, 64, device=dev)
    loss = net(x).pow(2).mean()  # MADE
    opt.zero_grad()
    loss.backward()
    opt.step()
    kept.append(loss)  # MARK
"""
RUNS = [(name, twin) for name in ("039-recorder-closure-by-keyword", "041-task-losses-extended-by-comprehension",
                                  "042-trace-decorator", "045-best-by-torch-minimum", "047-pair-of-totals-in-one-assignment")
        for twin in ("leak", "fixed")]  # fmt: skip


class Script:
    def __init__(self, text, steps=60):
        self.folder = tempfile.TemporaryDirectory(prefix="vramlint-cuda-")
        self.path = pathlib.Path(self.folder.name).resolve() / "train.py"
        self.path.write_text(textwrap.dedent(text).replace("STEPS", str(steps)))

    def line(self, mark):
        return next(n for n, line in enumerate(self.path.read_text().splitlines(), 1) if line.endswith("# " + mark))

    def at(self, mark):
        return f"{self.path}:{self.line(mark)}"


class Gpu:
    """PYTHON with what it needs: `fake` plays one; `options` for it."""

    def __init__(self, python, fake):
        self.python, self.fake = python, fake  # by a path that holds in every folder
        self.command = str(HERE / "fake-python") if fake else python
        self.environment = dict(os.environ, FAKE_PYTHON=python, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore")
        self.environment.pop("FAKE_CUDA", None)

    def plain(self, script, *arguments, environment=None):
        return subprocess.run([self.command, str(script.path), *arguments], cwd=script.path.parent, text=True, capture_output=True,
                              env=dict(self.environment, **(environment or {})), timeout=300)  # fmt: skip

    def watch(self, script, *, options=None, **more):
        """The agent's own events."""
        env = dict(self.environment, VRAMLINT_CONFIRM_DEBUG="1")
        if options:
            env["FAKE_CUDA"] = json.dumps(options)
        run = harness.confirm([self.command, script.path], cwd=script.path.parent, env=env, timeout=300, **more)
        assert "Traceback" not in run.err or more.get("dies"), run.err[-2000:]
        return run

    def confirm(self, script, *arguments, options=None, command=("train.py",), python=None):
        """(report, text, errors, status) of the program."""
        report = script.path.parent / "report.json"
        env = dict(self.environment)
        if options:
            env["FAKE_CUDA"] = json.dumps(options)
        done = subprocess.run([PROGRAM, "confirm", "-q", "--python", python or self.command, "--json", str(report), *arguments,
                               "--", *command], cwd=script.path.parent, text=True, capture_output=True, env=env, timeout=300)
        assert report.exists(), (done.stdout, done.stderr)
        return json.loads(report.read_text()), done.stdout, done.stderr, done.returncode


def holder_of(run, key="kept"):
    found = {e["key"]: e for e in run.of("holder")}
    assert key in found, f"no holder '{key}' among {sorted(found)}"
    return found[key]


def rows_of(run, device=0):
    """{step: row of the allocator's numbers}"""
    return {e["i"]: row for e in run.of("step") if e["k"] == "opt" for row in e["dev"] if row["d"] == device}


def growth_of(run, name="allocated", first=10, last=40):
    rows = rows_of(run)
    return (rows[last][name] - rows[first][name]) / (last - first)


# -- what it measures


def a_kept_loss_costs_a_block_each_step(gpu):
    script = Script(LOSSES)
    run = gpu.watch(script)
    births = {b[0]: b[4] for b in holder_of(run)["births"]}
    grown = growth_of(run)
    assert {births[s] for s in range(10, 40)} == {512} and grown == 512, (births, grown)
    asked = growth_of(run, "requested")
    return f"allocated grows by {grown:.0f} B a step, the holder has {births[20]} B of each, {asked:.0f} B were asked for"


def kept_activations_are_exact(gpu):
    script = Script(HEAD + """
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    kept.append(net(torch.randn(128, 64, device=dev)).sum())
""")  # fmt: skip
    run = gpu.watch(script)
    births = holder_of(run)["births"]
    held = statistics.median(b[4] for b in births if 10 <= b[0] < 40)
    grown = growth_of(run)
    assert abs(held - grown) < 0.01 * grown and grown >= 128 * 256 * 4, (held, grown)
    assert sum(b[3] for b in births) > 0
    return f"allocated grows by {grown:.0f} B a step, the holder has {held:.0f} B"


def births_and_lines_are_right(gpu):
    script = Script(LOSSES)
    run = gpu.watch(script)
    holder = holder_of(run)
    steps = [b[0] for b in holder["births"]]
    assert set(range(2, 46)) <= set(steps), steps
    assert holder["alloc"] == [script.at("MADE")], holder["alloc"]
    stores = {(row["path"], row["line"]) for e in run.of("store") if e["key"] == "kept" for row in e["lines"]}
    assert stores == {(str(script.path), script.line("MARK"))}, stores
    return f"{len(steps)} births, made at line {script.line('MADE')}, stored at line {script.line('MARK')}"


def the_program_confirms_it(gpu):
    report, text, errors, status = gpu.confirm(Script(LOSSES))
    finding = report["findings"][0]
    assert status == 1 and finding["verdict"] == "confirmed", (text, errors)
    device = report["devices"][0]
    assert device["growth"]["allocated_per_step"] == 512 and not device["growth"]["fragments"], device
    assert "rounding" in text and device["name"] and device["total"] > 1 << 28, (text, device)
    return f"{device['name']}, {device['total'] / 1e9:.1f} GB"


def what_lies_on_the_cpu_is_host_memory(gpu):
    text = LOSSES.replace("kept.append(loss)", "kept.append(loss.cpu())")
    report, text, errors, status = gpu.confirm(Script(text))
    finding = report["findings"][0]
    assert status == 1 and finding["verdict"] == "confirmed-host", (text, errors)
    grown = report["devices"][0]["growth"]["allocated_per_step"]
    assert grown == 0, grown
    return f"confirmed-host; allocated grows by {grown} B a step"


def fragmentation_is_no_leak(gpu):
    report, text, errors, status = gpu.confirm(Script(HEAD + """
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    longer = torch.empty((20 + 2 * step) << 20, dtype=torch.uint8, device=dev)  # no free piece is so long
    del longer
""", steps=50))  # fmt: skip
    device = report["devices"][0]
    assert device["growth"]["fragments"], (device, text)
    assert status == 0 and "fragmentation, no leak" in text and "train.py:18" in text, (text, errors)
    return "reserved grows by %(reserved_per_step)d B a step, allocated by %(allocated_per_step)d" % device["growth"]


def running_out_of_memory_is_reported(gpu):
    script = Script(HEAD + """
total = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction((1 << 30) / total)
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    kept.append(torch.empty(64 << 20, dtype=torch.uint8, device=dev))  # MARK
""")  # fmt: skip
    snapshot = script.path.parent / "memory.pickle"
    report, text, errors, status = gpu.confirm(script, "--snapshot", str(snapshot))
    process = report["processes"][0]
    assert "out of memory" in text.lower() and "train.py:%d" % script.line("MARK") in text, (text, errors)
    assert 10 <= process["steps"] <= 17, process
    device = report["devices"][0]
    assert device["ooms"] >= 1 and device["total"] <= 1 << 30, device
    assert snapshot.stat().st_size > 1000
    return f"in step {process['steps']} of what fits 16, {device['allocated'] / 1e6:.0f} MB of {device['total'] / 1e6:.0f} allocated"


def what_no_name_holds_is_told_by_its_line(gpu):
    run = gpu.watch(Script(HEAD + """
import ctypes
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    lost = torch.empty(1 << 20, dtype=torch.uint8, device=dev)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(lost.untyped_storage()))
"""))  # fmt: skip
    told = run.of("blocks")[-1]["list"] if run.of("blocks") else []
    assert told and told[0]["line"] == 19 and told[0]["bytes"] >= 30 << 20, told
    return f"{told[0]['bytes'] / 2**20:.0f} MB made at line {told[0]['line']} in {len(told[0]['births'])} steps"


# -- what it leaves alone


def the_history_is_off_after_the_steps(gpu):
    script = Script(LOSSES + """
on = getattr(torch._C, "_cuda_isHistoryEnabled", lambda: None)()
entries = sum(len(trace) for trace in torch.cuda.memory._snapshot()["device_traces"])
note = getattr(torch.cuda.memory, "_get_memory_metadata", lambda: "")()
print("after", on, entries, repr(note))
""", steps=80)  # fmt: skip
    run = gpu.watch(script, stop="run", steps=30)
    assert run.out.split()[-4:] in (["after", "False", "0", "''"], ["after", "None", "0", "''"]), run.out[-300:]
    return run.out.split("\n")[-2]


def a_recorder_of_the_users_is_left_on(gpu):
    script = Script(HEAD + """
torch.cuda.memory._record_memory_history("all", context="all", stacks="python", max_entries=50000)
""" + LOSSES[len(HEAD) :] + """
print("after", sum(len(trace) for trace in torch.cuda.memory._snapshot()["device_traces"]) > 40 * 20)
""")  # fmt: skip
    run = gpu.watch(script, stop="run", steps=40)
    assert run.out.split()[-2:] == ["after", "True"], run.out[-300:]
    births = {b[0]: b[4] for b in holder_of(run)["births"]}
    assert {births.get(s) for s in range(10, 35)} == {512}, births
    assert any(e["kind"] == "memory-history" for e in run.of("probe")), run.of("probe")
    return f"{len(births)} births by its entries"


def a_recorder_that_is_switched_off_is_noticed(gpu):
    script = Script(LOSSES.replace("    kept.append", "    if step == 15: torch.cuda.memory._record_memory_history(None)\n    kept.append"))
    run = gpu.watch(script)
    births = {b[0]: b[4] for b in holder_of(run)["births"]}
    assert {births.get(s) for s in [*range(5, 14), *range(18, 40)]} == {512}, births
    return f"{len(births)} births"


def results_are_the_same(gpu):
    script = Script(LOSSES + """
    if step % 10 == 0: print(step, loss.item(), torch.rand(1).item(), torch.rand(1, device=dev).item())
print(sum(p.sum().item() for p in net.parameters()))
""")  # fmt: skip
    plain, run = gpu.plain(script), gpu.watch(script, stop="run")
    assert plain.returncode == 0 and plain.stdout == run.out, (plain.stdout, plain.stderr[-500:], run.out)
    return f"{len(run.out.splitlines())} lines printed alike"


def a_gpu_that_only_exists_is_not_used(gpu):
    script = Script(LOSSES.replace('torch.device("cuda")', 'torch.device("cpu")').replace("kept = []", "kept = []\ntorch.cuda.init()"))
    run = gpu.watch(script)
    assert not run.of("devices") and all(not e["dev"] for e in run.of("step")), run.of("devices")
    births = holder_of(run)["births"]
    assert all(len(b) == 4 for b in births) and {b[2] for b in births[5:-5]} == {4}, births
    return "CPU numbers, 4 B a step"


def several_devices_are_told_apart(gpu):
    script = Script(HEAD + """
other = torch.device("cuda", 1)
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    kept.append(torch.zeros(1 << 20, dtype=torch.uint8, device=other))
""")  # fmt: skip
    run = gpu.watch(script, options={"devices": 2})
    holder = holder_of(run)
    assert set(holder["dev"]) == {"cuda:1"}, holder["dev"]
    first, second = rows_of(run, 0), rows_of(run, 1)
    assert second[40]["allocated"] - second[10]["allocated"] == 30 << 20 and first[40]["allocated"] == first[10]["allocated"]
    return f"cuda:1 grows by {(second[40]['allocated'] - second[10]['allocated']) / 30:.0f} B a step, cuda:0 by 0"


def ranks_are_told_apart(gpu):
    script = Script(HEAD + """
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
for step in range(STEPS):
    train(torch.randn(32, 64, device=dev))
    if rank == 1:
        kept.append(torch.zeros(1 << 20, dtype=torch.uint8, device=dev))
    dist.barrier()
""")  # fmt: skip
    snapshot = script.path.parent / "memory.pickle"
    words = ["-m", "torch.distributed.run", "--nproc_per_node=2", "--standalone", "train.py"]
    report, text, errors, status = gpu.confirm(script, "--snapshot", str(snapshot), command=words)
    grown = {d["rank"]: d["growth"]["allocated_per_step"] for d in report["devices"]}
    assert grown == {0: 0, 1: 1 << 20}, (grown, text, errors[-2000:])
    assert "cuda:0 of rank 1" in text, text
    snapshots = sorted(f.name for f in script.path.parent.glob("*.pickle"))
    assert len(snapshots) == 2, snapshots
    return f"a step: {grown}; {', '.join(snapshots)}"


# -- other things it says


def synchronising_lines_are_those_that_torch_warns_of(gpu):
    text = HEAD + """
for step in range(STEPS):
    loss = train(torch.randn(32, 64, device=dev))
    a = loss.item()
    b = float(loss)
    c = loss.detach().cpu()
    d = loss.tolist()
    if loss > 1e9:
        print("large")
    e = f"{loss}"
    f = (loss > 0).nonzero()
    g = loss.detach() * 2
    h = loss.shape, loss.dtype
"""  # fmt: skip
    script = Script(text)
    run = gpu.watch(script)
    seen = {e["line"] for e in run.of("probe") if e["kind"] == "sync" and e["path"] == str(script.path)}
    truth = Script("""
import os, sys, warnings
import torch
lines = set()
def note(message, category, filename, lineno, file=None, line=None):
    if "synchroniz" in str(message):
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != "train.py":
            frame = frame.f_back
        if frame is not None:
            lines.add(frame.f_lineno)
warnings.showwarning = note
warnings.simplefilter("always")
source = open(sys.argv[1]).read()
torch.cuda.init()
torch.cuda.set_sync_debug_mode("warn")
exec(compile(source, "train.py", "exec"), {"__name__": "__main__"})
torch.cuda.set_sync_debug_mode("default")
print("lines", *sorted(lines))
""")  # fmt: skip
    warned = gpu.plain(truth, str(script.path), environment={"PYTHONWARNINGS": ""})
    assert "lines" in warned.stdout, warned.stderr[-800:]
    true = {int(n) for n in warned.stdout.split("lines")[1].split()}
    inner = {n for n in true if n <= 16}  # train's own: those of the optimizer are torch's
    assert seen == true - inner, f"seen {sorted(seen)}, torch warns of {sorted(true)}"
    return f"lines {sorted(seen)}"


def the_snapshot_is_read_by_the_stock_viewer(gpu):
    script = Script(LOSSES)
    snapshot = script.path.parent / "memory.pickle"
    gpu.confirm(script, "--snapshot", str(snapshot))
    find = [gpu.python, "-c", "import torch.cuda, os; print(os.path.join(os.path.dirname(torch.cuda.__file__), '_memory_viz.py'))"]
    viewer = subprocess.run(find, text=True, capture_output=True, check=True).stdout.strip()
    page = script.path.parent / "plot.html"
    stats = subprocess.run([gpu.python, viewer, "stats", str(snapshot)], text=True, capture_output=True)
    plot = subprocess.run([gpu.python, viewer, "trace_plot", str(snapshot), "-o", str(page)], text=True, capture_output=True)
    assert stats.returncode == 0 and "total_allocated" in stats.stdout, stats.stderr
    assert plot.returncode == 0 and page.stat().st_size > 1000, plot.stderr
    return stats.stdout.split("total_allocated: ")[1].split("\n")[0] + " allocated, %d kB of page" % (page.stat().st_size // 1000)


def a_snapshot_of_a_cpu_run_names_holders(gpu):
    script = Script(LOSSES.replace('torch.device("cuda")', 'torch.device("cpu")'))
    snapshot = script.path.parent / "memory.pickle"
    report, text, errors, status = gpu.confirm(script, "--snapshot", str(snapshot), python=gpu.python)
    (segment,) = pickle.loads(snapshot.read_bytes())["segments"]
    held = [b for b in segment["blocks"] if {"filename": "held by", "line": 0, "name": "kept"} in b["frames"]]
    born = {frame["line"] for b in held for frame in b["frames"] if frame["filename"] == "born in"}
    made = {(frame["filename"], frame["line"]) for b in held for frame in b["frames"] if frame["name"] == "made here"}
    assert {b["size"] for b in held} == {4} and set(range(2, 45)) <= born, (held[:2], born)
    assert made == {(str(script.path), script.line("MADE"))}, made
    assert segment["total_size"] == sum(b["size"] for b in segment["blocks"]) > 17000 * 4 * 3, segment["total_size"]
    return f"{len(segment['blocks'])} blocks, {segment['total_size']} B, {len(held)} held by kept"


def quiet_steps_cost_nothing(gpu):
    script = Script(HEAD + """
import statistics
times = []
for step in range(STEPS):
    began = time.perf_counter()
    train(torch.randn(32, 64, device=dev))
    torch.cuda.synchronize()
    times.append(time.perf_counter() - began)
print("ms", 1000 * statistics.median(times[100:]), 1000 * statistics.median(times[25:60]))
""", steps=400)  # fmt: skip
    figures = []
    for run in (gpu.plain(script).stdout, gpu.watch(script, stop="run", steps=60).out, gpu.plain(script).stdout):
        figures.append([float(n) for n in run.split("ms")[1].split()])
    plain = (figures[0][0] + figures[2][0]) / 2
    quiet, watched = figures[1][0] / plain, figures[1][1] / plain
    words = f"{plain:.2f} ms a step; × {quiet:.2f} after the watched steps, × {watched:.2f} within them"
    assert gpu.fake or quiet < 1.05, words
    return words


def measured_scripts_get_their_verdicts(gpu):
    wrong, told = [], []
    for name, twin in RUNS:
        text = (ROOT / "tests/cases/own" / f"{name}.{twin}.py").read_text()
        script = Script(text.replace("import torch", "import torch; torch.set_default_device('cuda')", 1), steps="STEPS")
        report, out, errors, status = gpu.confirm(script)
        assert report["devices"], (name, twin, out, errors)
        verdicts = [f["verdict"] for f in report["findings"] if f["verdict"].startswith("confirmed")]
        told.append(f"{name[:3]} {twin} {verdicts[0] if verdicts else 'none'}")
        if bool(verdicts) != (twin == "leak"):
            wrong.append((name, twin, out[-1500:], errors[-1500:]))
    assert not wrong, wrong
    return ", ".join(told)


# -- versions and builds that lack something, which only a play has at hand


def without_notes_entries_go_by_their_time(gpu):
    run = gpu.watch(Script(LOSSES), options={"lacks": ["metadata"]})
    births = {b[0]: b[4] for b in holder_of(run)["births"]}
    assert {births.get(s) for s in range(10, 40)} == {512}, births
    return f"{len(births)} births"


def without_any_time_births_lie_between_looks(gpu):
    run = gpu.watch(Script(LOSSES.replace("kept.append(loss)", "kept.append(loss.detach())")), options={"lacks": ["metadata", "time"]})
    holder = holder_of(run)
    births = [b for b in holder["births"] if b[0] > 0]
    assert holder["shape"] == "leak" and len(births) >= 30 and {b[4] % 512 for b in births} == {0}, holder
    return f"{len(births)} births, {holder['bytes']} B"


def without_clearing_it_is_emptied_by_starting_anew(gpu):
    script = Script(LOSSES)
    run = gpu.watch(script, options={"lacks": ["clear", "metadata"]})
    holder = holder_of(run)
    assert {b[4] for b in holder["births"] if 10 <= b[0] < 40} == {512} and holder["alloc"] == [script.at("MADE")], holder
    return f"{len(holder['births'])} births"


def without_history_births_are_reckoned(gpu):
    script = Script(LOSSES)
    run = gpu.watch(script, options={"lacks": ["history"]})
    assert [e["why"] for e in run.of("missing")] == ["RuntimeError: this allocator records no history"], run.of("missing")
    births = {b[0]: b[4] for b in holder_of(run)["births"]}
    assert len(set(births) & set(range(10, 40))) == 30 and set(births.values()) == {512}, births
    report, text, errors, status = gpu.confirm(script, options={"lacks": ["history"]})
    assert report["findings"][0]["verdict"] == "confirmed" and "records no history" in text, text
    return f"{len(births)} births by their graphs"


CHECKS = [value for name, value in list(globals().items()) if callable(value) and getattr(value, "__module__", "") == __name__
          and name.islower() and "gpu" in value.__code__.co_varnames[:1]]  # fmt: skip
PLAYED = {without_any_time_births_lie_between_looks, without_notes_entries_go_by_their_time, without_clearing_it_is_emptied_by_starting_anew, without_history_births_are_reckoned}


def device_count(gpu):
    """GPUs that torch sees there; 0 with the reason in words where there is none."""
    find = "import torch; print(torch.cuda.device_count() if torch.cuda.is_available() else 0, torch.__version__)"
    try:
        done = subprocess.run([gpu.command, "-c", find], text=True, capture_output=True, env=gpu.environment, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return 0, f"cannot run '{gpu.command}': {fault}"
    if done.returncode != 0:
        return 0, f"'{gpu.command}' cannot import torch: {done.stderr.strip().splitlines()[-1:]}"
    count, version = done.stdout.split()[-2:]
    return int(count), f"torch {version} there sees no GPU"


def main(python, fake, wanted=()):
    """(passed, failed, not run)"""
    gpu = Gpu(os.path.abspath(python) if os.sep in python else python, fake)
    checks = [c for c in CHECKS if not wanted or c.__name__ in wanted]
    count, why = device_count(gpu)
    if count == 0:
        print(f"not run: no GPU ({why})")
        return 0, 0, len(checks)
    passed = failed = skipped = 0
    for check in checks:
        words = check.__name__.replace("_", " ")
        if check in PLAYED and not fake or check is several_devices_are_told_apart and count < 2 and not fake:
            print(f"not run  {words}")
            skipped += 1
            continue
        try:
            print(f"ok       {words}: {check(gpu)}", flush=True)
            passed += 1
        except (AssertionError, KeyError, IndexError, ValueError, OSError, subprocess.SubprocessError) as fault:
            failed += 1
            print(f"FAIL     {words}: {type(fault).__name__}: {fault}", flush=True)
    return passed, failed, skipped

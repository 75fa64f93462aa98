"""Tests of the agent inside real processes. usage: PYTHON-WITH-TORCH tests/confirm/agent.py [NAME]..."""
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback
from pathlib import Path

from harness import confirm

ENV = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "VRAMLINT_CONFIRM_DEBUG": "1"}
HEAD = """
import sys, os, gc, weakref, torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
"""
LEAK = HEAD + """
losses = []
for step in range(STEPS):
    x = torch.randn(4, 8)
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss)  # MARK
    if step % 5 == 0: print(step, loss.item())
print("end", len(losses))
"""


class Program:
    """A script in a folder of its own; `line` is where it says MARK."""

    def __init__(self, text, **files):
        self.folder = tempfile.TemporaryDirectory(prefix="vlagent-")
        self.dir = Path(self.folder.name)
        for name, content in dict(files, train=text).items():
            content = textwrap.dedent(content).lstrip("\n")
            (self.dir / (name + ".py")).write_text(content)
        self.path = (self.dir / "train.py").resolve()
        self.line = next((n for n, t in enumerate(self.path.read_text().splitlines(), 1) if "MARK" in t), None)

    def finding(self, **more):
        n = len(self.path.read_text().splitlines())
        return dict({"path": str(self.path), "line": self.line, "end_line": self.line, "first": 1, "last": n, "code": "VL101",
                     "name": "tensor-append", "cost": "device"}, **more)  # fmt: skip

    def run(self, *args, command=None, env=None, **options):
        options.setdefault("findings", [self.finding()] if self.line else [])
        return confirm(command or ["python", self.path, *args], cwd=self.dir, env=dict(ENV, **(env or {})), **options)

    def plain(self, *args):
        env = dict(os.environ, **ENV)
        return subprocess.run([sys.executable, self.path, *args], cwd=self.dir, env=env, capture_output=True, text=True)


def steps(text, n):
    return text.replace("STEPS", str(n))


def holders(run):
    return {e["key"]: e for e in run.of("holder")}


def store_lines(run, key):
    return {row["line"] for e in run.of("store") if e["key"] == key for row in e["lines"]}


def quiet(run):
    assert "Traceback" not in run.err, run.err


def test_leak():
    program = Program(steps(LEAK, 30))
    run = program.run()
    quiet(run)
    hello = run.of("hello")[0]
    assert hello["schema"] == "confirm/1" and hello["shim"] and hello["role"] == "main" and not hello["degraded"], hello
    assert len([e for e in run.of("step") if e["k"] == "opt"]) == 30
    holder = holders(run)["losses"]
    assert [b[0] for b in holder["births"] if b[0] > 0] == list(range(1, 30)), holder["births"]
    assert {b[2] for b in holder["births"][1:-1]} == {4}, holder["births"]
    assert all(b[3] > 0 for b in holder["births"][1:-1])
    assert (holder["path"], holder["line"]) == (str(program.path), 7), holder
    assert store_lines(run, "losses") == {program.line}
    cover = run.of("cover")[-1]
    assert cover["hits"] >= 8 and cover["id"] == 0, cover
    assert run.of("bye")[-1]["why"] == "end"


def test_same_output():
    text = """
    from torch.utils.data import DataLoader, TensorDataset
    data = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=4, shuffle=True)
    kept = []
    for epoch in range(3):
        for x, y in data:
            loss = (net(x) - y).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            kept.append(loss.detach())
            print(epoch, loss.item(), torch.rand(1).item())
    import random
    random.seed(1)
    print(random.random(), sum(p.sum().item() for p in net.parameters()))
    """
    program = Program(HEAD + textwrap.dedent(text))
    run, plain = program.run(stop="run"), program.plain()
    quiet(run)
    assert plain.returncode == 0 and (run.out, run.err) == (plain.stdout, plain.stderr), (run.out[-300:], run.err[-800:], plain.stdout[-300:], plain.stderr)
    assert len([e for e in run.of("step") if e["k"] == "opt"]) >= 48


def test_stop_exit():
    text = steps(LEAK, 10000).replace("for step", "import atexit; atexit.register(print, 'atexit')\nfor step")
    run = Program(text).run(steps=20)
    quiet(run)
    assert run.status == 0 and "15 " in run.out and "20 " not in run.out and "atexit" not in run.out, run.out
    bye = run.of("bye")[-1]
    assert bye["why"] == "steps" and bye["steps"] == 20 and bye["opt"] == 20, bye


def test_stop_raise():
    text = steps(LEAK, 10000)
    body = text.replace("for step", "try:\n  for step").replace("\n    ", "\n      ")
    run = Program(body.replace('print("end"', 'except KeyboardInterrupt:\n  print("caught")\nprint("end"')).run(
        steps=12, stop="raise"
    )
    assert "caught" in run.out and run.status == 0, (run.out, run.err)


def test_stop_run_goes_quiet():
    text = steps(LEAK, 60).replace("losses.append(loss)", "losses.append(loss.item())") + """
from torch.nn.modules import module
print(len(module._global_forward_pre_hooks), sys.gettrace())
"""
    run = Program(text).run(steps=16, stop="run")
    quiet(run)
    assert run.out.endswith("0 None\n"), run.out[-300:]
    assert run.of("bye")[-1]["steps"] == 60, run.of("bye")


def test_protect():
    text = """
    import torch
    open("kept.pt", "w").write("mine")
    torch.save({"a": torch.ones(2)}, "kept.pt")
    torch.save({"a": torch.ones(2)}, "other.pt")
    print(torch.load("kept.pt")["a"].sum().item(), open("kept.pt").read(), os.path.exists("other.pt"))
    """
    run = Program("import os\n" + textwrap.dedent(text)).run(protect="torch")
    assert run.out == "2.0 mine False\n", (run.out, run.err)
    assert run.err.count("vramlint:") == 1, run.err


def loader(method):
    return """
    import torch, os
    from torch import nn
    from torch.utils.data import DataLoader, Dataset
    class D(Dataset):
        def __len__(self): return 160
        def __getitem__(self, i):
            return torch.ones(8) * i, torch.zeros(1)
    if __name__ == "__main__":
        torch.manual_seed(0)
        net = nn.Linear(8, 1)
        opt = torch.optim.SGD(net.parameters(), lr=1e-6)
        kept = []
        for x, y in DataLoader(D(), batch_size=8, num_workers=2, multiprocessing_context="%s"):
            loss = (net(x) - y).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            kept.append(loss)  # MARK
        print("end", len(kept), loss.item())
    """ % method


def test_workers_fork():
    program = Program(loader("fork"))
    run = program.run()
    quiet(run)
    assert run.out == program.plain().stdout
    assert len(run.of("hello")) == 1 and holders(run)["kept"]["shape"] == "leak", run.events[-3:]


def test_workers_spawn():
    program = Program(loader("spawn"))
    run = program.run()
    quiet(run)
    assert run.out == program.plain().stdout
    assert sorted(e["role"] for e in run.of("hello")) in (["child", "child", "main"], ["main", "worker", "worker"]), run.of("hello")
    main = run.of("hello")[0]["pid"]
    assert {e["pid"] for e in run.of("step")} == {main} and holders(run)["kept"]["shape"] == "leak"


def test_torchrun():
    text = """
    import torch, torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    def main():
        dist.init_process_group("gloo")
        torch.manual_seed(0)
        net = DistributedDataParallel(nn.Linear(8, 1))
        opt = torch.optim.SGD(net.parameters(), lr=1e-3)
        kept = []
        for step in range(30):
            loss = net(torch.randn(4, 8)).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            kept.append(loss)  # MARK
        dist.destroy_process_group()
    main()
    """
    program = Program(text)
    run = program.run(command=["python", "-m", "torch.distributed.run", "--nproc_per_node=2", "--master_port=29577", program.path])
    assert run.status == 0, run.err
    assert sorted(e["rank"] for e in run.of("hello") if e["rank"] is not None) == [0, 1], run.of("hello")
    for hello in run.of("hello"):
        if hello["rank"] is not None:
            found = {e["key"]: e for e in run.of("holder", hello["pid"])}
            assert found["kept in main"]["shape"] == "leak", found
            assert {r["line"] for e in run.of("store", hello["pid"]) for r in e["lines"]} == {program.line}


def test_no_supervisor():
    program = Program(steps(LEAK, 20))
    plain = program.plain()
    run = program.run(env={"VRAMLINT_CONFIRM": "/nonexistent/request.json"})
    assert plain.stdout in run.out or run.out, run.err


def test_crash():
    text = HEAD + """
def work(step):
    loss = net(torch.randn(4, 8)).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    if step == 9:
        torch.empty(1 << 60)  # MARK
for step in range(20): work(step)
"""
    program = Program(text)
    run = program.run()
    crash = run.of("crash")[-1]
    assert run.status == 1 and "RuntimeError" in run.err
    assert crash["oom"] and crash["step"] == 10 and crash["at"][-1] == {"path": str(program.path), "line": program.line, "name": "work"}, crash
    assert run.of("bye")[-1]["why"] == "exit"


def test_crash_in_the_thread_that_trains():
    text = HEAD + """
import threading
def idle(): raise ValueError("another's")
def work():
    for step in range(20):
        opt.zero_grad(); net(torch.randn(4, 8)).sum().backward(); opt.step()
        if step == 9:
            for kind in (idle,):
                other = threading.Thread(target=kind); other.start(); other.join()
        if step == 12: raise RuntimeError("out of memory")  # MARK
trainer = threading.Thread(target=work); trainer.start(); trainer.join()
print("main goes on")
"""
    program = Program(text)
    run = program.run()
    crash, = run.of("crash")
    assert crash["oom"] and crash["step"] == 13 and crash["at"][-1]["line"] == program.line, crash
    assert "main goes on" in run.out and run.err == program.plain().stderr, run.err


def test_users_sitecustomize():
    program = Program(steps(LEAK, 8) + "import builtins; print(builtins.MINE, [p for p in sys.path if 'agent' in p and 'vl-' in p])")
    (program.dir / "site").mkdir()
    (program.dir / "site" / "sitecustomize.py").write_text("import builtins; builtins.MINE = 'mine'\n")
    run = program.run(env={"PYTHONPATH": str(program.dir / "site")})
    assert run.out.endswith("mine []\n") and run.of("hello"), (run.out, run.err)


def test_users_tracer():
    if sys.version_info >= (3, 12):
        return
    text = steps(LEAK, 20).replace("losses = []", "losses = []\ndef tracer(*a): return None\nsys.settrace(tracer)")
    run = Program(text + "print(sys.gettrace() is tracer)").run()
    quiet(run)
    assert run.out.endswith("True\n") and holders(run)["losses"]["shape"] == "leak" and not run.of("store")


def test_fork_by_the_user():
    text = steps(LEAK, 12) + """
sys.stdout.flush()
if os.fork() == 0:
    for step in range(60):
        opt.zero_grad(); net(x).sum().backward(); opt.step()
    print("child trained"); sys.stdout.flush(); os._exit(0)
os.wait()
"""
    run = Program(text).run()
    quiet(run)
    assert "child trained" in run.out and len({e["pid"] for e in run.events}) == 1
    assert run.of("bye")[-1]["steps"] == 12


def test_locals_die_on_time():
    text = HEAD + """
def train():
    alive = 0
    for step in range(40):
        out = net(torch.randn(4, 8))
        loss = out.sum()
        ref = weakref.ref(out)
        opt.zero_grad(); loss.backward(); opt.step()
        del out, loss
        alive += ref() is not None
        if step == 20: kept = [torch.randn(1) for _ in range(9)]
    return alive
print("alive", train())
"""
    run = Program(text).run()
    quiet(run)
    assert run.out == "alive 0\n", run.out


def test_closed_over_and_deleted():
    """What a traced function deletes stays deleted, and what it binds stays bound."""
    text = HEAD + """
def train():
    kept, total = [], 0
    for step in range(30):
        value = step
        def later():
            nonlocal total
            total += value
        out = net(torch.randn(4, 8)).sum()
        opt.zero_grad(); out.backward(); opt.step()
        later()
        kept.append(out)
        del value
        try:
            value
            print("value is back")
        except (NameError, UnboundLocalError):
            pass
    return total
print(train())
"""
    run = Program(text).run()
    quiet(run)
    assert run.out == "435\n", run.out
    assert holders(run)["kept in train"]["shape"] == "leak"


def test_without_shim():
    program = Program(steps(LEAK, 30))
    run = program.run(shim=False)
    quiet(run)
    assert not run.of("hello")[0]["shim"] and "shim" in run.of("hello")[0]["degraded"]
    assert holders(run)["losses"]["shape"] == "leak" and store_lines(run, "losses") == {program.line}
    text = steps(LEAK, 30).replace("append(loss)", "append(x)")
    assert holders(Program(text).run(shim=False))["losses"]["shape"] == "leak"


def test_killed():
    text = steps(LEAK, 100).replace("if step % 5", "if step == 20: os.kill(os.getpid(), 9)\n    if step % 5")
    program = Program(text)
    run = program.run()
    assert run.status == -9 and holders(run)["losses"]["shape"] == "leak"
    assert store_lines(run, "losses") == {program.line} and run.of("step")[-1]["i"] >= 18


def test_evaluation():
    text = HEAD + """
def evaluate(n):
    net.eval()
    outs = []
    for _ in range(n):
        outs.append(net(torch.randn(4, 8)))  # MARK
    return torch.cat(outs).mean().item()
for step in range(12):
    opt.zero_grad(); net(torch.randn(4, 8)).sum().backward(); opt.step()
print(evaluate(30) is not None)
"""
    program = Program(text)
    run = program.run()
    quiet(run)
    holder = holders(run)["outs in evaluate"]
    assert holder["shape"] == "leak" and holder["series"] == "fwd" and not [e for e in run.of("bounded") if e["key"] == holder["key"]]
    assert store_lines(run, holder["key"]) == {program.line}
    assert [e for e in run.of("probe") if e["kind"] == "eval-with-graph" and e["line"] == program.line]


def test_episode_is_no_leak():
    text = HEAD + """
for step in range(20):
    kept = []
    for _ in range(12):
        kept.append(net(torch.randn(4, 8)).mean())
    opt.zero_grad(); torch.stack(kept).sum().backward(); opt.step()
"""
    run = Program(text).run()
    quiet(run)
    bounded = {e["key"]: e["why"] for e in run.of("bounded")}
    for key, holder in holders(run).items():
        assert key in bounded or holder["shape"] != "leak", (key, holder, bounded)


def test_bounded():
    text = HEAD + """
from collections import deque
last, own, cache = deque(maxlen=8), [], {}
for step in range(48):
    loss = net(torch.randn(4, 8)).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    last.append(loss)
    own.append(loss.detach() * 2)
    del own[:-10]
    cache[step % 6] = cache.get(step % 6, loss.detach())
"""
    run = Program(text).run()
    quiet(run)
    bounded = {e["key"]: e["why"] for e in run.of("bounded")}
    assert bounded.get("last") == "maxlen" and bounded.get("own") == "window" and bounded.get("cache") == "filled", (bounded, holders(run))


def test_made_anew_and_bigger():
    text = HEAD + """
pool = torch.zeros(0, 8)
for step in range(40):
    x = torch.randn(4, 8)
    opt.zero_grad(); net(x).sum().backward(); opt.step()
    pool = torch.cat([pool, x])  # MARK
"""
    program = Program(text)
    run = program.run()
    quiet(run)
    holder = holders(run)["pool"]
    assert holder["shape"] == "leak" and holder["swells"] and {b[2] for b in holder["births"]} == {128}, holder
    assert store_lines(run, "pool") == {program.line}


def test_made_anew_around_what_grows():
    """A chain of mappings, an object that a sum makes anew, and tensors of one mapping that each carry a graph."""
    text = HEAD + """
class Sums:
    def __init__(self, loss): self.loss = loss
    def __add__(self, other): return Sums(self.loss + other)
tail, sums, shadow = None, Sums(torch.zeros(())), {n: p.detach().clone() for n, p in net.named_parameters()}
for step in range(40):
    loss = net(torch.randn(4, 8)).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    tail = {"loss": loss * 2, "older": tail}  # tail
    sums = sums + loss * 3  # sums
    for name, p in net.named_parameters():
        shadow[name] = 0.9 * shadow[name] + 0.1 * p  # shadow
"""
    program = Program(text)
    run = program.run()
    quiet(run)
    lines = program.path.read_text().splitlines()
    for key, mark in (("tail['older']", "tail"), ("Sums.loss", "sums"), ("shadow", "shadow")):
        assert holders(run)[key]["shape"] == "leak", holders(run)
        assert store_lines(run, key) == {next(n for n, t in enumerate(lines, 1) if t.endswith("# " + mark))}, (key, run.of("store"))
    assert holders(run)["shadow"]["chain_steps"] > 20, holders(run)


def test_cycle_of_create_graph():
    text = HEAD + """
import warnings
warnings.filterwarnings("ignore")
for step in range(40):
    x = torch.randn(4, 8).requires_grad_()
    net(x).sum().backward(create_graph=True)
    loss = x.grad.pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step()
"""
    run = Program(text).run()
    quiet(run)
    key = next((k for k in holders(run) if "cycle" in k), None)
    assert key and holders(run)[key]["shape"] == "leak" and not [e for e in run.of("bounded") if e["key"] == key], holders(run)


def test_warnings_and_tracebacks_are_those_of_the_script():
    text = HEAD + """
import warnings
for step in range(20):
    loss = net(torch.randn(4, 8)).sum()
    opt.zero_grad(); loss.backward(); opt.step()
    if step == 5: float(loss)  # newer versions warn
    if step == 6: warnings.warn("of its own")
loss.backward()
"""
    program = Program(text)
    run = program.run(env={"PYTHONWARNINGS": "default"})
    plain = subprocess.run([sys.executable, program.path], env=dict(os.environ, **dict(ENV, PYTHONWARNINGS="default")),
                           cwd=program.dir, stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert "of its own" in plain.stderr and "a second time" in plain.stderr, plain.stderr
    # torch 2.6 leaves a temporary folder behind, of another name each time
    said, expected = (re.sub(r"<TemporaryDirectory .*>", "<TemporaryDirectory>", err) for err in (run.err, plain.stderr))
    assert said == expected and run.status == plain.returncode, (said, expected)


def test_gradients_that_nobody_zeroes():
    text = HEAD + """
for step in range(24):
    for part in range(2):
        loss = net(torch.randn(4, 8)).sum()
        loss.backward()  # grad-at-backward
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    for p in net.parameters(): ZERO
"""
    for zero, told in (("pass", True), ("p.grad.zero_()", False), ("p.grad = None", False)):
        run = Program(text.replace("ZERO", zero)).run()
        assert told == bool([e for e in run.of("probe") if e["kind"] == "grad-at-backward"]), (zero, run.of("probe"))


def test_probes():
    text = HEAD + """
torch.autograd.set_detect_anomaly(True)  # anomaly
for step in range(20):
    loss = net(torch.randn(4, 8)).sum()
    loss.backward()  # grad-at-backward
    opt.step()
    gc.collect()  # gc-collect
    torch.cuda.empty_cache()  # empty-cache
    print(f"{loss}")  # sync
    other = torch.optim.SGD(net.parameters(), lr=0.1)  # optimizer-made
    if step == 6: net.eval()  # eval-at-step
"""
    program = Program(text)
    run = program.run()
    lines = program.path.read_text().splitlines()
    found = {(e["kind"], e["line"]) for e in run.of("probe")}
    for number, line in enumerate(lines, 1):
        if "# " in line:
            assert (line.split("# ")[1], number) in found, (line, found)
    run = Program(HEAD + """
for step in range(20):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).sum()
    loss.backward()
    opt.step()
    if step % 5 == 4:
        net.eval()
        with torch.no_grad(): net(torch.randn(4, 8))
        net.train()
""").run()
    assert not run.of("probe"), run.of("probe")


def test_what_is_compiled_whole():
    """A hook or a frame of ours within what is compiled would stop it, where no break is allowed."""
    text = HEAD + """
import torch.export, torch._dynamo
x = torch.randn(4, 8)
net.eval()
for step in range(12):
    opt.zero_grad(); net(x).sum().backward(); opt.step()
def tried(name, how):
    try:
        print(name, type(how()).__name__)
    except Exception as error:
        print(name, type(error).__name__)
EXPORT
tried("optimize", lambda: torch._dynamo.optimize("eager", nopython=True)(net)(x))
tried("compile", lambda: torch.compile(net, backend="eager", fullgraph=True)(x))
tried("trace", lambda: torch.jit.trace(net, x))
tried("fx", lambda: torch.fx.symbolic_trace(net))
def whole():
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    return loss
tried("step", lambda: torch.compile(whole, backend="eager")())
"""
    for first in ("", "tried('export', lambda: torch.export.export(net, (x,), strict=True))"):
        program = Program(text.replace("EXPORT", first))
        run, plain = program.run(stop="run"), program.plain()
        assert run.out == plain.stdout and "compile" in run.out, (run.out, plain.stdout, run.err)
        assert "/agent/" not in run.err, run.err


def test_the_thread_that_trains():
    """A forward in the main thread comes first; the steps are another's."""
    text = HEAD + """
import threading
print(net(torch.randn(4, 8)).shape)
losses = []
def work():
    for step in range(30):
        loss = net(torch.randn(4, 8)).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss)  # MARK
for _ in range(2):
    trainer = threading.Thread(target=work)
    trainer.start()
    trainer.join()
"""
    program = Program(text)
    run = program.run()
    quiet(run)
    assert run.of("bye")[-1]["opt"] == 48 and holders(run)["losses"]["shape"] == "leak", run.of("bye")
    assert store_lines(run, "losses") == {program.line}


def test_many_steps():
    """The curve is thinned, and what runs after the window is counted."""
    text = steps(LEAK, 2000).replace("losses.append(loss)", "losses.append(loss.item())").replace("step % 5", "step % 500")
    for wanted, stop in ((1000, "exit"), (100, "run")):
        run = Program(text).run(steps=wanted, stop=stop)
        quiet(run)
        told = [e["i"] for e in run.of("step") if e["k"] == "opt"]
        assert told[:60] == list(range(1, 61)) and len(told) < 400 and told[-1] >= wanted, (len(told), told[-1])
        assert run.of("bye")[-1]["steps"] == (wanted if stop == "exit" else 2000), run.of("bye")


def main():
    wanted = sys.argv[1:]
    passed = failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or wanted and not any(w in name for w in wanted):
            continue
        began = time.monotonic()
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print("FAILED", name)
            traceback.print_exc()
        else:
            print("ok %s (%.1f s)" % (name, time.monotonic() - began), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())

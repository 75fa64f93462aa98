"""Many scripts in short time: torch is imported once, and each script runs under the agent in a forked copy of that process.

For working on the agent; what differs from a real start (injection, atexit) is tried by the other tests.
"""
import atexit
import importlib.util
import json
import os
import select
import socket
import sys
import tempfile
import time
import types
from pathlib import Path

from harness import AGENT, Run, build_shim


def prepare(modules=("torch", "torch.utils.data", "torch._dynamo", "numpy")):
    """Starts this program again with the shim in it, then imports what the scripts will."""
    shim = str(build_shim())
    if os.environ.get("LD_PRELOAD") != shim:
        os.environ.update(LD_PRELOAD=shim, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore")
        os.execv(sys.executable, [sys.executable] + sys.argv)
    os.environ.pop("LD_PRELOAD")
    for name in modules:
        try:
            __import__(name)
        except ImportError:
            pass
    return shim


def child(path, scratch, request):
    os.chdir(scratch)
    os.setsid()
    for number, name in ((1, "out"), (2, "err")):
        fd = os.open(os.path.join(scratch, "." + name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(fd, number)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
    sys.argv = sys.orig_argv = [str(path)]
    sys.path[0] = str(Path(path).parent)
    import builtins

    builtins.STEP = lambda *a, **k: None
    name = os.path.join(scratch, ".request")
    Path(name).write_text(json.dumps(request))
    os.environ["VRAMLINT_CONFIRM"], os.environ["VRAMLINT_CONFIRM_DEBUG"] = name, "1"
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    sys.modules["__main__"] = main
    if request["plain"]:
        del os.environ["VRAMLINT_CONFIRM"]
    spec = importlib.util.spec_from_file_location("_vramlint", AGENT / "boot.py", submodule_search_locations=[str(AGENT)])
    sys.modules["_vramlint"] = agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    agent.start()
    status = 0
    try:
        exec(compile(Path(path).read_text(), str(path), "exec"), main.__dict__)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run(path, findings, shim, steps=48, stop="exit", timeout=90, plain=False):
    result = Run()
    with tempfile.TemporaryDirectory(prefix="vlcase-") as scratch:
        request = {"plain": plain, "socket": scratch + "/.s", "steps": steps, "stop": stop, "protect": "none", "scratch": None,
                   "shim": shim, "findings": [dict(f, id=i) for i, f in enumerate(findings)]}  # fmt: skip
        server = socket.socket(socket.AF_UNIX)
        server.bind(request["socket"])
        server.listen(16)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                child(path, scratch, request)
            finally:
                os._exit(99)
        open_, data, result.status = {server: None}, {}, None
        while time.monotonic() - began < timeout:
            ready, _, _ = select.select(list(open_), [], [], 0.05)
            for s in ready:
                if s is server:
                    connection, _ = server.accept()
                    open_[connection] = None
                    data[connection] = b""
                    continue
                part = s.recv(1 << 20)
                data[s] += part
                if not part:
                    del open_[s]
            if result.status is None:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    result.status = os.waitstatus_to_exitcode(status)
            elif not ready:
                break
        if result.status is None:
            os.killpg(pid, 9)
            result.status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        result.seconds = time.monotonic() - began
        for text in data.values():
            for line in text.splitlines():
                result.events.append(json.loads(line))
        result.out = Path(scratch, ".out").read_text(errors="replace") if Path(scratch, ".out").exists() else ""
        result.err = Path(scratch, ".err").read_text(errors="replace") if Path(scratch, ".err").exists() else ""
    return result

"""Many scripts in short time: one process imports torch, and each script runs, with the agent, in a forked copy of it.

    python forked.py serve SOCKET     with torch; says "ready" when it can be asked
    python forked.py run SOCKET SCRIPT [ARG]...     in the place of `python SCRIPT [ARG]...`, below the supervisor or not

What differs from a real start (injection, what happens while torch is imported) is tried by the other tests.
"""
import array
import atexit
import importlib.util
import json
import os
import signal
import socket
import sys
import types
from pathlib import Path

from harness import AGENT, build_shim

MODULES = ("torch", "torch.utils.data", "torch._dynamo", "torch.distributed", "numpy")


def prepare():
    """Starts this program again with the shim in it, then imports what the scripts will."""
    shim = str(build_shim())
    if os.environ.get("LD_PRELOAD") != shim:
        os.environ.update(LD_PRELOAD=shim, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore")
        os.execv(sys.executable, [sys.executable] + sys.argv)
    os.environ.pop("LD_PRELOAD")
    for name in MODULES:
        try:
            __import__(name)
        except ImportError:
            pass
    return shim


def script(order, shim):
    """In the forked copy: becomes what `python SCRIPT` would be."""
    path = os.path.abspath(os.path.join(order["cwd"], order["argv"][0]))
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
    sys.argv = sys.orig_argv = order["argv"]
    sys.path[0] = os.path.dirname(path)
    import builtins

    builtins.STEP = lambda *a, **k: None  # which measured scripts call
    main = types.ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    request = os.environ.get("VRAMLINT_CONFIRM")
    if request:
        content = json.loads(Path(request).read_text())
        content["shim"] = shim  # the one that counts in this process
        os.environ["VRAMLINT_CONFIRM"] = request + ".forked"
        Path(request + ".forked").write_text(json.dumps(content))
        spec = importlib.util.spec_from_file_location("_vramlint", AGENT / "boot.py", submodule_search_locations=[str(AGENT)])
        sys.modules["_vramlint"] = agent = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(agent)
        agent.start()
    status = 0
    try:
        exec(compile(Path(path).read_text(), path, "exec"), main.__dict__)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else leaving.code is not None
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def answer(connection, shim):
    """Forks the copy that was asked for; another process waits for it, and ends it where the asker is gone."""
    message, ancillary, _, _ = connection.recvmsg(1 << 20, socket.CMSG_SPACE(12))
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data)
    if os.fork():
        for fd in descriptors:
            os.close(fd)
        return
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, fd in enumerate(descriptors):
            os.dup2(fd, number)
            os.close(fd)
        connection.close()
        try:
            script(json.loads(message), shim)
        finally:
            os._exit(99)
    for fd in descriptors:
        os.close(fd)
    if os.fork() == 0:  # ends the script where its asker is gone
        for fd in (1, 2):
            os.close(fd)
        if not connection.recv(1):
            try:
                os.killpg(child, signal.SIGKILL)
            except OSError:
                pass
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    connection.sendall(b"%d" % os.waitstatus_to_exitcode(status))
    connection.shutdown(socket.SHUT_RDWR)
    os._exit(0)


def serve(path):
    shim = prepare()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(16)
    print("ready", flush=True)
    while True:
        connection, _ = server.accept()
        with connection:
            answer(connection, shim)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def run(path, argv):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    order = {"argv": argv, "cwd": os.getcwd(), "env": dict(os.environ)}
    connection.sendmsg([json.dumps(order).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))])
    status = int(connection.recv(100) or b"99")
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else run(sys.argv[2], sys.argv[3:])

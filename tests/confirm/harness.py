"""Plays the supervisor: runs a Python program with the agent in it and gathers what it says."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "src" / "confirm" / "agent"


def build_shim(folder=None):
    folder = Path(folder or ROOT / "build" / "confirm")
    folder.mkdir(parents=True, exist_ok=True)
    source, shim = AGENT / "shim.c", folder / "shim.so"
    if not shim.exists() or shim.stat().st_mtime < source.stat().st_mtime:
        made = folder / ("shim.%d" % os.getpid())
        subprocess.check_call([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-o", made, source, "-ldl"])
        made.rename(shim)
    return shim


class Run:
    """What one run said: `events`, `out`, `err`, `status`, `seconds`."""

    def __init__(self):
        self.events, self.broken = [], 0
        self.lock = threading.Lock()

    def of(self, ev, pid=None):
        return [e for e in self.events if e["ev"] == ev and pid in (None, e["pid"])]

    def last(self, ev, key):
        return {e[key]: e for e in self.of(ev)}


def listen(server, run):
    def read(connection):
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                try:
                    event = json.loads(line)
                except ValueError:
                    run.broken += 1
                    continue
                with run.lock:
                    run.events.append(event)

    readers = []
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            break
        reader = threading.Thread(target=read, args=(connection,), daemon=True)
        reader.start()
        readers.append(reader)
    for reader in readers:
        reader.join(5)


def confirm(command, findings=(), steps=48, stop="exit", protect="none", shim=True, cwd=None, env=None, timeout=120):
    """Runs `command` (a list; "python" stands for this one) under the agent."""
    run = Run()
    folder = Path(tempfile.mkdtemp(prefix="vl-"))
    try:
        agent = folder / "agent"
        agent.mkdir()
        for file in AGENT.glob("*.py"):
            shutil.copy(file, agent)
        library = build_shim() if shim else None
        request = {
            "socket": str(folder / "s"), "steps": steps, "stop": stop, "protect": protect,
            "scratch": str(folder / "scratch"), "shim": str(library) if library else None,
            "findings": [dict(f, id=i) for i, f in enumerate(findings)],
        }  # fmt: skip
        (folder / "request.json").write_text(json.dumps(request))
        environ = dict(os.environ, **(env or {}))
        path = environ.get("PYTHONPATH")
        environ["PYTHONPATH"] = str(agent) + (os.pathsep + path if path else "")
        environ["VRAMLINT_CONFIRM"] = str(folder / "request.json")
        if library:
            environ["LD_PRELOAD"] = str(library)
        server = socket.socket(socket.AF_UNIX)
        server.bind(request["socket"])
        server.listen(64)
        listener = threading.Thread(target=listen, args=(server, run))
        listener.start()
        began = time.monotonic()
        command = [sys.executable if c == "python" else str(c) for c in command]
        child = subprocess.Popen(command, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)  # fmt: skip
        try:
            run.out, run.err = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            run.out, run.err = child.communicate()
        run.status, run.seconds = child.returncode, time.monotonic() - began
        time.sleep(0.05)
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        listener.join(10)
        return run
    finally:
        shutil.rmtree(folder, ignore_errors=True)

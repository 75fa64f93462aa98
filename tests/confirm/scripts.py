"""Scripts that speak to the supervisor of `vramlint confirm` themselves, and a folder to run them in."""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("VRAMLINT", str(HERE.parents[1] / "build/release/vramlint"))
SPEAK = """\
import json, os, socket, sys
request = json.load(open(os.environ["VRAMLINT_CONFIRM"]))
line = socket.socket(socket.AF_UNIX)
line.connect(request["socket"])
def say(**event):
    line.sendall((json.dumps(event) + "\\n").encode())
"""


class Folder:
    def __init__(self, **files):
        self.made = tempfile.TemporaryDirectory(prefix="vramlint-confirm-")
        self.path, self.tmp = (pathlib.Path(self.made.name).resolve() / name for name in ("here", "tmp"))
        self.path.mkdir()
        self.tmp.mkdir()
        for name, text in files.items():
            (self.path / name.replace("_py", ".py")).write_text(textwrap.dedent(text))

    def start(self, *arguments, quiet=True, env=None, **more):
        options = dict(cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return subprocess.Popen([PROGRAM, "confirm", *(["-q"] if quiet else []), "--python", sys.executable, *arguments], text=True,
                                env={**os.environ, "TMPDIR": str(self.tmp), **(env or {})}, **{**options, **more})

    def run(self, *arguments, **more):
        process = self.start(*arguments, **more)
        out, errors = process.communicate(timeout=60)
        self.is_clear()
        return process.returncode, out, errors

    def is_clear(self):
        left = list(self.tmp.iterdir())
        assert not left, f"something is left in the folder for temporary files: {left}"


def expect(condition, *seen):
    assert condition, "\n".join(str(part) for part in seen)


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def run_all(names, wanted):
    """Runs the functions among NAMES, a module's globals, that begin like a sentence; returns how many passed and failed."""
    tests = [value for name, value in names.items()
             if callable(value) and getattr(value, "__module__", "") == "__main__" and name.islower() and name != "main"]
    passed = failed = 0
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        try:
            test()
            passed += 1
        except (AssertionError, subprocess.TimeoutExpired, OSError, LookupError, ValueError) as fault:
            failed += 1
            print(f"FAILED {test.__name__}\n{type(fault).__name__}: {fault}")
    return passed, failed

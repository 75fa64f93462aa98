"""Runs tests of the Python package with a pytest of their own."""
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import installed  # noqa: E402

ROOT = HERE.parents[1]


def environment(name, packages=None):
    """A Python with what requirements.txt lists, and the packages in folder `packages` besides."""
    python = installed.environment(name, HERE / "requirements.txt") / "python"
    if packages:
        own = next((python.parents[1] / "lib").glob("python*/site-packages"))
        (own / "besides.pth").write_text(packages + "\n")
    return python


def run(python, tests, arguments):
    """Prints the counts; the exit status."""
    program = pathlib.Path(os.environ.get("VRAMLINT", ROOT / "build/release/vramlint")).resolve()
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"), "PYTEST_PLUGINS": "vramlint.pytest_plugin", "OMP_NUM_THREADS": "1"}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", HERE, *arguments]
    done = subprocess.run([*command, *(HERE / test for test in tests)], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", cwd=HERE, timeout=900)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)", done.stdout.rpartition("\n=")[2] or done.stdout)}
    passed = counts.get("passed", 0)
    failed = sum(counts.get(word, 0) for word in ("failed", "error", "errors", "skipped"))
    if done.returncode or failed:
        print(done.stdout[-8000:])
        failed = failed or 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def packages_here():
    return sysconfig.get_path("purelib")

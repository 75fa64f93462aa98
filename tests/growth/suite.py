"""Runs tests of the Python package with a pytest of their own, installed below build/."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def environment(name, packages=None):
    """A Python with what requirements.txt lists, and the packages in folder `packages` besides."""
    folder, wanted = ROOT / "build" / name, (HERE / "requirements.txt").read_text() + f"# {sys.executable} {packages}\n"
    stamp, python = folder / "stamp", folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True, symlinks=True)
        subprocess.check_call([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", HERE / "requirements.txt"])
        if packages:
            own = next((folder / "lib").glob("python*/site-packages"))
            (own / "besides.pth").write_text(packages + "\n")
        stamp.write_text(wanted)
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

"""Packages of PyPI and npm that tests need: each set is pinned in a file and installed once, below build/installed."""
import hashlib
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "build" / "installed"
# What pip has to say about the machine's own set-up is of no interest unless it fails.
PIP = ["-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]


def install(name, pinned, *commands, also=""):
    """The folder NAME with what the file PINNED names, by COMMANDS that are run in it with a copy of that file; made anew where
    that, or ALSO, is another than last time."""
    folder = FOLDER / name
    mark, key = folder / "installed", hashlib.sha256(pinned.read_bytes() + also.encode()).hexdigest()
    if mark.exists() and mark.read_text() == key:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(pinned, folder)
    for command in commands:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
        if done.returncode:
            sys.exit(done.stdout.decode(errors="replace")[-3000:] + f"\ncannot install what '{pinned}' names")
    mark.write_text(key)
    return folder


def python(name, pinned, *options):
    """A folder to import from, which needs neither a virtual environment nor leave to touch the system's packages."""
    return install(name, pinned, [sys.executable, *PIP, *options, "--target", ".", "--requirement", pinned.name], also=sys.version)


def environment(name, pinned):
    """The folder of the programs of a virtual environment."""
    commands = [sys.executable, "-m", "venv", "."], ["bin/python", *PIP, "--requirement", pinned.name]
    return install(name, pinned, *commands, also=sys.executable + sys.version) / "bin"


def npm(name, pinned):
    """A folder of modules of node."""
    return install(name, pinned, ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]) / "node_modules"

"""Where the validators come from: packages pinned beside this file, installed once below build/."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CACHE = HERE.parents[1] / "build" / "formats"
PYTHON = CACHE / "python"
NODE = CACHE / "node"
MULTITOOL = NODE / "node_modules/@microsoft/sarif-multitool-linux"


def is_installed(folder, wanted):
    """Whether FOLDER holds what the file WANTED names."""
    mark = folder / "installed"
    return mark.exists() and mark.read_text() == hashlib.sha256(wanted.read_bytes()).hexdigest()


def install(folder, wanted, command):
    if is_installed(folder, wanted):
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(wanted, folder)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
    if done.returncode:
        sys.exit(done.stdout.decode(errors="replace")[-3000:] + f"\ncannot install what '{wanted.name}' names")
    (folder / "installed").write_text(hashlib.sha256(wanted.read_bytes()).hexdigest())


def prepare():
    """Installs what is missing and makes the Python packages importable."""
    # --target needs neither a virtual environment nor leave to touch the system's packages.
    install(PYTHON, HERE / "requirements.txt",
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", ".",
             "--requirement", "requirements.txt"])
    install(NODE, HERE / "package.json", ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"])
    (MULTITOOL / "Sarif.Multitool").chmod(0o755)
    sys.path.insert(0, str(PYTHON))


def multitool(*arguments):
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    return subprocess.run([MULTITOOL / "Sarif.Multitool", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, timeout=120)


def rdformat(path):
    script = NODE / "node_modules/@umbrelladocs/rdformat-validator/bin/rdformat-validator.js"
    return subprocess.run(["node", script, "--strict", "--no-extra-fields", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)


def sarif_tools(*arguments):
    return subprocess.run([sys.executable, "-m", "sarif", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": str(PYTHON)}, timeout=120)

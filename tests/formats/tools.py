"""The validators: packages pinned beside this file."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import installed  # noqa: E402

PYTHON = installed.FOLDER / "formats"
NODE = installed.FOLDER / "formats-node" / "node_modules"
MULTITOOL = NODE / "@microsoft/sarif-multitool-linux"


def prepare():
    """Installs what is missing and makes the Python packages importable."""
    sys.path.insert(0, str(installed.python(PYTHON.name, HERE / "requirements.txt")))
    installed.npm(NODE.parent.name, HERE / "package.json")
    (MULTITOOL / "Sarif.Multitool").chmod(0o755)


def multitool(*arguments):
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    return subprocess.run([MULTITOOL / "Sarif.Multitool", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, timeout=120)


def rdformat(path):
    script = NODE / "@umbrelladocs/rdformat-validator/bin/rdformat-validator.js"
    return subprocess.run(["node", script, "--strict", "--no-extra-fields", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)


def sarif_tools(*arguments):
    return subprocess.run([sys.executable, "-m", "sarif", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": str(PYTHON)}, timeout=120)

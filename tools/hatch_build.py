"""Builds the program with make and puts it into the wheel, with its manual page, completions and documents, and the agent of
`vramlint confirm`, which tests of one's own use.

The wheel has the tag of the machine it is made on. With VRAMLINT_MANYLINUX=1 in the environment tools/manylinux builds
the program, so that it runs on other Linux machines, and the tag says so.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARED = {
    "vramlint.1": "share/man/man1/vramlint.1",
    "vramlint.bash": "share/bash-completion/completions/vramlint",
    "_vramlint": "share/zsh/site-functions/_vramlint",
    "vramlint.fish": "share/fish/vendor_completions.d/vramlint.fish",
}


def environment():
    """Ours, less what a make that called us said to its own parts."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MODE")}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        root = pathlib.Path(self.root)
        out = root / "build" / "wheel"
        shutil.rmtree(out, ignore_errors=True)
        shared = {}
        if os.environ.get("VRAMLINT_MANYLINUX") == "1":
            self.build("tools/manylinux", "build/wheel", PYTHON=sys.executable)
            made = root / "build" / "manylinux" / "release" / "share"
            tag = f"manylinux_2_17_{platform.machine()}"
            shared[out / "lib" / "libcjson.so.1"] = "lib/vramlint/libcjson.so.1"
        else:
            self.build("make", f"-j{os.cpu_count() or 1}", "MODE=release", f"PYTHON={sys.executable}", "all", "man")
            out.mkdir(parents=True)
            self.build("strip", "-o", out / "vramlint", root / "build" / "release" / "vramlint")
            made = root / "build" / "release" / "share"
            tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        shared.update({made / name: target for name, target in SHARED.items()})
        for document in sorted((root / "rules").glob("*.md")):
            shared[document] = f"share/doc/vramlint/rules/{document.name}"
        for license in sorted((root / "build" / "deps").glob("*/LICENSE")):
            shared[license] = f"share/doc/vramlint/licenses/{license.parent.name}.txt"
        for license in sorted((out / "licenses").glob("*.txt")):
            shared[license] = f"share/doc/vramlint/licenses/{license.name}"
        for part in sorted((root / "src" / "confirm" / "agent").glob("*.py")):
            build_data["force_include"][str(part)] = f"vramlint/_agent/{part.name}"
        build_data["shared_scripts"][str(out / "vramlint")] = "vramlint"
        build_data["shared_data"].update({str(path): target for path, target in shared.items()})
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + tag

    def build(self, *command, **variables):
        done = subprocess.run([*map(str, command)], cwd=self.root, env={**environment(), **variables})
        if done.returncode:
            sys.exit(f"vramlint: '{command[0]}' failed; building needs a C compiler, GNU make, pkg-config, npm and the "
                     "libraries that tools/install-packages lists")

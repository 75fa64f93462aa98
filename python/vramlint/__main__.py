"""python -m vramlint: the program itself in place of Python."""

import os
import subprocess
import sys

from vramlint import find_program


def main() -> None:
    try:
        command = [find_program(), *sys.argv[1:]]
    except FileNotFoundError as error:
        print(f"vramlint: error: {error}; to install the package anew: pip install --force-reinstall vramlint", file=sys.stderr)
        sys.exit(2)
    sys.stdout.flush()
    if sys.platform == "win32":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()

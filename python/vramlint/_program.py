"""Finds the program that the wheel brought."""

import os
import sys
import sysconfig


def find_program() -> str:
    """The path of the vramlint program that was installed with this package.

    Raises FileNotFoundError, which names the places it looked at.
    """
    name = "vramlint" + (".exe" if sys.platform == "win32" else "")
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")) if sys.version_info >= (3, 10) else None,
        # pip install --target, and --prefix with lib/python3.x/site-packages
        os.path.join(os.path.dirname(here), "bin"),
        os.path.join(here, *[os.pardir] * 4, "bin"),
    ]
    places = [os.path.normpath(os.path.join(folder, name)) for folder in folders if folder]
    for place in places:
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return place
    raise FileNotFoundError("no vramlint program in " + ", ".join(repr(os.path.dirname(place)) for place in places))

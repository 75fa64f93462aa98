"""Waits for the user's program to import torch, then starts a session; costs nothing where torch is never imported."""
import json
import os
import sys

from .imports import Watch, fail

session = None


def activate(request):
    global session
    if session is not None:
        return
    try:
        from .session import Session

        session = Session(request)
        session.start()
    except Exception as error:
        fail(error)
        session = session or error


def follow_cells(compilerop):
    from . import cells

    cells.follow(compilerop)


def start():
    name = os.environ.get("VRAMLINT_CONFIRM")
    if not name:
        return
    with open(name, encoding="utf-8") as file:
        request = json.load(file)
    sys.meta_path.insert(0, Watch("IPython.core.compilerop", follow_cells))
    if "torch" in sys.modules:
        activate(request)
    else:
        sys.meta_path.insert(0, Watch("torch", lambda module: activate(request)))

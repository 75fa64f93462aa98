"""A session that a program opens itself, around steps of its own: in a test. Nothing of it is left behind when it closes.

Without the counter in the allocator, as that can only be had from the start of a process.
"""
import os
import threading
import types
import weakref

from . import usercode
from .reach import Reach
from .session import LOOK_AT, Session
from .wire import Wire

ENDLESS = 1 << 40
_open = weakref.WeakSet()


def _silence():
    for session in list(_open):
        session.silence()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_silence)


class Tape:
    """In the place of a connection: keeps what is said."""

    def __init__(self):
        self.said = []

    def sendall(self, lines):
        self.said.append(lines)

    def close(self):
        pass


class Deaf:
    """In the place of what listens for reads of values: no growth comes of those, and warnings stay with the program's lines."""

    def step(self, number):
        pass

    def stop(self):
        pass


class Inside(Session):
    """`root` is followed besides the names of the program: what only the caller of `step` has."""

    look_at = frozenset((*range(1, 25), *LOOK_AT))  # births are reckoned from look to look
    look_free = 20.0  # seconds: in a test it matters more to see than to be quick

    def __init__(self, steps=None, root=None):
        super().__init__({"steps": steps or ENDLESS})
        self.root = types.SimpleNamespace(step=root)
        self.tape = Tape()
        self.failure = None

    def start(self):
        self.wire = Wire(self.tape, self.began)
        try:
            self.watch()
            self.probes.syncs = Deaf()
            self.thread = threading.get_ident()
            self.note_present()
            self.hello()
        except BaseException:
            self.leave()
            raise
        _open.add(self)

    def note_present(self):
        """What there is already was made before the first step."""
        reach = Reach(self.torch, self.series, self.saved, None, {})
        try:
            with self.torch._C.DisableTorchFunction():
                reach.run(*self.roots())
            self.first_seen = reach.addresses()
        finally:
            reach.release()

    def count(self):
        """One of the program's own steps is over."""
        self.tick("call")

    def close(self):
        """Looks for the last time."""
        self.finish("end")
        self.leave()

    def leave(self):
        self.done = True
        ends = (("lines", "stop"), ("gpu", "stop"), *((n, "remove") for n in ("clock", "probes", "saved", "compiling")))
        for part, end in ends:
            if hasattr(self, part):
                getattr(getattr(self, part), end)()
        _open.discard(self)
        self.root = None

    def said(self):
        return b"".join(self.tape.said)

    # -- what differs from a session of the supervisor's

    def enough(self):
        self.finish("steps")
        self.leave()

    def trains_here(self, kind):
        return False  # the thread that began it is followed

    def fault(self, error):
        self.failure = self.failure or error
        super().fault(error)

    def roots(self):
        frames, modules = super().roots()
        return frames, [("__main__", self.root)] + modules


def begin(steps=None, root=None, yours=(), not_yours=()):
    """A session that watches from now on. Files below the folders `yours` are code of the user's, those below `not_yours` none."""
    usercode.take_in(yours)
    for folder in not_yours:
        usercode.leave_out(folder)
    session = Inside(steps, root)
    session.start()
    return session

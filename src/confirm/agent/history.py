"""The memory history of the caching allocator, on while steps are watched: it gives each block its birth and its line.

A recorder that the user has on is left as it is, with its settings; it is read as far as it goes. Ours is bounded, and
emptied at each look.
"""
import inspect
import time

from .blocks import MARK, Moments, Table, free_memory, longest_trace

MOST_ENTRIES = 200000
WANTED = {
    "context": "alloc",
    "stacks": "python",
    "max_entries": MOST_ENTRIES,
    "clear_history": True,
    "skip_actions": ["snapshot"],
}


def accepted(function, wanted):
    """Those of WANTED that this version's FUNCTION takes by name."""
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    return {k: v for k, v in wanted.items() if k in names}


class History:
    def __init__(self, torch, keeps=False):
        self.torch = torch
        self.keeps = keeps  # entries are not thrown away at looks: somebody wants them all
        self.module = None  # torch.cuda.memory, while it records
        self.ours = False
        self.failed = None  # why there is none
        self.interrupted = False  # some of it is missing
        self.moments, self.table = Moments(), Table()
        self.complete = True
        self.notes = False
        self.free, self.expandable = {}, None

    def start(self, kind, theirs):
        """Begins, or joins a recorder that is on. KIND: "cuda" or "xpu"."""
        module = getattr(getattr(self.torch, kind, None), "memory", None)
        record = getattr(module, "_record_memory_history", None)
        if record is None or not hasattr(module, "_snapshot"):
            self.failed = self.failed or "this torch records no memory history of %s" % kind
            return
        self.module = module
        if theirs or self.is_on(kind):
            self.ours, self.complete = False, False
            return
        if "max_entries" not in accepted(record, WANTED):
            self.module, self.failed = None, "this torch's memory history of %s has no limit" % kind
            return
        try:
            record("all", **accepted(record, WANTED))
        except Exception as error:
            self.module, self.failed = None, "%s: %s" % (type(error).__name__, error)
            return
        self.ours, self.complete = True, not self.interrupted
        self.notes = hasattr(module, "_set_memory_metadata") and not self.note()

    def is_on(self, kind, unknown=False):
        """Whether somebody records; UNKNOWN where this version cannot tell."""
        enabled = getattr(self.torch._C, "_%s_isHistoryEnabled" % kind, None)
        try:
            return bool(enabled())
        except Exception:
            return unknown

    def note(self):
        try:
            return self.module._get_memory_metadata()
        except Exception:
            return ""

    def mark(self, moment):
        """What is allocated from now on is born in MOMENT."""
        self.moments.mark(moment, time.time() * 1e6)
        if self.notes and self.ours:
            try:
                self.module._set_memory_metadata("%s%d" % (MARK, moment))
            except Exception:
                self.notes = False

    def taken_over(self):
        """The user has switched a recorder on or off: what has been recorded ends here, and `start` is to see what there is."""
        self.clear_note()
        self.module, self.ours, self.complete = None, False, False
        self.interrupted = True

    def read(self):
        """Brings the table up to now; False where nothing is recorded."""
        if self.module is None:
            return False
        try:
            snapshot = self.module._snapshot()
        except Exception as error:
            self.failed, self.module = "%s: %s" % (type(error).__name__, error), None
            return False
        if longest_trace(snapshot) >= MOST_ENTRIES:
            self.complete = False
        self.table.take(snapshot, self.moments, self.complete)
        self.free = free_memory(snapshot)
        settings = snapshot.get("allocator_settings") if isinstance(snapshot, dict) else None
        self.expandable = settings.get("expandable_segments") if isinstance(settings, dict) else None
        if self.ours and not self.keeps:
            self.empty()
        return True

    def empty(self):
        """Beginning anew empties it: by `clear_history`, and before that was there by itself."""
        record = self.module._record_memory_history
        try:
            record("all", **accepted(record, WANTED))
        except Exception:
            pass

    def clear_note(self):
        if self.notes:
            self.notes = False
            try:
                self.module._set_memory_metadata("")
            except Exception:
                pass

    def stop(self):
        if self.module is None:
            return
        self.clear_note()
        if self.ours:
            try:
                self.module._record_memory_history(None)
            except Exception:
                pass
        self.module, self.ours = None, False

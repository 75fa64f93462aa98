"""The lines of the user that run, for a few steps: which of them stores what a holder keeps, and how often each finding's does.

Before Python 3.12 by sys.settrace (and not at all where somebody traces already), from 3.12 on by sys.monitoring.
"""
import collections
import itertools
import sys
import threading
import types

from . import usercode

MONITORING = sys.version_info >= (3, 12)


class Slot:
    """A place that a value lies in, as reached from a name: an attribute of an entry of a variable, say. What is on the way may
    be made anew, so it is followed each time; where the variable can't be seen from a frame, from where it was last."""

    __slots__ = ("how", "name", "owner", "base")

    def __init__(self, how, name, owner, base=None):
        self.how, self.name, self.owner, self.base = how, name, owner, base

    def get(self, frame):
        """What lies there now; the slot itself where that cannot be seen from `frame`."""
        how, name = self.how, self.name
        if how == "local":  # of a function; `owner` is its code
            if frame is not None and (frame.f_code is self.owner or name in frame.f_code.co_freevars):
                return frame.f_locals.get(name)
            return self
        if how == "cell":
            return getattr(self.owner, "cell_contents", None)
        if self.base is not None:
            owner = self.base.get(frame)
            if type(owner) is type(self.owner):
                self.owner = owner
        return part(self.owner, how, name)


def part(owner, how, name):
    kind = type(owner)
    if how == "item":
        return dict.get(owner, name)
    if how == "index":
        return owner[name] if name < len(owner) else None
    if issubclass(kind, type):
        return owner.__dict__.get(name)
    try:
        attributes = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        attributes = {}
    for mapping in (attributes, *(attributes.get(n) or {} for n in ("_buffers", "_parameters", "_modules"))):
        if name in mapping:
            return mapping[name]
    member = next((k.__dict__[name] for k in kind.__mro__ if name in k.__dict__), None)
    return member.__get__(owner) if type(member) is types.MemberDescriptorType else None


class Watch:
    """One holder: its state is compared between two lines, and a change is the deed of the line between."""

    __slots__ = ("key", "container", "slot", "parts", "state", "size", "changes")

    def __init__(self, holder):
        self.key, self.slot, self.parts = holder.key, holder.slot, holder.parts
        self.container = None if holder.chained else holder.container
        self.state = self.size = None
        self.changes = 0

    def growth(self, frame):
        """How it grew since the last look ("append", …), or None."""
        if self.parts:
            return self.growth_of_parts(frame)
        how = None
        size = measure(self.container)
        value = self.stored(frame)
        if value is not self:
            state = (id(value), version(value))
            if self.state is not None and state != self.state:
                if size is not None and not isinstance(self.container, (tuple, str)):
                    new = measure(value)
                    if new is not None and type(value) is type(self.container):
                        if self.size is not None and new > self.size:
                            how = "assign"
                        self.container, size, self.size = value, new, new
                else:
                    how = "assign" if state[0] != self.state[0] else "in-place"
                    if isinstance(value, tuple):
                        self.container = None
            self.state = state
        if size is not None:
            if self.size is not None and size > self.size:
                how = how or VERBS.get(type(self.container).__name__, "append")
            self.size = size
        return how

    def growth_of_parts(self, frame):
        """Of a container whose elements grow, each for itself: `sums[i] = sums[i] + x`."""
        value = self.stored(frame)
        if type(value) is type(self.container):
            self.container = value
        parts = self.container.values() if isinstance(self.container, dict) else self.container
        state = tuple(map(id, itertools.islice(parts, MOST_PARTS)))
        before, self.state = self.state, state
        return "setitem" if before is not None and state != before else None

    def stored(self, frame):
        """What lies in the slot; self where that cannot be seen from `frame`."""
        try:
            value = self.slot.get(frame) if self.slot is not None else self
        except Exception:
            return self
        return self if type(value) is Slot else value


MOST_PARTS = 64
VERBS = {"dict": "setitem", "OrderedDict": "setitem", "defaultdict": "setitem", "set": "add"}


def measure(container):
    if isinstance(container, (list, dict, set, collections.deque, tuple)):
        return len(container)
    return container.cache_info().currsize if type(container).__name__ == "_lru_cache_wrapper" else None


def version(value):
    return value._version if hasattr(type(value), "_version") else None


class Lines:
    def __init__(self, findings, set_site):
        self.by_file = collections.defaultdict(list)  # path -> [(line, end_line, first, last, id)]
        for f in findings:
            path = usercode.real_path(f["path"])
            line = f["line"]
            self.by_file[path].append(
                (line, f.get("end_line") or line, f.get("first") or 1, f.get("last") or 1 << 30, f["id"])
            )
        self.covered = {f["id"]: [0, 0] for f in findings}  # id -> [hits, steps watched]
        self.set_site = set_site
        self.sites, self.site_numbers = [None], {}
        self.watches = []
        self.stores = {}  # key -> Counter of (how, path, line, via)
        self.active = None  # None, "cover", "full"
        self.last = None
        self.last_in = None
        self.inside = {}
        self.interest = {}
        self.failed = None
        self.thread = None
        self.tool = None

    # -- switching

    def start(self, mode, holders=()):
        if self.failed:
            return False
        keep = self.active
        if keep:
            self.stop()
        self.watches = [Watch(h) for h in holders]
        self.thread = threading.get_ident()
        self.last = self.last_in = None
        frame = usercode.user_frame(sys._getframe(1))
        if frame is not None:
            self.last, self.last_in = (frame.f_code.co_filename, frame.f_lineno), id(frame)
        up = frame
        while up is not None:
            for watch in self.watches:
                watch.growth(up)
            up = up.f_back
        self.active = mode
        self.interest = {}
        started = self.start_monitoring() if MONITORING else self.start_tracing()
        if not started:
            self.active = None
            self.watches = []
        return started

    def start_tracing(self):
        if sys.gettrace() is not None:
            self.failed = "tracer"
            return False
        frame = sys._getframe(1)
        while frame is not None:
            if self.wanted(frame.f_code) and frame.f_trace is None:
                frame.f_trace = self.on_event
            frame = frame.f_back
        sys.settrace(self.on_call)
        return True

    def start_monitoring(self):
        monitoring = sys.monitoring
        for tool in (3, 4, 1, 0, 2, 5):
            if monitoring.get_tool(tool) is None:
                break
        else:
            self.failed = "monitoring"
            return False
        self.tool = tool
        monitoring.use_tool_id(tool, "vramlint")
        events = monitoring.events
        for event, call in (
            (events.LINE, self.on_line),
            (events.PY_START, self.on_start),
            (events.PY_RESUME, self.on_start),
            (events.PY_RETURN, self.on_return),
            (events.PY_YIELD, self.on_return),
        ):
            monitoring.register_callback(tool, event, call)
        monitoring.set_events(
            tool, events.LINE | events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
        )
        monitoring.restart_events()
        return True

    def stop(self):
        if self.active is None:
            return
        self.active = None
        self.watches = []
        self.inside = {}
        if self.tool is not None:
            sys.monitoring.set_events(self.tool, 0)
            sys.monitoring.free_tool_id(self.tool)
            self.tool = None
        else:
            if sys.gettrace() == self.on_call:
                sys.settrace(None)
            frame = sys._getframe(1)
            while frame is not None:
                if frame.f_trace == self.on_event:
                    frame.f_trace = None
                usercode.forget_locals(frame)
                frame = frame.f_back
        if self.set_site:
            self.set_site(0)

    def wanted(self, code):
        known = self.interest.get(code)
        if known is None:
            known = usercode.is_user_file(code.co_filename) and code.co_name != usercode.CALLER
            if known and self.active == "cover":
                first = code.co_firstlineno
                known = any(
                    last >= first for _, _, _, last, _ in self.by_file.get(usercode.real_path(code.co_filename), ())
                )
            self.interest[code] = known
        return known

    # -- events

    def on_call(self, frame, event, arg):
        if self.active is None or not self.wanted(frame.f_code):
            return None
        return self.on_event(frame, event, arg)

    def on_event(self, frame, event, arg):
        if self.active is not None and event != "exception":
            try:
                self.look(frame, event)
            except Exception:
                self.active = None
        return self.on_event if self.active is not None else None

    def on_line(self, code, line):
        return self.monitored(code, "line")

    def on_start(self, code, offset):
        return self.monitored(code, "call")

    def on_return(self, code, offset, value):
        return self.monitored(code, "return")

    def monitored(self, code, event):
        if self.active is None:
            return None
        try:
            if not self.wanted(code):
                return sys.monitoring.DISABLE
            if threading.get_ident() == self.thread:
                self.look(sys._getframe(2), event)
        except Exception:
            self.active = None
        return None

    def look(self, frame, event):
        for watch in self.watches:
            how = watch.growth(frame)
            if how is not None and self.last is not None:
                watch.changes += 1
                self.charge(watch, how, frame)
        if event == "line":
            self.last = (frame.f_code.co_filename, frame.f_lineno)
            self.last_in = id(frame)
            if self.by_file:
                self.count(frame)
            if self.active == "full" and self.set_site:
                self.set_site(self.site(self.last))
        elif event == "return":
            self.inside.pop(id(frame), None)
            back = usercode.user_frame(frame.f_back)
            if back is not None:
                self.last, self.last_in = (back.f_code.co_filename, back.f_lineno), id(back)
                if self.active == "full" and self.set_site:
                    self.set_site(self.site(self.last))

    def charge(self, watch, how, frame):
        key = watch.key
        code = getattr(getattr(watch.container, "__wrapped__", None), "__code__", None)
        if code is not None:
            how = "cache"  # what stores is the decorator
        at = frame
        while at is not None and id(at) != self.last_in:
            at = at.f_back
        via = tuple(usercode.callers(at if at is not None else frame, 4))
        path, line = self.last
        if how == "cache":
            via = ((usercode.real_path(path), line),) + via
            path, line = code.co_filename, code.co_firstlineno
        counter = self.stores.setdefault(key, collections.Counter())
        counter[(how, usercode.real_path(path), line, via)] += 1

    def count(self, frame):
        findings = self.by_file.get(usercode.real_path(frame.f_code.co_filename))
        if not findings:
            return
        line = frame.f_lineno
        was = self.inside.get(id(frame))
        now = None
        for begin, end, _, _, number in findings:
            if begin <= line <= end:
                now = (now or ()) + (number,)
                if line == begin or was is None or number not in was:
                    self.covered[number][0] += 1
        self.inside[id(frame)] = now

    def site(self, where):
        number = self.site_numbers.get(where)
        if number is None:
            number = self.site_numbers[where] = len(self.sites)
            self.sites.append(where)
        return number

    def tick(self):
        """A step that was watched is over."""
        if self.active:
            for cover in self.covered.values():
                cover[1] += 1

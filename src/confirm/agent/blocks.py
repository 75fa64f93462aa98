"""What the history of a caching allocator says: which blocks live, since when, from which line. Pure: no torch in here.

Addresses are used again, so blocks are told apart by the order of events and not by address: a block lives from its `alloc`
to the `free_requested` or `free_completed` that follows. Every field of a snapshot is taken as optional.
"""
import bisect

from . import usercode

MARK = "vramlint:"  # begins the note that `History.mark` has put on later entries


def items(value, kind=dict):
    return [item for item in value if isinstance(item, kind)] if isinstance(value, (list, tuple)) else []


def number(value):
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def user_line(frames):
    """(path, line) of the innermost frame of the user's, or None; frames come innermost first."""
    for frame in items(frames):
        path, line = frame.get("filename"), number(frame.get("line"))
        if isinstance(path, str) and line and usercode.is_user_file(path):
            return usercode.real_path(path), line
    return None


def traces_of(snapshot):
    traces = snapshot.get("device_traces") if isinstance(snapshot, dict) else None
    return traces if isinstance(traces, (list, tuple)) else ()


def longest_trace(snapshot):
    return max((len(trace) for trace in traces_of(snapshot) if isinstance(trace, (list, tuple))), default=0)


class Moments:
    """At which moment of the clock an entry was made: by the note on it, else by its time."""

    def __init__(self):
        self.began, self.moments = [], []

    def mark(self, moment, microseconds):
        self.began.append(microseconds)
        self.moments.append(moment)

    def of(self, entry):
        note = entry.get("user_metadata")
        if isinstance(note, str) and note.startswith(MARK):
            try:
                return int(note[len(MARK) :])
            except ValueError:
                pass
        time = entry.get("time_us")
        if not isinstance(time, (int, float)) or not self.began:
            return None
        at = bisect.bisect_right(self.began, time)
        return self.moments[at - 1] if at else 0


class Block:
    __slots__ = ("size", "moment", "where")

    def __init__(self, size, moment, where):
        self.size, self.moment, self.where = size, moment, where


class Device:
    """One device's blocks as far as its history is known."""

    def __init__(self):
        self.live = {}  # address -> Block
        self.segments = {}  # address -> Block: what was taken from the driver
        self.ooms = []  # (bytes, free, where)

    def take(self, entry, moments):
        action, address, size = entry.get("action"), number(entry.get("addr")), number(entry.get("size")) or 0
        if action == "oom":
            address = number(entry.get("addr", entry.get("device_free")))
            self.ooms.append((size, number(entry.get("device_free")) or address, user_line(entry.get("frames"))))
        if address is None:
            return
        if action == "alloc":
            self.live[address] = Block(size, moments.of(entry), user_line(entry.get("frames")))
        elif action in ("free_requested", "free_completed"):
            self.live.pop(address, None)
        elif action in ("segment_alloc", "segment_map"):
            self.segments[address] = Block(size, moments.of(entry), user_line(entry.get("frames")))
        elif action in ("segment_free", "segment_unmap"):
            self.segments.pop(address, None)


class Table:
    """All devices' blocks. Taking entries that were taken before changes nothing: their last state is the same."""

    def __init__(self):
        self.devices = {}

    def device(self, d):
        if d not in self.devices:
            self.devices[d] = Device()
        return self.devices[d]

    def take(self, snapshot, moments, complete=True):
        """COMPLETE: the history reaches back to when it was begun, so what it does not know of is older than that."""
        for d, trace in enumerate(traces_of(snapshot)):
            device = self.device(d)
            device.ooms = []
            for entry in items(trace):
                device.take(entry, moments)
        self.reconcile(snapshot, complete)

    def reconcile(self, snapshot, complete):
        """What the segments say of the present outweighs what the history says of it, which may have lost entries."""
        if not isinstance(snapshot, dict) or "segments" not in snapshot:
            return
        found = {}
        for d, address, size, frames in live_blocks(snapshot):
            found.setdefault(d, {})[address] = (size, frames)
        for d in set(self.devices) | set(found):
            device, here = self.device(d), found.get(d, {})
            for address in [a for a in device.live if a not in here]:
                del device.live[address]
            for address, (size, frames) in here.items():
                known = device.live.get(address)
                if known is None or known.size > size:
                    device.live[address] = Block(size, 0 if complete else None, user_line(frames))
                else:
                    known.size = size  # with what rounding adds

    def blocks(self):
        """({address: (size, moment or None, (path, line) or None)}, {address: device number})."""
        found, places = {}, {}
        for d, device in self.devices.items():
            for address, block in device.live.items():
                found[address] = (block.size, block.moment, block.where)
                places[address] = d
        return found, places


def live_blocks(snapshot):
    """[(device, address, size, frames)] of the blocks that tensors have. Before 2.1 blocks bore no address."""
    found = []
    for segment in items(snapshot.get("segments")):
        at = number(segment.get("address"))
        for block in items(segment.get("blocks")):
            size = number(block.get("size")) or 0
            address = number(block.get("address"))
            address = at if address is None else address
            if block.get("state") == "active_allocated" and address is not None:
                frames = block.get("frames")
                if frames is None:  # that is how they came before 2.1
                    history = items(block.get("history"))
                    frames = history[0].get("frames") if history else None
                found.append((number(segment.get("device")) or 0, address, size, frames))
            at = address + size if address is not None else None
    return found


def growth(table, step_of, explained=()):
    """{device: {(path, line) or None: {step: bytes}}} of the blocks whose address is not in EXPLAINED."""
    found = {}
    for d, device in table.devices.items():
        for address, block in device.live.items():
            if address in explained or not block.moment:
                continue
            step = step_of(block.moment)
            if step > 0:
                steps = found.setdefault(d, {}).setdefault(block.where, {})
                steps[step] = steps.get(step, 0) + block.size
    return found


class Free:
    """How the memory lies that the allocator has and no tensor uses."""

    def __init__(self):
        self.reserved = self.allocated = self.waiting = self.free = self.largest = self.pieces = 0


def free_memory(snapshot):
    """{device: Free}."""
    found = {}
    for segment in items(snapshot.get("segments") if isinstance(snapshot, dict) else None):
        free = found.setdefault(number(segment.get("device")) or 0, Free())
        free.reserved += number(segment.get("total_size")) or 0
        for block in items(segment.get("blocks")):
            size, state = number(block.get("size")) or 0, block.get("state")
            if state == "active_allocated":
                free.allocated += size
            elif state == "inactive":
                free.free += size
                free.largest = max(free.largest, size)
                free.pieces += 1
            else:
                free.waiting += size
    return found


def asked_for(table, step_of):
    """{device: {(path, line): [segments, bytes, last step]}}: which lines made the allocator go to the driver, and when."""
    found = {}
    for d, device in table.devices.items():
        for segment in device.segments.values():
            if segment.where is not None:
                row = found.setdefault(d, {}).setdefault(segment.where, [0, 0, 0])
                row[0] += 1
                row[1] += segment.size
                row[2] = max(row[2], step_of(segment.moment) if segment.moment else 0)
    return found

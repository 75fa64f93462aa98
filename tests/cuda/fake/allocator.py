"""A small model of torch's CUDA caching allocator: segments, blocks that are split and merged, rounding, history, snapshots.

Follows c10/cuda/CUDACachingAllocator.cpp in what a snapshot and memory_stats show; of streams there is only that what one
lets go another may still use; private pools and expandable segments are left out. No torch in here.
"""

ROUND, SMALL, SMALL_SEGMENT, LARGE_SEGMENT, LARGE_FROM, STEP = 512, 1 << 20, 2 << 20, 20 << 20, 10 << 20, 2 << 20


class OutOfMemory(Exception):
    pass


class Block:
    __slots__ = ("address", "size", "asked", "state", "frames", "before", "after", "segment")

    def __init__(self, address, size, segment):
        self.address, self.size, self.segment = address, size, segment
        self.asked, self.state, self.frames = 0, "inactive", []
        self.before = self.after = None


class Segment:
    def __init__(self, address, size, small, frames):
        self.address, self.size, self.small, self.frames = address, size, small, frames
        self.first = Block(address, size, self)

    def blocks(self):
        block = self.first
        while block is not None:
            yield block
            block = block.after


class Allocator:
    """One device. TAKE gives memory of a size (an address) and GIVE takes it back; CLOCK gives microseconds."""

    def __init__(self, device=0, total=1 << 34, take=None, give=None, clock=None, frames=lambda: []):
        self.device, self.total, self.frames = device, total, frames
        self.next = 0x7F0000000000 + (device << 40)
        self.take, self.give = take or self.reserve, give or (lambda address, size: None)
        self.ticks = 0
        self.clock = clock or self.tick
        self.segments, self.live, self.live_later, self.later = {}, {}, {}, []
        self.active = 0
        self.allocated = self.reserved = self.asked = self.peak = self.retries = self.ooms = 0
        self.recording, self.context, self.most, self.skipped = None, None, 0, ()
        self.trace, self.at, self.note = [], 0, ""

    def reserve(self, size):
        address, self.next = self.next, self.next + size + STEP
        return address

    def tick(self):
        self.ticks += 1
        return self.ticks

    # -- history

    def record(self, enabled, context="all", most=1 << 60, clear=False, skipped=()):
        self.recording, self.context, self.most, self.skipped = enabled, context, max(1, most), tuple(skipped)
        if not enabled or clear:
            self.trace, self.at = [], 0

    def enter(self, action, address, size, **more):
        if self.recording != "all" or action in self.skipped:
            return
        entry = {"action": action, "addr": address, "size": size, "stream": 0, "device": self.device, "frames": [],
                 "time_us": self.clock()}  # fmt: skip
        if action in ("alloc", "segment_alloc", "oom") and self.context in ("alloc", "all") or self.context == "all":
            entry["frames"] = self.frames()
        if self.note:
            entry["user_metadata"] = self.note
        entry.update(more)
        if len(self.trace) < self.most:
            self.trace.append(entry)
        else:
            self.trace[self.at] = entry
            self.at = (self.at + 1) % self.most

    def history(self):
        return self.trace[self.at :] + self.trace[: self.at]

    # -- memory

    def malloc(self, size):
        rounded = max(ROUND, -(-size // ROUND) * ROUND)
        small = rounded <= SMALL
        block = self.fitting(rounded, small)
        if block is None:
            segment = self.segment(rounded, small)
            block = segment.first
        if block.size - rounded >= (ROUND if small else SMALL + 1):
            self.split(block, rounded)
        block.state, block.asked = "active_allocated", size
        block.frames = self.frames() if self.recording and self.context else []
        self.live[block.address] = block
        self.allocated += block.size
        self.active += block.size
        self.asked += size
        self.peak = max(self.peak, self.allocated)
        self.enter("alloc", block.address, size)
        return block.address

    def fitting(self, size, small):
        best = None
        for segment in self.segments.values():
            if segment.small != small:
                continue
            for block in segment.blocks():
                if block.state == "inactive" and block.size >= size:
                    if best is None or (block.size, block.address) < (best.size, best.address):
                        best = block
        return best

    def segment(self, rounded, small):
        size = SMALL_SEGMENT if small else LARGE_SEGMENT if rounded < LARGE_FROM else -(-rounded // STEP) * STEP
        if self.reserved + size > self.total:
            self.retries += 1
            self.empty()
        if self.reserved + size > self.total:
            self.ooms += 1
            self.enter("oom", None, rounded, device_free=self.total - self.reserved)
            raise OutOfMemory(rounded)
        address = self.take(size)
        segment = self.segments[address] = Segment(address, size, small, self.frames() if self.recording else [])
        self.reserved += size
        self.enter("segment_alloc", address, size)
        return segment

    def split(self, block, size):
        rest = Block(block.address + size, block.size - size, block.segment)
        rest.before, rest.after = block, block.after
        if block.after is not None:
            block.after.before = rest
        block.after, block.size = rest, size

    def free(self, address, later=False):
        """LATER: another stream still uses it, until `complete`."""
        block = self.live.pop(address)
        self.enter("free_requested", address, block.asked)
        self.allocated -= block.size
        self.asked -= block.asked
        block.state = "active_pending_free"
        self.live_later[address] = block
        self.later.append(address)
        if not later:
            self.complete_one(address)

    def complete(self):
        for address in list(self.later):
            self.complete_one(address)

    def complete_one(self, address):
        self.later.remove(address)
        block = self.live_later.pop(address)
        self.active -= block.size
        self.enter("free_completed", address, block.asked)
        block.state, block.frames = "inactive", []
        if block.after is not None and block.after.state == "inactive":
            self.merge(block)
        if block.before is not None and block.before.state == "inactive":
            self.merge(block.before)

    @staticmethod
    def merge(block):
        after = block.after
        block.size += after.size
        block.after = after.after
        if after.after is not None:
            after.after.before = block

    def empty(self):
        for segment in list(self.segments.values()):
            if segment.first.state == "inactive" and segment.first.after is None:
                del self.segments[segment.address]
                self.reserved -= segment.size
                self.enter("segment_free", segment.address, segment.size)
                self.give(segment.address, segment.size)

    # -- what it shows

    def split_free(self):
        return sum(b.size for s in self.segments.values() for b in s.blocks()
                   if b.state == "inactive" and (b.before is not None or b.after is not None))  # fmt: skip

    def stats(self):
        def of(current, peak=0):
            pool = {"current": current, "peak": peak, "allocated": current, "freed": 0}
            return {"all": pool, "small_pool": dict(pool), "large_pool": dict(pool)}

        return {
            "allocation": of(len(self.live)), "segment": of(len(self.segments)), "active": of(len(self.live)),
            "allocated_bytes": of(self.allocated, self.peak), "reserved_bytes": of(self.reserved, self.reserved),
            "active_bytes": of(self.active, self.peak), "requested_bytes": of(self.asked, self.asked),
            "inactive_split_bytes": of(self.split_free()), "num_alloc_retries": self.retries, "num_ooms": self.ooms,
            "max_split_size": -1,
        }  # fmt: skip

    def shown_segments(self):
        found = []
        for segment in self.segments.values():
            blocks = [{"address": b.address, "size": b.size, "requested_size": b.asked if b.state != "inactive" else 0,
                       "state": b.state, "frames": b.frames} for b in segment.blocks()]  # fmt: skip
            used = [b for b in segment.blocks() if b.state == "active_allocated"]
            active = [b for b in segment.blocks() if b.state != "inactive"]
            found.append({
                "device": self.device, "address": segment.address, "total_size": segment.size,
                "allocated_size": sum(b.size for b in used), "active_size": sum(b.size for b in active),
                "requested_size": sum(b.asked for b in used), "stream": 0,
                "segment_type": "small" if segment.small else "large", "segment_pool_id": (0, 0), "is_expandable": False,
                "frames": segment.frames, "blocks": blocks,
            })  # fmt: skip
        return found


def snapshot(allocators):
    """What torch.cuda.memory._snapshot gives of these devices."""
    return {
        "segments": [segment for a in allocators for segment in a.shown_segments()],
        "device_traces": [list(a.history()) for a in allocators],
        "allocator_settings": {"expandable_segments": False, "max_split_size": -1},
        "external_annotations": [],
    }

"""The accelerator's side of a session: history on and off, births for the look, what nobody holds, how free memory lies."""
from . import blocks as history_of, snapshot
from .history import History
from .holders import FEWEST, shape

MOST_LINES = 8


class Gpu:
    def __init__(self, session):
        self.session = session
        self.wanted = session.request.get("snapshot")
        self.history = History(session.torch, keeps=bool(self.wanted))
        self.table = self.history.table
        self.over = self.theirs = self.unknown = False
        self.missing = None  # what was told of that
        self.held = {}  # address -> (size, moment, holder's key or None), for the snapshot

    # -- while the run goes

    def tick(self, moment):
        """A moment of the clock begins."""
        devices = self.session.accounting.devices
        kind = devices.kind()
        if kind is None or self.over:
            return
        history, theirs = self.history, self.session.probes.recording
        if theirs != self.theirs or history.ours and not history.is_on(kind.kind, unknown=True):
            self.theirs = theirs
            history.taken_over()
        if history.module is None and history.failed is None:
            history.start(kind.kind, theirs)
        if history.failed != self.missing:
            self.missing = history.failed
            self.session.wire.send("missing", what="memory history", why=history.failed)
        history.mark(moment)

    def module(self):
        """torch.cuda.memory, or that of another kind that makes snapshots and has tensors of this process; else None."""
        accounting = self.session.accounting
        if not accounting.uses_device():
            return None
        kind = accounting.devices.kind()
        module = getattr(kind.module(), "memory", None)
        return module if hasattr(module, "_snapshot") else None

    def tell_devices(self):
        told = self.session.accounting.devices.told()
        if told:
            self.session.wire.send("devices", list=told)

    def is_blind(self):
        """Whether tensors lie on a device and the births of some are not known."""
        return self.session.accounting.uses_device() and (self.history.module is None or self.unknown)

    def blocks(self, known):
        """KNOWN, the CPU's blocks or None, and those on devices: ({address: (size, moment, site)}, {address: "cuda:0"})."""
        if not self.history.read():
            return known, {}
        found, places = dict(known or {}), {}
        kind, site = self.session.accounting.devices.kind().kind, self.session.lines.site
        blocks, devices = self.table.blocks()
        self.unknown = any(moment is None for _, moment, _ in blocks.values())
        for address, (size, moment, where) in blocks.items():
            if moment is not None:
                found[address] = (size, moment, site(where) if where else 0)
                places[address] = "%s:%d" % (kind, devices[address])
        return found, places

    # -- what came out

    def looked(self, reach, finder, found):
        """After each look: tells what grows and has no holder, and how the free memory lies."""
        if self.wanted:
            owners = {unit: holder.key for unit, holder in finder.owners.items()}
            self.held = {a: (u.bytes, u.moment, owners.get(u)) for a, u in reach.storages.items()}
        if not self.table.devices:
            return
        session = self.session
        kind, now = session.kind, session.steps()
        wire, series = session.wire, session.series

        def step_of(moment):
            return series.step_of(kind, moment)

        cycles = any(holder.garbage for holder in found)  # they will go, and are told as that
        lines = {} if cycles else history_of.growth(self.table, step_of, reach.storages)
        for d in self.table.devices if reach.complete else ():
            rows = []
            for where, births in lines.get(d, {}).items():
                if len(births) >= 2 * FEWEST and shape(sorted(births), now) == "leak":
                    path, line = where or (None, None)
                    rows.append({"path": path, "line": line, "bytes": sum(births.values()),
                                 "births": sorted(births.items())[-512:]})  # fmt: skip
            rows.sort(key=lambda row: -row["bytes"])
            wire.send("blocks", urgent=False, d=d, at=now, list=rows[:MOST_LINES])
        asked = history_of.asked_for(self.table, step_of)
        for d, free in self.history.free.items():
            rows = [{"path": p, "line": n, "n": count, "bytes": size, "step": last}
                    for (p, n), (count, size, last) in asked.get(d, {}).items()]  # fmt: skip
            rows.sort(key=lambda row: (-row["step"], -row["bytes"]))
            wire.send("layout", urgent=False, d=d, reserved=free.reserved, allocated=free.allocated, free=free.free,
                      largest=free.largest, pieces=free.pieces, waiting=free.waiting, expandable=self.history.expandable,
                      asked=rows[:MOST_LINES])  # fmt: skip

    def write_snapshot(self):
        wanted, self.wanted = self.wanted, None
        if wanted:
            snapshot.write(self.session, wanted, self.held, self.module())

    def stop(self):
        """The watched steps are over, or the run is."""
        self.over = True
        self.write_snapshot()
        self.history.stop()

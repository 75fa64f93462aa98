"""The agent's reading of allocator histories, against a model of the allocator that knows the truth. No torch in here.

usage: tests/cuda/histories.py [SEED]...
"""
import os
import random
import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "fake")]
sys.dont_write_bytecode = True

from allocator import Allocator, OutOfMemory, snapshot  # noqa: E402

agent = types.ModuleType("agent")
agent.__path__ = [str(HERE.parents[1] / "src/confirm/agent")]
sys.modules["agent"] = agent

from agent import blocks, history, usercode  # noqa: E402

ROUNDS = int(os.environ.get("HISTORIES", "400"))
LINES = [("/home/me/train.py", n) for n in (10, 11, 12)] + [("/home/me/data.py", 5)]


def frames_of(where):
    deep = [{"filename": "/usr/lib/python3/site-packages/torch/nn/functional.py", "line": 9, "name": "linear"}] * 2
    return deep + [{"filename": where[0], "line": where[1], "name": "f"}, {"filename": "/home/me/other.py", "line": 1, "name": "g"}]


class Machine:
    """Devices of the model, and a torch that shows them as versions of it would."""

    def __init__(self, chance, devices=1, notes=True, clear=True, total=1 << 30):
        self.chance, self.where, self.now = chance, LINES[0], 0
        self.devices = [Allocator(d, total, clock=self.clock, frames=lambda: frames_of(self.where)) for d in range(devices)]
        self.truth = {}  # (device, address) -> (size, moment, where)
        self.ours = [[] for _ in self.devices]
        self.moment = 0
        memory = types.SimpleNamespace(_snapshot=lambda: snapshot(self.devices))
        if clear:
            memory._record_memory_history = self.record
        else:
            memory._record_memory_history = lambda enabled="all", context="all", stacks="all", max_entries=1 << 60: (
                self.record(enabled, context, stacks, max_entries, True)
            )
        if notes:
            memory._set_memory_metadata = self.note
            memory._get_memory_metadata = lambda: self.devices[0].note
        enabled = lambda: self.devices[0].recording == "all"  # noqa: E731
        self.torch = types.SimpleNamespace(cuda=types.SimpleNamespace(memory=memory),
                                           _C=types.SimpleNamespace(_cuda_isHistoryEnabled=enabled))  # fmt: skip

    def clock(self):
        self.now += self.chance.choice((0, 1, 3))
        return self.now

    def record(self, enabled="all", context="all", stacks="all", max_entries=1 << 60, clear_history=False):
        for device in self.devices:
            device.record(enabled, context, max_entries, clear_history)

    def note(self, text):
        for device in self.devices:
            device.note = text

    def malloc(self, d, size):
        self.where = self.chance.choice(LINES)
        try:
            address = self.devices[d].malloc(size)
        except OutOfMemory:
            return
        self.truth[d, address] = (self.devices[d].live[address].size, self.moment, self.where)

    def free(self, key, later):
        del self.truth[key]
        self.devices[key[0]].free(key[1], later)

    def work(self, busy=20):
        chance = self.chance
        for _ in range(chance.randrange(busy)):
            d = chance.randrange(len(self.devices))
            action = chance.random()
            if action < 0.55:
                self.malloc(d, int(2 ** chance.uniform(2, 24)))
            elif action < 0.98 and self.truth:
                key = chance.choice(sorted(self.truth))
                self.free(key, later=chance.random() < 0.2)
            elif action < 0.985:
                self.devices[d].complete()
            elif action >= 0.98:
                self.devices[d].empty()

    def seen_by(self, table):
        found, places = table.blocks()
        return {(places[a], a): row for a, row in found.items()}


class At:
    """The agent's clock plays the machine's."""

    def __init__(self, machine):
        self.time = lambda: (machine.now + 0.5) / 1e6


def begin(machine, theirs=False):
    history.time = At(machine)
    watched = history.History(machine.torch)
    watched.start("cuda", theirs)
    return watched


def tick(machine, watched):
    machine.moment += 1
    watched.mark(machine.moment)
    machine.now += 2


def machine_of(chance, **more):
    return Machine(chance, devices=chance.choice((1, 1, 2, 3)), notes=chance.random() < 0.5, clear=chance.random() < 0.5, **more)


def births_and_lines_are_exact(chance):
    machine = machine_of(chance)
    machine.work()  # before anything is watched
    watched = begin(machine)
    assert watched.ours and watched.complete and watched.failed is None
    for key, (size, _, where) in machine.truth.items():
        machine.truth[key] = (size, 0, None)  # nobody saw where that came from
    for _ in range(chance.randrange(2, 30)):
        tick(machine, watched)
        machine.work()
        if chance.random() < 0.3:
            assert watched.read()
            assert machine.seen_by(watched.table) == machine.truth
            if chance.random() < 0.3:
                watched.table.take(machine.torch.cuda.memory._snapshot(), watched.moments, watched.complete)
                assert machine.seen_by(watched.table) == machine.truth
    watched.read()
    assert machine.seen_by(watched.table) == machine.truth
    for d, device in enumerate(machine.devices):
        assert d not in watched.free or watched.free[d].waiting == sum(b.size for b in device.live_later.values())
    watched.stop()
    assert machine.devices[0].recording is None and machine.devices[0].note == ""


def history_alone_suffices(chance):
    """Where a snapshot has no segments: an `alloc` without the end that follows it lives."""
    machine = machine_of(chance)
    watched = begin(machine)
    for _ in range(8):
        tick(machine, watched)
        machine.work()
        watched.table.take({"device_traces": [d.history() for d in machine.devices]}, watched.moments)
        seen = machine.seen_by(watched.table)
        assert {k: v[1:] for k, v in seen.items()} == {k: v[1:] for k, v in machine.truth.items()}


def a_recorder_that_is_on_is_left_as_it_is(chance):
    machine = machine_of(chance)
    machine.record("all", "all", "all", 1 << 60)
    machine.work()
    watched = begin(machine)
    assert not watched.ours
    older = dict(machine.truth)
    for _ in range(chance.randrange(2, 20)):
        tick(machine, watched)
        machine.work()
        if chance.random() < 0.3:
            watched.read()
    watched.read()
    seen = machine.seen_by(watched.table)
    assert {k: (v[0], v[2]) for k, v in seen.items()} == {k: (v[0], v[2]) for k, v in machine.truth.items()}
    assert all(seen[k][1] == v[1] for k, v in machine.truth.items() if k not in older)
    entries = len(machine.devices[0].history())
    watched.stop()
    assert machine.devices[0].recording == "all" and len(machine.devices[0].history()) == entries
    assert machine.devices[0].note == ""


def what_was_not_recorded_for_a_while_is_unknown(chance):
    """The user's code ends a recorder that it has not begun, or begins its own."""
    machine = machine_of(chance)
    watched = begin(machine)
    for step in range(12):
        tick(machine, watched)
        machine.work()
        if step == 5:
            watched.read()
            watched.taken_over()
            machine.record(chance.choice((None, "all")))
            machine.work()
            theirs = machine.devices[0].recording == "all"
            watched.start("cuda", theirs)
            assert watched.ours is not theirs
    watched.read()
    seen = machine.seen_by(watched.table)
    assert set(seen) == set(machine.truth)
    for key, (size, moment, where) in machine.truth.items():
        known = seen[key][1]  # an address that was used again meanwhile looks as old as it was
        assert known == moment or moment == 6 and (known is None or 1 <= known < 6), (seen[key], moment)


def numbers_are_read_as_far_as_they_are_there(chance):
    from agent.devices import Devices

    nested = {"allocated_bytes": {"all": {"current": 512, "peak": 1024}}, "reserved_bytes": {"all": {"current": 2048}},
              "requested_bytes": {}, "active_bytes": None, "num_ooms": 2, "num_alloc_retries": "x"}  # fmt: skip
    none = types.SimpleNamespace(is_initialized=lambda: False)
    both = types.SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 3,
        memory=types.SimpleNamespace(memory_stats_as_nested_dict=lambda d: (nested, {}, None)[d]),
        get_device_properties=lambda d: types.SimpleNamespace(name="X", total_memory=1 << 20),
    )  # fmt: skip
    for torch, kind in ((types.SimpleNamespace(cuda=both), "cuda"), (types.SimpleNamespace(cuda=none, xpu=both), "xpu")):
        devices = Devices(torch)
        assert devices.rows() == [{"d": 0, "allocated": 512, "peak": 1024, "reserved": 2048, "ooms": 2}], devices.rows()
        assert devices.told() == [{"d": 0, "kind": kind, "name": "X", "uuid": None, "total": 1 << 20}] and devices.told() is None
    used = [0]
    mps = types.SimpleNamespace(current_allocated_memory=lambda: used[0], driver_allocated_memory=lambda: 4096)
    metal = types.SimpleNamespace(mps=mps, backends=types.SimpleNamespace(mps=types.SimpleNamespace(is_available=lambda: True)))
    devices = Devices(metal)
    assert devices.rows() == [] and devices.told() is None
    used[0] = 100
    assert devices.rows() == [{"d": 0, "allocated": 100, "reserved": 4096}]
    assert devices.told()[0]["total"] is None
    assert Devices(types.SimpleNamespace()).rows() == [] and Devices(types.SimpleNamespace(cuda=none)).kind() is None


def what_was_lost_is_not_made_up(chance):
    machine = machine_of(chance)
    before, history.MOST_ENTRIES = history.MOST_ENTRIES, chance.randrange(5, 60)
    history.WANTED["max_entries"] = history.MOST_ENTRIES
    try:
        watched = begin(machine)
        for _ in range(30):
            tick(machine, watched)
            machine.work(40)
            if chance.random() < 0.1:
                watched.read()
        watched.read()
        seen = machine.seen_by(watched.table)
        assert set(seen) == set(machine.truth)
        for key, (size, moment, where) in seen.items():
            assert size == machine.truth[key][0]
            assert moment is None or 1 <= moment <= machine.truth[key][1], (moment, machine.truth[key])
    finally:
        history.MOST_ENTRIES = history.WANTED["max_entries"] = before


def growth_by_line_is_that_of_what_nobody_explains(chance):
    machine = machine_of(chance)
    watched = begin(machine)
    for _ in range(12):
        tick(machine, watched)
        machine.work()
    watched.read()
    explained = {a for (_, a) in machine.truth if chance.random() < 0.5}
    wanted = {}
    for (d, address), (size, moment, where) in machine.truth.items():
        if address not in explained and moment > 1:
            steps = wanted.setdefault(d, {}).setdefault(where, {})
            steps[moment - 1] = steps.get(moment - 1, 0) + size
    assert blocks.growth(watched.table, lambda moment: moment - 1, explained) == wanted


def free_memory_is_that_of_the_model(chance):
    machine = machine_of(chance, total=chance.choice((1 << 24, 1 << 30)))
    watched = begin(machine)
    for _ in range(6):
        tick(machine, watched)
        machine.work(60)
    watched.read()
    for d, device in enumerate(machine.devices):
        free = watched.free.get(d) or blocks.Free()
        assert (free.reserved, free.allocated, free.free) == (device.reserved, device.allocated, device.reserved - device.active)
        sizes = [b.size for s in device.segments.values() for b in s.blocks() if b.state == "inactive"]
        assert (free.pieces, free.largest) == (len(sizes), max(sizes, default=0))
        asked = blocks.asked_for(watched.table, lambda moment: moment).get(d, {})
        assert sum(size for _, size, _ in asked.values()) == device.reserved
        assert len(watched.table.device(d).ooms) == min(device.ooms, len(watched.table.device(d).ooms))


def spoil(value, chance, depth=0):
    """VALUE with some of it gone, of another type or absurd."""
    if chance.random() < 0.04:
        return chance.choice((None, -1, "x", 1.5, [], {}, True, 1 << 70, float("nan")))
    if isinstance(value, dict):
        return {k: spoil(v, chance, depth + 1) for k, v in value.items() if chance.random() > 0.04}
    if isinstance(value, (list, tuple)):
        return [spoil(v, chance, depth + 1) for v in value]
    return value


def nonsense_breaks_nothing(chance):
    machine = machine_of(chance)
    watched = begin(machine)
    for _ in range(4):
        tick(machine, watched)
        machine.work()
        machine.torch.cuda.memory._snapshot = lambda: spoil(snapshot(machine.devices), chance)
        watched.read()
        found, places = watched.table.blocks()
        assert set(found) == set(places)
        blocks.growth(watched.table, lambda moment: int(moment))
        blocks.asked_for(watched.table, lambda moment: int(moment))


def versions_without_history_say_so(chance):
    machine = Machine(chance)

    def refuse(enabled="all", max_entries=1):
        raise RuntimeError("not with this allocator")

    machine.torch.cuda.memory._record_memory_history = refuse
    watched = begin(machine)
    assert watched.failed == "RuntimeError: not with this allocator" and not watched.read()
    machine.torch.cuda.memory._record_memory_history = lambda enabled="all", record_context=True: None
    watched = begin(machine)
    assert watched.failed == "this torch's memory history of cuda has no limit" and not watched.read()
    del machine.torch.cuda.memory._record_memory_history
    watched = begin(machine)
    assert watched.failed == "this torch records no memory history of cuda" and not watched.read()
    watched.mark(3)
    watched.stop()
    apple = history.History(types.SimpleNamespace(mps=types.SimpleNamespace(), _C=None))
    apple.start("mps", False)
    assert apple.failed == "this torch records no memory history of mps" and not apple.read()


def blocks_without_addresses_are_found(chance):
    """As snapshots were before 2.1: a block stands where the one before ends, and has a history."""
    machine = Machine(chance)
    machine.record("all", "all")
    machine.work(60)
    old = snapshot(machine.devices)
    for segment in old["segments"]:
        for block in segment["blocks"]:
            del block["address"]
            block["history"] = [{"frames": block.pop("frames"), "real_size": block["requested_size"]}]
    found = {address: (size, blocks.user_line(frames)) for _, address, size, frames in blocks.live_blocks(old)}
    assert found == {address: (size, where) for (_, address), (size, _, where) in machine.truth.items()}


TESTS = [births_and_lines_are_exact, history_alone_suffices,
         what_was_not_recorded_for_a_while_is_unknown, numbers_are_read_as_far_as_they_are_there, a_recorder_that_is_on_is_left_as_it_is, what_was_lost_is_not_made_up,
         growth_by_line_is_that_of_what_nobody_explains, free_memory_is_that_of_the_model, nonsense_breaks_nothing,
         versions_without_history_say_so, blocks_without_addresses_are_found]  # fmt: skip


def main(seeds=()):
    """(passed, failed)"""
    usercode._real.update({path: path for path, _ in LINES})
    passed = failed = 0
    for test in TESTS:
        for seed in seeds or range(ROUNDS):
            try:
                test(random.Random(seed))
            except Exception as fault:
                import traceback

                failed += 1
                print(f"FAILED {test.__name__} with seed {seed}: {fault!r}")
                traceback.print_exc(limit=-2, file=sys.stdout)
                break
        else:
            passed += 1
    return passed, failed


if __name__ == "__main__":
    passed, failed = main([int(seed) for seed in sys.argv[1:]])
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)

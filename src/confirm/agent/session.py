"""One process of the user's under watch: what happens at each tick, when to look who holds what, and when to end.

Rules: nothing is raised into the user's code, nothing is printed, no random number is drawn; when the agent fails it is silent.
"""
import atexit
import os
import sys
import threading
import time

from . import cells, crash, stopping, strays, usercode
from .accounting import Accounting
from .clock import RANK, Clock, Series
from .compiling import Compiling
from .gpu import Gpu
from .holders import FEWEST, SPARSE, Finder, shape
from .imports import fail
from .lines import Lines
from .reach import Reach
from .saved import Saved
from .swelling import Swelling
from .wire import Wire, connected

LOOK_AT = (6, 9, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024)
LOOK_SHARE = 0.1  # of the run's time may go to looking, beyond LOOK_FREE seconds, in the thread's own time
LOOK_FREE = 1.0
WATCH_TICKS, MOST_WATCHED = 8, 60
CURVE_STEPS, CURVE_SECONDS = 64, 0.01
SHORT = 256  # the longest deque with a bound of its own that counts as bounded
COVER_STEPS, COVER_HITS = 24, 10


class Session:
    look_at, look_free = LOOK_AT, LOOK_FREE

    def __init__(self, request):
        self.request = request
        self.began = time.time()
        self.off = False
        self.busy = False
        self.done = self.greeted = False
        self.told_step = 0.0
        self.idle_steps = 0  # after the window
        self.kind = None
        self.limit = int(request.get("steps") or 48)
        self.torch = sys.modules["torch"]
        self.records = {}  # key -> Record
        self.pending = {}
        self.crash = None
        self.phase = 0  # samples since the last step
        self.longest_phase = 0
        self.looked_steps = 0
        self.look_time = 0.0
        self.last_look = 0
        self.last_kind_tick = {}
        self.first_seen = {}
        self.watched = 0
        self.watch_left = 0
        self.satisfied = set()
        self.thread = None
        self.window_over = False
        self.searches = 0
        self.swelling = Swelling()

    # -- beginning and end

    def start(self):
        self.wire = Wire(connected(self.request["socket"]), self.began)
        self.watch()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.silence)
        crash.install(self.crashed, lambda thread: thread == self.thread)
        atexit.register(self.ended)
        if self.request.get("protect") == "torch":
            kept, but = self.request.get("kept") or (), self.request.get("open") or ()
            stopping.protect(self.torch, self.request.get("scratch"), kept, but)
        self.hello()

    def watch(self):
        torch = self.torch
        self.accounting = Accounting(torch, self.request.get("shim"))
        self.shim = self.accounting.shim if self.accounting.shim.ok else None
        self.series = Series(torch)
        self.degraded = set()
        self.saved = Saved(torch, lambda: self.degrade("saved"))
        self.clock = Clock(torch, self.tick, self.backward)
        findings = [f for f in self.request.get("findings") or () if f.get("path")]
        cells.expect(findings)
        self.lines = Lines(findings, self.shim.site if self.shim else self.series.site)
        self.clock.install()
        from .probes import Probes

        self.probes = Probes(self)
        self.probes.install()
        self.gpu = Gpu(self)
        self.clock.on_forward = self.forward
        self.compiling = Compiling(self.compiles)
        self.compiling.install()

    def fault(self, error):
        """A fault of the agent's own: the user's program is not to know of it."""
        fail(error)

    def roots(self):
        """(frames, modules) whose names are followed."""
        return stack_frames(), usercode.user_modules()

    def degrade(self, what):
        """This torch, or what the user does with it, keeps us from seeing something."""
        if what not in self.degraded:
            self.degraded.add(what)
            if self.greeted:
                self.wire.send("degraded", what=what)

    def hello(self):
        for what in self.clock.missing:
            self.degrade(what)
        if self.shim is None:
            self.degrade("shim")
        if not self.series.numbers_nodes:
            self.degrade("sequence")
        self.greeted = True
        environ = os.environ
        self.wire.send(
            "hello", schema="confirm/1", argv=list(getattr(sys, "orig_argv", sys.argv)), python=sys.version.split()[0],
            torch=str(self.torch.__version__), cuda=bool(getattr(self.torch.version, "cuda", None)),
            device="cpu", shim=self.shim is not None,
            rank=as_int(environ.get("RANK")), local_rank=as_int(environ.get("LOCAL_RANK")), ppid=os.getppid(),
            role=role(), degraded=sorted(self.degraded),
        )  # fmt: skip

    def silence(self):
        """In a forked child: what the parent watches is none of its business."""
        self.off = True
        try:
            self.lines.active = None
            if sys.gettrace() == self.lines.on_call:
                sys.settrace(None)
            self.wire.close()
            self.clock.remove()
        except Exception:
            pass

    def crashed(self, kind, text, oom, at):
        if self.off:
            return
        self.crash = kind
        if kind == "KeyboardInterrupt":
            return
        self.probes.at_crash(text, at)
        self.wire.send(
            "crash", type=kind, message=text, oom=oom, step=self.steps(), at=at, **self.accounting.read()
        )
        if oom:
            self.gpu.write_snapshot()  # while what fills the memory is still there

    def ended(self):
        why = "signal" if self.crash == "KeyboardInterrupt" else "exit" if self.crash else "end"
        self.finish(why)

    def finish(self, why):
        if self.off or self.done:
            return
        self.done = True
        try:
            self.lines.stop()
            if self.series.moment and self.series.moment != self.last_look and not self.window_over:
                self.look(final=True)
            self.probes.report()
            self.report(final=True)
            self.gpu.stop()
            counts = {k: self.series.count(k) + self.idle_steps * (k == self.kind) for k in RANK}
            steps = self.steps()
            self.wire.send("bye", why=why, steps=steps, window=[min(steps, max(3, steps // 8)), steps], **counts)
        except Exception as error:
            self.fault(error)
        self.wire.close()

    # -- ticks

    def steps(self):
        return self.series.count(self.kind) + self.idle_steps if self.kind else 0

    def tick(self, kind, subject=None, first=True):
        if self.off or self.busy or self.done:
            return
        if self.thread != threading.get_ident() and not self.trains_here(kind):
            return
        self.busy = True
        stop = None
        try:
            stop = self.ticked(kind, subject, first)
        except Exception as error:
            self.fault(error)
        finally:
            self.busy = False
        if stop:
            self.finish("steps")
            stopping.stop(stop)

    def trains_here(self, kind):
        """Whether this thread is the one to follow from now on: the first that ticks by the highest clock."""
        if self.thread is None or self.kind is None or RANK[kind] > RANK[self.kind] or self.thread not in sys._current_frames():
            self.thread = threading.get_ident()
            return True
        return False

    def ticked(self, kind, subject, first):
        if kind == "opt":
            self.probes.at_optimizer(subject)
            if not first:
                return None
        if self.window_over:
            return self.idle(kind)
        moment = self.series.advance(kind)
        if self.shim:
            self.shim.moment(moment)
        self.gpu.tick(moment)
        if self.kind is None or RANK[kind] > RANK[self.kind]:
            self.wire.send("clock", kind=kind, was=self.kind)
            self.kind = kind
        is_step = kind == self.kind
        if is_step:
            self.phase = 0
            self.last_kind_tick = {}
            self.step(kind)
        else:
            self.last_kind_tick[kind] = self.last_kind_tick.get(kind, 0) + 1
            if max(self.last_kind_tick.values()) != self.last_kind_tick[kind] or self.last_kind_tick[kind] < 2:
                return None
            if self.last_kind_tick[kind] <= self.phase + 1:
                return None
            self.phase += 1
            self.wire.send("sample", urgent=False, k=kind, i=self.series.count(kind), live=self.accounting.live(),
                           host=self.accounting.host())  # fmt: skip
        self.watching(kind)
        self.probes.at_tick(kind, is_step)
        if self.due(is_step):
            self.look()
            self.report()
            self.probes.report()
        if is_step and self.steps() >= self.limit:
            return self.enough()
        return None

    def step(self, kind):
        """A point of the curve: each of the first steps, then no more than a person or a plot can use."""
        now = time.monotonic()
        if self.steps() > CURVE_STEPS and now - self.told_step < CURVE_SECONDS and self.steps() < self.limit:
            return
        self.told_step = now
        accounting = self.accounting
        read = accounting.read()
        self.gpu.tell_devices()
        self.wire.send(
            "step", urgent=False, i=self.steps(), k=kind, host=accounting.host(), rss=accounting.resident(),
            b=self.series.count("batch"), bwd=self.series.count("bwd"), **read,
        )  # fmt: skip

    def enough(self):
        how = self.request.get("stop") or "exit"
        if how != "run":
            return how
        self.lines.stop()
        self.probes.syncs.stop()
        if self.series.moment != self.last_look:
            self.look(final=True)
        self.report()
        self.probes.report()
        self.gpu.stop()
        self.window_over = True
        self.clock.remove(keep=self.kind)
        self.probes.remove()
        self.saved.remove()
        self.compiling.remove()
        self.idle_since = 0.0
        return None

    def idle(self, kind):
        """After the watched steps: a point of the curve now and then, nothing else."""
        if kind != self.kind:
            return None
        self.idle_steps += 1
        now = time.monotonic()
        if now - self.idle_since > 0.25:
            self.idle_since = now
            self.step(kind)
        return None

    def compiles(self):
        """Something is about to be compiled."""
        self.clock.stop_forward()
        self.probes.syncs.off = True
        self.probes.syncs.stop()

    def forward(self, module):
        if not (self.off or self.busy or self.done or self.window_over) and self.thread in (None, threading.get_ident()):
            self.probes.at_forward(module)

    def backward(self, tensors):
        """Before each backward: does it walk what seemed to be kept?"""
        self.tick("bwd", None)
        if self.off or self.busy or self.done or self.thread not in (None, threading.get_ident()):
            return
        self.busy = True
        try:
            if not self.window_over:
                self.consumed(tensors)
                self.probes.at_backward(tensors)
        except Exception as error:
            self.fault(error)
        finally:
            self.busy = False

    # -- who holds what

    def due(self, is_step):
        if is_step:
            at, reached = self.steps(), self.looked_steps
        else:
            at, reached = self.phase, self.longest_phase
        if at not in self.look_at and at != self.limit or at <= reached:
            return False
        if self.look_time > self.look_free + LOOK_SHARE * (time.time() - self.began) and at != self.limit:
            return False
        if is_step:
            self.looked_steps = at
        else:
            self.longest_phase = at
        return True

    def look(self, final=False):
        began = time.thread_time()
        blocks, places = self.gpu.blocks(self.shim.dump() if self.shim else None)
        reach = Reach(self.torch, self.series, self.saved, blocks, self.first_seen, places)
        finder = None
        try:
            with self.torch._C.DisableTorchFunction():
                reach.run(*self.roots())
                self.probes.metrics.find(reach.objects)
                finder = Finder(reach, self.series, self.kind, self.last_look)
                finder.run()
                grown = self.swelling.look(finder, self.series, self.kind, self.steps())
                found = finder.found + grown + self.strays(reach, final)
            for holder in found:
                self.remember(holder, set(holder.numbers))
            self.gone(found)
            if self.shim is None or self.gpu.is_blind():
                self.first_seen = reach.addresses()
            self.complete = reach.complete
            self.gpu.looked(reach, finder, found)
            if not final:
                self.choose_watches(found)
            for holder in found:
                holder.container = holder.slot = None
        finally:
            self.last_look = self.series.moment
            reach.release()
            if finder is not None:
                finder.owners = finder.left = finder.reach = None
            self.look_time += time.thread_time() - began

    def strays(self, reach, final):
        """What grows and has no name: libraries are searched at most twice a run, as that takes a second."""
        now = self.series.count(self.kind)
        if not reach.complete or now < 2 * FEWEST:
            return []
        born, addresses = strays.births(reach, self.series, self.kind)
        if len(born) < 2 * FEWEST:
            return []
        found, cyclic = strays.contexts(reach, self.series, self.kind, addresses)
        if cyclic or not strays.grow(born, now):
            return found
        found = strays.cycles(reach, self.series, self.kind, self.last_look)
        if found:
            return found  # what else is left hangs on these
        rest = {self.series.step_of(self.kind, reach.blocks[a][1]) for a in addresses}
        if strays.grow(rest, now) and self.searches < 2 and (final or now >= 20):
            self.searches += 1
            reach.units = []
            strays.search_libraries(reach)
            finder = Finder(reach, self.series, self.kind, self.last_look)
            finder.run()
            found += finder.found
            addresses -= set(reach.storages)
            rest = {self.series.step_of(self.kind, reach.blocks[a][1]) for a in addresses}
            if strays.grow(rest, now):
                found.append(strays.unreached(reach, self.kind, addresses, self.series))
        return found

    def remember(self, holder, numbers):
        record = self.records.get(holder.key)
        if record is None:
            record = self.records[holder.key] = Record(holder.key, self.last_look > 0)
        holder.accelerated = self.accounting.uses_device()
        record.see(holder, self.series.count(holder.series), self.steps(), self.series.moment)
        record.is_phase = holder.series != self.kind
        if holder.series not in ("fwd", "batch"):
            return
        if holder.freed > holder.intact and self.kind != holder.series:
            record.consumed = True
        elif holder.nodes:
            self.pending[holder.key] = numbers

    def gone(self, found):
        keys = {h.key for h in found}
        for key, record in self.records.items():
            if key not in keys:
                record.missed += 1

    def consumed(self, tensors):
        """A holder within one step whose graph the step's backward walks is the step's own work."""
        if not self.pending:
            return
        tensors = [tensors] if isinstance(tensors, self.torch.Tensor) else list(tensors)
        stack = [t.grad_fn for t in tensors if t.grad_fn is not None]
        seen, moments = set(), set()
        while stack and len(seen) < 50000:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            number = node._sequence_nr()
            if number < 1 << 62:
                moments.add(self.series.moment_of_node(number))
            stack.extend(n for n, _ in node.next_functions if n is not None)
        for key, numbers in self.pending.items():
            if len(moments & numbers) * 2 >= len(numbers):
                self.records[key].consumed = True
        self.pending = {}

    def choose_watches(self, found):
        if self.watched >= MOST_WATCHED:
            return
        wanted = [h for h in found if h.key not in self.satisfied and self.records[h.key].grows() and worth_watching(h)]
        wanted.sort(key=lambda h: (-len(h.births), -h.bytes))
        if wanted and self.lines.start("full", wanted[:8]):
            gaps = [(h.steps()[-1] - h.steps()[0]) // max(1, len(h.steps()) - 1) for h in wanted]
            self.watch_left = max(WATCH_TICKS, min(MOST_WATCHED // 2, 2 + 2 * max(gaps)))

    def watching(self, kind):
        lines = self.lines
        if lines.active:
            if kind == self.kind:
                lines.tick()
            if lines.active == "full":
                self.watched += 1
                self.watch_left -= 1
                for watch in lines.watches:
                    if watch.changes >= 3:
                        self.satisfied.add(watch.key)
                if self.watch_left <= 0 or all(w.changes >= 3 for w in lines.watches):
                    lines.stop()
            elif self.covered_enough():
                lines.stop()
        if lines.failed:
            self.degrade(lines.failed)
        elif not lines.active and lines.covered and not self.covered_enough():
            if self.series.count(self.kind) >= 1:
                lines.start("cover")

    def covered_enough(self):
        covers = self.lines.covered.values()
        return all(hits >= COVER_HITS or steps >= COVER_STEPS for hits, steps in covers)

    # -- telling

    def report(self, final=False):
        for record in list(self.records.values()):
            if record.changed or final:
                record.changed = False
                if not record.worth_telling():
                    continue
                event = record.event(self.lines.sites)
                if event:
                    self.wire.send("holder", urgent=False, **event)
                why = record.bounded()
                if why or record.bound:
                    record.bound = why
                    self.wire.send("bounded", urgent=False, key=record.key, why=why, births=record.birth_rows())
                if record.static and event:
                    row = {"path": event["path"], "line": event["line"], "n": 0, "via": []}
                    self.wire.send("store", urgent=False, key=record.key, how="ctx", lines=[row])
        for key, counter in self.lines.stores.items():
            for how in {c[0] for c in counter}:
                rows = [
                    {"path": p, "line": n, "n": times, "via": [{"path": a, "line": b} for a, b in via]}
                    for (h, p, n, via), times in counter.most_common(8)
                    if h == how
                ]
                self.wire.send("store", urgent=False, key=key, how=how, lines=rows)
        for number, (hits, steps) in self.lines.covered.items():
            self.wire.send("cover", urgent=False, id=number, hits=hits, steps=steps)
        self.wire.flush()


class Record:
    """What all analyses together say of one holder."""

    def __init__(self, key, late):
        self.key = key
        self.told = False
        self.bound = None  # what was last told to bound it
        self.late = late  # an earlier look did not find it
        self.best = self.latest = None
        self.consumed = False
        self.is_phase = False  # grows within a phase of a step, as in an evaluation
        self.cleared = self.slid = 0
        self.missed = self.base = 0
        self.changed = True

    def see(self, holder, now, step, moment):
        steps = holder.steps()
        if self.latest is not None and RANK[holder.series] > RANK[self.latest.series]:
            self.best = self.latest = None  # what grew within a step turns out to grow over steps
            self.consumed, self.cleared, self.slid, self.base = False, 0, 0, 0
        self.static, self.swells, self.garbage = holder.static, holder.swells, holder.garbage
        self.limit = getattr(holder.container, "maxlen", None)  # of a deque that drops the oldest
        before = self.latest
        seen = Seen(holder, now, step, moment)
        if before is not None and before.series == seen.series and steps and before.first:
            if steps[0] > before.first + 1 and steps[0] > before.first + (before.last - before.first) // 4:
                if steps[0] >= before.last or holder.static:  # cycles through ctx, which the collector frees by and by
                    self.cleared += 1
                else:
                    self.slid += 1
        if self.slid:
            self.base = 0
        elif steps and (steps[0] <= self.base or self.cleared or before is None and self.late):
            self.base = steps[0] - 1  # what began or began anew in the middle of the run is judged from there
        seen.base = self.base
        seen.shape = shape([s - self.base for s in steps], now - self.base)
        self.latest = seen
        self.missed = 0
        if self.best is None or seen.weight() >= self.best.weight() or self.slid:
            self.best = seen
        self.changed = True

    def worth_telling(self):
        self.told = self.told or self.latest.shape != "few"
        return self.told

    def grows(self):
        return self.latest.shape in ("leak", "few") and not self.slid

    def bounded(self):
        if self.garbage:
            return "garbage"
        if self.limit is not None and self.limit <= SHORT:
            return "maxlen"
        if self.consumed:
            return "step"
        if self.slid:
            return "window"
        if self.cleared or self.missed and self.is_phase and not self.best.nodes:
            return "sawtooth"
        if self.latest.shape == "filled" and not self.missed:
            return "filled"
        if self.latest.shape == "window":
            return "window"
        return None

    def birth_rows(self):
        best = self.best
        on_device = best.device_births
        rows = [[s] + b + ([on_device.get(s, 0)] if best.accelerated else []) for s, b in sorted(best.births.items())]
        return rows[-2000:]

    def event(self, sites):
        best = self.best
        return {
            "key": self.key, "root": best.root, "path": best.path, "line": best.line, "series": best.series,
            "from": best.base, "at": best.now, "step": best.step, "births": self.birth_rows(), "tensors": best.tensors, "bytes": best.bytes, "used": best.used,
            "nodes": best.nodes, "host_bytes": best.host, "chain_steps": best.chain_steps, "shape": best.shape, "swells": self.swells, "limit": self.limit,
            "alloc": ["%s:%d" % (usercode.real_path(sites[n][0]), sites[n][1]) for n, _ in best.sites.most_common(8)
                      if n < len(sites) and sites[n]],
            "gone": self.missed > 0, "dev": best.lies(),
        }  # fmt: skip


class Seen:
    """One analysis's numbers of a holder, without any reference to the user's objects."""

    def __init__(self, holder, now, step, moment):
        from .holders import NODE_BYTES, TENSOR_BYTES

        self.root, self.path, self.line, self.series = holder.root, holder.path, holder.line, holder.series
        self.births, self.tensors, self.bytes, self.used = holder.births, holder.tensors, holder.bytes, holder.used
        self.nodes, self.chain_steps, self.sites = holder.nodes, holder.chain_steps, holder.sites
        self.host = holder.nodes * NODE_BYTES + holder.tensors * TENSOR_BYTES
        self.now, self.step, self.moment, self.shape = now, step, moment, "few"
        self.base = 0
        self.accelerated, self.devices, self.device_births = holder.accelerated, holder.devices, holder.device_births
        steps = holder.steps()
        self.first, self.last = (steps[0], steps[-1]) if steps else (0, 0)

    def weight(self):
        return len(self.births)

    def lies(self):
        """{"cuda:0": bytes, "cpu": bytes}, where there is more than the CPU."""
        if not self.accelerated:
            return None
        elsewhere = self.bytes - sum(self.devices.values())
        return dict(self.devices, **({"cpu": elsewhere} if elsewhere > 0 else {}))


def worth_watching(holder):
    steps = holder.steps()
    return len(steps) >= FEWEST or len(steps) >= SPARSE and steps[-1] - steps[0] >= 4 * (len(steps) - 1)


def stack_frames():
    """The user's frames: this thread's outermost first, then the other threads'."""
    own = []
    frame = sys._getframe(1)
    while frame is not None:
        if usercode.is_user_file(frame.f_code.co_filename):
            own.append(frame)
        frame = frame.f_back
    own.reverse()
    me = threading.get_ident()
    for ident, frame in sys._current_frames().items():
        while ident != me and frame is not None:
            if usercode.is_user_file(frame.f_code.co_filename):
                own.append(frame)
            frame = frame.f_back
    return own


def as_int(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def role():
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is not None:
        current = multiprocessing.current_process()
        if multiprocessing.parent_process() is not None or getattr(current, "_inheriting", False):
            return "child"
    return "launcher" if "torch.distributed.run" in sys.modules or "torchrun" in os.path.basename(sys.argv[0] or "") else "main"

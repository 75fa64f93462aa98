"""Faults that are no growth: each probe counts, for a line of the user's, how often and in how many steps something happened."""
import gc
import sys
import threading
import weakref

from . import usercode
from .metrics import Metrics
from .patch import replace
from .syncs import Syncs

SAMPLED = 3  # parameters looked at in each group of an optimizer
MOST_CALLS = 400  # forwards in eval mode looked at
UNREACHED, UNREACHED_STEPS = 8, 24  # steps without a gradient that make a habit, of those that are looked at
REMADE = 4  # optimizers or threads from one line that make a habit


class Probe:
    def __init__(self, kind, where, via=(), note=None):
        self.kind, self.where, self.via, self.note = kind, where, via, note
        self.hits = 0
        self.reported = True
        self.in_steps = set()


class Gradient:
    """One of an optimizer's, after its step: whether it was zeroed before the next."""

    def __init__(self, gradient):
        self.gradient, self.version = weakref.ref(gradient), gradient._version
        self.backward_at = None  # where the first backward after the step was
        self.kept = True

    def at_backward(self, frame):
        gradient = self.gradient()
        if gradient is None or not self.kept:
            self.kept = False
        elif self.backward_at is None:
            where = usercode.user_frame(frame)
            self.kept = where is not None and gradient._version == self.version
            self.backward_at = where and (usercode.real_path(where.f_code.co_filename), where.f_lineno)
        else:
            self.kept = not gradient.is_sparse and bool(gradient.any())

    def was_added_to(self, gradient):
        return self.kept and self.backward_at and self.gradient() is gradient and gradient._version > self.version


class Probes:
    def __init__(self, session):
        self.session, self.torch = session, session.torch
        self.found = {}
        self.undo = []
        self.eval_at, self.grad_off_at, self.debug_at = {}, None, {}
        self.trained = weakref.WeakSet()
        self.after_step = {}  # id(optimizer) -> Gradient
        self.without_gradient = {}  # id(parameter) -> steps in which it had none
        self.grown = {}  # id(parameter) -> (id of gradient, version, backwards) of parameters that nobody steps
        self.eval_calls = 0
        self.eval_pending = []
        self.backwards = 0
        self.hooks = []  # (probe, weakref to the mapping, number in it, step)
        self.syncs = Syncs(self)
        self.metrics = Metrics(self)

    # -- records

    def hit(self, kind, where=None, note=None, frame=None, n=1, fallback=True):
        """One more of `kind` at `where` (else at the user's line that runs)."""
        if self.session.off or self.session.window_over:
            return None
        via = ()
        if where is None and fallback:
            frame = usercode.user_frame(frame or sys._getframe(1))
            if frame is not None:
                where, via = (usercode.real_path(frame.f_code.co_filename), frame.f_lineno), usercode.callers(frame, 4)
        probe = self.found.get((kind, where))
        if probe is None:
            if len(self.found) > 200:
                return None
            probe = self.found[(kind, where)] = Probe(kind, where, via, note)
        probe.hits += n
        probe.in_steps.add(self.session.steps())
        if note:
            probe.note = note
        return probe

    def finding_at(self, where, via):
        for path, line in (where,) + tuple(via) if where else ():
            for begin, end, _, _, number in self.session.lines.by_file.get(path, ()):
                if begin <= line <= end:
                    return number
        return None

    def report(self):
        self.settle()
        for probe in self.found.values():
            if not probe.reported:
                continue
            path, line = probe.where or (None, None)
            self.session.wire.send(
                "probe", urgent=False, id=self.finding_at(probe.where, probe.via), kind=probe.kind, path=path, line=line,
                hits=probe.hits, steps=len(probe.in_steps), note=probe.note,
                via=[{"path": p, "line": n} for p, n in probe.via],
            )  # fmt: skip

    def settle(self):
        """What happened too seldom to be a habit is not told."""
        for probe in self.found.values():
            if probe.kind in ("optimizer-made", "thread-started", "param-group-added"):
                probe.reported = len(probe.in_steps) >= REMADE
        self.settle_hooks()

    # -- calls of the user's

    def install(self):
        torch = self.torch
        for part in (
            self.watch_collectors,
            self.watch_modes,
            self.watch_debugging,
            self.watch_making,
            self.watch_hooks,
        ):
            try:
                part(torch)
            except Exception:
                self.session.clock.missing.append(part.__name__[6:])

    def wrap(self, owner, name, before, after=None):
        """Has `before(args, kwargs)` called first or `after(result)` then; nothing where the name is not there."""
        original = getattr(owner, name, None)
        if original is None or isinstance(original, (staticmethod, classmethod)):
            return

        def wrapped(*args, **kwargs):
            session = self.session
            watching = not (session.off or session.busy or session.done)
            if watching and before is not None:
                try:
                    before(args, kwargs)
                except Exception:
                    pass
            result = original(*args, **kwargs)
            if watching and after is not None:
                try:
                    after(result)
                except Exception:
                    pass
            return result

        for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
            try:
                setattr(wrapped, attribute, getattr(original, attribute))
            except AttributeError:
                pass
        wrapped.__wrapped__ = original
        self.undo.append(replace(owner, name, wrapped))

    def remove(self):
        self.syncs.stop()
        undo, self.undo = self.undo, []
        for one in undo:
            try:
                one()
            except Exception:
                pass

    def watch_collectors(self, torch):
        self.wrap(gc, "collect", lambda args, kwargs: self.by_user("gc-collect"))
        if getattr(torch, "cuda", None) is not None:
            self.wrap(torch.cuda, "empty_cache", lambda args, kwargs: self.by_user("empty-cache"))
            self.wrap(torch.cuda, "synchronize", lambda args, kwargs: self.by_user("synchronize"))

    def by_user(self, kind):
        """A call that the user's own line makes, not a library on the way."""
        frame = sys._getframe(3)
        if usercode.is_user_file(frame.f_code.co_filename):
            self.hit(kind, frame=frame)

    def watch_modes(self, torch):
        def train(args, kwargs):
            mode = args[1] if len(args) > 1 else kwargs.get("mode", True)
            module = args[0]
            if not mode:
                where = usercode.here(3)
                if where and id(module) not in self.eval_at or where and module.training:
                    self.eval_at[id(module)] = where

        self.wrap(torch.nn.Module, "train", train)

        def set_grad(args, kwargs):
            mode = args[1] if len(args) > 1 else kwargs.get("mode", True)
            if mode is False:
                self.grad_off_at = usercode.here(3)

        self.wrap(torch.autograd.grad_mode.set_grad_enabled, "__init__", set_grad)
        self.wrap(torch.optim.Optimizer, "zero_grad", self.zero_grad)
        self.wrap(torch.nn.Module, "zero_grad", lambda args, kwargs: self.after_step.clear())

    def zero_grad(self, args, kwargs):
        self.after_step.pop(id(args[0]), None)
        to_none = args[1] if len(args) > 1 else kwargs.get("set_to_none", True)
        if not to_none:
            self.hit("zero-grad-in-place", frame=sys._getframe(2))

    def watch_debugging(self, torch):
        anomaly = torch.autograd.anomaly_mode

        def remember(kind):
            def before(args, kwargs):
                self.debug_at[kind] = usercode.here(3)

            return before

        self.wrap(anomaly.set_detect_anomaly, "__init__", remember("anomaly"))
        self.wrap(anomaly.detect_anomaly, "__init__", remember("anomaly"))
        profiler = sys.modules.get("torch.profiler.profiler")
        for owner in (getattr(profiler, "profile", None), getattr(torch.autograd.profiler, "profile", None)):
            if owner is not None:
                self.wrap(owner, "__init__", remember("profiler"))
        memory = sys.modules.get("torch.cuda.memory")
        if memory is not None:

            def recording(args, kwargs):
                enabled = args[0] if args else kwargs.get("enabled", "all")
                if enabled is not None and enabled is not False:
                    self.debug_at["memory-history"] = usercode.here(3)
                    self.recording = True
                    self.hit("memory-history", self.debug_at["memory-history"])
                else:
                    self.recording = False

            self.wrap(memory, "_record_memory_history", recording)

    recording = False

    def watch_making(self, torch):
        def made(args, kwargs):
            if self.session.steps() > 0:
                self.hit("optimizer-made", frame=sys._getframe(2))

        self.wrap(torch.optim.Optimizer, "__init__", made)

        def added(args, kwargs):
            if sys._getframe(2).f_code.co_name != "__init__" and self.session.steps() > 0:
                self.hit("param-group-added", frame=sys._getframe(2))

        self.wrap(torch.optim.Optimizer, "add_param_group", added)

        def started(args, kwargs):
            if self.session.steps() > 0 and threading.current_thread() is threading.main_thread():
                self.hit("thread-started", frame=sys._getframe(2))

        self.wrap(threading.Thread, "start", started)

    def watch_hooks(self, torch):
        """Hooks that are registered during the steps and stay."""
        module = torch.nn.Module
        for owner, name in (
            (torch.Tensor, "register_hook"),
            (torch.Tensor, "register_post_accumulate_grad_hook"),
            (module, "register_forward_hook"),
            (module, "register_forward_pre_hook"),
            (module, "register_full_backward_hook"),
            (module, "register_full_backward_pre_hook"),
            (torch.optim.Optimizer, "register_step_post_hook"),
            (torch.optim.Optimizer, "register_step_pre_hook"),
        ):
            self.wrap(owner, name, None, self.registered)

    def registered(self, handle):
        frame = sys._getframe(2)
        if self.session.steps() > 0 and len(self.hooks) < 5000 and usercode.is_user_file(frame.f_code.co_filename):
            probe = self.hit("hooks-grow", frame=frame)
            mapping = getattr(handle, "hooks_dict_ref", None)
            if probe is not None and mapping is not None:
                self.hooks.append((probe, mapping, handle.id, self.session.steps()))

    def settle_hooks(self):
        alive = {}
        for probe, mapping, number, step in self.hooks:
            hooks = mapping()
            if hooks is not None and number in hooks:
                alive.setdefault(probe, []).append(step)
        for key, probe in list(self.found.items()):
            if probe.kind == "hooks-grow":
                steps = alive.get(probe, ())
                probe.reported = len(set(steps)) >= REMADE
                probe.hits, probe.in_steps = max(probe.hits, len(steps)), set(steps) or probe.in_steps

    # -- at forwards, backwards and steps

    def at_forward(self, module):
        """An outermost module is called: in eval mode with a graph that nobody may want?"""
        if module.training:
            self.trained.add(module)
            return
        if self.eval_calls >= MOST_CALLS or not self.torch.is_grad_enabled():
            return
        self.eval_calls += 1
        if not any(p.requires_grad for p in module.parameters()):
            return
        frame = usercode.user_frame(sys._getframe(2))
        if frame is None:
            return
        where = (usercode.real_path(frame.f_code.co_filename), frame.f_lineno)
        self.eval_pending.append(self.hit("eval-with-graph", where, frame=frame, note=type(module).__name__))
        probe = self.found.get(("eval-with-graph", where))
        if probe is not None and not probe.via:
            probe.via = usercode.callers(frame, 4)

    def at_backward(self, tensors):
        self.backwards += 1
        if self.eval_pending:  # a graph recorded in eval mode that backward uses
            tensors = [tensors] if isinstance(tensors, self.torch.Tensor) else list(tensors)
            for probe in self.eval_pending[-1:]:
                if probe is not None:
                    probe.hits -= 1
                    if probe.hits <= 0:
                        self.found.pop((probe.kind, probe.where), None)
            self.eval_pending = []
        if self.backwards > 200:
            return
        frame = sys._getframe(2)
        for known in self.after_step.values():
            known.at_backward(frame)
        self.unstepped(frame)

    def parameters(self, optimizer):
        for group in optimizer.param_groups:
            params = group["params"]
            for p in params if len(params) <= SAMPLED else (params[0], params[len(params) // 2], params[-1]):
                yield p

    def never_zeroed(self, optimizer, wanted):
        """At a step: the gradient is the last step's with what the backwards since have added. The smallest is looked at."""
        known = self.after_step.pop(id(optimizer), None)
        p = min((p for p in wanted if p.grad is not None), key=lambda p: p.numel(), default=None)
        if p is None:
            return
        if known is not None and known.was_added_to(p.grad):
            self.hit("grad-at-backward", known.backward_at, note="not zeroed since the step before")
        if self.backwards <= 200:
            self.after_step[id(optimizer)] = Gradient(p.grad)

    def never_reached(self, optimizer, frame):
        """Parameters that an optimizer is to step and that no backward reaches, while it reaches others."""
        if self.session.steps() > UNREACHED_STEPS:
            return
        params = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        without = [p for p in params if p.grad is None]
        if len(without) < len(params):
            for p in params:
                self.without_gradient[id(p)] = self.without_gradient.get(id(p), 0) + 1 if p.grad is None else -UNREACHED_STEPS
            if any(self.without_gradient[id(p)] >= UNREACHED for p in without):
                self.hit("no-gradient-for-some", frame=frame, note="%d of %d parameters" % (len(without), len(params)))

    def unstepped(self, frame):
        """Gradients of parameters that no optimizer steps and nobody zeroes: added to for ever."""
        for module in list(self.session.clock.outer)[:8]:
            p = next((p for p in module.parameters() if p.requires_grad and p.is_leaf), None)
            if p is None or p.grad is None:
                continue
            key, gradient = id(p), p.grad
            before = self.grown.get(key)
            count = 0
            if before is not None and before[0] == id(gradient) and gradient._version == before[1] + 1:
                count = before[2] + 1
                owned = any(p is q for o in list(self.session.clock.optimizers) for g in o.param_groups for q in g["params"])
                if count >= 3 and not owned:
                    self.hit("grad-never-used", frame=frame, note=type(module).__name__)
            self.grown[key] = (id(gradient), gradient._version, count)

    def at_optimizer(self, optimizer):
        """After an optimizer's step."""
        session = self.session
        if session.window_over:
            return
        wanted = [p for p in self.parameters(optimizer) if p.requires_grad]
        self.never_zeroed(optimizer, wanted)
        self.never_reached(optimizer, sys._getframe(3))
        if wanted and all(p.grad is None for p in wanted):
            self.hit("no-gradient-at-step", frame=sys._getframe(3), note=type(optimizer).__name__)
        if not self.torch.is_grad_enabled():
            self.hit("grad-off-at-step", self.grad_off_at, frame=sys._getframe(3))
        for module in list(session.clock.outer):
            if module.training or module not in self.trained or id(module) not in self.eval_at:
                continue
            own = {id(p) for p in module.parameters()}
            if any(id(p) in own for p in wanted):
                self.hit("eval-at-step", self.eval_at[id(module)], note=type(module).__name__)

    def at_crash(self, text, at):
        """Errors that say what a rule says."""
        for words, kind in (
            ("backward through the graph a second time", "second-backward"),
            ("does not require grad and does not have a grad_fn", "no-graph-at-backward"),
            ("modified by an inplace operation", "graph-changed"),
        ):
            if words in text and at:
                places = [(p["path"], p["line"]) for p in reversed(at)]
                probe = self.hit(kind, places[0])
                if probe is not None:
                    probe.via = places[1:5]

    def at_tick(self, kind, is_step):
        if not is_step:
            return
        torch = self.torch
        if torch.is_anomaly_enabled():
            self.hit("anomaly", self.debug_at.get("anomaly"), fallback=False)
        if self.recording:
            self.hit("memory-history", self.debug_at.get("memory-history"), fallback=False)
        enabled = getattr(torch.autograd, "_profiler_enabled", None)
        if enabled is not None and enabled():
            self.hit("profiler", self.debug_at.get("profiler"), fallback=False)
        self.metrics.step()
        self.syncs.step(self.session.steps())

"""The step clock: what ticks where in the user's program. Ranks: optimizer step > batch > backward > forward, and above them
steps that a program counts itself, where it has the agent in it by its own will.

Every tick of any kind opens a new moment; blocks and autograd nodes are born in moments, and a moment is a step of each kind.
"""
import bisect
import sys
import weakref

from .patch import replace

MOST_LINES = 300000  # that are noted
RANK = {"fwd": 0, "bwd": 1, "batch": 2, "opt": 3, "call": 4}


class Series:
    """The moments at which each kind ticked, and the autograd sequence number at each."""

    def __init__(self, torch):
        self.ticks = {kind: [] for kind in RANK}
        self.moment = 0
        self.sequence = []
        self.next_sequence = getattr(torch._C._autograd, "_get_sequence_nr", None)
        self.line_sequence, self.line_sites = [], []
        self.numbers_nodes = self.next_sequence is not None and hasattr(torch._C._FunctionBase, "_sequence_nr")

    def advance(self, kind):
        self.moment += 1
        self.ticks[kind].append(self.moment)
        self.sequence.append(self.next_sequence() if self.next_sequence else 0)
        return self.moment

    def step_of(self, kind, moment):
        """How many ticks of `kind` came before what was born in `moment`."""
        return bisect.bisect_right(self.ticks[kind], moment)

    def moment_of_node(self, number):
        return bisect.bisect_right(self.sequence, number)

    def site(self, number):
        """What is made from now on is made at the line with this number, 0 for unknown: as the shim's, by the numbers of nodes."""
        if self.next_sequence and len(self.line_sites) < MOST_LINES:
            self.line_sequence.append(self.next_sequence())
            self.line_sites.append(number)

    def site_of_node(self, number):
        at = bisect.bisect_right(self.line_sequence, number)
        return self.line_sites[at - 1] if at else 0

    def count(self, kind):
        return len(self.ticks[kind])


class Clock:
    def __init__(self, torch, tick, backward):
        self.torch, self.tick, self.backward = torch, tick, backward
        self.on_forward = None  # called with each outermost module that is called
        self.undo = {}  # kind -> how to stop watching for it
        self.missing = []
        self.optimizers = weakref.WeakSet()
        self.first_optimizer = None
        self.outer = weakref.WeakSet()  # modules that are called by no other module
        self.is_outer, self.modules = {}, {}  # of all that were called, by id
        self.calls = weakref.WeakKeyDictionary()
        self.most = 0
        self.forward_handle = None

    def install(self):
        for part in (self.watch_optimizers, self.watch_batches, self.watch_backward, self.watch_forward):
            try:
                part()
            except Exception:
                self.missing.append(part.__name__[6:])

    def remove(self, keep=None):
        """Stops watching for all kinds but `keep`."""
        for kind in [k for k in self.undo if k != keep]:
            try:
                self.undo.pop(kind)()
            except Exception:
                pass

    def watch_optimizers(self):
        from torch.optim.optimizer import register_optimizer_step_post_hook

        def after(optimizer, args, kwargs):
            try:
                self.optimizers.add(optimizer)
                first = self.first_optimizer() if self.first_optimizer else None
                if first is None:
                    self.first_optimizer, first = weakref.ref(optimizer), optimizer
            except Exception:
                return
            self.most = 0
            if self.calls:
                self.calls = weakref.WeakKeyDictionary()
            self.tick("opt", optimizer, optimizer is first)

        self.undo["opt"] = register_optimizer_step_post_hook(after).remove

    def watch_batches(self):
        from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

        original = Iterator.__next__

        def __next__(iterator):
            self.tick("batch", iterator)
            return original(iterator)

        self.undo["batch"] = replace(Iterator, "__next__", __next__)

    def watch_backward(self):
        autograd = self.torch.autograd
        original = autograd.backward

        def backward(tensors, *args, **kwargs):
            self.backward(tensors)
            return original(tensors, *args, **kwargs)

        backward.__wrapped__ = original
        backward.__doc__ = original.__doc__

        self.undo["bwd"] = replace(autograd, "backward", backward)

    def watch_forward(self):
        """Outermost module calls. A global hook makes each module call a little slower and would be compiled in: it goes
        when the watched steps are over, and before anything is compiled (compiling.py)."""
        from torch.nn.modules.loss import _Loss
        from torch.nn.modules.module import register_module_forward_pre_hook

        def before(module, args):
            try:
                is_outer = self.is_outer.get(id(module))
                if is_outer is None:
                    is_outer = self.judge_module(module, not isinstance(module, _Loss) and not self.is_inner(sys._getframe(1)))
                if not is_outer:
                    return
                if self.on_forward:
                    self.on_forward(module)
                calls = self.calls.get(module, 0) + 1
                self.calls[module] = calls
                if calls <= self.most:
                    return
                self.most = calls
            except Exception:
                return
            self.tick("fwd", module)

        self.forward_handle = register_module_forward_pre_hook(before)
        self.undo["fwd"] = self.stop_forward

    def judge_module(self, module, is_outer):
        """Remembers it by its number for as long as it lives: a look-up in a weak dictionary costs more than all the rest."""
        key = id(module)
        self.modules[key] = weakref.ref(module, lambda _: (self.is_outer.pop(key, None), self.modules.pop(key, None)))
        self.is_outer[key] = is_outer
        if is_outer:
            self.outer.add(module)
        return is_outer

    def stop_forward(self):
        handle, self.forward_handle = self.forward_handle, None
        if handle is not None:
            handle.remove()

    @staticmethod
    def is_inner(frame):
        if frame.f_code.co_name == "inner":  # a function that newer versions define within _call_impl
            frame = frame.f_back
        frame = frame.f_back
        while frame is not None:
            if frame.f_code.co_name == "_call_impl" and frame.f_globals.get("__name__") == "torch.nn.modules.module":
                return True
            frame = frame.f_back
        return False

"""What is compiled by torch._dynamo (torch.compile, a strict torch.export, …): hooks of ours would be compiled in, and stop it
where no break is allowed; and no frame of ours may be compiled."""
import os
import sys

from .imports import Watch
from .patch import replace

NAME = "torch._dynamo"
# What is called first, whoever compiles.
DOORS = (("eval_frame", "OptimizeContext", "__init__"), ("convert_frame", None, "get_traced_fn"))


class Compiling:
    def __init__(self, begins):
        """`begins` is called before anything is compiled."""
        self.begins = begins
        self.watch = None
        self.undo = []

    def install(self):
        module = sys.modules.get(NAME)
        if module is not None:
            self.loaded(module)
        else:
            self.watch = Watch(NAME, self.loaded)
            sys.meta_path.insert(0, self.watch)

    def loaded(self, module):
        self.skip_own_frames()
        for part, kind, name in DOORS:
            owner = getattr(module, part, None)
            owner = getattr(owner, kind, None) if kind else owner
            if hasattr(owner, name):
                self.wrap(owner, name)

    def wrap(self, owner, name):
        original = getattr(owner, name)

        def wrapped(*args, **kwargs):
            self.remove()
            self.begins()
            return original(*args, **kwargs)

        wrapped.__wrapped__ = original
        self.undo.append(replace(owner, name, wrapped))

    @staticmethod
    def skip_own_frames():
        try:
            try:
                from torch._dynamo.skipfiles import SKIP_DIRS, _recompile_re  # 2.2
            except ImportError:
                from torch._dynamo.trace_rules import SKIP_DIRS, _recompile_re
            folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
            if folder not in SKIP_DIRS:
                SKIP_DIRS.append(folder)
                _recompile_re()
        except Exception:
            pass  # it will try to compile them, and leave it

    def remove(self):
        undo, self.undo = self.undo, []
        for one in undo:
            one()
        if self.watch in sys.meta_path:
            sys.meta_path.remove(self.watch)

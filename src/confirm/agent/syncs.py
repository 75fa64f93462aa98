"""Reads of a tensor's value that make the CPU wait for a GPU, by line, in some steps: Tensor's own methods are wrapped there,
so nothing is paid in any other step."""
import sys
import types

from . import usercode

READS = (
    "item", "tolist", "cpu", "numpy", "nonzero", "__bool__", "__float__", "__int__", "__index__", "__format__", "__repr__",
    "__str__", "__array__",
)  # fmt: skip
FIRST, LAST = 3, 27  # the steps between which it listens


_call = lambda original, tensor, args, kwargs: original(tensor, *args, **kwargs)  # noqa: E731: of one line, for its number


class Syncs:
    def __init__(self, probes):
        self.probes = probes
        self.saved = None
        self.inside = self.off = False
        self.calls = {}  # (code, line) -> a function that calls from there

    def step(self, number):
        if self.off or number >= LAST:
            self.stop()
        elif number >= FIRST and self.saved is None:
            self.listen()

    def listen(self):
        tensor = self.probes.torch.Tensor
        self.saved = {}
        for name in READS:
            original = getattr(tensor, name, None)
            if original is not None:
                self.saved[name] = tensor.__dict__.get(name)
                setattr(tensor, name, self.wrapper(name, original))

    def stop(self):
        tensor, saved, self.saved = self.probes.torch.Tensor, self.saved, None
        for name, original in (saved or {}).items():
            if original is None:
                delattr(tensor, name)
            else:
                setattr(tensor, name, original)

    def wrapper(self, name, original):
        def read(tensor, *args, **kwargs):
            if self.inside or self.saved is None:
                return original(tensor, *args, **kwargs)
            self.inside = True
            try:
                call = None
                try:
                    frame = sys._getframe(1)
                    self.note(name, frame)
                    call = self.call_from(frame)
                except Exception:
                    pass
                return call(original, tensor, args, kwargs) if call else original(tensor, *args, **kwargs)
            finally:
                self.inside = False

        read.__name__ = name
        return read

    def call_from(self, frame):
        """What calls a function so that a warning of its speaks of the user's line, and not of one here."""
        key = (frame.f_code, frame.f_lineno)
        call = self.calls.get(key)
        if call is None:
            code = _call.__code__.replace(co_filename=frame.f_code.co_filename, co_firstlineno=frame.f_lineno,
                                          co_name=usercode.CALLER)  # fmt: skip
            call = self.calls[key] = types.FunctionType(code, frame.f_globals, usercode.CALLER)
        return call

    def note(self, name, frame):
        module = frame.f_globals.get("__name__", "")
        if self.probes.session.busy or module.startswith(("torch.optim", "torch._dynamo", "_vramlint")):
            return
        self.probes.hit("sync", frame=frame, note=name.strip("_"))

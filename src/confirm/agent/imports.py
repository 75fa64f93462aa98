"""What to do once a module is there, without importing it."""
import os
import sys


def fail(error):
    """Ours alone; the user's program goes on."""
    if os.environ.get("VRAMLINT_CONFIRM_DEBUG"):
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)


class Watch:
    """A finder that finds nothing itself: it has the loader of the module `name` call `then(module)` once that is there."""

    def __init__(self, name, then):
        self.name, self.then = name, then
        self.busy = False

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.busy:
            return None
        import importlib.util

        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        finally:
            self.busy = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return None
        loader, execute = spec.loader, spec.loader.exec_module

        def exec_module(module):
            vars(loader).pop("exec_module", None)  # once, though two of us may wait for the same module
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            try:
                self.then(module)
            except Exception as error:
                fail(error)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            return None
        return spec

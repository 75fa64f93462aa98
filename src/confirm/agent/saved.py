"""What a node of a graph has saved for its backward, read without running anybody's hooks.

A torch whose SavedTensor has no `data` (2.6 and before) gives it by attributes that run the unpack hooks, which checkpointing
and offloading use: there nothing is read any more once somebody has set such hooks.
"""
from .patch import replace


class Saved:
    def __init__(self, torch, on_loss):
        """`on_loss` is called when it turns out that nothing can be read."""
        self.torch, self.on_loss = torch, on_loss
        self.names = {}  # type of node -> its attributes
        self.can_read = True
        self.freed = set()  # (type, number) of nodes that have been: to be told so by an exception costs milliseconds
        self.undo = None
        kind = getattr(torch._C._autograd, "SavedTensor", None)
        self.prefix = "_raw_saved_" if hasattr(kind, "data") else "_saved_"
        if self.prefix == "_saved_":
            self.watch_hooks()

    def watch_hooks(self):
        owner, name = self.torch._C._autograd, "_push_saved_tensors_default_hooks"
        original = getattr(owner, name, None)
        if original is None:
            self.lose()
            return

        def push(*args):
            self.lose()
            return original(*args)

        self.undo = replace(owner, name, push)

    def lose(self):
        self.can_read = False
        self.remove()
        self.on_loss()

    def remove(self):
        undo, self.undo = self.undo, None
        if undo is not None:
            undo()

    def of(self, node):
        """([(name, value)], whether backward has freed them: None where that cannot be told)."""
        if not self.can_read:
            return (), None
        kind = type(node)
        names = self.names.get(kind)
        if names is None:
            stems = [n[len("_raw_saved_") :] for n in dir(node) if n.startswith("_raw_saved_")]
            names = [(self.prefix + stem, stem) for stem in stems]
            self.names[kind] = names = [(a if hasattr(kind, a) else a.lstrip("_"), stem) for a, stem in names]
        known = self.prefix == "_saved_" and (kind, node._sequence_nr())
        if known in self.freed:
            return (), True
        found, freed = [], None
        for attribute, name in names:
            try:
                value = getattr(node, attribute)
            except RuntimeError as error:
                if "second time" in str(error):
                    self.freed.add(known)
                    return (), True
                continue
            for part in value if isinstance(value, (tuple, list)) else (value,):
                if self.prefix == "_raw_saved_":
                    try:
                        part = part.data
                    except Exception:
                        continue
                if part is not None:
                    found.append((name, part))
                    freed = False
                elif self.prefix == "_raw_saved_":
                    freed = freed is not False
        return found, freed

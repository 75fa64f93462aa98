"""Putting something of the agent's in the place of an attribute, and taking it away again."""


def replace(owner, name, ours):
    """`owner` has `ours` as `name` from now on. Returns what puts back what was there, unless others have put theirs over it."""
    original = getattr(owner, name)
    inherited = isinstance(owner, type) and name not in owner.__dict__
    setattr(owner, name, ours)

    def undo():
        if getattr(owner, name, None) is ours:
            if inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, original)

    return undo

"""Ending the run after enough steps, and keeping the user's checkpoints as they are meanwhile."""
import os
import sys


def stop(how):
    """"exit" ends the process as if all had gone well, without any handler; "raise" is Ctrl-C at the step; "run" goes on."""
    if how == "raise":
        raise KeyboardInterrupt("vramlint confirm: enough steps")
    if how == "exit":
        leave()


def leave():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass
    try:
        import ctypes

        ctypes.CDLL(None).fflush(None)
    except Exception:
        pass
    if "multiprocessing" in sys.modules:
        try:
            for child in sys.modules["multiprocessing"].active_children():
                child.terminate()
        except Exception:
            pass
    os._exit(0)


def is_in(path, folders):
    return any(path.startswith(folder.rstrip("/") + "/") for folder in folders)


def protect(torch, scratch, kept=(), but=()):
    """torch.save to a path goes below `scratch`, and torch.load finds it there again.

    What lies in `kept` is protected anyhow, except in `but`."""
    if not scratch:
        return
    saved = {}
    save, load = torch.save, torch.load

    def redirected(obj, f, *args, **kwargs):
        if isinstance(f, (str, os.PathLike)):
            name = os.path.abspath(os.fspath(f))
            real = os.path.realpath(name)
            if is_in(real, kept) and not is_in(real, but):
                return save(obj, f, *args, **kwargs)
            if name not in saved:
                if not saved:
                    sys.stderr.write(
                        "vramlint: torch.save writes below '%s' in this run, instead of '%s'\n" % (scratch, name)
                    )
                os.makedirs(scratch, exist_ok=True)
                saved[name] = os.path.join(scratch, "%d-%d-%s" % (os.getpid(), len(saved), os.path.basename(name)))
            f = saved[name]
        return save(obj, f, *args, **kwargs)

    def found(f, *args, **kwargs):
        if isinstance(f, (str, os.PathLike)):
            f = saved.get(os.path.abspath(os.fspath(f)), f)
        return load(f, *args, **kwargs)

    redirected.__wrapped__, found.__wrapped__ = save, load
    torch.save, torch.load = redirected, found

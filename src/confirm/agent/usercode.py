"""Which code is the user's, and where in it we are."""
import os
import sys
import sysconfig

from . import cells

_places = {sysconfig.get_path(n) for n in ("stdlib", "platstdlib", "purelib", "platlib")}
_places.update(os.path.realpath(p) for p in list(_places) if p)
_library = tuple(os.path.join(p, "") for p in _places if p)
_own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_yours = ()  # folders and files that count as the user's wherever they lie
_is_user = {}
_real = {}
_files = {}


def is_user_file(name):
    known = _is_user.get(name)
    if known is None:
        known = _is_user[name] = _judge(name)
    return known


CALLER = "<vramlint>"  # the name of functions of the agent's that pass for a line of the user's


def is_own(code):
    return code.co_name == CALLER or os.path.abspath(code.co_filename).startswith(_own)


def _judge(name):
    if not name:
        return False
    if name.startswith("<"):
        return name.startswith("<ipython") or cells.is_cell(name)
    full = os.path.abspath(name)
    if full.startswith(_yours):
        return True
    parts = full.replace("\\", "/")
    if full.startswith(_own) or "/site-packages/" in parts or "/dist-packages/" in parts:
        return False
    if full.startswith(_library) or os.path.basename(full) in ("sitecustomize.py", "usercustomize.py"):
        return False
    return True


def take_in(places):
    """Files at or below these are the user's, though installed as libraries are; the last call holds."""
    global _yours
    _yours = tuple(os.path.join(place, "") if os.path.isdir(place) else place for place in map(os.path.abspath, places))
    _is_user.clear()


def leave_out(folder):
    """What lies below it is no code of the user's."""
    global _library
    folder = os.path.join(os.path.abspath(folder), "")
    if folder not in _library:
        _library += (folder,)
        _is_user.clear()


def real_path(name):
    known = _real.get(name)
    if known is None:
        if cells.is_cell(name):
            known = cells.told_as(name)
        else:
            known = name if name.startswith("<") else os.path.realpath(name)
        if name not in cells.TIMED:
            _real[name] = known
    return known


def user_frame(frame):
    """The innermost frame of the user's code from `frame` outwards."""
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def here(depth=1):
    """(path, line) of the user's line that is running, or None."""
    frame = user_frame(sys._getframe(depth))
    return (real_path(frame.f_code.co_filename), frame.f_lineno) if frame is not None else None


def callers(frame, limit=8):
    """(path, line) of the user's frames that wait for `frame`, innermost first."""
    found = []
    frame = frame.f_back if frame is not None else None
    while frame is not None and len(found) < limit:
        if is_user_file(frame.f_code.co_filename):
            found.append((real_path(frame.f_code.co_filename), frame.f_lineno))
        frame = frame.f_back
    return found


def module_file(name):
    """The file of a module; Python takes `__file__` from `__main__` again before the program is quite over."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not isinstance(file, str):
        return _files.get(name)
    _files[name] = file
    return file


def user_modules():
    """[(name, module)] whose file is the user's, `__main__` first."""
    found = []
    for name, module in list(sys.modules.items()):
        if name == "__main__":
            module_file(name)
            found.insert(0, (name, module))
        elif isinstance(getattr(module, "__file__", None), str) and is_user_file(module.__file__):
            if not name.startswith("_vramlint") and name != "__mp_main__":
                found.append((name, module))
    return found


def owns_its_locals(frame):
    """Whether f_locals is a copy (a function's) and no namespace that somebody uses."""
    return bool(frame.f_code.co_flags & 0x1)  # CO_OPTIMIZED


def forget_locals(frame):
    """Before 3.13 f_locals leaves a dict on the frame that would keep the user's objects alive."""
    if sys.version_info < (3, 13) and owns_its_locals(frame) and sys.gettrace() is None:
        try:
            frame.f_locals.clear()
        except Exception:
            pass

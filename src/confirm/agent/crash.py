"""What is known when the user's program dies of an exception."""
import sys

from . import usercode

MEMORY_WORDS = ("out of memory", "can't allocate memory", "alloc_cpu", "defaultcpuallocator", "std::bad_alloc")


def is_out_of_memory(kind, text):
    return kind in ("OutOfMemoryError", "MemoryError") or any(word in text.lower() for word in MEMORY_WORDS)


def places(trace):
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if usercode.is_user_file(code.co_filename) and not usercode.is_own(code):
            found.append(
                {"path": usercode.real_path(code.co_filename), "line": trace.tb_lineno, "name": code.co_name}
            )
        trace = trace.tb_next
    return found[-16:]


def without_own(trace):
    """The traceback without the frames of the agent's wrappers, which the user did not write and should not read."""
    while trace is not None and usercode.is_own(trace.tb_frame.f_code):
        trace = trace.tb_next
    at = trace
    while at is not None:
        after = at.tb_next
        while after is not None and usercode.is_own(after.tb_frame.f_code):
            after = after.tb_next
        if after is not at.tb_next:
            at.tb_next = after
        at = after
    return trace


def install(report):
    """Has `report(type name, message, oom, at)` called before the hook that is there."""
    before = sys.excepthook

    def hook(kind, value, trace):
        try:
            text = str(value)[:2000]
            report(kind.__name__, text, is_out_of_memory(kind.__name__, text), places(trace))
            trace = without_own(trace)
            value = value.with_traceback(trace)
        except Exception:
            pass
        before(kind, value, trace)

    sys.excepthook = hook

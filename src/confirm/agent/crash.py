"""What is known when the user's program dies of an exception."""
import sys
import threading

from . import cells, usercode

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


def install(report, is_watched):
    """Has `report(type name, message, oom, at)` called before the hooks that are there; of threads, where `is_watched(ident)`."""
    before, before_thread = sys.excepthook, threading.excepthook

    def tell(kind, value, trace):
        try:
            text = str(value)[:2000]
            report(kind.__name__, text, is_out_of_memory(kind.__name__, text), places(trace))
        except Exception:
            pass

    def cleaned(value, trace):
        trace = without_own(trace)
        return value.with_traceback(trace), trace

    def hook(kind, value, trace):
        tell(kind, value, trace)
        try:
            value, trace = cleaned(value, trace)
        except Exception:
            pass
        before(kind, value, trace)

    def thread_hook(args):
        if args.exc_type is not SystemExit and is_watched(threading.get_ident()):
            tell(args.exc_type, args.exc_value, args.exc_traceback)
        try:
            value, trace = cleaned(args.exc_value, args.exc_traceback)
            args = threading.ExceptHookArgs((args.exc_type, value, trace, args.thread))
        except Exception:
            pass
        before_thread(args)

    def cell_ran(result):
        error = result.error_in_exec
        if error is not None and not isinstance(error, (KeyboardInterrupt, SystemExit)):
            tell(type(error), error, error.__traceback__)

    sys.excepthook, threading.excepthook = hook, thread_hook
    kernel = cells.shell()
    if kernel is not None:
        kernel.events.register("post_run_cell", cell_ran)

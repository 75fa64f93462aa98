"""Has a CPU torch play that it has GPUs: tensors "on cuda" lie in memory that the model in allocator.py manages.

What is asked of torch.cuda goes through torch's own Python down to torch._C, whose functions are played here. A function mode
sees each operation: its results lie on the device where an argument does. FAKE_CUDA: JSON of
{"devices": 1, "total": bytes, "lacks": ["metadata", "clear", "history", "time"]}.
"""
import bisect
import ctypes
import json
import mmap
import os
import sys
import threading
import warnings

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from allocator import Allocator, OutOfMemory, snapshot

HERE = os.path.dirname(os.path.abspath(__file__))
SYNCS = ("item", "tolist", "cpu", "nonzero", "__bool__", "__float__", "__int__", "__format__", "__repr__", "numpy")
OPTIONS = {"devices": 1, "total": 4 << 30, "lacks": []}
OPTIONS.update(json.loads(os.environ.get("FAKE_CUDA") or "{}"))
ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def frames():
    found, frame = [], sys._getframe(1)
    while frame is not None and len(found) < 40:
        name = frame.f_code.co_filename
        if not name.startswith(HERE) and not name.endswith("ctypes/__init__.py"):
            found.append({"filename": name, "line": frame.f_lineno, "name": frame.f_code.co_name})
        frame = frame.f_back
    return found


class Fake:
    def __init__(self):
        self.library = ctypes.CDLL(os.environ["FAKE_CUDA_LIBRARY"])
        self.kept, self.starts, self.owners = [], [], []  # memory; its addresses, in order; whose it is
        self.devices = [self.device(d) for d in range(OPTIONS["devices"])]
        self.current, self.sync_mode = 0, 0
        self.busy, self.pending, self.over = False, [], False
        self.failure = self.default = None
        self.fractions = [1.0] * len(self.devices)
        self.lock = threading.RLock()
        self.calls = ALLOC(self.alloc), FREE(self.free)
        self.library.fake_install(*self.calls)

    def device(self, d):
        import time

        return Allocator(d, OPTIONS["total"], take=lambda size: self.take(d, size), frames=frames,
                         clock=lambda: int(time.time() * 1e6))  # fmt: skip

    def take(self, d, size):
        memory = mmap.mmap(-1, size)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.kept.append(memory)  # for good: a range stays the device's
        at = bisect.bisect(self.starts, address)
        self.starts.insert(at, address)
        self.owners.insert(at, (address + size, d))
        self.library.fake_range(ctypes.c_size_t(address), ctypes.c_size_t(address + size))
        return address

    def owner(self, address):
        at = bisect.bisect(self.starts, address) - 1
        if at >= 0 and address < self.owners[at][0]:
            return self.owners[at][1]
        return None

    def alloc(self, size):
        with self.lock:
            self.busy = True
            try:
                return self.devices[self.current].malloc(size)
            except OutOfMemory:
                self.failure = size
                return None
            except Exception as error:
                os.write(2, ("fake cuda: %r\n" % error).encode())
                return None
            finally:
                self.busy = False
                self.settle()

    def free(self, address):
        if self.over:
            return
        with self.lock:
            self.pending.append(address)
            if not self.busy:
                self.settle()

    def settle(self):
        while self.pending:
            address = self.pending.pop()
            self.busy = True
            try:
                self.devices[self.owner(address)].free(address)
            except Exception as error:
                os.write(2, ("fake cuda: free of %#x: %r\n" % (address, error)).encode())
            finally:
                self.busy = False

    def place(self, tensor):
        try:
            return self.owner(UNTYPED(tensor).data_ptr())
        except Exception:
            return None


UNTYPED = torch.Tensor.untyped_storage


def target(value):
    """The device number that VALUE names, "cpu", or None where it names no device."""
    if isinstance(value, str) and value.split(":")[0] in ("cuda", "cpu") or isinstance(value, torch.device):
        device = torch.device(value)
        return "cpu" if device.type != "cuda" else fake.current if device.index is None else device.index
    return None


class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return func(*args, **kwargs)
        here = self.find(args) if args else None
        if here is None and kwargs:
            here = self.find(tuple(kwargs.values()))
        if name == "cuda" and args:
            return self.move(torch.Tensor.to, args[0], self.index(args[1:]), here, (), {})
        if name == "cpu" and args:
            return self.move(torch.Tensor.to, args[0], "cpu", here, (), {})
        wanted = target(kwargs.get("device"))
        if wanted is None and fake.default is not None and name in ("tensor", "as_tensor"):
            wanted = fake.default
        if name == "to" and args:
            rest = args[1:]
            if wanted is None and rest and target(rest[0]) is not None:
                wanted, rest = target(rest[0]), rest[1:]
            if wanted is None and rest and isinstance(rest[0], torch.Tensor):
                other = fake.place(rest[0])
                wanted, rest = "cpu" if other is None else other, (rest[0].dtype,) + rest[1:]
            kwargs.pop("device", None)
            if wanted is not None:
                return self.move(func, args[0], wanted, here, rest, kwargs)
        if wanted is not None:
            kwargs["device"] = "cpu"
            if name in ("tensor", "as_tensor"):
                return self.move(torch.Tensor.to, func(*args, **kwargs), wanted, None, (), {})
            here = None if wanted == "cpu" else wanted
        elif "device" in kwargs and here is None:
            kwargs["device"] = None
        elif fake.default is not None and func in _device_constructors():
            here = fake.default
        if here is not None and name in SYNCS:
            sync()
        return self.on(None if name in SYNCS else here, func, args, kwargs)

    @staticmethod
    def index(args):
        value = args[0] if args else None
        return fake.current if value is None else value if isinstance(value, int) else target(value)

    def find(self, values, depth=2):
        for value in values:
            if isinstance(value, torch.Tensor):
                here = fake.place(value)
                if here is not None:
                    return here
            elif depth and type(value) in (list, tuple):
                here = self.find(value, depth - 1)
                if here is not None:
                    return here
        return None

    def move(self, to, tensor, wanted, here, rest, kwargs):
        if wanted == here or wanted == "cpu" and here is None:
            return self.on(here, to, (tensor, "cpu") + rest, kwargs)
        if wanted == "cpu":
            sync()
        kwargs["copy"] = True
        if not isinstance(rest[:1] and rest[0], torch.dtype):
            rest = (tensor.dtype,)
        return self.on(None if wanted == "cpu" else wanted, to, (tensor, "cpu", rest[0]), kwargs)

    @staticmethod
    def on(device, func, args, kwargs):
        before, current = fake.library.fake_on_device(device is not None), fake.current
        if device is not None:
            fake.current = device
        try:
            result = func(*args, **kwargs)
        finally:
            fake.current = current
            fake.library.fake_on_device(before)
        if fake.failure is not None:
            size, fake.failure = fake.failure, None
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate %.2f MiB." % (size / 2**20))
        return result


def sync():
    if fake.sync_mode == 1:
        warnings.warn("called a synchronizing CUDA operation", stacklevel=4)
    elif fake.sync_mode == 2:
        raise RuntimeError("called a synchronizing CUDA operation")


class Properties:
    name, major, minor, multi_processor_count = "Fake GPU", 8, 0, 100
    uuid = "00000000-0000-0000-0000-000000000001"

    def __init__(self):
        self.total_memory = OPTIONS["total"]


def lazy_init():
    torch.cuda._initialized = True


def record(enabled, context, stacks, most, clear=False, compiling=False, annotations=False, skipped=()):
    if "history" in OPTIONS["lacks"]:
        raise RuntimeError("this allocator records no history")
    if "clear" in OPTIONS["lacks"]:
        clear = True
    for device in fake.devices:
        device.record(enabled, context, min(most, 1 << 60), clear, skipped)


def snapshot_of(pool=None, *more):
    found = snapshot(fake.devices)
    if "time" in OPTIONS["lacks"]:
        found["device_traces"] = [[{k: v for k, v in entry.items() if k != "time_us"} for entry in trace]
                                  for trace in found["device_traces"]]
    return found


def set_note(note):
    for device in fake.devices:
        device.note = note


def set_fraction(fraction, d):
    fake.fractions[d] = fraction
    fake.devices[d].total = int(OPTIONS["total"] * fraction)


def traceback_of(address):
    for device in fake.devices:
        if address in device.live:
            return device.live[address].frames
    return None


def set_default(device):
    where = target(torch.device(device)) if device is not None else "cpu"
    fake.default = None if where == "cpu" else where


def set_sync(mode):
    fake.sync_mode = mode


def set_device(d):
    fake.current = d


def reset_peak(d):
    fake.devices[d].peak = fake.devices[d].allocated


def free_and_total(device=None):
    d = fake.current if device is None else torch.device(device).index if not isinstance(device, int) else device
    return fake.devices[d or 0].total - fake.devices[d or 0].reserved, fake.devices[d or 0].total


def install():
    global fake, mode
    fake = Fake()
    c, cuda = torch._C, torch.cuda
    played = {
        "getDeviceCount": lambda: len(fake.devices), "isInBadFork": lambda: False, "init": lambda: None,
        "memoryStats": lambda d: fake.devices[d].stats(), "memorySnapshot": snapshot_of,
        "record_memory_history": record, "isHistoryEnabled": lambda: bool(fake.devices[0].recording),
        "setMemoryMetadata": set_note, "getMemoryMetadata": lambda: fake.devices[0].note,
        "allocationTraceback": traceback_of, "emptyCache": lambda: [d.empty() for d in fake.devices],
        "synchronize": lambda: None, "getDevice": lambda: fake.current, "setDevice": set_device,
        "setMemoryFraction": set_fraction, "getMemoryFraction": lambda d: fake.fractions[d],
        "resetPeakMemoryStats": reset_peak, "getCurrentRawStream": lambda d: 0, "resetAccumulatedMemoryStats": lambda d: None,
        "set_sync_debug_mode": set_sync, "get_sync_debug_mode": lambda: fake.sync_mode,
    }  # fmt: skip
    for name, function in played.items():
        setattr(c, "_cuda_" + name, function)
    memory = cuda.memory
    if "metadata" in OPTIONS["lacks"]:
        for name in ("_set_memory_metadata", "_get_memory_metadata"):
            if hasattr(memory, name):
                delattr(memory, name)
    if "clear" in OPTIONS["lacks"]:

        def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=1 << 60, device=None):
            record(enabled, context, stacks, max_entries)

        memory._record_memory_history = _record_memory_history
    cuda._lazy_init = memory._lazy_init = lazy_init
    cuda.is_available = lambda: True
    cuda.device_count = lambda: len(fake.devices)
    cuda.current_device = lambda: fake.current
    cuda.get_device_properties = lambda device=None: Properties()
    cuda.get_device_name = lambda device=None: Properties.name
    cuda.synchronize = lambda device=None: None
    cuda.manual_seed = cuda.manual_seed_all = lambda seed: None
    cuda.mem_get_info = memory.mem_get_info = free_and_total
    torch.set_default_device = set_default
    torch.Tensor.device = property(shown_device)
    torch.Tensor.is_cuda = property(lambda tensor: fake.place(tensor) is not None)
    torch.Tensor.is_cpu = property(lambda tensor: fake.place(tensor) is None)
    import atexit

    atexit.register(over)
    mode = Mode()
    mode.__enter__()


def shown_device(tensor):
    place = fake.place(tensor)
    if place is not None and not torch.cuda._initialized:
        lazy_init()
    return torch.device("cpu") if place is None else torch.device("cuda", place)


def over():
    fake.over = True

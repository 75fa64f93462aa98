"""Bytes: what torch's CPU allocator has handed out (by the shim), what malloc has, what the process has, what CUDA says."""
import ctypes
import os
import time


class Block(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_size_t),
        ("size", ctypes.c_uint64),
        ("moment", ctypes.c_uint32),
        ("site", ctypes.c_uint32),
    ]


class Shim:
    """The preloaded counter; `ok` says that it passed its self-test."""

    def __init__(self, path, torch):
        self.ok = False
        self.host_bytes = None
        if not path or not os.path.exists(path):
            return
        try:
            library = ctypes.CDLL(path)
            for name in ("live", "peak", "blocks", "host"):
                getattr(library, "vramlint_" + name).restype = ctypes.c_int64
            library.vramlint_dump.restype = ctypes.c_size_t
            library.vramlint_dump.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            self.live, self.peak, self.blocks = library.vramlint_live, library.vramlint_peak, library.vramlint_blocks
            self.moment, self.site, self.dump_to = library.vramlint_moment, library.vramlint_site, library.vramlint_dump
            if library.vramlint_host() >= 0:
                self.host_bytes = library.vramlint_host
            self.ok = self.passes(torch)
        except (OSError, AttributeError):
            pass

    def passes(self, torch):
        before = self.live()
        tensor = torch.empty(250000, dtype=torch.float32, device="cpu")
        during = self.live()
        del tensor
        return during - before == 1000000 and self.live() == before

    def dump(self):
        """{address: (size, moment, site)} of all live blocks."""
        room = max(1024, self.blocks() + 4096)
        array = (Block * room)()
        count = self.dump_to(array, room)
        view = memoryview(array).cast("B")[: count * ctypes.sizeof(Block)]
        import struct

        return {a: (size, moment, site) for a, size, moment, site in struct.iter_unpack("@NQII", view)}


class Accounting:
    def __init__(self, torch, shim_path):
        self.torch = torch
        self.shim = Shim(shim_path, torch)
        self.page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self.rss_read = 0.0
        self.rss = None
        self.highest = None
        self.cuda_ready = None

    def live(self):
        """Bytes of tensors: on the device where one is used, else in the CPU allocator; None where nobody can tell."""
        if self.cuda():
            try:
                return sum(self.torch.cuda.memory_allocated(d) for d in range(self.torch.cuda.device_count()))
            except Exception:
                return None
        return self.shim.live() if self.shim.ok else None

    def peak(self):
        if self.cuda():
            return sum(self.torch.cuda.max_memory_allocated(d) for d in range(self.torch.cuda.device_count()))
        return self.shim.peak() if self.shim.ok else None

    def host(self):
        return self.shim.host_bytes() if self.shim.host_bytes else None

    def resident(self):
        now = time.monotonic()
        if now - self.rss_read > 0.05:
            self.rss_read = now
            try:
                with open("/proc/self/statm", "rb") as file:
                    self.rss = int(file.read().split()[1]) * self.page
            except (OSError, IndexError, ValueError):
                self.rss = None
        return self.rss

    def cuda(self):
        """Whether this process has a CUDA context; never makes one."""
        cuda = getattr(self.torch, "cuda", None)
        try:
            return bool(cuda is not None and cuda.is_initialized())
        except Exception:
            return False

    def devices(self):
        if not self.cuda():
            return []
        found = []
        for d in range(self.torch.cuda.device_count()):
            try:
                stats = self.torch.cuda.memory_stats(d)
            except Exception:
                continue
            found.append(
                {
                    "d": d,
                    "allocated": stats.get("allocated_bytes.all.current"),
                    "reserved": stats.get("reserved_bytes.all.current"),
                    "requested": stats.get("requested_bytes.all.current"),
                    "peak": stats.get("allocated_bytes.all.peak"),
                    "active": stats.get("active_bytes.all.current"),
                    "inactive_split": stats.get("inactive_split_bytes.all.current"),
                    "retries": stats.get("num_alloc_retries"),
                    "ooms": stats.get("num_ooms"),
                }
            )
        return found

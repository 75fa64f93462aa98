"""Bytes: what torch's CPU allocator has handed out (by the shim), what malloc has, what the process has; on accelerators: devices.py."""
import ctypes
import os
import time

from .devices import Devices


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
        self.devices = Devices(torch)
        self.page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
        self.rss_read = 0.0
        self.rss = None

    def uses_device(self):
        """Whether tensors of this process have been seen on an accelerator."""
        return bool(self.devices.known)

    def read(self):
        """Bytes of tensors: on the accelerators where some are used, else in the CPU allocator; None where nobody can tell."""
        rows = self.devices.rows()
        if rows:
            live = sum(row.get("allocated", 0) for row in rows)
            return {"live": live, "peak": sum(row.get("peak", 0) for row in rows) or None, "dev": rows}
        if not self.shim.ok:
            return {"live": None, "peak": None, "dev": []}
        return {"live": self.shim.live(), "peak": self.shim.peak(), "dev": []}

    def live(self):
        return self.read()["live"]

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

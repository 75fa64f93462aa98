"""Accelerators as torch sees them: which a process uses and what their allocators say, without waiting for any.

CUDA and ROCm builds are both torch.cuda; XPU has the same surface; MPS has two counters. All is asked for anew at each call,
as nothing is there yet when torch is imported, and nothing here makes a context.
"""

MOST = 8
FIELDS = {
    "allocated": ("allocated_bytes", "current"),
    "reserved": ("reserved_bytes", "current"),
    "requested": ("requested_bytes", "current"),
    "peak": ("allocated_bytes", "peak"),
    "active": ("active_bytes", "current"),
    "inactive_split": ("inactive_split_bytes", "current"),
}
ROUNDING = 512  # bytes that the smallest block of a caching allocator has


def as_number(value):
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def reading(device, stats):
    """One row of `step.dev` from what memory_stats_as_nested_dict says; what it lacks is left out."""
    row = {"d": device}
    for name, (group, member) in FIELDS.items():
        try:
            row[name] = as_number(stats[group]["all"][member])
        except (KeyError, TypeError):
            pass
    for name, key in (("retries", "num_alloc_retries"), ("ooms", "num_ooms")):
        if as_number(stats.get(key)) is not None:
            row[name] = stats[key]
    return {k: v for k, v in row.items() if v is not None}


class Caching:
    """torch.cuda or torch.xpu."""

    def __init__(self, torch, kind):
        self.torch, self.kind = torch, kind

    def module(self):
        """Where it is in use, else None."""
        module = getattr(self.torch, self.kind, None)
        try:
            return module if module is not None and module.is_initialized() else None
        except Exception:
            return None

    def rows(self):
        module = self.module()
        rows = []
        for d in range(min(MOST, module.device_count())):
            try:
                stats = module.memory.memory_stats_as_nested_dict(d)
                row = reading(d, stats)
            except Exception:
                continue
            if row.get("reserved") or row.get("allocated"):
                rows.append(row)
        return rows

    def describe(self, d):
        """Name, size (what this process may take of it) and UUID."""
        module = self.module()
        row = {"d": d, "kind": self.kind, "name": None, "uuid": None, "total": None}
        try:
            properties = module.get_device_properties(d)
            row["name"] = str(properties.name)
            row["total"] = int(properties.total_memory)
            row["uuid"] = "GPU-%s" % properties.uuid if getattr(properties, "uuid", None) else None
            row["total"] = int(row["total"] * module.memory.get_per_process_memory_fraction(d))
        except Exception:
            pass  # each of these came with some version
        return row


class Metal:
    """torch.mps: what tensors take and what the driver has handed out."""

    kind = "mps"

    def __init__(self, torch):
        self.torch = torch

    def module(self):
        mps = getattr(self.torch, "mps", None)
        try:
            return mps if self.torch.backends.mps.is_available() else None
        except Exception:
            return None

    def rows(self):
        mps = self.module()
        row = {"d": 0, "allocated": int(mps.current_allocated_memory()), "reserved": int(mps.driver_allocated_memory())}
        return [row] if row["allocated"] else []

    def describe(self, d):
        row = {"d": d, "kind": "mps", "name": "Apple GPU", "uuid": None, "total": None}
        try:
            row["total"] = int(self.module().recommended_max_memory())
        except Exception:
            pass
        return row


class Devices:
    def __init__(self, torch):
        self.kinds = [Caching(torch, "cuda"), Caching(torch, "xpu"), Metal(torch)]
        self.used = None  # the kind in use
        self.known = {}  # number -> description
        self.news = False  # whether `known` has something untold

    def kind(self):
        """The kind that this process uses, or None."""
        if self.used is None:
            self.used = next((k for k in self.kinds if k.module() is not None), None)
        return self.used

    def rows(self):
        """`step.dev`: what the allocator of each device in use says now."""
        kind = self.kind()
        if kind is None:
            return []
        try:
            rows = kind.rows()
        except Exception:
            return []
        for row in rows:
            if row["d"] not in self.known:
                self.known[row["d"]] = kind.describe(row["d"])
                self.news = True
        return rows

    def told(self):
        """The event `devices`, once for each that turns up, else None."""
        if not self.news:
            return None
        self.news = False
        return [self.known[d] for d in sorted(self.known)]


def place(tensor):
    """"cuda:0" for a tensor on an accelerator, else None."""
    device = tensor.device
    if device.type in ("cpu", "meta"):
        return None
    return "%s:%d" % (device.type, device.index or 0)


def rounded(size):
    return -(-size // ROUNDING) * ROUNDING

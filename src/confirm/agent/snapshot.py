"""A memory snapshot for pytorch's own viewer. On a GPU it is torch's; of a CPU run it is made of the blocks that live at the
end: one segment, each block with its birth, its line and its holder as frames, and a history in which they come by birth."""
import os
import pickle

from . import usercode

FIRST_ADDRESS = 0x10000
MOST_BLOCKS = 200000


def frame(filename, line, name):
    return {"filename": filename, "line": line, "name": name}


def frames_of(site, sites, step, holder):
    """Innermost first, as torch's are; the line is known of what was made in steps whose lines were watched."""
    found = []
    if 0 < site < len(sites) and sites[site]:
        path, line = sites[site]
        found.append(frame(usercode.real_path(path), line, "made here"))
    if holder:
        found.append(frame("held by", 0, holder))
    found.append(frame("born in", step, "step %d" % step if step > 0 else "before the first step"))
    return found


def of_blocks(rows, began):
    """The snapshot of ROWS [(size, moment, frames)], in order of birth. BEGAN: microseconds."""
    blocks, trace, at = [], [], FIRST_ADDRESS
    for size, moment, frames in sorted(rows, key=lambda row: row[1]):
        blocks.append({"address": at, "size": size, "requested_size": size, "state": "active_allocated", "frames": frames})
        trace.append({"action": "alloc", "addr": at, "size": size, "stream": 0, "device": 0, "frames": frames,
                      "time_us": began + moment, "user_metadata": "moment %d" % moment})  # fmt: skip
        at += size
    total = at - FIRST_ADDRESS
    segment = {
        "device": 0, "address": FIRST_ADDRESS, "total_size": total, "allocated_size": total, "active_size": total,
        "requested_size": total, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False,
        "frames": [], "blocks": blocks,
    }  # fmt: skip
    taken = {"action": "segment_alloc", "addr": FIRST_ADDRESS, "size": total, "stream": 0, "device": 0, "frames": [],
             "time_us": began}  # fmt: skip
    return {"segments": [segment] if blocks else [], "device_traces": [[taken] + trace if blocks else []],
            "allocator_settings": {}, "external_annotations": []}  # fmt: skip


def of_cpu(session, held):
    """HELD: {address: (size, moment, holder or None)} of the last look."""
    known = session.shim.dump() if session.shim else {a: (size, moment, 0) for a, (size, moment, _) in held.items()}
    rows = []
    for address, (size, moment, site) in known.items():
        if size > 0:
            step = session.series.step_of(session.kind, moment) if session.kind else 0
            rows.append((size, moment, frames_of(site, session.lines.sites, step, held.get(address, (0, 0, None))[2])))
    rows.sort(key=lambda row: -row[0])
    return of_blocks(rows[:MOST_BLOCKS], int(session.began * 1e6))


def write(session, folder, held, module):
    """MODULE: torch.cuda.memory or its like where a device is in use. Tells where it lies, or why it doesn't."""
    try:
        whole = module._snapshot() if module is not None else of_cpu(session, held)
        path = os.path.join(folder, "snapshot-%d.pickle" % os.getpid())
        with open(path, "wb") as file:
            pickle.dump(whole, file, protocol=4)
        session.wire.send("snapshot", path=path, device="cpu" if module is None else module.__name__.split(".")[1])
    except Exception as error:
        session.wire.send("snapshot", path=None, why="%s: %s" % (type(error).__name__, error))

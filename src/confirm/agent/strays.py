"""Memory that no name of the user's reaches: reference cycles through a Function's ctx, and what libraries keep."""
import gc
import sys

from . import place, usercode
from .holders import FEWEST, Finder, Holder, bits, shape


def births(reach, series, kind):
    """({step: bytes}, {address}) of the allocator's live blocks that nothing reached."""
    found, addresses = {}, set()
    for address, (size, moment, _) in (reach.blocks or {}).items():
        if address not in reach.storages:
            step = series.step_of(kind, moment)
            if step > 0:
                found[step] = found.get(step, 0) + size
                addresses.add(address)
    return found, addresses


def grow(found, now):
    return len(found) >= 2 * FEWEST and shape(sorted(found), now) == "leak"


def search_libraries(reach):
    """Goes on from the globals of all other modules: those of logging, say, that keep what the user logged."""
    known = {name for name, _ in usercode.user_modules()}
    reach.allow(1.0)
    for name, module in list(sys.modules.items()):
        if name in known or name.startswith(("_vramlint", "torch._", "torch.fx", "sympy", "encodings")):
            continue
        attributes = getattr(module, "__dict__", None)
        if isinstance(attributes, dict) and id(attributes) not in reach.seen:
            at = reach.root("module", name, attributes)
            for key, value in list(attributes.items()):
                if not key.startswith("__"):
                    reach.add(value, at, ("global", key))
    reach.walk()
    reach.walk_graphs()


CYCLE = "a leaf tensor, its .grad and the graph of that (a cycle)"


def cycles(reach, series, kind, before):
    """What backward(create_graph=True) left behind: a leaf holds its gradient, whose graph leads to the leaf again, in C++,
    where no collector looks."""
    torch, leaves = reach.torch, []
    for obj in gc.get_objects():
        if issubclass(type(obj), torch.Tensor) and id(obj) not in reach.seen and obj.is_leaf and obj.requires_grad:
            if obj.grad is not None and obj.grad.grad_fn is not None:
                leaves.append(obj)
    if len(leaves) < FEWEST:
        return []
    reach.units = []
    reach.allow(1.0)
    reach.add(leaves, reach.root("module", "__main__", {}), ("global", CYCLE))
    reach.walk()
    reach.walk_graphs()
    finder = Finder(reach, series, kind, before)
    finder.run()
    return finder.found


def latest(rows):
    """Of [(step, …)…] those after the last hole: what was before it the collector has come to, but for a few."""
    rows = sorted(rows)
    gaps = sorted(b[0] - a[0] for a, b in zip(rows, rows[1:]) if b[0] > a[0])
    longest = 2 * gaps[len(gaps) // 2] if gaps else 1
    for i in range(len(rows) - 1, 0, -1):
        if rows[i][0] - rows[i - 1][0] > longest:
            return rows[i:]
    return rows


def contexts(reach, series, kind, addresses):
    """Holders for what lies in attributes of ctx objects that only their own graph refers to, and whether there are such of
    several steps at all: then what else nobody reaches hangs on them, until the collector comes."""
    if not reach.function_node:
        return [], False
    torch, found = reach.torch, {}
    for obj in gc.get_objects():
        # isinstance would ask a stand-in for its class, which may warn or do worse
        if not issubclass(type(obj), reach.function_node) or id(obj) in reach.seen:
            continue
        cls = getattr(type(obj), "_forward_cls", None)
        for name, value in list(getattr(obj, "__dict__", {}).items()):
            parts = dict.values(value) if issubclass(type(value), dict) else value
            for tensor in list(parts) if issubclass(type(value), (tuple, list, dict)) else (value,):
                if not issubclass(type(tensor), torch.Tensor):
                    continue
                try:
                    address = tensor.untyped_storage().data_ptr()
                except Exception:
                    continue
                block = reach.blocks.get(address)
                step = series.step_of(kind, block[1]) if block and address in addresses else 0
                if step > 0:
                    addresses.discard(address)
                    found.setdefault((cls, name), []).append((step, block[0], block[2], reach.places.get(address)))
    holders = []
    for (cls, name), rows in found.items():
        mask, rows = 0, latest(rows)
        for step, _, _, _ in rows:
            mask |= 1 << step
        if bits(mask) < FEWEST:
            continue
        title = getattr(cls, "__name__", "Function")
        where = place.of_attribute(cls, name) if cls is not None else place.NOWHERE
        holder = Holder("%s ctx.%s" % (title, name), "reference cycle through ctx", where, kind)
        holder.static = where[1] is not None
        for step, size, site, place_ in rows:
            holder.lie(place_, step, size)
            birth = holder.births.setdefault(step, [0, 0, 0])
            birth[0] += 1
            birth[1] += size
            birth[2] += 1
            holder.tensors += 1
            holder.nodes += 1
            holder.bytes += size
            holder.used += size
            if site:
                holder.sites[site] += 1
        holders.append(holder)
    return holders, len({row[0] for rows in found.values() for row in rows}) > 1


def garbage(reach, addresses):
    """How many of these belong to tensors that are still Python objects: a cycle that the collector has not come to yet."""
    found = set()
    for obj in gc.get_objects():
        if issubclass(type(obj), reach.torch.Tensor) and id(obj) not in reach.seen:
            try:
                found.add(obj.untyped_storage().data_ptr())
            except Exception:
                pass
    return len(found & addresses)


def unreached(reach, kind, addresses, series):
    """One holder for the rest."""
    holder = Holder("<unreached>", "no name of the user's code reaches it", place.NOWHERE, kind)
    holder.garbage = garbage(reach, addresses) * 2 >= len(addresses)
    for address in addresses:
        size, moment, site = reach.blocks[address]
        holder.lie(reach.places.get(address), series.step_of(kind, moment), size)
        birth = holder.births.setdefault(series.step_of(kind, moment), [0, 0, 0])
        birth[0] += 1
        birth[1] += size
        holder.tensors += 1
        holder.bytes += size
        holder.used += size
        if site:
            holder.sites[site] += 1
    return holder

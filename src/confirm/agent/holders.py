"""From a tree of reached objects to holders: the lowest named place below which memory born in many steps is alive."""
import collections

from . import place, usercode
from .lines import Slot

FEWEST = 4  # births in different steps that make a holder that grows
SPARSE = 3  # … and that make one worth watching, where they are steps apart
# Host memory of a graph node and of a tensor object. Fitted to mallinfo2 on 43 scripts that leak (torch 2.13, x86-64, the 800 B a
# step that this agent takes itself left out): half of them within 9 %, four of five within 0.75 to 1.33 times.
NODE_BYTES, TENSOR_BYTES = 720, 850
FINER = ("opt", "batch", "bwd", "fwd")


def bits(mask):
    return bin(mask).count("1")


class Holder:
    def __init__(self, key, root, where, series):
        self.key, self.root, self.series = key, root, series
        self.path, self.line = where
        self.births = {}  # step -> [tensors, bytes, nodes]
        self.tensors = self.bytes = self.used = self.nodes = self.chain_steps = 0
        self.freed = self.intact = 0
        self.devices, self.device_births = {}, {}  # bytes on accelerators: by device, by step
        self.sites = collections.Counter()
        self.numbers = set()
        self.container = self.slot = None
        self.chained = False  # the first link of a chain
        self.parts = False  # a container whose elements grow each for itself
        self.garbage = False  # a reference cycle that the collector will free
        self.swells = False  # births are reckoned from its size
        self.static = False  # whether (path, line) is where the source stores, as nothing could be watched

    def take(self, unit, step):
        birth = self.births.setdefault(step, [0, 0, 0])
        birth[0] += unit.tensors
        birth[1] += unit.bytes
        birth[2] += unit.nodes
        self.tensors += unit.tensors
        self.bytes += unit.bytes
        self.used += unit.used
        self.nodes += unit.nodes
        self.lie(unit.place, step, unit.bytes)
        self.freed += unit.freed is True
        self.intact += unit.freed is False
        if unit.site:
            self.sites[unit.site] += 1

    def lie(self, place, step, size):
        """SIZE bytes of those that were born in STEP lie on the accelerator PLACE."""
        if place is not None:
            self.devices[place] = self.devices.get(place, 0) + size
            self.device_births[step] = self.device_births.get(step, 0) + size

    def steps(self):
        return sorted(s for s in self.births if s > 0)


def shape(steps, now):
    """What the birth steps of what is alive at step `now` say: "leak", "filled", "window" or "few"."""
    warm = max(2, now // 8)
    steps = [s for s in steps if s > 0]
    if len(steps) < FEWEST:
        return "few"
    late = [s for s in steps if s > warm]
    if not late or steps[-1] < now - max(4, now // 3):
        return "filled"
    gaps = sorted(b - a for a, b in zip(steps, steps[1:]))
    gap = gaps[len(gaps) // 2] if gaps else now
    if steps[0] > warm + 2 * gap + 1:
        return "window"
    expected = max(1, (steps[-1] - steps[0]) // max(1, gap))
    return "leak" if len(steps) >= 0.6 * expected else "few"


class Finder:
    """One analysis: `found` are the holders, with strong references to what is to be watched until `release`."""

    def __init__(self, reach, series, primary, before):
        self.reach, self.series, self.primary, self.before = reach, series, primary, before
        self.found = []
        self.owners = {}

    def run(self):
        self.spread_unsure()
        left = self.reach.units
        kinds = [self.primary] + [k for k in FINER if k != self.primary and self.series.count(k) >= FEWEST]
        for kind in kinds:
            if left:
                left = self.search(kind, left)
        self.name_apart()
        self.left = left

    def spread_unsure(self):
        """Without the shim the births of graph-free tensors lie since the last analysis: in a container, in its order."""
        groups = collections.defaultdict(list)
        for unit in self.reach.units:
            parent = self.reach.parents[unit.owner]
            if not unit.sure and isinstance(self.reach.objects[parent], (list, dict, collections.deque, set)):
                groups[self.reach.parents[unit.owner]].append(unit)
        span = self.series.moment - self.before
        for units in groups.values():
            for i, unit in enumerate(units):
                unit.moment = self.before + span * (i + 1) // len(units)

    def search(self, kind, units):
        parents, objects = self.reach.parents, self.reach.objects
        fewest = SPARSE if kind == self.primary else FEWEST
        step_of = self.series.step_of
        memo = {}
        own, total = {}, {}
        for unit in units:
            step = memo.get(unit.moment)
            if step is None:
                step = memo[unit.moment] = step_of(kind, unit.moment)
            if step > 0:
                own[unit.owner] = own.get(unit.owner, 0) | 1 << step
        total.update(own)
        for at in sorted(self.closure(own), reverse=True):
            if parents[at] >= 0 and at in total:
                total[parents[at]] = total.get(parents[at], 0) | total[at]
        heavy = {at for at, mask in total.items() if bits(mask) >= fewest}
        if not heavy:
            return units
        rest = {at: own.get(at, 0) for at in heavy}
        for at, mask in total.items():
            if at not in heavy and parents[at] in heavy:
                rest[parents[at]] |= mask
        same, chained = {}, set()
        for at in sorted(heavy):
            same[at] = self.chain_head(at, heavy, same)
            if same[at] != at:
                rest[same[at]] |= rest[at]
                chained.add(same[at])
        in_parts = self.gather_parts(heavy, same, rest)
        holders = {}
        for at in sorted(heavy):
            if same[at] == at and parents[at] >= 0 and bits(rest[at]) >= fewest:
                holders[at] = self.describe(at, kind)
                holders[at].chained, holders[at].parts = at in chained, at in in_parts
        left, taken, coarse = [], {}, {}
        for unit in units:
            at = unit.owner
            while at >= 0 and at not in heavy:
                at = parents[at]
            holder = holders.get(same.get(at, at)) if at >= 0 else None
            if holder is None:
                left.append(unit)
            else:
                taken.setdefault(holder, []).append(unit)
                coarse.setdefault(holder, set()).add(step_of(self.primary, unit.moment))
        if kind != self.primary:  # what was born in several steps of the run is no matter within a step
            for holder in [h for h, steps in coarse.items() if len(steps - {0}) >= 3]:
                left += taken.pop(holder)
        holders = {at: h for at, h in holders.items() if h in taken}
        for holder, units in taken.items():
            for unit in units:
                holder.take(unit, memo[unit.moment])
                self.owners[unit] = holder
                if unit.nodes:
                    holder.numbers.add(unit.moment)
        for at, holder in holders.items():
            longest = in_parts.get(at) or (at if issubclass(type(objects[at]), self.reach.torch.Tensor) else None)
            if longest is not None and own.get(longest):
                holder.chain_steps = bits(own[longest])
            self.found.append(holder)
        return left

    def gather_parts(self, heavy, same, rest):
        """Tensors of one list or mapping that carry a graph from step to step each are one holder: that container. Returns
        {container: one of these tensors}."""
        objects, parents = self.reach.objects, self.reach.parents
        siblings, found = {}, {}
        for at in heavy:
            if same[at] == at and issubclass(type(objects[at]), self.reach.torch.Tensor):
                if parents[at] in heavy and issubclass(type(objects[parents[at]]), (list, dict)):
                    siblings.setdefault(parents[at], []).append(at)
        for parent, parts in siblings.items():
            if len(parts) > 1 and parents[parent] >= 0 and same[parent] == parent:
                for at in parts:
                    same[at] = parent
                    rest[parent] |= rest[at]
                found[parent] = parts[0]
        return found

    def closure(self, own):
        """The owners and all above them."""
        parents, seen = self.reach.parents, set()
        for at in own:
            while at >= 0 and at not in seen:
                seen.add(at)
                at = parents[at]
        return seen

    def chain_head(self, at, heavy, same):
        """Where `at` is a link of a chain (each holds the next by the same name), the first link; else `at`."""
        objects, parents, edges = self.reach.objects, self.reach.parents, self.reach.edges
        up = at
        for _ in range(2):
            up = parents[up]
            if up < 0 or up not in heavy or parents[up] < 0:
                return at
            if type(objects[up]) is type(objects[at]):
                if self.name_of(edges[up]) == self.name_of(edges[at]):
                    return same[up]
                if type(objects[at]) in (list, dict):
                    return at
                if up in same and same[up] != up:
                    return same[up]
                if edges[at][0] in ("attr", "index") and hasattr(type(objects[at]), "__module__"):
                    if type(objects[at]).__module__ != "builtins" or isinstance(objects[at], tuple):
                        return same[up]
        return at

    @staticmethod
    def name_of(edge):
        return edge if edge[0] != "index" or isinstance(edge[1], str) else ("index", None)

    # -- names

    def trail(self, at):
        found = []
        while at >= 0:
            found.append(at)
            at = self.reach.parents[at]
        return found[::-1]

    def describe(self, at, kind):
        trail = self.trail(at)
        root = self.full_name(trail)
        key, where = self.short_name(trail, root)
        holder = Holder(key, root, where, kind)
        holder.container = self.reach.objects[at]
        holder.slot = self.slot(at)
        holder.at = at
        return holder

    def render(self, trail):
        text = ""
        for at in trail:
            kind, name = self.reach.edges[at]
            if kind in ("local", "global"):
                text += ("." if text else "") + name
            elif kind in ("attr", "key"):
                text += "." + str(name)
            elif kind == "closure":
                text += ".<%s>" % name
            elif kind == "item":
                text += "[%s]" % (repr(name)[:40] if isinstance(name, (str, int, float, bool, tuple)) else "…")
            elif kind == "index" and not text.endswith("[…]"):
                text += "[…]"
        return text

    def full_name(self, trail):
        kind, name = self.reach.edges[trail[0]]
        text = self.render(trail[1:])
        if kind == "frame":
            return "%s in %s" % (text, name)
        return text if name == "__main__" else "%s.%s" % (name, text)

    def short_name(self, trail, root):
        """(key, (path, line)): by the user's class that has it, else by the variable."""
        objects = self.reach.objects
        for i in range(len(trail) - 2, 0, -1):
            obj = objects[trail[i]]
            kind = obj if issubclass(type(obj), type) else type(obj)
            if not self.is_users(kind) or issubclass(type(obj), (tuple, BaseException)):
                continue
            first = self.reach.edges[trail[i + 1]]
            if first[0] not in ("attr", "item", "index"):
                continue
            where = place.of_attribute(kind, first[1]) if first[0] == "attr" else (None, None)
            return kind.__qualname__.split(".<locals>.")[-1] + self.render(trail[i + 1 :]), where
        edge = self.reach.edges[trail[0]]
        name = self.reach.edges[trail[1]][1]
        if edge[0] == "frame":
            code = objects[trail[0]].f_code
            return root, place.of_local(code, name)
        return root, place.of_global(usercode.module_file(edge[1]), name)

    @staticmethod
    def is_users(kind):
        return kind.__module__ == "__main__" or usercode.is_user_file(usercode.module_file(kind.__module__) or "")

    def name_apart(self):
        keys = collections.Counter(h.key for h in self.found)
        for holder in self.found:
            if keys[holder.key] > 1 and holder.root != holder.key:
                holder.key = holder.root
        again = collections.Counter()
        for holder in self.found:
            again[holder.key] += 1
            if again[holder.key] > 1:
                holder.key += " (%d)" % again[holder.key]

    def slot(self, at):
        """Where the holder itself is stored, or None."""
        objects, parents, edges = self.reach.objects, self.reach.parents, self.reach.edges
        while parents[at] > 0 and isinstance(objects[parents[at]], tuple):
            at = parents[at]
        parent = parents[at]
        if parent < 0:
            return None
        kind, name = edges[at]
        owner = objects[parent]
        if kind == "local" and hasattr(owner, "f_code"):
            return Slot("local", name, owner.f_code)
        if kind == "global":
            return Slot("item", name, owner)
        if kind == "item" and isinstance(owner, dict) or kind == "index" and type(owner) is list or kind == "attr":
            return Slot(kind, name, owner, self.slot(parent))
        if kind == "closure" and hasattr(owner, "__closure__"):
            for free, cell in zip(owner.__code__.co_freevars, owner.__closure__ or ()):
                if free == name:
                    return Slot("cell", name, cell)
        return None

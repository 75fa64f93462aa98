"""Places whose content is made anew and bigger in each step (`pool = torch.cat([pool, x])`): births are all young there, so
sizes are compared between looks."""
from .holders import shape

LOOKS = 4  # looks in a row that must find more than the one before


class Swelling:
    def __init__(self):
        self.sizes = {}  # path of edges -> [(step, bytes, tensors), ...]

    def look(self, finder, series, kind, now):
        """Holders for the places that have grown at every look so far."""
        reach = finder.reach
        sums, devices = {}, {}
        leaks = {h for h in finder.found if shape(h.steps(), series.count(h.series)) == "leak"}
        for unit in reach.units:
            if unit.bytes and finder.owners.get(unit) not in leaks and series.step_of(kind, unit.moment) >= now - 1:
                at = self.place(reach, unit.owner)
                known = sums.setdefault(at, [0, 0])
                known[0] += unit.bytes
                known[1] += unit.tensors
                devices[at] = unit.place or devices.get(at)
        sizes, found = {}, []
        for at, (size, tensors) in sums.items():
            path = tuple(str(reach.edges[n]) for n in finder.trail(at))
            rows = [r for r in self.sizes.get(path, ()) if r[0] < now] + [(now, size, tensors)]
            if len(rows) > 1 and size <= rows[-2][1]:
                rows = rows[-1:]
            sizes[path] = rows
            if len(rows) >= LOOKS and rows[0][0] <= now // 2 and self.steady(rows):
                found.append(self.holder(finder, at, kind, rows, devices[at]))
        self.sizes = sizes
        return found

    @staticmethod
    def place(reach, at):
        up = reach.parents[at]
        while up > 0 and reach.parents[up] >= 0 and isinstance(reach.objects[up], (list, tuple, set)):
            at, up = up, reach.parents[up]
        return at

    @staticmethod
    def steady(rows):
        rates = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(rows, rows[1:])]
        return max(rates) <= 4 * min(rates)

    @staticmethod
    def holder(finder, at, kind, rows, device):
        holder = finder.describe(at, kind)
        (first, least, _), (last, most, tensors) = rows[0], rows[-1]
        rate = (most - least) / (last - first)
        for step in range(first, last):
            holder.births[step] = [1, int(rate * (step + 1 - first)) - int(rate * (step - first)), 0]
            holder.lie(device, step, holder.births[step][1])
        holder.swells = True
        holder.tensors, holder.bytes, holder.used = tensors, most, most
        return holder

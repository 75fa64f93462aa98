"""Metrics of torchmetrics that are computed and then go on with what they had: nobody has reset them for the next epoch."""
import sys
import weakref

MOST = 200


class Metrics:
    def __init__(self, probes):
        self.probes = probes
        self.known = {}  # id(metric) -> [weakref, updates when it was last seen, updates when it was computed]; their hash varies

    def find(self, objects):
        """Among what an analysis has reached."""
        kind = getattr(sys.modules.get("torchmetrics"), "Metric", None)
        if kind is None:
            return
        for obj in objects:
            if issubclass(type(obj), kind) and len(self.known) < MOST and id(obj) not in self.known:
                self.known[id(obj)] = [weakref.ref(obj), 0, None]

    def step(self):
        """At each step of the run: the count of updates says whether there was a reset since the last."""
        for key, seen in list(self.known.items()):
            metric = seen[0]()
            if metric is None:
                del self.known[key]
                continue
            count, computed = metric._update_count, metric._computed is not None
            if count < seen[1]:
                seen[2] = None
            elif seen[2] is not None and count > seen[2]:
                seen[2] = None
                self.probes.hit("metric-kept", note=type(metric).__name__)
            if computed:
                seen[2] = count
            seen[1] = count

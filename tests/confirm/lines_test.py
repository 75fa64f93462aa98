"""Tests of the line watch alone, for Pythons that have no torch: PYTHON tests/confirm/lines_test.py"""
import importlib.util
import sys
import types
from pathlib import Path

AGENT = Path(__file__).resolve().parents[2] / "src" / "confirm" / "agent"
spec = importlib.util.spec_from_file_location("_vramlint", AGENT / "boot.py", submodule_search_locations=[str(AGENT)])
sys.modules["_vramlint"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
from _vramlint.lines import Lines, Slot  # noqa: E402

HERE = str(Path(__file__).resolve())


class Box:
    def __init__(self):
        self.total = 0
        self.rows = []

    def add(self, value):
        self.total = self.total + value * 1000
        self.rows.append(value)  # rows
        return None


class Sums:
    __slots__ = ("loss",)

    def __init__(self, loss):
        self.loss = loss

    def __add__(self, other):
        return Sums(self.loss + other)


def holder(key, container, slot, chained=False, parts=False):
    return types.SimpleNamespace(key=key, container=container, slot=slot, chained=chained, parts=parts)


def line_of(text):
    return next(n for n, t in enumerate(open(HERE), 1) if t.rstrip().endswith("# " + text))


def work(lines, box, watched):
    kept, pair, sums, tail, moments = [], (), Sums(2.5), {"older": None}, [1e3, 1e4]
    if watched:
        holders = [
            holder("kept", kept, Slot("local", "kept", work.__code__)),
            holder("pair", pair, Slot("local", "pair", work.__code__)),
            holder("rows", box.rows, Slot("attr", "rows", box)),
            holder("total", 0, Slot("attr", "total", box)),
            holder("sums.loss", 0, Slot("attr", "loss", sums, Slot("local", "sums", work.__code__))),
            holder("tail", tail, Slot("local", "tail", work.__code__), chained=True),
            holder("moments", moments, Slot("local", "moments", work.__code__), parts=True),
        ]
        assert lines.start("full", holders), lines.failed
        del holders
    for i in range(5):
        kept.append(i)  # kept
        pair = pair + (i,)  # pair
        box.add(i + 500)  # call
        sums = sums + i * 1000.0  # sums
        tail = {"older": tail}  # tail
        moments[i % 2] = moments[i % 2] + 1e5  # moments
        gone = i
        del gone  # covered
    lines.stop()
    try:
        gone
        raise AssertionError("a deleted local is back")
    except NameError:
        pass
    return kept, pair


def main():
    finding = {"id": 0, "path": HERE, "line": line_of("covered"), "first": 1, "last": 10000}
    lines, box = Lines([finding], None), Box()
    kept, pair = work(lines, box, True)
    assert kept == list(range(5)) and pair == tuple(range(5)) and len(box.rows) == 5
    found = {}
    for key, counter in lines.stores.items():
        for (how, path, line, via), n in counter.items():
            assert path == HERE
            found.setdefault(key, {})[line] = (how, n, [v[1] for v in via][:1])
    want = {"kept": ("kept", "append"), "pair": ("pair", "assign"), "rows": ("rows", "append"),
            "sums.loss": ("sums", "assign"), "tail": ("tail", "assign"), "moments": ("moments", "setitem")}  # fmt: skip
    for key, (mark, how) in want.items():
        assert set(found[key]) == {line_of(mark)}, (key, found)
        assert found[key][line_of(mark)][0] == how and found[key][line_of(mark)][1] >= 4, found
    assert found["rows"][line_of("rows")][2] == [line_of("call")], found
    assert set(found["total"]) == {line_of("rows") - 1}, found
    assert lines.covered[0][0] == 5, lines.covered
    assert sys.gettrace() is None
    quiet = Lines([finding], None)
    work(quiet, Box(), False)
    assert not quiet.stores
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

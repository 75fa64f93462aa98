"""Tests of the line watch alone, for Pythons that have no torch: PYTHON tests/confirm/lines_test.py"""
import importlib.util
import sys
import types
from pathlib import Path

AGENT = Path(__file__).resolve().parents[2] / "src" / "confirm" / "agent"
spec = importlib.util.spec_from_file_location("_vramlint", AGENT / "boot.py", submodule_search_locations=[str(AGENT)])
sys.modules["_vramlint"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
from _vramlint.lines import Lines  # noqa: E402

HERE = str(Path(__file__).resolve())


class Box:
    def __init__(self):
        self.total = 0
        self.rows = []

    def add(self, value):
        self.total = self.total + value * 1000
        self.rows.append(value)  # rows
        return None


def holder(key, container, slot):
    return types.SimpleNamespace(key=key, container=container, slot=slot)


def line_of(text):
    return next(n for n, t in enumerate(open(HERE), 1) if t.rstrip().endswith("# " + text))


def work(lines, box, watched):
    kept, pair = [], ()
    if watched:
        holders = [
            holder("kept", kept, ("local", "kept", work.__code__)),
            holder("pair", pair, ("local", "pair", work.__code__)),
            holder("rows", box.rows, ("entry", box.__dict__, "rows")),
            holder("total", 0, ("entry", box.__dict__, "total")),
        ]
        assert lines.start("full", holders), lines.failed
        del holders
    for i in range(5):
        kept.append(i)  # kept
        pair = pair + (i,)  # pair
        box.add(i + 500)  # call
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
    want = {"kept": ("kept", "append"), "pair": ("pair", "assign"), "rows": ("rows", "append")}
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

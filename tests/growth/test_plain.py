"""What holds without torch."""
import json
import pickle
import sys
import unittest

import pytest

import vramlint
from vramlint import growth

TRAIN = """\
import torch

def train(model, loader, opt):
    losses = []
    for x, y in loader:
        loss = model(x, y)
        loss.backward()
        opt.step()
        losses.append(loss)
"""


def record(*events):
    lines = [{"ev": "request", "schema": "confirm/1", "command": "x", "steps": 48, "findings": []}]
    lines += [{"ev": "hello", "pid": 1, "t": 0, "torch": "2.13.0", "role": "main", "shim": False}, *events,
              {"ev": "bye", "pid": 1, "t": 1, "why": "end", "steps": 48, "window": [6, 48]}]
    return "\n".join(json.dumps({"pid": 1, "t": 0, **line}) for line in lines).encode()


def holder(key, tensors=1, size=4, nodes=3, steps=range(1, 48), **more):
    births = [[step, tensors, size, nodes] for step in steps]
    return {"ev": "holder", "key": key, "births": births, "tensors": len(births), "bytes": size * len(births), "host_bytes": 4700,
            "used": size * len(births), "nodes": nodes * len(births), "from": 0, "at": 48, "series": "opt", **more}


def store(key, path, line):
    return {"ev": "store", "key": key, "how": "append", "lines": [{"path": str(path), "line": line, "n": 9, "via": []}]}


def test_what_grows_is_joined_with_the_finding_at_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = (tmp_path / "train.py").resolve()
    path.write_text(TRAIN)
    [found] = growth._judge(record(holder("losses in train", alloc=[f"{path}:6"]), store("losses in train", path, 9)), 48)
    assert (found.holder, found.bytes_per_step, found.nodes_per_step) == ("losses in train", 4, 3)
    assert (found.code, found.name, found.stored, found.made) == ("VL101", "tensor-append", ((str(path), 9),), ((str(path), 6),))
    text = growth._message([found], 48, "'step'")
    assert "losses in train grows by 4 B of tensors and 3 graph nodes" in text and "train.py:9\n        losses.append(loss)" in text
    assert "VL101 tensor-append: " in text and "help: keep 'loss.item()'" in text and "allow=['losses in train']" in text


def test_what_is_gathered_grows_as_well_and_what_is_bounded_does_not():
    events = [holder("results", nodes=0), holder("cache", steps=range(1, 8)), {"ev": "bounded", "key": "cache", "why": "filled"},
              holder("epoch"), {"ev": "bounded", "key": "epoch", "why": "sawtooth"}]  # fmt: skip
    assert [g.holder for g in growth._judge(record(*events), 48)] == ["results"]


def test_nothing_is_run_where_nothing_was_held(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert growth._judge(record(), 48) == []


def test_a_failure_can_be_sent_to_another_process():
    failure = pickle.loads(pickle.dumps(vramlint.MemoryGrowth("words", [vramlint.Growth("losses", 4, 3, None, 40, 40)])))
    assert str(failure) == "words" and failure.growths[0].holder == "losses"


def test_hooks_that_stay_are_growth():
    hooks = {"ev": "probe", "kind": "hooks-grow", "path": "/x.py", "line": 3, "hits": 44, "steps": 44, "id": None}
    [found] = growth._judge(record(hooks), 48)
    assert found.name == "hook-retain" and found.stored == (("/x.py", 3),)
    assert "hooks are registered in 44 of 48 steps" in growth._message([found], 48, "'step'")
    assert growth._judge(record(dict(hooks, steps=9)), 48) == []


def test_a_faulty_configuration_costs_the_finding_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vramlint.toml").write_text("nonsense = 3\n")
    path = tmp_path / "train.py"
    path.write_text(TRAIN)
    [found] = growth._judge(record(holder("losses in train"), store("losses in train", path, 9)), 48)
    assert found.holder == "losses in train" and found.code is None


def test_without_the_program_it_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="judged by the vramlint program"):
        growth._judge(record(holder("losses")), 48)


@pytest.mark.parametrize(
    "arguments, options, error, words",
    [
        ([3], {}, TypeError, "'step' is to be called"),
        ([], {"batches": [1]}, TypeError, "'batches' and 'warm_up' are for a step"),
        ([], {"warm_up": 1}, TypeError, "'batches' and 'warm_up' are for a step"),
        ([print], {"steps": 5}, ValueError, "'steps' is 5"),
        ([], {"steps": 0}, ValueError, "'steps' is 0"),
        ([print], {"steps": 0}, ValueError, "'steps' is 0"),
        ([print], {"stepz": 20}, TypeError, "stepz"),
        ([print], {"yours": "no_such_package"}, ValueError, "no package of that name"),
        ([print], {"yours": ["no.such.package"]}, ValueError, "no package of that name"),
    ],
)
def test_wrong_arguments_are_named(arguments, options, error, words):
    with pytest.raises(error, match=words):
        vramlint.assert_no_growth(*arguments, **options)


def test_step_belongs_into_the_block():
    with pytest.raises(RuntimeError, match="outside of the watch's block"):
        vramlint.assert_no_growth().step()


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


def test_without_torch_it_is_a_skip(no_torch):
    calls = []
    for use in (lambda: vramlint.assert_no_growth(calls.append, [1]), vramlint.assert_no_growth().__enter__):
        with pytest.raises(unittest.SkipTest, match="torch is not here to be watched"):
            use()
    assert not calls


MARKED = """
import pytest, unittest
@pytest.mark.vramlint
def test_marked(): pass
@pytest.mark.vramlint
class TestOne(unittest.TestCase):
    def test_case(self): pass
def test_fixture(vramlint_growth): pass
def test_plain(): pass
"""


def test_marked_tests_are_skipped_without_torch(pytester, no_torch):
    pytester.makepyfile(MARKED)
    result = pytester.runpytest("--vramlint", "--strict-markers", "-rs")
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["*torch is not here to be watched*"])


def test_without_the_option_marks_do_nothing(pytester, no_torch):
    pytester.makepyfile(MARKED)
    pytester.runpytest("--strict-markers", "--deselect", "test_without_the_option_marks_do_nothing.py::test_fixture").assert_outcomes(
        passed=3, deselected=1
    )


def test_a_mark_that_is_wrong_is_told(pytester):
    pytester.makepyfile("""
import pytest
@pytest.mark.vramlint(stepz=3)
def test_one(): pass
@pytest.mark.vramlint(20)
def test_two(): pass
@pytest.mark.vramlint(steps=3)
def test_three(): pass
""")
    result = pytester.runpytest("--vramlint")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*takes steps, bytes_per_step, nodes_per_step, allow, yours, not 'stepz'", "*'steps' is 3*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_options_and_fixture_are_listed(pytester):
    assert "--vramlint-record" in pytester.runpytest("--help").stdout.str()
    pytester.runpytest("--fixtures").stdout.fnmatch_lines(["vramlint_growth*"])
    pytester.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.vramlint(*"])

"""What docs/confirm.md shows is run as it stands there."""
import pathlib
import re
import weakref

import pytest
import torch

TEXT = (pathlib.Path(__file__).parents[2] / "docs/confirm.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def named(word):
    """What the one example that has the word defines."""
    [block] = [block for block in BLOCKS if word in block]
    names = {"__name__": "example"}
    exec(compile(block, "docs/confirm.md", "exec"), names)
    return names


def test_counters():
    assert set(named("def counters")["counters"]()) == {
        "requested_bytes", "allocated_bytes", "active_bytes", "reserved_bytes", "inactive_split_bytes"
    }  # fmt: skip


def test_recording_leaves_steps_as_they_are(tmp_path):
    assert named("def recorded")["recorded"]([lambda: 1, lambda: 2], str(tmp_path / "x.pickle")) == [1, 2]


def test_births_by_hand():
    names = named("class Births")
    births, kept = names["Births"](), []
    for step in range(12):
        kept.append(torch.zeros(100))
        if step < 3:
            kept.append(torch.zeros(50))
        births.step(step)
    assert [births.left()[step] for step in (0, 2, 3, 11)] == [600, 600, 400, 400]
    del kept[:]
    assert sum(births.left()[step] for step in range(12)) < 600
    tensor = torch.zeros(3)
    holder = [tensor]
    assert "list" in names["holders"](tensor) and holder


def test_examples_of_tests(pytester):
    for block in BLOCKS:
        if "def test_" in block:
            pytester.makepyfile(block)

"""What docs/confirm.md shows is run as it stands there."""
import pathlib
import re

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
    assert [births.left()[step] for step in (1, 2, 3, 11)] == [600, 600, 400, 400]
    del kept[:]
    assert not sum(births.left()[step] for step in range(2, 11))
    tensor = torch.zeros(3)
    holder = [tensor]
    assert "list" in names["holders"](tensor) and holder


TRAIN = """
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.net = nn.Linear(8, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.history = []

    def step(self, batch):
        loss = self.net(batch[0]).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.history.append(loss.item())

    def act(self, state):
        self.history.append(self.net(state).argmax().item())

def train(trainer, loader, epochs):
    for _ in range(epochs):
        for batch in loader:
            trainer.step(batch)

def small_loader():
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(40, 8)), batch_size=4)
"""


@pytest.mark.parametrize("leak", [False, True])
def test_examples_of_tests(pytester, leak):
    blocks = [block for block in BLOCKS if "def test_" in block]
    pytester.makepyfile(train=TRAIN.replace(".item()", "" if leak else ".item()"))
    pytester.makepyfile(**{re.match(r"# tests/(\w+)\.py", block)[1]: block for block in blocks})
    result = pytester.runpytest_subprocess("--vramlint")
    result.assert_outcomes(passed=1 if leak else 5, failed=4 if leak else 0)  # acting keeps no graph
    if leak:
        result.stdout.fnmatch_lines(["E *Trainer.history grows by * a step: of * steps something is left"])

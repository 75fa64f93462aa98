"""Real steps under watch, by real pytest."""
import collections
import functools
import gc
import os
import subprocess
import sys
import threading
import unittest

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from vramlint import MemoryGrowth, TooFewSteps, assert_no_growth


class Trainer:
    def __init__(self, keep=lambda loss: None):
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.keep = keep
        self.history = []
        self.printed = []

    def step(self, batch=None):
        loss = self.net(torch.randn(4, 8) if batch is None else batch).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.printed.append(loss.item())
        kept = self.keep(loss)
        if kept is not None:
            self.history.append(kept)  # STORED

    def train(self, steps):
        for _ in range(steps):
            self.step()


def line_of(word):
    lines = open(__file__, encoding="utf-8").read().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith("# " + word))


def state():
    """All that a watch puts somewhere."""
    from torch.nn.modules import module
    from torch.optim import optimizer
    from torch.utils.data import dataloader

    owners = (torch.Tensor, nn.Module, torch.optim.Optimizer, dataloader._BaseDataLoaderIter, threading.Thread,
              torch.autograd.grad_mode.set_grad_enabled)  # fmt: skip
    return [
        *({name: id(value) for name, value in vars(owner).items()} for owner in owners),
        list(module._global_forward_pre_hooks), list(optimizer._global_optimizer_post_hooks),
        torch.autograd.backward, torch.compile, torch.save, torch.load, torch.cuda.empty_cache, gc.collect,
        sys.excepthook, sys.gettrace(), sys._getframe(1).f_trace, list(sys.meta_path),
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = state()
    yield
    assert state() == before


def test_a_kept_loss_is_named_with_its_lines():
    with pytest.raises(MemoryGrowth) as caught:
        assert_no_growth(Trainer(lambda loss: loss).step)
    [growth] = caught.value.growths
    here = os.path.realpath(__file__)
    assert growth.holder == "Trainer.history" and growth.bytes_per_step == 4 and growth.nodes_per_step == 8
    assert growth.stored == ((here, line_of("STORED")),)
    assert growth.made and growth.made[0][0] == here and growth.steps_left * 10 >= growth.steps * 9
    assert isinstance(caught.value, AssertionError)
    assert "memory grows over 48 steps of 'Trainer.step'" in str(caught.value)


def test_what_is_let_go_passes():
    watch = assert_no_growth(Trainer().step)
    assert watch.steps == 48 and watch.growths == []


@pytest.mark.parametrize("steps", [12, 13, 16, 24, 30, 64, 100])
def test_any_number_of_steps_will_do(steps):
    assert assert_no_growth(Trainer().step, steps=steps).steps == steps
    with pytest.raises(MemoryGrowth):
        assert_no_growth(Trainer(lambda loss: loss).step, steps=steps)


def test_detached_tensors_grow_and_may():
    trainer = Trainer(lambda loss: loss.detach())
    with pytest.raises(MemoryGrowth, match="grows by 4 B of tensors a step"):
        assert_no_growth(trainer.step)
    with pytest.raises(MemoryGrowth):
        assert_no_growth(trainer.step, bytes_per_step=3)
    watch = assert_no_growth(trainer.step, bytes_per_step=4)
    assert [growth.holder for growth in watch.growths] == ["Trainer.history"]


def test_what_was_there_before_is_no_growth():
    trainer = Trainer(lambda loss: loss.detach())
    trainer.train(500)
    assert_no_growth(trainer.step, bytes_per_step=4)
    trainer.keep = lambda loss: None
    assert_no_growth(trainer.step, steps=12)


def test_graphs_are_allowed_by_their_own_number():
    step = Trainer(lambda loss: loss).step
    with pytest.raises(MemoryGrowth):
        assert_no_growth(step, bytes_per_step=1000)
    assert_no_growth(step, bytes_per_step=4, nodes_per_step=8)
    assert_no_growth(step, allow="Trainer.*")
    assert_no_growth(step, allow=["other", "Trainer.history"])
    with pytest.raises(MemoryGrowth):
        assert_no_growth(step, allow=["Trainer"])


def test_a_block_counts_by_the_optimizer():
    with assert_no_growth() as watch:
        Trainer().train(20)
    assert watch.steps == 20
    with pytest.raises(MemoryGrowth, match="memory grows over 20 steps of the block"):
        with assert_no_growth():
            Trainer(lambda loss: loss).train(20)


def test_what_a_function_held_counts_though_it_has_returned():
    def train():
        trainer, losses = Trainer(), []
        for _ in range(24):
            loss = trainer.net(torch.randn(4, 8)).mean()
            loss.backward()
            trainer.optimizer.step()
            losses.append(loss)
        return sum(float(loss) for loss in losses)

    with pytest.raises(MemoryGrowth, match="losses in train grows"):
        with assert_no_growth():
            train()


def test_a_loop_counts_for_itself():
    kept = []
    with pytest.raises(MemoryGrowth, match=r"kept in test_a_loop_counts_for_itself grows by 400 B of tensors a step") as caught:
        with assert_no_growth() as watch:
            for _ in range(24):
                kept.append(torch.zeros(100))  # COUNTED
                watch.step()
    assert caught.value.growths[0].stored[0][1] == line_of("COUNTED")
    assert watch.steps == 24


def test_steps_end_the_watch_of_a_block():
    kept = []
    with assert_no_growth(steps=16) as watch:
        for number in range(60):
            Trainer.step(trainer) if number else (trainer := Trainer())
            if number > 20:
                kept.append(torch.zeros(100))
    assert watch.steps == 16 and len(kept) == 39


def test_batches_begin_anew_and_iterators_do_not():
    loader = DataLoader(TensorDataset(torch.randn(20, 8)), batch_size=4)
    seen = []
    assert assert_no_growth(lambda batch: seen.append(len(batch)), loader, steps=24).steps == 24
    assert seen == [1] * 24
    assert assert_no_growth(Trainer().step, iter([torch.zeros(4, 8)] * 15)).steps == 15
    with pytest.raises(TooFewSteps, match="made 5 steps"):
        assert_no_growth(Trainer().step, iter([torch.zeros(4, 8)] * 5))
    with pytest.raises(TooFewSteps, match="no step"):
        assert_no_growth(Trainer().step, [])


def test_warm_up_is_not_watched():
    calls = []
    cache = []

    def step(batch):
        calls.append(batch)
        if len(calls) <= 40:
            cache.append(torch.zeros(100))

    assert assert_no_growth(step, range(1000), warm_up=40, steps=24).steps == 24
    assert calls == list(range(64))


@pytest.mark.parametrize("hold", ["cache", "window", "deque", "sawtooth", "numbers"])
def test_what_is_bounded_is_no_growth(hold):
    kept, few, count = {}, collections.deque(maxlen=6), [0]

    def step():
        count[0] += 1
        tensor = torch.zeros(100)
        if hold == "cache":
            kept[count[0] % 5] = kept.get(count[0] % 5, tensor)
        elif hold == "window":
            kept[count[0] % 4] = tensor
        elif hold == "deque":
            few.append(tensor)
        elif hold == "sawtooth":
            if count[0] % 10 == 0:
                kept.clear()
            kept[count[0]] = tensor
        else:
            kept[count[0]] = tensor.sum().item()

    assert_no_growth(step)


@pytest.mark.parametrize("steps", range(12, 30))
def test_what_optimizers_and_caches_keep_is_no_growth(steps):
    def train():
        net, cache = nn.Linear(8, 1), {}
        optimizers = torch.optim.Adam(net.parameters()), torch.optim.LBFGS(net.parameters(), history_size=5)
        for step in range(steps):
            batch = cache.setdefault(min(step, 3), torch.randn(4, 8))

            def loss():
                net.zero_grad()
                value = net(batch).pow(2).mean()
                value.backward()
                return value

            for optimizer in optimizers:
                optimizer.step(loss)

    with assert_no_growth():
        train()


def test_what_every_tenth_step_leaves_needs_more_steps():
    kept = []

    def step(number):
        if number % 10 == 5:
            kept.append(torch.zeros(100))

    with pytest.raises(MemoryGrowth, match="kept in test_what_every_tenth"):
        assert_no_growth(step, range(1000), steps=100)


def test_a_sum_of_losses_is_growth_of_graphs():
    class Mean:
        def __init__(self):
            self.total = 0

    trainer, mean = Trainer(), Mean()

    def step():
        loss = trainer.net(torch.randn(4, 8)).mean()
        loss.backward()
        mean.total = mean.total + loss

    with pytest.raises(MemoryGrowth) as caught:
        assert_no_growth(step)
    [growth] = caught.value.growths
    assert growth.holder == "Mean.total" and growth.nodes_per_step >= 1 and growth.stored


def test_hooks_that_stay_are_growth():
    net = nn.Linear(4, 4)

    def step():
        net.register_forward_hook(lambda *arguments: None)
        net(torch.zeros(2, 4))

    with pytest.raises(MemoryGrowth, match="hooks are registered in .* steps and stay"):
        assert_no_growth(step, steps=24)


def test_only_the_callable_may_know_it():
    with pytest.raises(MemoryGrowth):
        assert_no_growth(functools.partial(lambda kept: kept.append(torch.zeros(10)), []), steps=24)


def test_installed_code_is_followed_where_it_is_said_to_be_yours(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "ours_installed"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("""\
import torch

def train(steps):
    kept = []
    weight = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(steps):
        loss = weight.sum()
        loss.backward()
        optimizer.step()
        kept.append(loss)
""")
    monkeypatch.syspath_prepend(package.parent)
    from ours_installed import parts

    with assert_no_growth():
        parts.train(20)
    with pytest.raises(MemoryGrowth, match="kept in train grows") as caught:
        with assert_no_growth(yours="ours_installed"):
            parts.train(20)
    assert caught.value.growths[0].stored == ((os.path.realpath(parts.__file__), 11),)


def test_results_are_the_same_as_without():
    plain = Trainer()
    plain.train(48)
    watched = Trainer()
    assert_no_growth(watched.step)
    assert watched.printed == plain.printed


def test_a_step_that_only_promises_is_refused():
    async def promised():
        raise AssertionError("never awaited")

    def generated():
        yield

    for step, kind in ((promised, "coroutine"), (generated, "generator")):
        with pytest.raises(TypeError, match="it returns a " + kind):
            assert_no_growth(step)


def test_hooks_beside_allowed_bytes_still_fail():
    net, kept = nn.Linear(4, 4), []

    def step():
        net.register_forward_hook(lambda *arguments: None)
        kept.append(torch.zeros(1))
        net(torch.zeros(2, 4))

    with pytest.raises(MemoryGrowth, match="hooks are registered"):
        assert_no_growth(step, steps=24, bytes_per_step=4)
    assert_no_growth(step, steps=24, bytes_per_step=4, allow="hooks")


def test_an_error_in_a_step_is_the_test_s():
    calls = []

    def step():
        calls.append(1)
        if len(calls) == 15:
            raise KeyError("of the step")

    with pytest.raises(KeyError, match="of the step"):
        assert_no_growth(step)
    assert_no_growth(Trainer().step, steps=12)


def test_few_steps_tell_nothing():
    with pytest.raises(TooFewSteps, match=r"made 5 steps \(optimizer steps\)"):
        with assert_no_growth():
            Trainer(lambda loss: loss).train(5)
    with pytest.raises(TooFewSteps, match="no step of the block was seen"):
        with assert_no_growth():
            pass


def test_one_watch_at_a_time():
    with pytest.raises(RuntimeError, match="is being watched already"):
        with assert_no_growth():
            assert_no_growth(Trainer().step)
    with assert_no_growth() as watch:
        Trainer().train(12)
    with pytest.raises(RuntimeError, match="make another"):
        with watch:
            pass


COMPILED = """
import torch, test_growth
from torch._dynamo import trace_rules
from vramlint import assert_no_growth

trainer = test_growth.Trainer()
trainer.net = torch.compile(trainer.net, backend="eager")
assert_no_growth(trainer.step, steps=12)
skipped = list(trace_rules.SKIP_DIRS)
assert_no_growth(trainer.step, steps=12)
assert trace_rules.SKIP_DIRS == skipped
"""


def test_what_is_compiled_is_watched_too():
    # in a process of its own, as torch leaves marks of its own on Module
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_a_fault_of_ours_is_told(monkeypatch):
    assert_no_growth(Trainer().step, steps=12)
    import _vramlint.inside

    monkeypatch.setattr(_vramlint.inside.Inside, "look", lambda *arguments, **more: 1 // 0)
    with pytest.raises(RuntimeError, match="knows nothing"):
        assert_no_growth(Trainer().step)


def test_a_record_can_be_read_again(tmp_path):
    with pytest.raises(MemoryGrowth):
        assert_no_growth(Trainer(lambda loss: loss).step, record=tmp_path / "run.jsonl")
    done = subprocess.run(["vramlint", "confirm", "--read", tmp_path / "run.jsonl", "--check", __file__], capture_output=True, text=True)
    assert done.returncode == 1 and "Trainer.history" in done.stdout and " steps of 'Trainer.step' in " in done.stdout


def test_it_works_in_unittest():
    class Case(unittest.TestCase):
        def test_step(self):
            with self.assertRaises(MemoryGrowth):
                assert_no_growth(Trainer(lambda loss: loss).step)
            with assert_no_growth():
                Trainer().train(20)

    result = unittest.TestResult()
    Case("test_step").run(result)
    assert result.wasSuccessful(), result


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_go_on(start):
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=4, num_workers=2, multiprocessing_context=start, timeout=60)
    trainer = Trainer()
    with assert_no_growth() as watch:
        for (batch,) in loader:
            trainer.step(batch)
    assert watch.steps == 16


def test_the_thread_of_the_block_is_watched():
    other = Trainer(lambda loss: loss)
    thread = threading.Thread(target=other.train, args=(30,))
    thread.start()
    with assert_no_growth(allow="Trainer.history") as watch:
        Trainer().train(20)
    thread.join()
    assert watch.steps == 20 and len(other.history) == 30


# ---- pytest ----

TESTS = """
import pytest, unittest, torch
from torch import nn

def train(kept, steps=24):
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        loss = net(torch.randn(2, 4)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(loss)

@pytest.mark.vramlint
def test_leak():
    train([])

@pytest.mark.vramlint(bytes_per_step=4, nodes_per_step=3)
def test_allowed():
    train([])

@pytest.mark.vramlint(allow="kept*")
class TestOne(unittest.TestCase):
    def test_case(self):
        train([])

@pytest.mark.vramlint
def test_short():
    train([], 3)

@pytest.mark.vramlint
def test_broken():
    train([])
    assert "my own" == 1

@pytest.mark.parametrize("keeps", [False, True])
def test_fixture(vramlint_growth, keeps):
    kept = []
    for _ in range(20):
        kept += [torch.zeros(10)] * keeps
        vramlint_growth.step()
"""


def inner(pytester, *arguments):
    pytester.makepyfile(TESTS)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_marked_tests_are_watched(pytester):
    result = inner(pytester, "--vramlint")
    result.assert_outcomes(passed=3, failed=4)
    result.stdout.fnmatch_lines_random([
        "memory grows over 24 steps of 'test_leak'", "  kept in train grows by 4 B of tensors and * graph nodes*",
        "        kept.append(loss)", "    VL101 tensor-append: *", "'test_short' made 3 steps (optimizer steps)*",
        "*assert 'my own' == 1", "memory grows over 20 steps of 'test_fixture?True?'",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("*growth.py*")


def test_marks_alone_do_nothing(pytester):
    inner(pytester, "--strict-markers").assert_outcomes(passed=5, failed=2)


def test_it_works_within_confirm(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.run("vramlint", "confirm", "-q", "--steps", "1000", "--", sys.executable, "-m", "pytest", "--vramlint")
    result.assert_outcomes(passed=3, failed=4)


def test_records_are_kept(pytester):
    inner(pytester, "--vramlint", "--vramlint-record", "kept/here", "-k", "leak or allowed")
    assert sorted(path.name.rpartition(".py_")[2] for path in (pytester.path / "kept/here").iterdir()) == [
        "test_allowed.jsonl", "test_leak.jsonl"
    ]  # fmt: skip


def test_it_works_with_xdist(pytester):
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess("--vramlint", "-n", "2").assert_outcomes(passed=3, failed=4)


def test_it_works_beside_coverage(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("--vramlint", "--cov", ".", "-k", "leak or allowed")
    result.assert_outcomes(passed=1, failed=1, deselected=5)
    result.stdout.fnmatch_lines(["  kept in train grows by 4 B of tensors and * graph nodes*"])
    result.stdout.fnmatch_lines(["*the line that stores was not seen*" if sys.version_info < (3, 12) else "        kept.append(loss)"])
    result.stdout.fnmatch_lines(["TOTAL*"])

"""For pytest: the mark `vramlint`, the fixture `vramlint_growth`, the option --vramlint."""

import os
import re
from typing import Any, Generator, Iterator, Optional

import pytest

TAKES = ("steps", "bytes_per_step", "nodes_per_step", "allow", "yours")
MARK = "vramlint(steps=, bytes_per_step=, nodes_per_step=, allow=, yours=): a test whose steps should leave nothing behind; watched with --vramlint"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("vramlint", "growth of memory in training steps")
    group.addoption("--vramlint", action="store_true", help="watch the tests that are marked with 'vramlint', and fail those whose memory grows")
    group.addoption("--vramlint-record", metavar="DIR", help="keep what was seen of each watched test in DIR, for 'vramlint confirm --read'")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", MARK)


def _record(item: Any) -> Optional[str]:
    folder = item.config.getoption("--vramlint-record")
    if not folder:
        return None
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, re.sub(r"[^\w.-]+", "_", item.nodeid)[-200:] + ".jsonl")


def _watch(item: Any) -> Any:
    """A watch with what the test's mark says."""
    from .growth import Watch

    mark = item.get_closest_marker("vramlint")
    said = dict(mark.kwargs) if mark is not None else {}
    wrong = [repr(name) for name in said if name not in TAKES]
    if mark is not None and mark.args or wrong:
        said_wrong = ", not " + ", ".join(wrong) if wrong else ", by their names"
        pytest.fail("the mark 'vramlint' takes %s%s" % (", ".join(TAKES), said_wrong), pytrace=False)
    try:
        return Watch(record=_record(item), name=item.name, **said)
    except ValueError as error:
        return pytest.fail("the mark 'vramlint': %s" % error, pytrace=False)


@pytest.fixture
def vramlint_growth(request: Any) -> Iterator[Any]:
    """The watch of this test: it fails where steps within its call leave something behind. `step()` counts steps of one's own."""
    request.node.vramlint_watch = watch = _watch(request.node)
    yield watch
    del request.node.vramlint_watch


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    from .growth import MemoryGrowth, TooFewSteps

    watch = getattr(item, "vramlint_watch", None)
    if watch is None and item.config.getoption("--vramlint") and item.get_closest_marker("vramlint") is not None:
        watch = _watch(item)
    if watch is None:
        yield
        return
    watch.__enter__()
    outcome = yield
    error = outcome.excinfo[1] if outcome.excinfo else None
    try:
        watch.__exit__(type(error) if error else None, error, None)
    except (MemoryGrowth, TooFewSteps) as seen:
        _fail(outcome, pytest.fail.Exception(str(seen), pytrace=False))
    except Exception as fault:
        _fail(outcome, fault)


def _fail(outcome: Any, error: BaseException) -> None:
    if hasattr(outcome, "force_exception"):
        outcome.force_exception(error)
    else:  # pluggy before 1.1
        outcome._result, outcome._excinfo = None, (type(error), error, error.__traceback__)

"""As a test: does a training step leave something behind?

The same agent that `vramlint confirm` puts into a run watches steps within this process, and the vramlint program judges what
it has seen. Torch is imported when a watch begins, and not before.
"""

import importlib.util
import inspect
import json
import linecache
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Type, Union, overload

from ._program import find_program

__all__ = ["Growth", "GrowthWarning", "MemoryGrowth", "TooFewSteps", "Watch", "assert_no_growth"]

FEWEST_STEPS = 12
USUAL_STEPS = 48
FEWEST_BIRTHS = 8  # steps that something is left of: fewer are a habit to a person who reads a report, and no reason to fail
HERE = os.path.dirname(os.path.abspath(__file__))
Place = Tuple[str, int]


@dataclass(frozen=True)
class Growth:
    """Something that keeps a little more after each step."""

    holder: str  # "Trainer.history"
    bytes_per_step: int  # of tensors
    nodes_per_step: int  # of autograd graphs, which take host memory
    host_bytes_per_step: Optional[int]  # an estimate
    steps_left: int  # of so many of
    steps: int  # these something is left
    stored: Tuple[Place, ...] = ()  # (path, line) that put it there
    made: Tuple[Place, ...] = ()
    code: Optional[str] = None  # of the linter's finding at the line that stores: "VL101"
    name: Optional[str] = None
    message: Optional[str] = None
    help: Optional[str] = None


class MemoryGrowth(AssertionError):
    """Steps leave something behind; `growths` says what."""

    def __init__(self, message: str, growths: Sequence[Growth] = ()) -> None:
        super().__init__(message)
        self.growths = list(growths)


class TooFewSteps(RuntimeError):
    """Nothing can be told."""


class GrowthWarning(UserWarning):
    """Something could not be looked at."""


# ---- the agent ----


def _agent_folder() -> str:
    for folder in (os.path.join(HERE, "_agent"), os.path.join(HERE, "..", "..", "src", "confirm", "agent")):
        if os.path.isfile(os.path.join(folder, "inside.py")):
            return os.path.abspath(folder)
    raise FileNotFoundError("the vramlint package has no agent in it; to install it anew: pip install --force-reinstall vramlint")


def _agent() -> ModuleType:
    """The agent's part for programs that have it in them by their own will. Its package is the one that `vramlint confirm` uses."""
    if "_vramlint" not in sys.modules:
        folder = _agent_folder()
        spec = importlib.util.spec_from_file_location("_vramlint", os.path.join(folder, "boot.py"), submodule_search_locations=[folder])
        assert spec is not None and spec.loader is not None
        package = importlib.util.module_from_spec(spec)
        sys.modules["_vramlint"] = package
        try:
            spec.loader.exec_module(package)
        except BaseException:
            del sys.modules["_vramlint"]
            raise
    return importlib.import_module("_vramlint.inside")


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise unittest.SkipTest("torch is not here to be watched: %s" % error) from None


# ---- the program ----


def _program() -> str:
    try:
        return find_program()
    except FileNotFoundError as error:
        found = shutil.which("vramlint")
        if found is None:
            raise FileNotFoundError("what was seen is judged by the vramlint program, and there is %s, nor on PATH" % error) from None
        return found


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    # `vramlint confirm -- pytest` says this to its agent; the program would take it for a setting
    env = {name: value for name, value in os.environ.items() if not name.startswith("VRAMLINT_CONFIRM")}
    return subprocess.run(
        [_program(), *arguments], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        errors="replace", timeout=120,
    )  # fmt: skip


def _verdicts(record: bytes, files: Sequence[str]) -> Any:
    """What the program says of a record, with findings in these files."""
    with tempfile.TemporaryDirectory(prefix="vramlint-") as folder:
        kept, report = os.path.join(folder, "run.jsonl"), os.path.join(folder, "report.json")
        with open(kept, "wb") as file:
            file.write(record)
        checks = [word for path in files for word in ("--check", path)]
        done = None
        for more in (checks, ["--isolated"]) if checks else ([],):  # a fault in a configuration costs the findings only
            done = _run("confirm", "--quiet", "--read", kept, "--json", report, *more)
            if os.path.exists(report):
                with open(report, encoding="utf-8") as text:
                    return json.load(text)
    assert done is not None
    raise RuntimeError("'%s' could not judge what was seen: %s" % (done.args[0], done.stderr.strip() or "it says nothing"))


def _findings(files: Sequence[str]) -> List[Any]:
    """Those of the linter in these files, with what helps; none where it fails."""
    if not files:
        return []
    found = []
    for line in _run("check", "--quiet", "--output-format", "json-lines", "--", *files).stdout.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


# ---- from what was seen to what grows ----


def _places(rows: Iterable[Any]) -> Tuple[Place, ...]:
    found: List[Place] = []
    for row in rows:
        place = (row["path"], row["line"])
        if place not in found:
            found.append(place)
    return tuple(found)


def _details(entry: Any, findings: Sequence[Any]) -> Any:
    for finding in findings:
        if (finding["line"], finding["column"], finding["code"]) == (entry["line"], entry["column"], entry["code"]):
            if os.path.realpath(finding["path"]) == os.path.realpath(entry["path"]):
                return finding
    return {}


def _growth_of(holder: Any, finding: Any, findings: Sequence[Any]) -> Growth:
    details = _details(finding, findings) if finding else {}
    return Growth(
        holder=holder["holder"], bytes_per_step=holder["tensor_bytes_per_step"], nodes_per_step=holder["graph_nodes_per_step"],
        host_bytes_per_step=holder["host_bytes_per_step"], steps_left=holder["steps_left"], steps=holder["steps_judged"],
        stored=_places(holder["stored"]), made=_places(holder["made"]), code=finding.get("code"), name=finding.get("name"),
        message=finding.get("message"), help=details.get("help"),
    )  # fmt: skip


def _hooks(events: Iterable[Any], steps: int) -> Iterator[Growth]:
    """Hooks that are registered anew in each step and stay: what they close over is kept, whatever it is."""
    last = {(e["path"], e["line"]): e for e in events if e["ev"] == "probe" and e["kind"] == "hooks-grow" and e["path"]}
    for (path, line), event in last.items():
        if event["steps"] * 5 >= steps * 4:
            yield Growth(
                "hooks", 0, 0, None, event["steps"], steps, stored=((path, line),), name="hook-retain", code="VL107",
                message="a hook is registered in each step and never removed",
            )  # fmt: skip


def _judge(record: bytes, steps: int) -> List[Growth]:
    events = [json.loads(line) for line in record.splitlines()[1:]]
    grown: List[Growth] = []
    if any(event["ev"] == "holder" for event in events):
        files: Set[str] = set()
        for event in events:
            if event["ev"] == "store":
                for row in event["lines"]:
                    files.update(place["path"] for place in [row, *row["via"]])
        sources = sorted(path for path in files if path.endswith(".py") and os.path.isfile(path))
        report = _verdicts(record, sources)
        holders = [
            h for h in report["holders"]
            if h["kind"] in ("leaks", "gathered") and not h["emptied"] and h["steps_left"] >= FEWEST_BIRTHS
        ]  # fmt: skip
        named = {f["holder"]: f for f in report["findings"] if "code" in f and f.get("holder")}
        findings = _findings(sources) if named else []
        grown = [_growth_of(holder, named.get(holder["holder"], {}), findings) for holder in holders]
    known = {place for growth in grown for place in growth.stored}
    grown += [growth for growth in _hooks(events, steps) if growth.stored[0] not in known]
    return sorted(grown, key=lambda growth: (-growth.bytes_per_step, -growth.nodes_per_step))


# ---- what is said of it ----


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            break
        count, unit = count / 1000, "GB"
    return "%.0f %s" % (count, unit) if unit == "B" or count >= 100 else "%.1f %s" % (count, unit)


def _shown(path: str) -> str:
    try:
        relative = os.path.relpath(path)
    except ValueError:
        return path
    return path if relative.startswith(os.pardir) else relative


def _lines_at(word: str, places: Sequence[Place]) -> Iterator[str]:
    for path, line in places[:3]:
        yield "    %s at %s:%d" % (word, _shown(path), line)
        code = linecache.getline(path, line).strip()
        if code:
            yield "        %s" % code


def _said_of(growth: Growth) -> Iterator[str]:
    parts = []
    if growth.bytes_per_step:
        parts.append("%s of tensors" % _bytes(growth.bytes_per_step))
    if growth.nodes_per_step:
        parts.append("%d graph node%s" % (growth.nodes_per_step, "s" if growth.nodes_per_step != 1 else ""))
    amount = " and ".join(parts)
    if growth.nodes_per_step and growth.host_bytes_per_step:
        amount += ", about %s of host memory," % _bytes(growth.host_bytes_per_step)
    if amount:
        yield "  %s grows by %s a step: of %d of %d steps something is left" % (growth.holder, amount, growth.steps_left, growth.steps)
    else:
        yield "  %s are registered in %d of %d steps and stay" % (growth.holder, growth.steps_left, growth.steps)
    if growth.stored:
        yield from _lines_at("stored", growth.stored)
    else:
        yield "    the line that stores was not seen%s" % (
            ": before Python 3.12 it is not while another tool traces lines (coverage, a debugger)" if sys.gettrace() else ""
        )
    yield from _lines_at("made", growth.made[:1])
    if growth.code:
        yield "    %s %s: %s" % (growth.code, growth.name, growth.message)
    if growth.help:
        yield "    help: %s" % growth.help


def _message(growths: Sequence[Growth], steps: int, watched: str) -> str:
    lines = ["memory grows over %d steps of %s" % (steps, watched), ""]
    for growth in growths:
        lines += [*_said_of(growth), ""]
    tensors, nodes = sum(g.bytes_per_step for g in growths), sum(g.nodes_per_step for g in growths)
    allowances = ["%s=%d" % (name, n) for name, n in (("bytes_per_step", tensors), ("nodes_per_step", nodes)) if n]
    lines.append("where it is meant to: %s" % " or ".join([", ".join(allowances)] * bool(allowances) + ["allow=[%r]" % growths[0].holder]))
    return "\n".join(lines)


# ---- the watch ----

_KINDS = {"opt": "optimizer steps", "batch": "batches of a DataLoader", "bwd": "backward calls", "fwd": "calls of a module"}
_current: Optional["Watch"] = None


class Watch:
    """Watches the steps made within its `with` block, and raises MemoryGrowth at the block's end where they leave something.

    After the block `growths` has all that grows, also what is allowed, and `steps` says how many steps were seen.
    """

    def __init__(
        self,
        *,
        steps: Optional[int] = None,
        bytes_per_step: int = 0,
        nodes_per_step: int = 0,
        allow: Union[str, Iterable[str]] = (),
        yours: Union[str, Iterable[str]] = (),
        record: Union[None, str, "os.PathLike[str]"] = None,
        name: Optional[str] = None,
    ) -> None:
        if steps is not None and steps < FEWEST_STEPS:
            raise ValueError("'steps' is %d: growth can't be told from a warm-up with fewer than %d steps" % (steps, FEWEST_STEPS))
        self.growths: List[Growth] = []
        self.steps = 0
        self._limit = steps
        self._bytes, self._nodes = bytes_per_step, nodes_per_step
        self._allow = [allow] if isinstance(allow, str) else list(allow)
        self._yours = [place for name in ([yours] if isinstance(yours, str) else yours) for place in _places_of(name)]
        self._record = record
        self._name = name or "a block"
        self._shown = "'%s'" % name if name else "the block"
        self._root: Optional[Callable[..., Any]] = None
        self._session: Any = None
        self._used = False

    def __enter__(self) -> "Watch":
        global _current
        __tracebackhide__ = True
        if self._used:
            raise RuntimeError("a watch is for one block: make another one")
        if _current is not None:
            raise RuntimeError("%s is being watched already, and one thing can be at a time" % _current._shown)
        _need_torch()
        self._session = _agent().begin(self._limit, self._root, yours=self._yours, not_yours=[HERE])
        self._used, _current = True, self
        return self

    def step(self) -> None:
        """One step is over: for loops whose steps aren't those of an optimizer. Where it is called it alone counts."""
        if self._session is None:
            raise RuntimeError("step() is called outside of the watch's block")
        self._session.count()

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        global _current
        __tracebackhide__ = True
        session, self._session, _current = self._session, None, None
        self._root = None
        if kind is not None:
            session.leave()
            return
        session.close()
        self._end(session)

    def _end(self, session: Any) -> None:
        __tracebackhide__ = True
        if session.failure is not None:
            raise RuntimeError("vramlint failed while it watched, and knows nothing") from session.failure
        self.steps = session.steps()
        request = {"ev": "request", "schema": "confirm/1", "command": self._name, "steps": self.steps, "findings": []}
        record = json.dumps(request).encode() + b"\n" + session.said()
        if self._record is not None:
            with open(self._record, "wb") as file:
                file.write(record)
        if self.steps < FEWEST_STEPS:
            raise TooFewSteps(_too_few(self.steps, session.kind, self._shown))
        if not getattr(session, "complete", True):
            warnings.warn(
                "%s has too many objects to look at all of them in time: what is held by the rest was not seen" % self._shown, GrowthWarning, stacklevel=3
            )
        self.growths = _judge(record, self.steps)
        wanted = [growth for growth in self.growths if not self._is_allowed(growth)]
        tensors, nodes = sum(g.bytes_per_step for g in wanted), sum(g.nodes_per_step for g in wanted)
        uncounted = any(not growth.bytes_per_step and not growth.nodes_per_step for growth in wanted)
        if tensors > self._bytes or nodes > self._nodes or uncounted:
            raise MemoryGrowth(_message(wanted, self.steps, self._shown), wanted)

    def _is_allowed(self, growth: Growth) -> bool:
        return any(re.fullmatch(re.escape(word).replace(r"\*", ".*"), growth.holder) for word in self._allow)


def _too_few(steps: int, kind: Optional[str], name: str) -> str:
    if steps == 0:
        return (
            "no step of %s was seen: it called no optimizer, DataLoader, backward or module in this thread;"
            " steps of another kind can be counted with the watch's step()" % name
        )
    return "%s made %d steps (%s), and growth can't be told from a warm-up with fewer than %d" % (
        name, steps, _KINDS.get(kind or "", "steps"), FEWEST_STEPS,
    )  # fmt: skip


def _places_of(name: str) -> List[str]:
    """The folders of a package, or the file of a module."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    places = list(spec.submodule_search_locations or ([spec.origin] if spec.origin else [])) if spec is not None else []
    if not places:
        raise ValueError("'yours' has %r, and no package of that name is installed" % name)
    return places


def _endless(batches: Iterable[Any]) -> Iterator[Any]:
    """Begins anew where they end; an iterator cannot."""
    some = True
    while some:
        some = False
        for batch in batches:
            some = True
            yield batch


def _name_of(step: Callable[..., Any]) -> str:
    return str(getattr(step, "__qualname__", type(step).__name__))


@overload
def assert_no_growth(
    step: None = None,
    *,
    steps: Optional[int] = None,
    bytes_per_step: int = 0,
    nodes_per_step: int = 0,
    allow: Union[str, Iterable[str]] = (),
    yours: Union[str, Iterable[str]] = (),
    record: Union[None, str, "os.PathLike[str]"] = None,
) -> Watch: ...


@overload
def assert_no_growth(
    step: Callable[..., Any],
    batches: Optional[Iterable[Any]] = None,
    *,
    steps: Optional[int] = None,
    warm_up: int = 0,
    bytes_per_step: int = 0,
    nodes_per_step: int = 0,
    allow: Union[str, Iterable[str]] = (),
    yours: Union[str, Iterable[str]] = (),
    record: Union[None, str, "os.PathLike[str]"] = None,
) -> Watch: ...


def assert_no_growth(
    step: Optional[Callable[..., Any]] = None,
    batches: Optional[Iterable[Any]] = None,
    *,
    steps: Optional[int] = None,
    warm_up: int = 0,
    bytes_per_step: int = 0,
    nodes_per_step: int = 0,
    allow: Union[str, Iterable[str]] = (),
    yours: Union[str, Iterable[str]] = (),
    record: Union[None, str, "os.PathLike[str]"] = None,
) -> Watch:
    """Fails where steps leave tensors or autograd graphs behind, one after the other.

    A step of your own, called 48 times, with the batches in turn (begun anew where they end) or with nothing:

        assert_no_growth(trainer.step, loader)

    Code that makes its steps itself, counted by the optimizer, or by batches, backward or forwards where there is none:

        with assert_no_growth():
            train(model, loader, epochs=2)

    A loop whose steps you count:

        with assert_no_growth() as growth:
            for state in states:
                agent.act(state)
                growth.step()

    steps           how many are watched, 12 at least, and 24 for a sure verdict: a step of your own is called so often (48);
                    a block is watched to its end where nothing is said
    warm_up         calls before the watch begins (compilation, buffers that are filled once)
    bytes_per_step  of tensors, all holders together, that may stay
    nodes_per_step  of graphs
    allow           holders that may grow, by the name that a failure gives them; "*" stands for anything
    yours           packages of yours that are installed among the libraries, by name: followed as the test's own code is
    record          a file to keep what was seen in, for `vramlint confirm --read`

    Raises MemoryGrowth, which is an AssertionError; TooFewSteps where nothing can be told; unittest.SkipTest, which pytest
    takes for a skip as well, where torch cannot be imported.
    """
    __tracebackhide__ = True
    if step is not None and not callable(step):
        raise TypeError("'step' is to be called: pass the function and not its result, which is %r" % type(step).__name__)
    if step is None and (batches is not None or warm_up):
        raise TypeError("'batches' and 'warm_up' are for a step to call; a block makes its own")
    steps = USUAL_STEPS if step is not None and steps is None else steps
    watch = Watch(
        steps=steps, bytes_per_step=bytes_per_step, nodes_per_step=nodes_per_step,
        allow=allow, yours=yours, record=record, name=None if step is None else _name_of(step),
    )  # fmt: skip
    if step is None:
        return watch
    _need_torch()
    _call(watch, step, batches, warm_up, steps or 0)
    return watch


def _call(watch: Watch, step: Callable[..., Any], batches: Optional[Iterable[Any]], warm_up: int, steps: int) -> None:
    __tracebackhide__ = True
    turns: Iterator[Tuple[Any, ...]] = ((batch,) for batch in _endless(batches)) if batches is not None else iter(lambda: (), None)
    for _, turn in zip(range(warm_up), turns):
        step(*turn)
    watch._root = step
    turn = ()
    with watch:
        for _, turn in zip(range(steps), turns):
            _need_done(step(*turn))
            watch.step()


def _need_done(result: Any) -> None:
    if inspect.isawaitable(result) or inspect.isgenerator(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError("the step does nothing when it is called: it returns a %s; wrap it in a function that runs it" % type(result).__name__)

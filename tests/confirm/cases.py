"""Runs measured scripts under the agent and prints what it said of each beside what is known.

usage: PYTHON-WITH-TORCH tests/confirm/cases.py [-j N] [-v] [--no-shim] [--fork [--same]] FOLDER [NAME]...

FOLDER holds the scripts with their marks (`# expect: NAME`), MEASURED.tsv and ALSO.tsv. A script that grows is right when a
holder that leaks was stored at a marked line; one that does not is right when no holder with a graph leaks.
"""
import argparse
import ast
import collections
import csv
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import forked
from harness import confirm

STEP = "import builtins\nbuiltins.STEP = lambda *a, **k: None\n"
GROWS = ("grows", "grows-in-epoch")


def table(path, delimiter="\t"):
    if not path.exists():
        return []
    with open(path, newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    return rows


def functions(source):
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            spans.append((node.lineno, node.end_lineno))
    return spans


def statements(source):
    return [(n.lineno, n.end_lineno) for n in ast.walk(ast.parse(source)) if isinstance(n, ast.stmt)
            and not hasattr(n, "body")]  # fmt: skip


def marks(path):
    source = path.read_text()
    found = []
    spans, simple = functions(source), statements(source)
    for number, line in enumerate(source.splitlines(), 1):
        match = re.search(r"# expect: ([\w-]+)", line)
        if match:
            around = [s for s in spans if s[0] <= number <= s[1]]
            first, last = max(around, default=(1, len(source.splitlines())))
            whole = [s for s in simple if s[0] <= number <= s[1]]
            begin, end = whole[0] if whole else (number, number)
            found.append({"path": str(path), "line": begin, "end_line": end, "first": first, "last": last,
                          "code": "", "name": match.group(1), "cost": "device"})  # fmt: skip
    return found


def leaking(run):
    """{key: ("graph" or "data", holder)} of what leaks by the agent's own words."""
    bounded = {(e["pid"], e["key"]): e["why"] for e in run.of("bounded")}
    found = {}
    for (pid, key), e in {(e["pid"], e["key"]): e for e in run.of("holder")}.items():
        why = bounded.get((pid, key))
        births = [b for b in e["births"] if b[0] > 0]
        graph = sum(1 for b in births if b[3]) * 2 >= len(births)
        if e["shape"] == "leak" and (why is None or why == "sawtooth" and graph):
            found[key] = ("graph" if graph else "data", e)
    return found


def judge(path, measured, also, run):
    expected = marks(path)
    lines = {n for f in expected for n in range(f["line"], f["end_line"] + 1)} | also
    leaks = leaking(run)
    exact = near = False
    stores = {}
    for e in run.of("store"):
        for row in e["lines"]:
            stores.setdefault(e["key"], {}).setdefault(row["line"], [v["line"] for v in row["via"]])
    told = []
    for key, (kind, e) in leaks.items():
        at = stores.get(key, {})
        exact |= any(n in lines for n in at)
        near |= any(v in lines for via in at.values() for v in via)
        births = [b for b in e["births"] if b[0] > 0]
        rate = sum(b[2] for b in births) / max(1, len(births))
        told.append("%s %s %d B/%s @%s" % (kind, key, rate, e["series"], ",".join(map(str, sorted(at))) or "-"))
    probes = sorted({"%s@%s" % (e["kind"], e["line"]) for e in run.of("probe")})
    covers = {e["id"]: e["hits"] for e in run.of("cover")}
    leak = ".leak." in path.name
    if leak and measured in GROWS + ("grows-data",):
        hit = any(e["line"] in lines for e in run.of("probe") if e["kind"] != "sync")
        verdict = "right" if exact else "via" if near else "probe" if hit else "HOLDER" if leaks else "MISSED"
    elif leak:
        bad = [k for k, v in leaks.items() if v[0] == "graph"]
        verdict = "probe" if probes else "quiet" if not bad else "FALSE"
    else:
        graph = [k for k, v in leaks.items() if v[0] == "graph"]
        data = [k for k, v in leaks.items() if v[0] == "data"]
        fair = "data" in measured or "grows" in measured
        verdict = "FALSE" if graph else "right" if fair or not data else "DATA"
    hello = run.of("hello")
    if not hello or not run.of("bye"):
        verdict += "!"
    return verdict, told, probes, covers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--no-shim", action="store_true")
    parser.add_argument("--fork", action="store_true", help="import torch once for all scripts")
    parser.add_argument("--same", action="store_true", help="only compare what they print with a plain run; with --fork")
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*")
    args = parser.parse_args()
    if args.fork:
        args.j = 1
        shim = forked.prepare()
    rows = table(args.folder / "MEASURED.tsv")
    column = rows[0].index("verdict")
    measured = {r[0]: r[column] for r in rows[1:]}
    also = collections.defaultdict(set)
    for row in table(args.folder / "ALSO.tsv"):
        if len(row) > 1 and row[1].isdigit():
            also[row[0]].add(int(row[1]))
    paths = [p for p in sorted(args.folder.glob("*.py")) if not args.name or any(n in p.name for n in args.name)]

    def one(path):
        if args.same:
            plain = forked.run(path, (), None, plain=True)
            run = forked.run(path, marks(path), shim, stop="run")
            same = (plain.out, plain.err, plain.status) == (run.out, run.err, run.status)
            return path, run, ("same" if same else "DIFFERS", [], [], {})
        if args.fork:
            run = forked.run(path, marks(path), None if args.no_shim else shim)
            return path, run, judge(path, measured.get(path.name, "?"), also[path.name], run)
        with tempfile.TemporaryDirectory(prefix="vlcase-") as scratch:
            (Path(scratch) / "site").mkdir()
            (Path(scratch) / "site" / "sitecustomize.py").write_text(STEP)
            env = {"OMP_NUM_THREADS": "1", "PYTHONPATH": scratch + "/site", "VRAMLINT_CONFIRM_DEBUG": "1",
                   "PYTHONWARNINGS": "ignore"}  # fmt: skip
            run = confirm(["nice", "-n", "5", "python", path], findings=marks(path), cwd=scratch, env=env, shim=not args.no_shim)
        return path, run, judge(path, measured.get(path.name, "?"), also[path.name], run)

    counts = collections.Counter()
    with ThreadPoolExecutor(args.j) as pool:
        for path, run, (verdict, told, probes, covers) in (map if args.fork else pool.map)(one, paths):
            kind = "leak" if ".leak." in path.name else "fixed"
            counts[kind, measured.get(path.name, "?"), verdict] += 1
            marked = ",".join(str(f["line"]) for f in marks(path))
            print("%-7s %-45s %-14s %5.1fs rc=%s mark=%s | %s | %s | %s" % (
                verdict, path.name[:-3], measured.get(path.name, "?"), run.seconds, run.status, marked,
                "; ".join(told), " ".join(probes), covers), flush=True)  # fmt: skip
            debug = [line for line in run.err.splitlines() if "_vramlint" in line or "/agent/" in line]
            if debug:
                print("        agent failed:", "\n".join(run.err.splitlines()[-6:]), flush=True)
            elif args.v:
                print(run.err[-1500:], flush=True)
    for (kind, what, verdict), n in sorted(counts.items()):
        print("%4d %s %s: %s" % (n, kind, what, verdict))


if __name__ == "__main__":
    sys.exit(main())

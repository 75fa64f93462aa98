"""Scores `vramlint confirm` on training scripts whose truth is known: verdict, holder and line that stores.

usage: PYTHON-WITH-TORCH tests/confirm/whole.py [--fork] [--same] [--only NAME]... [--failed] [-v] [FOLDER]...

A FOLDER (tests/cases/* by default) holds scripts with marks, MEASURED.tsv and ALSO.tsv. Marks are `# expect: RULE`, or
`# leak: HOLDER` where it does not matter whether a rule says so. What is right:
    grows, grows-in-epoch            a mark is confirmed, or what is stored there is told as unpredicted
    grows-data (of a leak)           the same, or that it is bounded
    peak-only, one-graph-extra       each mark's finding is refuted, or bounded
    flat, error (of a leak)          the finding at a mark is confirmed by a probe
    fixed and clean files            nothing is confirmed and nothing unpredicted
In no file may a line be confirmed that is no mark. Results are kept in build/confirm/whole.tsv, for --failed. What is known not
to be right stands in known.tsv, with the reason; anything else that is not right fails.
"""
import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("VRAMLINT", str(ROOT / "build/release/vramlint"))
FORKED = str(Path(__file__).with_name("forked.py"))
KNOWN = Path(__file__).with_name("known.tsv")
RESULTS = ROOT / "build/confirm/whole.tsv"
MARK = re.compile(r"# expect: ([\w, -]+)")
LEAK = re.compile(r"# leak: (\w+)")
# late-del depends on sizes that no reader of the source can know, so no case marks it
OPTIONS = ["--isolated", "--select", "ALL", "--ignore", "late-del"]
GROWS, CONSTANT, NO_GROWTH = ("grows", "grows-in-epoch"), ("peak-only", "one-graph-extra"), ("flat", "error")
COLUMNS = ("file", "truth", "result", "line", "holder", "seconds", "note")


def rows_of(path):
    if not path.exists():
        return []
    with path.open(newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


class Case:
    def __init__(self, path, truth, fair):
        self.path, self.kind = path, path.name.split(".")[-2]
        self.truth = truth
        self.source = path.read_text().split("\n")
        self.marks, self.holders = {}, set()  # line -> names of rules, none where whoever predicts it may; what holds
        for number, text in enumerate(self.source, 1):
            match, leak = MARK.search(text), LEAK.search(text)
            if match:
                self.marks[number] = {name.strip() for name in match.group(1).split(",")}
            elif leak:
                self.marks[number] = set()
                self.holders.add(leak.group(1))
        self.fair = fair  # {(line, name)}
        self.lines = set(self.marks) | {line for line, _ in fair}

    @property
    def name(self):
        return "%s/%s" % (self.path.parent.name, self.path.name)

    def is_marked(self, finding):
        """As tests/score has it: at a mark or at a fair place, under its name or one that is as right."""
        line, name = finding["line"], finding["name"]
        if self.holders:  # it stands where it is stored, or tells what is stored there
            return line in self.marks or bool({s["line"] for s in finding.get("stored", ())} & set(self.marks))
        return name in self.marks.get(line, ()) or (line, name) in self.fair or any(at == line for at, _ in self.fair)


def cases_of(folders):
    for folder in folders:
        measured = {row["file"]: row["verdict"] for row in rows_of(folder / "MEASURED.tsv")}
        fair = collections.defaultdict(set)
        for row in rows_of(folder / "ALSO.tsv"):
            fair[row["file"]].add((int(row["line"]), row["category"]))
        for path in sorted(folder.glob("*.py")):
            if path.name in measured:
                yield Case(path.resolve(), measured[path.name], fair[path.name])


# ---- running


class Runner:
    def __init__(self, fork):
        self.server = None
        self.folder = tempfile.TemporaryDirectory(prefix="vlwhole-")
        self.environ = dict(os.environ, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore", TMPDIR=self.folder.name,
                            VRAMLINT_CONFIRM_DEBUG="1", MPLBACKEND="Agg")  # fmt: skip
        Path(self.folder.name, "sitecustomize.py").write_text("import builtins\nbuiltins.STEP = lambda *a, **k: None\n")
        self.environ["PYTHONPATH"] = self.folder.name
        if fork:
            self.socket = self.folder.name + "/forks"
            self.server = subprocess.Popen([sys.executable, FORKED, "serve", self.socket], stdout=subprocess.PIPE, text=True,
                                           start_new_session=True)  # fmt: skip
            if self.server.stdout.readline() != "ready\n":
                sys.exit("the process that imports torch did not come up")

    def words(self, case):
        """What runs it. The supervisor sees workers only of what it has started itself."""
        if self.server and "num_workers" not in "".join(case.source):
            return [sys.executable, FORKED, "run", self.socket, str(case.path)]
        return [sys.executable, str(case.path)]

    def close(self):
        if self.server:
            self.server.kill()
            self.server.wait()
        self.folder.cleanup()

    def run(self, command, timeout=150):
        """(status, stdout, stderr, report) of COMMAND in a folder of its own, where it may leave a report."""
        with tempfile.TemporaryDirectory(prefix="case-", dir=self.folder.name) as scratch:
            out, errors = Path(scratch, ".out"), Path(scratch, ".err")
            with out.open("w") as to, errors.open("w") as to_too:
                try:
                    status = subprocess.run(command, cwd=scratch, env=self.environ, stdin=subprocess.DEVNULL, stdout=to,
                                            stderr=to_too, timeout=timeout).returncode  # fmt: skip
                except subprocess.TimeoutExpired:
                    status = None
            report = Path(scratch, "report.json")
            return (status, out.read_text(errors="replace"), errors.read_text(errors="replace"),
                    json.loads(report.read_text()) if report.exists() else None)  # fmt: skip

    def plain(self, case):
        return self.run(self.words(case))[:3]

    def confirm(self, case, *more):
        return self.run(["nice", "-n", "5", PROGRAM, "confirm", "-q", *OPTIONS, "--time-limit", "120", *more, "--json",
                         "report.json", "--check", str(case.path), "--", *self.words(case)])  # fmt: skip


# ---- scoring


class Score:
    """What is to be said of one report: `result` and why. Where no rule says anything, a leak is "gathered" (told,
    but as what may be wanted) or "missed"; "unseen" is a run without steps."""

    def __init__(self, case, report, errors, status):
        self.case, self.notes = case, []
        self.line = self.holder = ""
        findings = report["findings"] if report else []
        self.marked = [f for f in findings if f["verdict"] != "unpredicted" and case.is_marked(f)]
        rows = report["holders"] if report else []
        self.gathered = [r for r in rows if r["kind"] == "gathered" and self.stored(r) & case.lines]
        self.unpredicted = [f for f in findings if f["verdict"] == "unpredicted"]
        self.others = [f for f in findings if f["verdict"] != "unpredicted" and not case.is_marked(f)]
        stray = [f for f in self.unpredicted if not self.stored(f) & case.lines]
        self.wrong = [self.text(f) for f in self.others if f["verdict"].startswith("confirmed")] + [self.text(f) for f in stray]
        if "_vramlint" in errors or "/agent/" in errors:
            self.notes.append("the agent failed: " + errors[-300:].replace("\n", " | "))
        if not report or not any(p["steps"] for p in report["processes"]) and case.truth != "error":
            self.result = "unseen"
            self.notes.append("status %s: %s" % (status, errors[-200:].replace("\n", " | ")))
        elif self.wrong:
            self.result = "wrong"
            self.notes += self.wrong
        elif case.kind != "leak" or not case.marks:
            self.result = "right"
        else:
            self.leak()

    @staticmethod
    def stored(finding):
        """Lines that store into a finding's holder, and the calls that lead there."""
        return {at["line"] for s in finding.get("stored", ()) for at in [s, *s.get("via", ())]}

    @staticmethod
    def text(f):
        made = "%s holder=%s %s B %s nodes, stored at %s%s" % (
            f["verdict"], f.get("holder"), f.get("tensor_bytes_per_step"), f.get("graph_nodes_per_step"),
            ",".join(str(s["line"]) for s in f.get("stored", ())) or "-", ", bounded: " + f["bounded"] if f.get("bounded") else "")  # fmt: skip
        if "line" in f:
            made = "%s@%d %s, %s hits, probe %s" % (f["name"], f["line"], made, f.get("hits"), f.get("probe"))
        return made

    def leak(self):
        case = self.case
        confirmed = [f for f in self.marked if f["verdict"].startswith("confirmed")]
        if case.truth in GROWS or case.truth == "grows-data":
            found = confirmed or [f for f in self.unpredicted if self.stored(f) & case.lines]
            if case.truth == "grows-data":
                found = found or [f for f in self.marked if f.get("bounded")]
            good = bool(found)
            if found:
                self.place(found)
        elif case.truth in CONSTANT:
            good = bool(self.marked) and all(f["verdict"] == "refuted" or f.get("bounded") or f.get("emptied") for f in self.marked)
        else:
            good = any(f.get("probe") for f in confirmed)
        self.result = "right" if good else "wrong" if self.marked else "gathered" if self.gathered else "missed"
        if not good:
            self.notes += [self.text(f) for f in self.marked]

    def place(self, found):
        """Whether a holder is named whose name the source has near the mark, and a line that stores is a mark itself."""
        held = [f for f in found if f.get("holder")]
        if not held:
            self.line = self.holder = "probe"
            return
        at = {s["line"] for f in held for s in f.get("stored", ())}
        via = {n for f in held for n in self.stored(f)}
        made = {m["line"] for f in held for m in f.get("made", ())}
        marked = self.case.lines
        self.line = "exact" if at & marked else "via" if via & marked else "made" if made & marked else "no"
        if self.case.holders:
            named = {w for f in held for w in re.findall(r"\w+", f["holder"])} & self.case.holders
            self.holder = "named" if named else "?" + held[0]["holder"]
            return
        words = {w for f in held for w in re.findall(r"[A-Za-z_]\w*", f["holder"].split(" in ")[0])[-2:]}
        near = " ".join(self.case.source[n - 1] for n in self.case.lines | at)
        self.holder = "named" if any(re.search(r"\b%s\b" % w, near) for w in words) else "?" + held[0]["holder"]


def judge(runner, case):
    began = time.monotonic()
    status, out, errors, report = runner.confirm(case)
    score = Score(case, report, errors, status)
    return {"file": case.name, "truth": "%s %s" % (case.kind, case.truth), "result": score.result, "line": score.line,
            "holder": score.holder, "seconds": "%.1f" % (time.monotonic() - began), "note": "; ".join(score.notes)}  # fmt: skip


def compare(runner, case):
    """Whether a script prints the same with the agent as without; one that never prints the same twice can't be compared."""
    began, plain = time.monotonic(), runner.plain(case)
    status, out, errors, report = runner.confirm(case, "--stop", "run")
    result, note = "right", ""
    if not out.startswith(plain[1]) or "\n" in out[len(plain[1]):].split(" of '")[0] or errors != plain[2]:
        again = runner.plain(case)
        result = "unseen" if again != plain else "wrong"
        note = "%r… against %r…" % first_difference(plain[1] + plain[2], out + errors)
    return {"file": case.name, "truth": case.kind, "result": result, "line": "", "holder": "",
            "seconds": "%.1f" % (time.monotonic() - began), "note": note}  # fmt: skip


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return a[max(0, at - 20) : at + 60], b[max(0, at - 20) : at + 60]


def save(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


def print_table(rows):
    results = ("right", "wrong", "gathered", "missed", "unseen")
    count = collections.Counter((r["truth"], r["result"]) for r in rows)
    print("%-26s%s" % ("", "".join("%10s" % r for r in results)))
    for truth in sorted({r["truth"] for r in rows}):
        print("%-26s%s" % (truth, "".join("%10d" % count[truth, r] for r in results)))
    right = sum(r["result"] == "right" for r in rows)
    print("%-26s%s" % ("all", "".join("%10d" % sum(r["result"] == x for r in rows) for x in results)))
    print("%d of %d right, %.1f %%" % (right, len(rows), 100 * right / max(1, len(rows))))
    for column in ("line", "holder"):
        kinds = collections.Counter(r[column].partition("?")[0] or "?" for r in rows if r[column])
        if kinds:
            print("%s: %s" % (column, ", ".join("%s %d" % kind for kind in kinds.most_common())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fork", action="store_true", help="import torch once for all scripts")
    parser.add_argument("--same", action="store_true", help="whether scripts print the same with the agent as without")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="files that have NAME in their path")
    parser.add_argument("--failed", action="store_true", help="those that were not right when they were last run")
    parser.add_argument("--results", type=Path, metavar="FILE")
    parser.add_argument("-v", action="store_true", help="print what is right, too")
    parser.add_argument("folder", type=Path, nargs="*")
    args = parser.parse_args()
    results = args.results or (RESULTS.with_name("same.tsv") if args.same else RESULTS)
    known = {row["file"]: row for row in rows_of(results)}
    cases = list(cases_of(args.folder or sorted(p.parent for p in (ROOT / "tests/cases").glob("*/MEASURED.tsv"))))
    cases = [c for c in cases if not args.only or any(name in c.name for name in args.only)]
    if args.failed:
        cases = [c for c in cases if known.get(c.name, {}).get("result") != "right"]
    rows, runner = {}, Runner(args.fork)
    try:
        for case in cases:
            rows[case.name] = row = (compare if args.same else judge)(runner, case)
            save(results, {**known, **rows})
            if args.v or row["result"] != "right" or row["line"] == "no" or row["holder"].startswith("?"):
                print("%(result)-7s %(file)-52s %(truth)-20s %(line)-6s %(holder)s %(seconds)ss %(note)s" % row, flush=True)
    finally:
        runner.close()
    print_table(list(rows.values()))
    sys.exit(not rows or compare_known(rows, args.same))


def compare_known(rows, same):
    """Whether anything is worse than what is known."""
    known = {} if same else {row["file"]: row["result"] for row in rows_of(KNOWN)}
    bad = [name for name, row in rows.items() if row["result"] not in ("right", known.get(name))]
    for name in bad:
        print("not right: %s" % name)
    for name, row in rows.items():
        if name in known and row["result"] == "right":
            print("right now, take it out of '%s': %s" % (KNOWN.name, name))
    print("%d passed, %d failed" % (len(rows) - len(bad), len(bad)))
    return bool(bad)


if __name__ == "__main__":
    main()

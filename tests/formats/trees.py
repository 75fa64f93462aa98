"""What is checked: a tree with findings of all sorts, one without, a hostile one and one that cannot be checked whole."""
import json
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]

LEAK = """import torch
from torch import nn

model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{holder} = []
for step in range(100):
    loss = model(torch.randn(4, 8)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {before}{holder}.append(loss){after}
"""
CLEAN = LEAK.format(holder="losses", before="", after="").replace("append(loss)", "append(loss.item())")
# One of everything that some format gives a meaning to.
EVIL = ']]><script>alert(1)</script> <!-- ##vso[task.setvariable variable=x]y ##[error]z ::error::w %0A ](http://e) `| @me'
CONTROL = "\x1b[31m\x07\x9b\u202e\u2028\u200b"
HOSTILE_NAMES = [
    b"a\nb.py", b"::error file=x::y.py", b"c,d:%0A;e].py", b"e\x1b[2J\x07.py", "\u202egnp.py".encode(),
    b"##vso[task.complete]x.py", b"##[error]x.py", b"<b>&\"'.py", b"| md `x` [l](x) @me.py", b"inv\xff\xfe.py",
    "sp ace é💩.py".encode(), b"]]>.py", b" ::add-mask::a.py", "\u2003::group::g.py".encode(),
]


def write(folder, name, text):
    path = pathlib.Path(folder) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def findings(folder):
    shutil.copy(ROOT / "examples/train.py", folder)
    for rule in ("tensor-append", "missing-item", "no-grad-escape", "retain-graph", "empty-cache", "raw-tensor-log"):
        for path in sorted((ROOT / "fixtures" / rule).glob("*.py"))[:6]:
            write(folder, f"{rule}/{path.name}", path.read_bytes())
    wide = LEAK.format(holder="ж", before='"é💩", ', after="  # 💩💩")
    write(folder, "wide.py", wide)
    write(folder, "marked.py", b"\xef\xbb\xbf" + wide.encode())
    write(folder, "crlf.py", wide.replace("\n", "\r\n"))
    write(folder, "cr.py", wide.replace("\n", "\r"))
    write(folder, "latin.py", ("# coding: latin-1\n" + LEAK.format(holder="losses", before="", after="  # é")).encode("latin-1"))
    write(folder, "several-lines.py", LEAK.format(holder="losses", before="", after="").replace("append(loss)", "append(\n        loss\n    )"))
    write(folder, "twice.py", 2 * LEAK.format(holder="losses", before="", after=""))
    write(folder, "tabs.py", LEAK.format(holder="losses", before="", after="\t#\tx").replace("    ", "\t"))
    write(folder, "quotes.py", LEAK.format(holder='d["a"]["[x](1)"]', before="", after="").replace("d[", "d = {'a': {}}\nd[", 1))
    write(folder, "clean.py", CLEAN)


def none(folder):
    write(folder, "clean.py", CLEAN)


def hostile(folder):
    text = LEAK.format(holder=f'history["{EVIL}"]', before="", after=f"  # {EVIL}")
    text = text.replace("history[", "history = {}\nhistory[", 1).replace("for step", f"# {CONTROL} {EVIL}\nfor step", 1)
    short = LEAK.format(holder='h["##[x]"]', before="", after=f"  # ##vso[a]b {CONTROL} ::error::x")
    short = short.replace('h["', 'h = {}\nh["', 1)
    for name in HOSTILE_NAMES:
        path = bytes(folder) + b"/" + name
        with open(path, "wb") as file:
            file.write(text.encode() if len(name) % 2 else short.encode())


def broken(folder):
    write(folder, "leak.py", LEAK.format(holder="losses", before="", after="") + "def f(:\n    return\n")
    write(folder, "binary ::error:: ]]> ##[x].py", bytes(range(256)) * 40)
    (pathlib.Path(folder) / "dangling.py").symlink_to("nothing")


def notebook(folder):
    head, loop = LEAK.format(holder="losses", before="", after="").split("for step", 1)
    cells = [("markdown", "# A model"), ("code", "%matplotlib inline\n" + head), ("code", "!nvidia-smi"),
             ("code", "# \"é💩\" ##[x] " + CONTROL + "\nfor step" + loop)]
    make = [{"cell_type": kind, "metadata": {}, "source": re.findall(r"[^\n]*\n|[^\n]+", text),
             **({"outputs": [], "execution_count": None} if kind == "code" else {})} for kind, text in cells]
    whole = {"cells": make, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    write(folder, "note book.ipynb", json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


# name → (what makes it, paths to check, exit status)
TREES = {
    "findings": (findings, ["."], 1),
    "none": (none, ["."], 0),
    "hostile": (hostile, ["."], 1),
    "notebook": (notebook, ["."], 1),
    "broken": (broken, [".", "missing ::x:: ##[y] <z>.py"], 2),
}

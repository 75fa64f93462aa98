"""Cells of a notebook. A kernel compiles each as a file of its own; they are told as "/path/of.ipynb:cell 3", as the linter
tells them, where a notebook with findings has that cell, else as "In [3]"."""
import json
import re
import sys

TIMED = "<timed exec>"  # the body of a cell that begins with %%time
_known = {}  # notebook -> [text of its cell, "" of what is no code]
_texts = {}  # what a cell is told as -> its text


def expect(findings):
    """Of these findings some may lie in notebooks."""
    for finding in findings:
        match = re.fullmatch(r"(.*\.ipynb):cell \d+", finding["path"], re.S)
        if match and match.group(1) not in _known:
            _known[match.group(1)] = read(match.group(1))


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        return ["".join(cell["source"]).strip() if cell["cell_type"] == "code" else "" for cell in cells]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def shell():
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def is_cell(name):
    kernel = shell()
    return kernel is not None and (name == TIMED or name in getattr(kernel.compile, "_filename_map", ()))


def told_as(name):
    kernel = shell()
    number = kernel.compile._filename_map[name] if name != TIMED else kernel.execution_count
    try:
        raw = kernel.history_manager.input_hist_raw[number]
    except (AttributeError, IndexError):
        raw = ""
    told = "In [%d]" % number if name != TIMED else "In [%d], below %%%%time" % number
    for path, cells in _known.items() if raw.strip() and name != TIMED else ():
        if raw.strip() in cells:
            told = "%s:cell %d" % (path, cells.index(raw.strip()) + 1)
            break
    _texts[told] = raw
    return told


def text_of(told):
    return _texts.get(told)

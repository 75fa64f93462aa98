"""Cells of a notebook. A kernel compiles each as a file of its own; they are told as "/path/of.ipynb:cell 3", as the linter
tells them, where a notebook with findings has that cell, else as "In [3]"."""
import ast
import json
import linecache
import re
import sys

from . import patch

TIMED = "<timed exec>", "<timed eval>"  # what %time and %%time run
_parts = {}  # file of code that was compiled -> (number of its cell, lines of that before it, or None where it is no part of it)
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


def follow(compilerop):
    """Has IPython compile all code with the lines that it has in its cell: it takes away empty ones at the beginning, and
    magics have what is below them compiled by itself."""
    compiler = compilerop.CachingCompiler
    caches, parses, compiles = compiler.cache, compiler.ast_parse, compiler.__call__

    def cache(self, code, number=0, raw_code=None):
        part = number, 0
        try:
            if raw_code:
                part = part_of_cell(number, raw_code)
        except Exception:
            pass
        name = caches(self, "\n" * (part[1] or 0) + code, number, *([raw_code] if raw_code is not None else []))
        _parts[name] = part
        if raw_code and raw_code.lstrip().startswith("%%") and name in linecache.cache:
            # what a magic runs will say that it stands here; a trace shows these lines
            linecache.cache[name] = (len(raw_code), linecache.cache[name][1], raw_code.splitlines(True), name)
        return name

    def ast_parse(self, source, filename="<unknown>", *more, **named):
        before = _parts[filename][1] if filename in _parts and isinstance(source, str) else 0
        return parses(self, "\n" * before + source if before else source, filename, *more, **named)

    def compile_timed(self, source, filename, *more, **named):
        try:
            name, before = place_of_timed(sys._getframe(1)) if filename in TIMED and isinstance(source, ast.AST) else (None, None)
            if before is not None:
                source, filename = ast.increment_lineno(source, before), name
        except Exception:
            pass
        return compiles(self, source, filename, *more, **named)

    patch.replace(compiler, "cache", cache)
    patch.replace(compiler, "ast_parse", ast_parse)
    patch.replace(compiler, "__call__", compile_timed)


def part_of_cell(number, raw):
    """Of code `raw` that is run while IPython is at this number, which a cell that is under way may have used up."""
    cells = shell().history_manager.input_hist_raw
    number = min(number, len(cells) - 1)
    at = cells[number].find(raw.strip("\n"))
    return number, cells[number][:at + begin_of(raw.strip("\n"))].count("\n") if at >= 0 else None


def begin_of(text):
    """Where the first line that is not empty begins."""
    return text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1


def place_of_timed(frame):
    """(file, lines before it) of the code that the magic running in `frame` was given."""
    body = frame.f_locals.get("cell")
    while frame.f_code.co_filename not in _parts:
        frame = frame.f_back
    name = frame.f_code.co_filename
    return name, part_of_cell(_parts[name][0], body)[1] if body else frame.f_lineno - 1


def is_cell(name):
    kernel = shell()
    return kernel is not None and (name in TIMED or name in getattr(kernel.compile, "_filename_map", ()))


def told_as(name):
    kernel = shell()
    if name in TIMED:
        number, before = kernel.execution_count, None
    else:
        number, before = _parts.get(name) or (kernel.compile._filename_map[name], 0)
    is_there = before is not None
    try:
        raw = kernel.history_manager.input_hist_raw[number]
    except (AttributeError, IndexError):
        raw = ""
    told = "In [%d]" % number if is_there else "In [%d], below its magic" % number
    for path, cells in _known.items() if raw.strip() and is_there else ():
        if raw.strip() in cells:
            told = "%s:cell %d" % (path, cells.index(raw.strip()) + 1)
            break
    _texts[told] = raw
    return told


def text_of(told):
    """The code of a cell, in its lines, without the magic at its beginning."""
    text = _texts.get(told)
    return text and re.sub(r"\A(\s*)%%.*", r"\1", text)

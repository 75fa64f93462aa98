"""Tests of how code of a notebook's cells is told, with a real IPython."""
import io
import json
import os
import pathlib
import re
import sys
import tempfile
from contextlib import redirect_stdout

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import installed  # noqa: E402
from scripts import expect, run_all  # noqa: E402

sys.path.insert(0, str(installed.python("notebooks", HERE.parent / "notebooks/requirements.txt")))
import lines_test  # noqa: E402, F401  (it brings the agent in)
from _vramlint import cells  # noqa: E402
from IPython.core import compilerop  # noqa: E402

cells.follow(compilerop)
home = tempfile.TemporaryDirectory(prefix="ipython-")
os.environ["IPYTHONDIR"] = home.name
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402



class Notebook:
    """Cells that are run; `here(N)` in them is to be told as that cell and line."""
    shell = InteractiveShell.instance(history_length=0)

    def __init__(self, *texts):
        self.told, self.printed = [], io.StringIO()
        cells._known.clear()
        with tempfile.TemporaryDirectory() as folder:
            self.path = pathlib.Path(folder) / "run.ipynb"
            self.path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": text} for text in texts]}))
            cells.expect([{"path": f"{self.path}:cell 1"}])
        self.run(*texts)

    def run(self, *texts, **names):
        self.shell.user_ns.update(names, here=self.here)
        with redirect_stdout(self.printed):
            for text in texts:
                self.shell.run_cell(text, store_history=True)

    def here(self, mark):
        frame = sys._getframe(1)
        self.told.append((mark, cells.told_as(frame.f_code.co_filename), frame.f_lineno))

    def is_right(self, count):
        expect(len(self.told) == count, self.told)
        for mark, told, line in self.told:
            cell, _, row = mark.partition(".")
            expect(told == f"{self.path}:cell {cell}" and line == int(row), mark, told, line)


def plain_cells():
    notebook = Notebook("x = 1\nhere('1.2')", "def f():\n    here('2.2')\nf()\nhere('2.4')", "f()")
    notebook.is_right(4)


def empty_lines_at_the_beginning():
    notebook = Notebook("\n\n  \nhere('1.4')", "\n# why\nif True:\n\n    here('2.5')\n", "    here('3.1')\n    here('3.2')")
    notebook.is_right(4)


def timed_cells():
    notebook = Notebook("%%time\nhere('1.2')\nfor i in range(2):\n    here('1.4')", "\n%%time\n\n\nhere('2.5')\n\ndef f():\n    here('2.8')\n",
                        "f()\n%time here('3.2')\n%time f()", "%%time\nhere('4.2')\n7 * 6", "%%time\n\n43 if here('5.3') is None else 0")
    notebook.is_right(9)
    out = notebook.printed.getvalue()
    expect("Wall time" in out and "42" in out and "43" in out, out)


def other_magics_that_run_code():
    notebook = Notebook("%%capture out\nhere('1.2')", "\n\n%%capture\n%%time\n\nhere('2.6')", "%%time\n%%capture\nhere('3.3')")
    notebook.is_right(3)


def code_that_is_in_no_cell():
    notebook = Notebook("x = 1")
    notebook.run("get_ipython().run_cell(other)", other="here('0.0')")
    expect(len(notebook.told) == 1 and notebook.told[0][1].endswith("below its magic"), notebook.told)


def what_goes_wrong_is_told_with_its_line():
    out = Notebook("\n\nx = 1\n1 / 0  # zero", "%%time\n\nx = (", "%%time\n1 / 0  # timed").printed.getvalue()
    out = re.sub(r"\x1b\[[0-9;]*m", "", out)
    expect("----> 4 1 / 0  # zero" in out and "----> 2 1 / 0  # timed" in out, out)
    expect("SyntaxError" in out, out)
    expect(out.count("ZeroDivisionError: division by zero") == 2, out)


if __name__ == "__main__":
    passed, failed = run_all(globals(), sys.argv[1:])
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)

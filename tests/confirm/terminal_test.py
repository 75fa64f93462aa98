"""What `vramlint confirm` shows on a terminal while the script writes to it, too. usage: tests/confirm/terminal_test.py [NAME]...

The terminal is emulated by pyte, which is installed below build/.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("VRAMLINT", str(ROOT / "build/release/vramlint"))
sys.path[:0] = [str(ROOT / "tests"), str(HERE)]
import installed  # noqa: E402
from scripts import SPEAK as SAY  # noqa: E402
from scripts import is_gone, run_all  # noqa: E402

sys.path.insert(0, str(installed.python("confirm-terminal", HERE / "requirements-terminal.txt")))
import pyte  # noqa: E402

SECONDS = 30
SPEAK = SAY + """
import time
say(ev="hello", pid=os.getpid(), torch="2.13.0", role="main", shim=True)
def step(i, pause=0.05):
    say(ev="step", i=i, t=i * pause, live=1000000 + 10000 * i, host=5000000)
    time.sleep(pause)
"""
# Says the same to the supervisor and to the terminal.
CHATTY = SPEAK + """
for i in range(1, 49):
    print("line", i, flush=True)
    step(i)
print("last words", flush=True)
"""
BAR = SPEAK + """
print("before", flush=True)
for i in range(1, 41):
    sys.stderr.write("\\r%3d%%|%s|" % (i * 100 // 40, ("#" * (i // 2)).ljust(20)))
    sys.stderr.flush()
    step(i)
print("\\nafter", flush=True)
"""
ENDLESS = SPEAK + """
for i in range(1, 100000):
    print("line", i, flush=True)
    step(i)
"""


class Terminal:
    """A program on a terminal of its own, and what a person would see there."""

    def __init__(self, command, folder, lines=24, columns=80, **environment):
        self.screen = pyte.HistoryScreen(columns, lines, history=10000, ratio=0.5)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
            os.execvpe(command[0], command, {**keep, "TERM": "xterm", "LC_ALL": "C.UTF-8", "TMPDIR": str(folder.parent / "tmp"),
                                             **environment})
        self.resize(lines, columns)

    def resize(self, lines, columns):
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def type(self, text):
        os.write(self.descriptor, text)

    def feed(self, seconds):
        """Whether there was something more to see within SECONDS."""
        if not select.select([self.descriptor], [], [], max(0, seconds))[0]:
            return False
        try:
            chunk = os.read(self.descriptor, 65536)
        except OSError:
            chunk = b""
        if not chunk:
            raise EOFError
        self.raw += chunk
        self.stream.feed(chunk)
        return True

    def until(self, condition, what):
        end = time.monotonic() + SECONDS
        while not condition():
            try:
                if time.monotonic() > end or not self.feed(end - time.monotonic()):
                    raise AssertionError(f"waited {SECONDS} s for {what}; the screen:\n{self.text()}")
            except EOFError:
                raise AssertionError(f"ended before {what}; the screen:\n{self.text()}") from None

    def until_text(self, text):
        self.until(lambda: text in self.text(), repr(text))

    def to_its_end(self):
        try:
            while self.feed(SECONDS):
                pass
        except EOFError:
            pass
        status = os.waitpid(self.process, 0)[1]
        self.process = None
        return os.waitstatus_to_exitcode(status)

    def rows(self):
        return [row.rstrip() for row in self.screen.display]

    def text(self):
        return "\n".join(self.rows())

    def all(self):
        """What has scrolled away, too."""
        top = [self.line(row) for row in self.screen.history.top]
        return top + self.rows()

    def line(self, row):
        return "".join(row[x].data for x in range(self.screen.columns)).rstrip()

    def heads(self):
        return [number for number, row in enumerate(self.rows()) if row.startswith("vramlint  ")]

    def is_shown(self):
        """The view's rows are there once, and stand at the bottom."""
        rows, found = self.rows(), self.heads()
        return len(found) == 1 and all(rows[found[0]:]) and len(rows) - found[0] <= 6 and "step" in rows[found[0]]

    def script_lines(self):
        return [row for row in self.all() if re.match(r"line \d+$", row)]

    def is_whole(self):
        return self.screen.margins in (None, (0, self.screen.lines - 1)) and not self.heads()

    def close(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.descriptor)


class Place:
    def __init__(self, script):
        self.made = tempfile.TemporaryDirectory(prefix="vramlint-terminal-")
        self.path, self.tmp = (pathlib.Path(self.made.name).resolve() / name for name in ("here", "tmp"))
        self.path.mkdir()
        self.tmp.mkdir()
        (self.path / "train.py").write_text(script)
        self.terminal = None

    def run(self, *options, **more):
        self.terminal = Terminal(self.command(*options), self.path, **more)
        return self.terminal

    def command(self, *options):
        return [PROGRAM, "confirm", "--python", sys.executable, *options, "--", "train.py"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.terminal:
            self.terminal.close()
        self.made.cleanup()


def the_rows_stand_below_what_the_script_prints():
    with Place(CHATTY) as place:
        terminal = place.run()
        terminal.until(lambda: terminal.is_shown() and "line 30" in terminal.text(), "rows at the bottom, and line 30")
        rows = terminal.rows()
        head = terminal.heads()[0]
        assert re.search(r"step \d+ of 48  \d+ steps/s", rows[head]), rows[head]
        assert "tensors 1." in rows[head + 1] and "host 5.0 MB" in rows[head + 1], rows[head + 1]
        assert any("\u2801" <= c <= "\u28ff" for c in rows[-1]), rows[-1]
        assert not any(row.startswith("line") for row in rows[head:]), terminal.text()
        status = terminal.to_its_end()
        seen = terminal.script_lines()
        assert seen == [f"line {i}" for i in range(1, 49)], seen
        text = "\n".join(terminal.all())
        assert text.count("last words") == 1 and "48 steps of 'train.py'" in text.split("last words")[1], text
        assert terminal.is_whole() and "vramlint  step" not in text and status == 0, (status, text)


def progress_bars_stay_whole():
    with Place(BAR) as place:
        terminal = place.run()
        terminal.until(lambda: terminal.is_shown() and " 75%|" in terminal.text(), "three quarters of the bar")
        assert sum("%|" in row for row in terminal.rows()) == 1, terminal.text()
        terminal.to_its_end()
        rows = terminal.all()
        at = rows.index("before")
        assert rows[at + 1] == "100%|" + "#" * 20 + "|" and rows[at + 2] == "after", rows[at:at + 4]


def the_rows_follow_the_size():
    with Place(ENDLESS) as place:
        terminal = place.run("--steps", "100000")
        terminal.until(lambda: terminal.is_shown(), "rows at the bottom")
        for lines, columns in ((40, 100), (16, 60), (24, 80), (12, 120)):
            terminal.resize(lines, columns)
            number = len(terminal.script_lines())
            terminal.until(lambda: terminal.is_shown() and len(terminal.script_lines()) > number + 40, f"rows in {lines} lines")
            assert not [row for row in terminal.rows() if re.match(r"line \d+.*[^\d]", row)], terminal.text()
        terminal.resize(6, 80)
        terminal.until(lambda: not terminal.heads(), "no rows where there is no room")
        terminal.type(b"\x03")
        terminal.to_its_end()
        assert "it was interrupted" in "\n".join(terminal.all()), terminal.text()


def ctrl_c_ends_both_and_gives_the_terminal_back():
    with Place(ENDLESS) as place:
        terminal = place.run("--steps", "100000")
        terminal.until(lambda: terminal.is_shown(), "rows at the bottom")
        terminal.type(b"\x03")
        status = terminal.to_its_end()
        text = "\n".join(terminal.all())
        assert text.count("KeyboardInterrupt") == 1 and "it was interrupted" in text, text
        assert status == 2 and terminal.is_whole(), (status, terminal.text())
        assert not list(place.tmp.iterdir())


def ctrl_z_and_fg():
    with Place(ENDLESS) as place:
        terminal = place.terminal = Terminal(["bash", "--norc", "-i"], place.path, PS1="READY>")
        terminal.until_text("READY>")
        terminal.type((" ".join(place.command("--steps", "100000")) + "\n").encode())
        terminal.until(lambda: terminal.is_shown(), "rows at the bottom")
        terminal.type(b"\x1a")
        terminal.until_text("Stopped")
        terminal.until_text("READY>")
        assert terminal.is_whole(), terminal.text()
        number = len(terminal.script_lines())
        terminal.feed(0.5)
        assert len(terminal.script_lines()) == number, "the script went on"
        terminal.type(b"fg\n")
        terminal.until(lambda: terminal.is_shown() and len(terminal.script_lines()) > number + 20, "rows again")
        terminal.type(b"\x1a")
        terminal.until(lambda: terminal.text().count("Stopped") > 0 and not terminal.heads(), "a second stop")
        terminal.type(b"bg >/dev/null\n")
        number = len(terminal.script_lines())
        terminal.until(lambda: len(terminal.script_lines()) > number + 20, "lines from the background")
        assert not terminal.heads(), terminal.text()
        terminal.type(b"kill %1; wait; echo EN''DED\n")
        terminal.until_text("ENDED")


def a_held_terminal_does_not_hold_the_run():
    """Ctrl-S: nothing can be written until Ctrl-Q, and the time limit holds all the same"""
    silent = SPEAK + "open(os.environ['TMPDIR'] + '/pid', 'w').write(str(os.getpid()))\nfor i in range(1, 100000): step(i)"
    with Place(silent) as place:
        terminal = place.run("--steps", "100000", "--time-limit", "3")
        terminal.until(terminal.is_shown, "rows at the bottom")
        terminal.type(b"\x13")
        script = int((place.tmp / "pid").read_text())
        end = time.monotonic() + SECONDS
        while not is_gone(script):
            assert time.monotonic() < end, "the script goes on"
            time.sleep(0.05)
        terminal.type(b"\x11")
        terminal.to_its_end()
        assert "the time was up" in "\n".join(terminal.all()) and terminal.is_whole(), terminal.text()


def a_terminal_left_in_a_mode_of_its_own_is_mended():
    raw = SPEAK + """
import signal, tty
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
tty.setraw(0)
step(1)
time.sleep(600)
"""
    with Place(raw) as place:
        terminal = place.run("--time-limit", "1")
        terminal.until(lambda: not termios.tcgetattr(terminal.descriptor)[3] & termios.ECHO, "the script's mode")
        terminal.until(lambda: "the time was up" in terminal.text(), "the report")
        assert termios.tcgetattr(terminal.descriptor)[3] & termios.ECHO
        terminal.to_its_end()


def the_terminal_closes():
    with Place(ENDLESS + "\nopen('never', 'w')\n") as place:
        terminal = place.run("--steps", "100000", "--json", "report.json")
        terminal.until(lambda: terminal.is_shown(), "rows at the bottom")
        os.close(terminal.descriptor)
        end = time.monotonic() + SECONDS
        while os.waitpid(terminal.process, os.WNOHANG)[0] == 0:
            assert time.monotonic() < end, "it goes on without its terminal"
            time.sleep(0.05)
        terminal.process = None
        terminal.descriptor = os.open("/dev/null", os.O_RDONLY)
        assert (place.path / "report.json").exists() and not list(place.tmp.iterdir())


def who_is_killed_is_cleared_up_after():
    with Place(ENDLESS) as place:
        terminal = place.run("--steps", "100000")
        terminal.until(lambda: terminal.is_shown(), "rows at the bottom")
        os.kill(terminal.process, signal.SIGKILL)
        terminal.until(lambda: not terminal.heads(), "the terminal given back")
        end = time.monotonic() + SECONDS
        while list(place.tmp.iterdir()) and time.monotonic() < end:
            time.sleep(0.05)
        assert not list(place.tmp.iterdir())
        assert terminal.is_whole(), terminal.text()


def a_dumb_terminal_gets_no_sequences():
    for environment, options in (({"TERM": "dumb"}, ()), ({}, ("-q",))):
        with Place(CHATTY) as place:
            terminal = place.run(*options, **environment)
            terminal.to_its_end()
            assert b"\x1b" not in terminal.raw and b"last words" in terminal.raw, terminal.raw


def ascii_where_the_locale_is_not_utf8():
    with Place(CHATTY) as place:
        terminal = place.run(LC_ALL="C", NO_COLOR="1")
        terminal.until(lambda: terminal.is_shown() and "line 20" in terminal.text(), "rows at the bottom")
        terminal.to_its_end()
        rows = terminal.raw.split(b"48 steps of")[0]
        assert not re.search(rb"[\x80-\xff]", rows) and not re.search(rb"\x1b\[[1-9]\d*m", rows), rows[-500:]


if __name__ == "__main__":
    good, bad = run_all(globals(), sys.argv[1:])
    print(f"{good} passed, {bad} failed")
    sys.exit(1 if bad or not good else 0)

"""What `vramlint confirm` makes of runs that end badly, and what it keeps from them. usage: tests/confirm/faults_test.py [NAME]...

Where the system does not allow overlays, what tries them says so and checks the way without.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scripts import PROGRAM, SPEAK, Folder, expect, is_gone, run_all  # noqa: E402

HELLO = SPEAK + """
import signal, subprocess, time
say(ev="hello", pid=os.getpid(), torch="2.13.0", role="main", shim=True)
def steps(first, last):
    for i in range(first, last + 1):
        say(ev="step", i=i, t=i / 10, live=4 * i)
"""
FAR = """
far = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(os.getpid(), far.pid, flush=True)
"""
STUBBORN = """
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
"""


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, "it did not come to that in time")
        time.sleep(0.02)


def pids_of(process):
    return [int(pid) for pid in process.stdout.readline().split()]


class Ran:
    """One run of SCRIPT, and how long it took."""

    def __init__(self, script, *options, **more):
        self.folder = Folder(train_py=script)
        began = time.monotonic()
        self.status, self.out, self.errors = self.folder.run(*options, "--", "train.py", **more)
        self.seconds = time.monotonic() - began
        self.seen = (self.status, self.out, self.errors)


def a_killed_script_is_said_to_be():
    ran = Ran(HELLO + "steps(1, 7); os.kill(os.getpid(), 9)")
    expect(ran.status == 2 and "7 steps of" in ran.out and "it was ended by signal 9, as the system does where memory" in ran.out,
           *ran.seen)


def a_script_out_of_memory():
    ran = Ran(HELLO + """steps(1, 30)
say(ev="crash", type="RuntimeError", message="[enforce fail] DefaultCPUAllocator: can't allocate memory", oom=True, step=30,
    at=[{"path": __file__, "line": 3, "name": "train"}])
say(ev="bye", why="exit", steps=30)
sys.exit(1)""")
    expect(ran.status == 2 and "ran out of memory after step 30" in ran.out and "can't allocate memory" in ran.out, *ran.seen)


def a_failing_script_is_no_clean_one():
    ran = Ran(HELLO + "steps(1, 30); say(ev='bye', why='end', steps=30); sys.exit(3)")
    expect(ran.status == 2, *ran.seen)
    ran = Ran(HELLO + "steps(1, 30); say(ev='bye', why='end', steps=30)")
    expect(ran.status == 0, *ran.seen)


def an_agent_that_falls_silent():
    ran = Ran(HELLO + "steps(1, 12); line.close(); time.sleep(0.3); print('goes on')")
    expect(ran.status == 0 and "12 steps of" in ran.out and "provisional" in ran.out, *ran.seen)
    ran = Ran(HELLO + "steps(1, 12); line.sendall(b'{\"ev\": \"step\", \"i\": 13,'); os._exit(0)")
    expect("12 steps of" in ran.out, *ran.seen)


def ctrl_c_twice_ends_what_ignores_it():
    folder = Folder(train_py=HELLO + STUBBORN + FAR + "steps(1, 3); time.sleep(600)")
    process = folder.start("--", "train.py")
    pids = pids_of(process)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.8)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    expect(time.monotonic() - began < 5.5 and process.returncode == 2 and "it was interrupted" in out, process.returncode, out, errors)
    expect(all(is_gone(pid) for pid in pids), pids)
    folder.is_clear()


def other_signals_end_it_with_a_report():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        folder = Folder(train_py=HELLO + "steps(1, 3)" + FAR + "time.sleep(600)")
        process = folder.start("--json", "report.json", "--", "train.py")
        pids = pids_of(process)
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
        expect(process.returncode == 2 and "it was interrupted" in out, number, process.returncode, out, errors)
        expect(json.loads((folder.path / "report.json").read_text())["processes"][0]["steps"] == 3, out)
        expect(all(is_gone(pid) for pid in pids), number, pids)
        folder.is_clear()


def a_group_is_told_once():
    """as by a terminal or timeout(1): the script hears it from there and from us, and handles it once or twice, but ends"""
    folder = Folder(train_py=HELLO + "steps(1, 3)\nprint('ready', flush=True)\ntime.sleep(600)")
    process = folder.start("--", "train.py", start_new_session=True)
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGTERM)
    out, errors = process.communicate(timeout=60)
    expect(process.returncode == 2 and "it was interrupted" in out, process.returncode, out, errors)
    folder.is_clear()


def a_script_with_a_group_of_its_own_is_told():
    """by a session's Ctrl-C the terminal tells us, and nobody tells it"""
    ready = "print('ready', flush=True)\ntry: time.sleep(600)\nexcept KeyboardInterrupt: print('told', flush=True)"
    folder = Folder(train_py=HELLO + "os.setsid(); steps(1, 3)\n" + ready)
    process = folder.start("--", "train.py")
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    expect(out.startswith("told\n") and "it was interrupted" in out, out, errors)


def what_is_ignored_from_the_start_stays_ignored():
    folder = Folder(train_py=HELLO + "print('ready', flush=True); time.sleep(1.5); steps(1, 3)")
    process = folder.start("--", "train.py", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    out, errors = process.communicate(timeout=60)
    expect("3 steps of" in out and "interrupted" not in out, out, errors)


def a_killed_supervisor_leaves_nothing():
    stubborn = Folder(train_py=HELLO + STUBBORN + FAR + "steps(1, 3); time.sleep(600)")
    gentle = Folder(train_py=HELLO + FAR + "steps(1, 3); time.sleep(600)")
    for folder in (stubborn, gentle):
        process = folder.start("--", "train.py")
        pids = pids_of(process)
        process.kill()
        process.wait()
        wait_until(lambda: all(is_gone(pid) for pid in pids) and not list(folder.tmp.iterdir()))


def who_leaves_its_parent_is_ended():
    daemon = HELLO + """
steps(1, 3)
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.environ.clear()
        os.write(write, str(os.getpid()).encode())
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
    os._exit(0)
print(int(os.read(read, 100)), flush=True)
"""
    ran = Ran(daemon)
    pid = int(ran.out.splitlines()[0])
    expect(is_gone(pid), pid, *ran.seen)


def a_stopped_script_is_ended_by_the_time_limit():
    ran = Ran(HELLO + FAR + "steps(1, 3); os.kill(os.getpid(), signal.SIGSTOP)", "--time-limit", "1")
    expect(ran.status == 2 and "the time was up" in ran.out and ran.seconds < 12, ran.seconds, *ran.seen)
    expect(all(is_gone(int(pid)) for pid in ran.out.split()[:2]), *ran.seen)


def endless_output_does_not_hold_it():
    ran = Ran(HELLO + "steps(1, 3)\nwhile True: print('y' * 1000)", "--time-limit", "1", stdout=subprocess.DEVNULL)
    expect(ran.status == 2 and ran.seconds < 12, ran.seconds, *ran.seen)


def endless_reports_do_not_hold_it():
    flood = HELLO + """
steps(1, 3)
many = b'{"ev":"probe","kind":"%d","line":3}\\n' * 500
i = 0
while True:
    i += 500
    line.sendall(many % tuple(range(i, i + 500)))
"""
    ran = Ran(flood, "--time-limit", "2")
    expect(ran.status == 2 and "3 steps of" in ran.out and ran.seconds < 12, ran.seconds, *ran.seen)


def connections_without_end():
    """slow ones that never end a line, more than there is room for, and those that are closed at once"""
    many = HELLO + """
steps(1, 3)
for i in range(3000):
    socket.socket(socket.AF_UNIX).connect(request["socket"])
kept = []
try:
    for i in range(1000):
        kept.append(socket.socket(socket.AF_UNIX))
        kept[-1].settimeout(0.2)
        kept[-1].connect(request["socket"])
        kept[-1].send(b'{"ev":')
except OSError as error:
    print("full after", i, flush=True)
time.sleep(0.2)
steps(4, 5)
"""
    ran = Ran(many)
    expect("full after" in ran.out and "5 steps of" in ran.out, *ran.seen)


def a_full_disk():
    ran = Ran(HELLO + "steps(1, 30)", "--json", "/dev/full")
    expect(ran.status == 2 and "cannot write '/dev/full': no space left on device" in ran.errors and "30 steps" in ran.out, *ran.seen)
    folder = Folder(train_py=HELLO + "steps(1, 30)")
    with open("/dev/full", "w") as full:
        process = folder.start("--json", "report.json", "--", "train.py", stdout=full)
        errors = process.communicate(timeout=60)[1]
    expect(process.returncode == 2 and "no space left" in errors and (folder.path / "report.json").exists(), errors)


def temporary_folders_of_every_kind():
    folder = Folder(train_py=HELLO + "steps(1, 3); print(request['socket'])")
    for name, is_used in (("a" * 200, False), ("with blank", False), ("with:colon", False), ("missing", False), ("plain", True)):
        if name != "missing":
            (folder.tmp / name).mkdir()
        status, out, errors = run_in(folder, name)
        expect("3 steps of" in out and out.startswith(str(folder.tmp)) == is_used, name, status, out, errors)
    status, out, errors = run_in(folder, "")
    expect("3 steps of" in out, status, out, errors)


def run_in(folder, name):
    process = folder.start("--", "train.py", env={"TMPDIR": str(folder.tmp / name) if name else ""})
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


def search_paths_that_are_set_stay():
    script = HELLO + "steps(1, 3); print(os.environ['PYTHONPATH'].split(':')[1:], os.environ.get('LD_PRELOAD', '').split(':')[1:])"
    ran = Ran(script, env={"PYTHONPATH": "/some/where:/else", "LD_PRELOAD": "libc.so.6"})
    expect(ran.out.startswith("['/some/where', '/else'] ['libc.so.6']"), *ran.seen)


TOUCH = HELLO + """
import shutil
steps(1, 30)
open("kept.txt", "w").write("new")
open(os.path.abspath("absolute.txt"), "w").write("x" * 1000)
os.remove("data/gone.txt")
shutil.rmtree("out"); os.makedirs("out/deep"); open("out/deep/checkpoint.pt", "w").write("1")
os.mkdir("locked"); open("locked/x", "w").write("1"); os.chmod("locked", 0o500)
for folder in sys.argv[1:]:
    open(folder.split("=")[-1] + "/far.txt", "w").write("x")
os.makedirs(os.environ["XDG_CACHE_HOME"] + "/model", exist_ok=True)
open(os.environ["XDG_CACHE_HOME"] + "/model/weights", "w").write("1")
place = socket.socket(socket.AF_UNIX); place.bind("here.socket"); place.listen()
socket.socket(socket.AF_UNIX).connect("here.socket")
print(open("kept.txt").read(), os.path.exists("data/gone.txt"), os.getcwd(), os.getuid(), os.stat(".").st_uid, oct(os.stat(".").st_mode))
print(subprocess.run(["cat", "kept.txt"], capture_output=True, text=True, cwd=os.getcwd()).stdout)
"""


def touched():
    folder = Folder(train_py=TOUCH)
    for name, text in (("kept.txt", "old"), ("data/gone.txt", "1"), ("out/old.txt", "1")):
        (folder.path / name).parent.mkdir(exist_ok=True)
        (folder.path / name).write_text(text)
    (folder.path / "cache").mkdir()
    far = folder.path.parent / "far, away"
    far.mkdir()
    return folder, far


def tree(path):
    return sorted((str(p.relative_to(path)), p.read_text() if p.is_file() else None) for p in path.rglob("*")
                  if "cache/model" not in str(p) and p.suffix != ".json")


def overlays_work(*become):
    """Whether this system lets a program, as whom BECOME makes it, have overlays: tried without vramlint."""
    folder = Folder()
    for name in ("lower", "upper", "work"):
        (folder.tmp / name).mkdir()
        if become:
            os.chown(folder.tmp / name, 1234, 1234)
    for path in (folder.tmp.parent, folder.tmp):
        path.chmod(0o755)
    options = "lowerdir=lower,upperdir=upper,workdir=work" + (",userxattr" if become or os.getuid() else "")
    command = [*become, "unshare", "-m" if os.getuid() == 0 and not become else "-rm", "mount", "-t", "overlay", "overlay",
               "-o", options, "lower"]
    return shutil.which("unshare") and subprocess.run(command, cwd=folder.tmp, capture_output=True).returncode == 0


def check_touched(folder, far, process, *become):
    """Runs TOUCH; what it did to the folders is to be nothing."""
    before = tree(folder.path), tree(far)
    mode = oct(folder.path.stat().st_mode)
    out, errors = process.communicate(timeout=60)
    folder.is_clear()
    if "stays there" in errors and not overlays_work(*become):
        print(f"left out, as it does not work here: overlays ({errors.strip().splitlines()[0]})")
        return
    expect(process.returncode == 0 and (tree(folder.path), tree(far)) == before, out, errors, tree(folder.path), tree(far))
    expect(f"new False {folder.path} " in out and f" {mode}\nnew" in out, out, errors)
    expect((folder.path / "cache/model/weights").read_text() == "1", out)
    expect("kept away and gone with the run: 5 files written (1.0 kB), 2 removed: " in out, out)


def nothing_that_is_written_stays():
    folder, far = touched()
    process = folder.start("--json", "report.json", "--", "train.py", f"--out={far}", env={"XDG_CACHE_HOME": str(folder.path / "cache")})
    check_touched(folder, far, process)
    report = json.loads((folder.path / "report.json").read_text())
    expect(report["protected"] == [] or report["kept_away"]["files"] == 5 and report["protected"][1] == str(far), report)


def as_another(folder, far):
    """Starts TOUCH as a user without rights, who owns all of FOLDER; returns the process and how to become that user, or None."""
    python = "/usr/bin/python3"  # one that everybody may run
    if os.getuid() != 0 or not shutil.which("setpriv") or not os.path.exists(python):
        print("left out: becoming another user takes root, setpriv and " + python)
        return None, []
    program = folder.path.parent / "vramlint"
    shutil.copy(PROGRAM, program)
    for path in [folder.path.parent, *folder.path.parent.rglob("*")]:
        if path.owner() == "root" and path.name != "foreign":
            os.chown(path, 1234, 1234)
            path.chmod(0o755)
    become = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]
    command = [*become, program, "confirm", "-q", "--python", python, "--", "train.py", str(far)]
    environment = {**os.environ, "TMPDIR": str(folder.tmp), "XDG_CACHE_HOME": str(folder.path / "cache")}
    return subprocess.Popen(command, cwd=folder.path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment), become


def nor_of_users_without_rights():
    folder, far = touched()
    process, become = as_another(folder, far)
    if process:
        check_touched(folder, far, process, *become)


def what_others_own_is_not_covered():
    """an overlay of one user refuses to write to it, which the script might do"""
    folder, far = touched()
    (folder.path / "foreign").mkdir()
    (folder.path / "foreign").chmod(0o777)
    process, become = as_another(folder, far)
    if not process:
        return
    out, errors = process.communicate(timeout=60)
    expect(f"'{folder.path}' in this run stays there, except by torch.save: " in errors, out, errors)
    if overlays_work(*become):
        expect("some of it belongs to another user or group" in errors, errors)
        expect((folder.path / "kept.txt").read_text() == "new" and not (far / "far.txt").exists(), out, errors)


def what_is_mounted_within_stays_seen():
    if os.getuid() != 0 or not overlays_work():
        print("left out: mounting takes root")
        return
    script = HELLO + "steps(1, 30); print(open('data/x').read()); open('data/y', 'w').write('1'); open('z', 'w').write('1')"
    folder = Folder(train_py=script)
    (folder.path / "data").mkdir()
    run = f"mount -t tmpfs none data && echo there >data/x && '{PROGRAM}' confirm -q --python '{sys.executable}' -- train.py; ls data"
    done = subprocess.run(["unshare", "-m", "sh", "-c", run], cwd=folder.path, env={**os.environ, "TMPDIR": str(folder.tmp)},
                          capture_output=True, text=True, timeout=60)
    expect(done.stdout.startswith("there\n") and done.stdout.endswith("x\ny\n"), done.stdout, done.stderr)
    expect(f"'{folder.path}/data' in this run stays there, except by torch.save: it is mounted there" in done.stderr, done.stderr)
    expect("1 file written" in done.stdout and not (folder.path / "z").exists(), done.stdout)


def unprotected_is_so():
    folder, far = touched()
    process = folder.start("--unprotected", "--", "train.py", str(far), env={"XDG_CACHE_HOME": str(folder.path / "cache")})
    out, errors = process.communicate(timeout=60)
    expect(process.returncode == 0 and (far / "far.txt").exists() and "kept away" not in out, out, errors)
    expect((folder.path / "kept.txt").read_text() == "new" and not (folder.path / "data/gone.txt").exists(), out, errors)


def folders_of_all_programs_are_not_covered():
    folder = Folder(train_py=HELLO + "steps(1, 3); print(os.getcwd())")
    process = folder.start("--", str(folder.path / "train.py"), cwd="/")
    out, errors = process.communicate(timeout=60)
    expect(out.startswith("/\n") and "'/' in this run stays there, except by torch.save: it belongs to all programs" in errors, out, errors)


def a_temporary_folder_within():
    folder = Folder(train_py=HELLO + "steps(1, 3); print(request['socket'])")
    (folder.path / "tmp").mkdir()
    process = folder.start("--", "train.py", env={"TMPDIR": str(folder.path / "tmp")})
    out, errors = process.communicate(timeout=60)
    expect("3 steps of" in out and not out.startswith(str(folder.path)) and not list((folder.path / "tmp").iterdir()), out, errors)


if __name__ == "__main__":
    helpers = {"wait_until", "pids_of", "run_in", "touched", "tree", "check_touched", "overlays_work", "as_another"}
    good, bad = run_all({name: value for name, value in globals().items() if name not in helpers}, sys.argv[1:])
    print(f"{good} passed, {bad} failed")
    sys.exit(1 if bad or not good else 0)

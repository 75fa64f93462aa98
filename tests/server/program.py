"""The program under test, and what its command line finds: the oracle for what the server says."""
import json
import os
import pathlib
import subprocess

from texts import position_at

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("VRAMLINT", ROOT / "build/release/vramlint"))
# Enough for a sanitized build on a busy machine; nothing that works takes as long.
SECONDS = int(os.environ.get("SECONDS", "60"))
# What a sanitizer found must not look like an orderly end.
ENVIRONMENT = {
    **os.environ,
    **{f"{name}SAN_OPTIONS": f"{os.environ.get(f'{name}SAN_OPTIONS', '')}:{options}".lstrip(":")
       for name, options in (("A", "exitcode=99"), ("L", "exitcode=99"), ("UB", "halt_on_error=1:exitcode=99"),
                             ("T", "exitcode=99"))},
}
# Of what is tried at random, one in so many: a sanitized build takes ten times as long.
SHARE = int(os.environ.get("SHARE", "1"))
SEVERITIES = {"error": 1, "warning": 2, "note": 3, "hint": 4}


def check(folder, *arguments, stdin=None):
    """What `vramlint check` finds, as its JSON lines."""
    done = subprocess.run([PROGRAM, "check", "-q", "--no-cache", "--output-format", "json-lines", *map(str, arguments)],
                          cwd=folder, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                          env=ENVIRONMENT)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def check_text(text, *arguments, folder=None, name="text.py"):
    return check(folder or "/", "--stdin-filename", name, *arguments, "-", stdin=text.encode())


def fixed(text, *arguments, folder=None, name="text.py"):
    """TEXT with all safe fixes made by the command line."""
    done = subprocess.run([PROGRAM, "check", "--fix", "--no-cache", "--stdin-filename", name, *arguments, "-"],
                          cwd=folder or "/", input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=SECONDS, env=ENVIRONMENT)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    return done.stdout.decode()


def range_of(place, text, encoding):
    """A place of the command line, whose columns count characters from 1, as the protocol has it."""
    lines = text_lines(text)

    def position(line, column):
        return position_at(text, lines[line - 1] + column - 1, encoding)

    return {"start": position(place["line"], place["column"]), "end": position(place["end_line"], place["end_column"])}


def text_lines(text):
    from texts import line_starts
    return line_starts(text)


def expected(finding, text, encoding):
    """What the diagnostic of FINDING has to say, in a document that is no notebook."""
    words = [finding["message"]]
    words += [f"cost: {finding['growth']}"] if finding.get("growth") else []
    words += [f"help: {finding['help']}"] if finding.get("help") else []
    return {
        "range": range_of(finding, text, encoding),
        "severity": SEVERITIES[finding["severity"]],
        "code": finding["code"],
        "message": "\n".join(words),
        "trail": [(range_of(note, text, encoding), note["text"]) for note in finding.get("trail", [])],
        "fingerprint": finding["fingerprint"],
    }


def told(diagnostic):
    """The same of a diagnostic, as JSON, that the server sent."""
    return {
        "range": diagnostic["range"],
        "severity": diagnostic["severity"],
        "code": diagnostic["code"],
        "message": diagnostic["message"],
        "trail": [(related["location"]["range"], related["message"])
                  for related in diagnostic.get("relatedInformation", [])],
        "fingerprint": diagnostic["data"]["fingerprint"],
    }

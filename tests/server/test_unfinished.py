"""A line that is half typed: what is found elsewhere stays, and fixes leave it alone."""
import ast
import re

import pytest

import program
import texts

PATHS = [path for path in sorted((program.ROOT / "tests/cases").glob("*/*.leak.py"))[::12] if "\n    for " in path.read_text()]
TYPED = ["grad = nn.clip(model.parameters(", 'history["ab', "history[", "for x in (a, b:", "f({'a': 1", "def g(xs, y", "x = [1, 2",
         "with torch.no_grad(", 'print(f"loss {x', "losses.append(x", "y = foo(a, b))", "class A(nn.Module", "assert y ==", "if y", "y = x +"]
ABLE = {"textDocument": {"publishDiagnostics": {"versionSupport": True},
                         "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}}}},
        "general": {"positionEncodings": ["utf-8"]}}
ALONE = {"settings": {"configurationPreference": "editorOnly", "debounce": 0}}


def half_typed(text, typed):
    """The text with that line behind the first whole statement of its last loop, and the number of the line."""
    lines = text.splitlines(keepends=True)
    loop = max((node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.For)), key=lambda node: node.lineno)
    at = loop.body[0].end_lineno
    lines.insert(at, " " * loop.body[0].col_offset + typed + "\n")
    return "".join(lines), at


def places(items, moved_from=None):
    return sorted((item["range"]["start"]["line"] + (moved_from is not None and item["range"]["start"]["line"] >= moved_from), item["code"])
                  for item in items)


def edits_of(action):
    return [edit for edits in action.get("edit", {}).get("changes", {}).values() for edit in edits]


@pytest.mark.parametrize("typed", TYPED)
def test_findings_stay_and_fixes_fit(server, typed):
    server.initialize(ABLE, initializationOptions=ALONE)
    found = made = 0
    for path in PATHS:
        text = path.read_text()
        half, at = half_typed(text, typed)
        line = half.splitlines(keepends=True)[at]
        uri = path.as_uri()
        server.open(uri, text)
        before = server.wait_published(uri, 1)["diagnostics"]
        place = {"line": at, "character": 0}
        server.change(uri, 2, {"range": {"start": place, "end": place}, "text": line})
        after = server.wait_published(uri, 2)["diagnostics"]
        found += len(before)
        assert places(after) == places(before, at), path
        end = {"line": half.count("\n"), "character": 0}
        for only in ("quickfix", "source.fixAll"):
            answer = server.request("textDocument/codeAction", {
                "textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": end},
                "context": {"diagnostics": [], "only": [only]}})
            for action in answer["result"] or []:
                edits = [] if re.match("Suppress|Explain", action["title"]) else edits_of(action)
                fixed = texts.apply(half, edits, "utf-8")
                assert fixed.count(line) == half.count(line), (path, action["title"])
                ast.parse(fixed.replace(line, "", 1))
                made += bool(edits)
        server.close(uri)
    assert found > len(PATHS) // 2 and made > len(PATHS) // 2
    server.finish()

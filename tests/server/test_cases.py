"""The server finds what the command line finds, word for word, in each measured case."""
import collections
import json
import pathlib

import pytest

import program

PULLS = {"textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
         "workspace": {"diagnostics": {"refreshSupport": True}}, "general": {"positionEncodings": ["utf-8"]}}


@pytest.mark.parametrize("encoding, folder", [("utf-8", "a"), ("utf-16", "b"), ("utf-32", "own")])
def test_the_same_findings_as_the_command_line(server, encoding, folder):
    folder = program.ROOT / "tests/cases" / folder
    found = collections.defaultdict(list)
    for finding in program.check(folder, "--isolated", "."):
        found[pathlib.Path(finding["path"])].append(finding)
    server.initialize({**PULLS, "general": {"positionEncodings": [encoding]}},
                      initializationOptions={"settings": {"configurationPreference": "editorOnly"}})
    asked = {}
    for path in sorted(folder.rglob("*.py")):
        uri = path.as_uri()
        with open(path, newline="") as file:
            text = file.read()
        server.open(uri, text)
        asked[path] = server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}), text
        server.close(uri)
    looked_at = 0
    for path, (id, text) in asked.items():
        told = [program.told(item) for item in server.answer(id)["result"]["items"]]
        wanted = [program.expected(finding, text, encoding) for finding in found[path.relative_to(folder)]]
        assert told == wanted, (path, json.dumps(told)[:2000])
        looked_at += len(told)
    assert looked_at == sum(map(len, found.values())) > 40
    server.finish()

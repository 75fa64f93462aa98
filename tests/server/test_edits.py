"""Typing: after any changes the server finds what the command line finds in the text that has come out of them."""
import json
import os
import pathlib
import random
import re

import pytest

import program
import texts

# Another for another run: SEED=7 tests/server/run -k texts
SEED = int(os.environ.get("SEED", "0"))
# What changes how all that follows is read, and characters of all widths.
FRAGMENTS = ['"', "'", '"""', "'''", "(", ")", "[", "]", "{", "}", ":", "#", "\\", "\n", "\r\n", "\r", "\t", " ", "    ", ",", ".", "=",
             "é", "€", "😀", "'é€😀'", "@", "@torch.no_grad()\n", ".detach()", ".item()", "for _ in loader:\n    ", "def f():\n",
             "class C:\n    ", "return", "if x:\n", "else:\n", "pass\n", "lambda: ", "async ", "with torch.no_grad():\n        ",
             "# vramlint: ignore[VL101] -- x\n", "losses.append(loss)\n", "import torch\n", "f'{x!r:>{y}}'", "x", "0", "\f", "\u2028"]


def program_of(chance):
    """Three programs that leak, one behind the other, with wide characters about."""
    paths = chance.sample(sorted(program.ROOT.glob("tests/cases/*/*.leak.py")), 3)
    return "# é€😀\n".join(path.read_bytes().decode() for path in paths)


def some_edit(chance, text):
    """(start, end, new)"""
    start = chance.randrange(len(text) + 1)
    kind = chance.randrange(10)
    if kind < 5:
        return start, start, chance.choice(FRAGMENTS)
    if kind < 8:
        return start, min(len(text), start + chance.choice((1, 1, 2, 5, 40))), ""
    source = chance.randrange(len(text) + 1)
    return start, min(len(text), start + chance.randrange(30)), text[source:source + chance.randrange(200)]


def as_change(text, edit, encoding):
    start, end, new = edit
    return {"range": {"start": texts.position_at(text, start, encoding), "end": texts.position_at(text, end, encoding)}, "text": new}


class Typing:
    """A text that is changed, and half of the time changed back: what is broken for good says little."""

    def __init__(self, chance, text, encoding):
        self.chance, self.text, self.encoding, self.undo = chance, text, encoding, []

    def make(self, start, end, new):
        change = as_change(self.text, (start, end, new), self.encoding)
        self.undo.append((start, start + len(new), self.text[start:end]))
        self.text = self.text[:start] + new + self.text[end:]
        return change

    def changes(self):
        """Those of a notification."""
        if self.undo and self.chance.randrange(2):
            undo, self.undo = self.undo[::-1], []
            done = [self.make(*edit) for edit in undo]
            self.undo = []
            return done
        if self.chance.randrange(30) == 0:
            self.undo = []
            self.text = self.text[len(self.text) // 3:] + self.text[:len(self.text) // 3]
            return [{"text": self.text}]
        return [self.make(*some_edit(self.chance, self.text)) for _ in range(self.chance.choice((1, 1, 1, 2, 5)))]


def told(items):
    return [{key: value for key, value in program.told(item).items() if key != "fingerprint"} for item in items]


def wanted(findings, text, encoding):
    return [{key: value for key, value in program.expected(finding, text, encoding).items() if key != "fingerprint"}
            for finding in findings]


def found_in(folder, written):
    """What the command line finds in each of the texts, which it reads in one run."""
    for number, text in enumerate(written):
        (folder / f"{number:04}").mkdir()
        (folder / f"{number:04}" / "train.py").write_bytes(text.encode())
    found = {number: [] for number in range(len(written))}
    for finding in program.check(folder, "--isolated", "."):
        found[int(pathlib.Path(finding["path"]).parts[0])].append(finding)
    return found


def able(encoding):
    return {"textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
            "workspace": {"diagnostics": {"refreshSupport": True}}, "general": {"positionEncodings": [encoding]}}


ALONE = {"settings": {"configurationPreference": "editorOnly"}}


@pytest.mark.parametrize("encoding", texts.ENCODINGS)
@pytest.mark.parametrize("seed", range(4))
def test_changed_texts_have_the_findings_of_new_ones(server, tmp_path, encoding, seed):
    chance = random.Random(f"{SEED} {seed} {encoding}")
    server.initialize(able(encoding), initializationOptions=ALONE)
    (tmp_path / "empty").mkdir()
    (tmp_path / "texts").mkdir()
    steps = []
    for _ in range(3 // program.SHARE or 1):
        uri = (tmp_path / "empty" / "train.py").as_uri()
        typing = Typing(chance, program_of(chance), encoding)
        server.open(uri, typing.text)
        for version in range(2, 17):
            changes = typing.changes()
            server.change(uri, version, *changes)
            steps.append((server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}), typing.text, changes))
        server.close(uri)
    found = found_in(tmp_path / "texts", [text for _, text, _ in steps])
    for number, (id, text, changes) in enumerate(steps):
        assert told(server.answer(id)["result"]["items"]) == wanted(found[number], text, encoding), changes
    assert sum(map(len, found.values())) > 10 // program.SHARE
    server.finish()


@pytest.mark.parametrize("encoding", texts.ENCODINGS)
def test_a_training_step_typed_letter_by_letter(server, tmp_path, encoding):
    """And taken back again; every text on the way is checked."""
    text = (program.ROOT / "examples/train.py").read_text()
    at = text.index("        running_loss += loss\n")
    typed = "        history['é€😀'].append(loss)\n"
    server.initialize(able(encoding), initializationOptions=ALONE)
    (tmp_path / "texts").mkdir()
    uri = (tmp_path / "train.py").as_uri()
    server.open(uri, text)
    steps, version = [], 1
    moves = [(at + index, at + index, letter) for index, letter in enumerate(typed)]
    moves += [(at + index, at + index + 1, "") for index in reversed(range(len(typed)))]
    for number, edit in enumerate(moves):
        version += 1
        server.change(uri, version, as_change(text, edit, encoding))
        text = text[:edit[0]] + edit[2] + text[edit[1]:]
        if number % program.SHARE == 0 or len(moves) - number in (1, len(typed) + 1):
            steps.append((server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}), text))
    found = found_in(tmp_path / "texts", [text for _, text in steps])
    for number, (id, text) in enumerate(steps):
        assert told(server.answer(id)["result"]["items"]) == wanted(found[number], text, encoding), text[at:at + 40]
    counts = [len(found[number]) for number, (_, text) in enumerate(steps) if typed in text]
    assert counts == [len(found[len(steps) - 1]) + 1]
    server.finish()


@pytest.mark.parametrize("seed", range(3))
def test_changed_cells_have_the_findings_of_a_new_notebook(server, tmp_path, seed):
    chance = random.Random(f"{SEED} {seed}")
    encoding = texts.ENCODINGS[seed]
    server.initialize(able(encoding), initializationOptions=ALONE)
    cells = [Typing(chance, part, encoding) for part in re.split(r"\n\n+(?=\S)", program_of(chance))]
    uri = (tmp_path / "note.ipynb").as_uri()
    uris = [f"{uri}#{number}" for number in range(len(cells))]
    server.notify("notebookDocument/didOpen", {
        "notebookDocument": {"uri": uri, "notebookType": "jupyter-notebook", "version": 1,
                             "cells": [{"kind": 2, "document": cell} for cell in uris]},
        "cellTextDocuments": [{"uri": cell, "languageId": "python", "version": 1, "text": cells[number].text}
                              for number, cell in enumerate(uris)]})
    steps = []
    for step in range(12 // program.SHARE):
        number = chance.randrange(len(cells))
        changes = cells[number].changes()
        server.notify("notebookDocument/didChange", {
            "notebookDocument": {"uri": uri, "version": step + 2},
            "change": {"cells": {"textContent": [{"document": {"uri": uris[number], "version": step + 2}, "changes": changes}]}}})
        steps.append(([server.ask("textDocument/diagnostic", {"textDocument": {"uri": cell}}) for cell in uris],
                      [cell.text for cell in cells]))
    for number, (_, written) in enumerate(steps):
        document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
                    "cells": [{"cell_type": "code", "id": str(index), "metadata": {}, "outputs": [], "execution_count": None,
                               "source": text} for index, text in enumerate(written)]}
        (tmp_path / f"{number:04}.ipynb").write_text(json.dumps(document))
    found = {}
    for finding in program.check(tmp_path, "--isolated", "."):
        found.setdefault((int(finding["path"][:4]), finding["cell"] - 1), []).append(finding)
    for number, (ids, written) in enumerate(steps):
        for cell, id in enumerate(ids):
            items = [(item["code"], item["range"], item["message"].splitlines()[0]) for item in server.answer(id)["result"]["items"]]
            assert items == [(finding["code"], program.range_of(finding, written[cell], encoding), finding["message"])
                             for finding in found.get((number, cell), [])], (number, cell)
    assert found
    server.finish()

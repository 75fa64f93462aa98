"""Notebooks: one program in cells, each with an address of its own."""
import pytest
from lsprotocol import types

import program
import samples
import texts
from editor import CONVERTER, PULL, PUSH, RESOLVES, edits_of, titled

HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\nmodel = nn.Linear(4, 1)\n"
DATA = "%matplotlib inline\nloader = DataLoader(torch.ones(99, 4))\n!nvidia-smi"
TEXT = "# Training\n\nlosses.append(loss) is *bad*"
KEEP = "losses = []\nfor step, x in enumerate(loader):\n    loss = model(x).sum()\n    loss.backward()\n    losses.append(loss)"
CELLS = [HEAD, TEXT, DATA, KEEP]
FOUND = [("VL101", 4)]


class Notebook:
    """A notebook that EDITOR has open; cells are named by numbers that stay theirs."""

    def __init__(self, editor, cells, name="note.ipynb"):
        self.editor, self.uri, self.version = editor, editor.uri(name), 1
        self.order, self.texts = list(range(len(cells))), dict(enumerate(cells))
        editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(uri=self.uri, notebook_type="jupyter-notebook", version=1,
                                   cells=[self.cell(number) for number in self.order]),
            [self.item(number) for number in self.order]))

    def cell_uri(self, number):
        return self.uri.replace("file:", "vscode-notebook-cell:") + f"#W{number}sZmlsZQ%3D%3D"

    def is_code(self, number):
        return not self.texts[number].startswith("# Training")

    def cell(self, number):
        return types.NotebookCell(kind=types.NotebookCellKind(2 if self.is_code(number) else 1), document=self.cell_uri(number))

    def item(self, number):
        uri = self.cell_uri(number)
        self.editor.texts[uri], self.editor.versions[uri] = self.texts[number], 1
        return types.TextDocumentItem(uri=uri, language_id="python" if self.is_code(number) else "markdown", version=1,
                                      text=self.texts[number])

    def change(self, **cells):
        self.version += 1
        self.editor.notebook_document_did_change(types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(uri=self.uri, version=self.version),
            CONVERTER.structure({"cells": cells}, types.NotebookDocumentChangeEvent)))

    def splice(self, start, count, numbers=(), fresh=()):
        """Takes COUNT cells out and puts NUMBERS in; those in FRESH are opened."""
        gone = [number for number in self.order[start:start + count] if number not in numbers]
        self.order[start:start + count] = numbers
        self.change(structure={
            "array": {"start": start, "deleteCount": count, "cells": [CONVERTER.unstructure(self.cell(n)) for n in numbers]},
            "didOpen": [CONVERTER.unstructure(self.item(n)) for n in fresh],
            "didClose": [{"uri": self.cell_uri(n)} for n in gone]})

    def type(self, number, old, new):
        """Changes the first OLD of a cell to NEW."""
        uri, text = self.cell_uri(number), self.texts[number]
        start = text.index(old)
        self.texts[number] = self.editor.texts[uri] = text[:start] + new + text[start + len(old):]
        self.editor.versions[uri] += 1
        encoding = self.editor.encoding
        self.change(textContent=[{"document": {"uri": uri, "version": self.editor.versions[uri]}, "changes": [
            {"range": {"start": texts.position_at(text, start, encoding),
                       "end": texts.position_at(text, start + len(old), encoding)}, "text": new}]}])

    async def becomes(self, number, wanted):
        editor, uri = self.editor, self.cell_uri(number)

        def places(items):
            return [(item["code"], item["range"]["start"]["line"]) for item in items]

        if editor.pulls:
            count = editor.refreshed["diagnostic"]
            while places((await editor.pull(uri))["items"]) != wanted:
                await editor.until(lambda: editor.refreshed["diagnostic"] > count)
                count = editor.refreshed["diagnostic"]
        else:
            await editor.until(lambda: editor.last(uri) and places(editor.last(uri)["diagnostics"]) == wanted)

    def close(self):
        self.editor.notebook_document_did_close(types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(self.uri),
            [types.TextDocumentIdentifier(self.cell_uri(number)) for number in self.order]))


@pytest.fixture(params=[PUSH, {**PULL, **RESOLVES}], ids=["push", "pull"])
async def either(request, editors, tmp_path):
    return await editors(request.param, folders=[tmp_path])


async def test_findings_belong_to_their_cells(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    for number in (0, 2):
        await notebook.becomes(number, [])
    await either.settle()
    assert {told["uri"] for told in either.published} <= {notebook.cell_uri(number) for number in (0, 2, 3)}
    assert bool(either.published) != either.pulls


async def test_trails_lead_into_other_cells(either):
    loop, data = KEEP.partition("\n")[2], "losses = []"
    notebook = Notebook(either, [HEAD, DATA, data, loop])
    await notebook.becomes(3, [("VL101", 3)])
    items = (await either.pull(notebook.cell_uri(3)))["items"]
    places = [(related["location"]["uri"], related["location"]["range"]["start"]["line"])
              for related in items[0]["relatedInformation"]]
    assert (notebook.cell_uri(2), 0) in places and (notebook.cell_uri(3), 0) in places


async def test_what_is_typed_into_a_cell(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    notebook.type(3, "append(loss)", "append(loss.item())")
    await notebook.becomes(3, [])
    notebook.type(3, "append(loss.item())", "append(loss)")
    notebook.type(3, "losses = []", "losses = []\n\n")
    await notebook.becomes(3, [("VL101", 6)])


async def test_what_is_typed_into_another_cell(either):
    notebook = Notebook(either, [HEAD + "def keep(x):\n    return x\n", TEXT, DATA, KEEP.replace("(loss)", "(keep(loss))")])
    await notebook.becomes(3, FOUND)
    notebook.type(0, "return x", "return x.item()")
    await notebook.becomes(3, [])
    notebook.type(0, ".item()", "")
    await notebook.becomes(3, FOUND)


async def test_a_client_that_pulls_is_told_that_other_cells_may_have_changed(editors, tmp_path):
    editor = await editors(PULL, folders=[tmp_path])
    notebook = Notebook(editor, [HEAD + "def keep(x):\n    return x\n", DATA, KEEP.replace("(loss)", "(keep(loss))")])
    await notebook.becomes(2, FOUND)
    await editor.settle()
    count = editor.refreshed["diagnostic"]
    notebook.type(0, "return x", "return x.item()")
    await editor.until(lambda: editor.refreshed["diagnostic"] > count)
    assert (await editor.pull(notebook.cell_uri(2)))["items"] == []


async def test_what_is_found_at_the_end_of_a_cell_ends_there(either):
    notebook = Notebook(either, [HEAD, DATA, KEEP, "x = 1"])
    await notebook.becomes(2, FOUND)
    uri = notebook.cell_uri(2)
    item, = (await either.pull(uri))["items"]
    assert item["range"]["end"] == {"line": 4, "character": len(KEEP.splitlines()[4])}
    hover = await either.hover_at(uri, item["range"]["end"])
    assert hover["range"] == item["range"]


async def test_cells_that_are_added_taken_out_and_moved(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    notebook.texts[9] = "with torch.no_grad():\n    y = model(torch.ones(4))"
    notebook.splice(3, 0, [9], [9])
    await notebook.becomes(3, FOUND)
    await notebook.becomes(9, [])
    notebook.splice(4, 1)
    if not either.pulls:
        await either.until(lambda: either.last(notebook.cell_uri(3))["diagnostics"] == [])
    assert (await either.pull(notebook.cell_uri(3)))["items"] == []
    notebook.splice(0, 0, [3], [3])
    await notebook.becomes(3, FOUND)
    notebook.splice(0, 5, [0, 1, 2, 9, 3])  # moved to the end
    await notebook.becomes(3, FOUND)
    notebook.type(3, "append(loss)", "append(loss.item())")
    await notebook.becomes(3, [])


async def test_a_cell_that_changes_its_kind(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    text = notebook.texts[3]
    notebook.texts[3] = "# Training\n" + text
    notebook.splice(3, 1, [3], [3])
    if either.pulls:
        await notebook.becomes(3, [])
    else:
        await either.until(lambda: either.last(notebook.cell_uri(3))["diagnostics"] == [])
    notebook.texts[3] = text
    notebook.splice(3, 1, [3], [3])
    await notebook.becomes(3, FOUND)


async def test_hover_and_actions_in_a_cell(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    uri = notebook.cell_uri(3)
    hover = await either.hover_at(uri, either.position(uri, "append(loss)"))
    assert "tensor-append" in hover["contents"]["value"] and hover["range"]["start"]["line"] == 4
    findings = (await either.pull(uri))["items"]
    actions = await either.actions(uri, findings[0]["range"], diagnostics=findings)
    wanted = {"Write": KEEP.replace("append(loss)", "append(loss.detach())"),
              "Suppress": KEEP + "  # vramlint: ignore[VL101] -- TODO: say why",
              "Fix all": KEEP.replace("append(loss)", "append(loss.detach())")}
    for title, after in wanted.items():
        action = titled(actions, title)
        edits = edits_of((action if "edit" in action else await either.resolve(action))["edit"])
        assert list(edits) == [uri]
        assert texts.apply(KEEP, edits[uri], either.encoding) == after
    assert await either.actions(notebook.cell_uri(1), {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 9}},
                                only=["quickfix"]) == []


async def test_fixing_all_of_a_notebook_by_its_address_or_a_cells(either):
    two = KEEP.replace("losses", "kept")
    for argument in (lambda notebook: notebook.uri, lambda notebook: notebook.cell_uri(4)):
        notebook = Notebook(either, [*CELLS, two])
        await notebook.becomes(4, FOUND)
        before = len(either.edits)
        await either.execute("vramlint.fixAll", argument(notebook))
        await either.until(lambda: len(either.edits) > before)
        edits = edits_of(either.edits[-1]["edit"])
        assert {uri: texts.apply(notebook.texts[number], edits[uri], either.encoding)
                for number in (3, 4) for uri in [notebook.cell_uri(number)]} == {
                    notebook.cell_uri(3): KEEP.replace("append(loss)", "append(loss.detach())"),
                    notebook.cell_uri(4): two.replace("append(loss)", "append(loss.detach())")}
        notebook.close()


async def test_suppressing_in_a_cell_by_command(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    uri = notebook.cell_uri(3)
    fingerprint = (await either.pull(uri))["items"][0]["data"]["fingerprint"]
    await either.execute("vramlint.suppress", {"uri": uri, "fingerprint": fingerprint, "reason": "ten steps"})
    await either.until(lambda: either.edits)
    edits = edits_of(either.edits[-1]["edit"])
    assert texts.apply(KEEP, edits[uri], either.encoding) == KEEP + "  # vramlint: ignore[VL101] -- ten steps"


async def test_a_closed_notebook_has_no_findings(either):
    notebook = Notebook(either, CELLS)
    await notebook.becomes(3, FOUND)
    notebook.close()
    if not either.pulls:
        await either.until(lambda: either.last(notebook.cell_uri(3))["diagnostics"] == [])
    assert (await either.pull(notebook.cell_uri(3)))["items"] == []
    again = Notebook(either, CELLS)
    await again.becomes(3, FOUND)


async def test_a_result_of_a_cell_that_is_as_it_was_is_not_sent_again(editors, tmp_path):
    editor = await editors(PULL, folders=[tmp_path])
    notebook = Notebook(editor, CELLS)
    first = await editor.pull(notebook.cell_uri(3))
    notebook.type(2, "%matplotlib inline", "%matplotlib  inline")
    assert await editor.pull(notebook.cell_uri(3), first["resultId"]) == {"kind": "unchanged", "resultId": first["resultId"]}


async def test_the_same_findings_as_of_the_file(either, tmp_path):
    """Of the notebook as it would be on the disk."""
    import json
    cells = [{"cell_type": "code" if not text.startswith("# Training") else "markdown", "metadata": {}, "id": f"c{number}",
              "source": text, **({"outputs": [], "execution_count": None} if text != TEXT else {})}
             for number, text in enumerate(CELLS)]
    document = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "note.ipynb").write_text(json.dumps(document))
    found = program.check(tmp_path, "note.ipynb")
    notebook = Notebook(either, CELLS)
    await notebook.becomes(found[0]["cell"] - 1, [(finding["code"], finding["line"] - 1) for finding in found])
    item = (await either.pull(notebook.cell_uri(3)))["items"][0]
    assert (item["data"]["fingerprint"], item["message"].splitlines()[0]) == (found[0]["fingerprint"], found[0]["message"])


async def test_a_broken_cell_hides_no_finding_of_another(either):
    notebook = Notebook(either, [HEAD, "def f(:\n  ]]", DATA, KEEP, "", "\n\n", "x = '''"])
    await notebook.becomes(3, FOUND)


async def test_wide_characters_in_cells(editors, tmp_path):
    for encoding in texts.ENCODINGS:
        editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, folders=[tmp_path])
        keep = KEEP.replace("    losses.append", "    _ = 'é€😀'; losses.append")
        notebook = Notebook(editor, [HEAD, "'😀'\n" + DATA, keep])
        await notebook.becomes(2, FOUND)
        uri = notebook.cell_uri(2)
        assert editor.last(uri)["diagnostics"][0]["range"]["start"] == editor.position(uri, "losses.append")
        notebook.type(2, ".append(loss)", ".append(loss.item())")
        await notebook.becomes(2, [])
        notebook.close()


async def test_lenses_in_cells(editors, tmp_path):
    editor = await editors(options={"settings": {"lens": "codeLens"}}, folders=[tmp_path])
    notebook = Notebook(editor, CELLS)
    for number, count in ((0, 0), (1, 0), (3, 1)):
        lenses = await editor.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(notebook.cell_uri(number))))
        assert len(lenses) == count
        assert not count or lenses[0].range.start.line == 1


async def test_other_languages_in_cells(either):
    r = types.TextDocumentItem
    uri = either.uri("r.ipynb")
    cells = [f"{uri}#a", f"{uri}#b"]
    either.notebook_document_did_open(types.DidOpenNotebookDocumentParams(
        types.NotebookDocument(uri=uri, notebook_type="jupyter-notebook", version=1,
                               cells=[types.NotebookCell(types.NotebookCellKind.Code, cell) for cell in cells]),
        [r(uri=cells[0], language_id="r", version=1, text=samples.TRAIN),
         r(uri=cells[1], language_id="python", version=1, text=samples.TRAIN)]))
    for cell, count in zip(cells, (0, 2)):
        assert len((await either.pull(cell))["items"]) == count

"""What is shown where the pointer rests, and beside loops."""
import pytest

import program
import samples
from editor import PUSH, plain
from lsprotocol import types


def document_of(name):
    return (program.ROOT / f"rules/{name}.md").read_text()


PLAIN = {**PUSH, "textDocument.hover": {"contentFormat": ["plaintext"]}}


@pytest.mark.parametrize("capabilities, kind", [(PUSH, "markdown"), (PLAIN, "plaintext")], ids=["markdown", "plaintext"])
async def test_a_finding_is_explained_with_its_trail_and_its_rule(editors, tmp_path, capabilities, kind):
    editor = await editors(capabilities, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    hover = await editor.hover_at(uri, editor.position(uri, "append(loss)"))
    found = program.check_text(samples.TRAIN)[0]
    text = hover["contents"]["value"]
    assert hover["contents"]["kind"] == kind
    assert hover["range"] == program.range_of(found, samples.TRAIN, "utf-8")
    words = text.replace("`", "'").replace("\\", "")
    for said in (found["message"], found["growth"], found["help"], "VL101 tensor-append"):
        assert said in words
    for number, note in enumerate(found["trail"], 1):
        assert f"{number}. line {note['line']}: {note['text']}" in words
    assert text.endswith(document_of("tensor-append"))
    assert ("**" in text.partition("---")[0]) == (kind == "markdown")


async def test_all_of_the_range_is_the_finding_and_what_lies_beside_is_not(editor):
    uri = editor.open("train.py", samples.TRAIN)
    for character in (4, 10, 23):
        assert await editor.hover_at(uri, {"line": 13, "character": character})
    for line, character in ((13, 0), (13, 3), (12, 10), (14, 0), (0, 0), (999, 0)):
        assert await editor.hover_at(uri, {"line": line, "character": character}) is None


async def test_code_in_a_finding_is_no_markdown(editor):
    text = samples.TRAIN.replace("losses", "__init__").replace("model", "_a_")
    uri = editor.open("train.py", text)
    value = (await editor.hover_at(uri, editor.position(uri, "__init__.append")))["contents"]["value"]
    assert "`__init__`" in value.partition("---")[0]


async def test_findings_at_one_place_are_all_shown(editor):
    text = samples.TRAIN.replace("losses.append(loss)", "losses.append(loss); model.zero_grad(set_to_none=False)")
    uri = editor.open("train.py", text)
    for finding in await editor.findings(uri):
        hover = await editor.hover_at(uri, finding["range"]["start"])
        assert finding["code"] in hover["contents"]["value"]


@pytest.mark.parametrize("comment, word, name", [
    ("# vramlint: ignore[VL101] -- why", "VL101", "tensor-append"),
    ("# type: ignore  # vramlint: ignore[tensor-append] -- why", "tensor-append", "tensor-append"),
    ("# noqa: VL101", "VL101", "tensor-append"),
    ("# noqa: E501,VL101", "VL101", "tensor-append"),
])
async def test_a_comment_that_suppresses_is_explained(editor, comment, word, name):
    text = samples.TRAIN.replace("losses.append(loss)", f"losses.append(loss)  {comment}")
    uri = editor.open("train.py", text)
    position = editor.position(uri, word)
    hover = await editor.hover_at(uri, position)
    assert hover["contents"]["value"].endswith(document_of(name))
    assert hover["range"] == {"start": position, "end": {**position, "character": position["character"] + len(word)}}
    assert await editor.hover_at(uri, editor.position(uri, "losses.append")) is None


@pytest.mark.parametrize("comment", ["# VL101", "# noqa: E501", "# vramlint: ignore[VL999]", "'vramlint VL101'"])
async def test_other_words_are_not_explained(editor, comment):
    text = f"x = 1  {comment}\n" if comment[0] == "#" else f"x = {comment}\n"
    uri = editor.open("train.py", text)
    found = [finding["range"] for finding in await editor.findings(uri)]
    for character in range(len(text)):
        position = {"line": 0, "character": character}
        hover = await editor.hover_at(uri, position)
        assert hover is None or hover["range"] in found


async def test_hover_is_of_the_text_as_it_is_now(editors, tmp_path):
    editor = await editors(options={"settings": {"debounce": 5000}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.CLEAN)
    editor.change(uri, samples.TRAIN)
    assert await editor.hover_at(uri, editor.position(uri, "append(loss)"))
    editor.replace(uri, "append(loss)", "append(loss.item())")
    assert await editor.hover_at(uri, editor.position(uri, "append(loss")) is None


# ---- lenses ----

async def lenses(editor, uri):
    return plain(await editor.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri))))


async def hints(editor, uri):
    whole = types.Range(types.Position(0, 0), types.Position(99999, 0))
    return plain(await editor.text_document_inlay_hint_async(types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)))


LOOP = "for step, x in enumerate(loader):"
TITLE = "vramlint: host memory grows by the nodes of one graph a step"


@pytest.mark.parametrize("lens, shows", [(None, (0, 0)), ("off", (0, 0)), ("codeLens", (1, 0)), ("inlayHint", (0, 1)),
                                         ("else", (0, 0)), (3, (0, 0))])
async def test_lenses_and_hints_are_there_where_they_are_wanted(editors, tmp_path, lens, shows):
    editor = await editors(options={"settings": {"debounce": 0, "lens": lens}}, folders=[tmp_path])
    text = samples.TRAIN.partition("def evaluate")[0]
    uri = editor.open("train.py", text)
    shown = await lenses(editor, uri), await hints(editor, uri)
    assert tuple(map(len, shown)) == shows


async def test_a_lens_says_what_grows_and_leads_to_the_rule(editors, tmp_path):
    editor = await editors(options={"settings": {"lens": "codeLens"}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    lens = (await lenses(editor, uri))[0]
    assert lens["command"] == {"title": TITLE, "command": "vramlint.explain", "arguments": ["VL101"]}
    assert lens["range"]["start"] == editor.position(uri, LOOP)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_hint_stands_behind_the_loop(editors, tmp_path, encoding):
    editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, {"settings": {"lens": "inlayHint"}}, [tmp_path])
    text = samples.TRAIN.replace("enumerate(loader)", "enumerate(loader, len('é€😀'))")
    uri = editor.open("train.py", text)
    hint = (await hints(editor, uri))[0]
    end = editor.position(uri, "\n    loss = ")
    assert (hint["label"], hint["position"]) == (TITLE, end)


async def test_several_findings_of_a_loop_share_a_lens(editors, tmp_path):
    editor = await editors(options={"settings": {"lens": "codeLens"}}, folders=[tmp_path])
    text = samples.TRAIN.replace("losses = []", "losses = []\nothers = []").replace(
        "    losses.append(loss)", "    losses.append(loss)\n    others.append(loss)").partition("def evaluate")[0]
    lens, = await lenses(editor, editor.open("train.py", text))
    assert lens["command"]["title"] == TITLE + " (and 1 more)"


async def test_a_client_is_told_to_ask_again_when_lenses_are_switched_on(editors, tmp_path):
    capabilities = {**PUSH, "workspace.codeLens": {"refreshSupport": True}, "workspace.inlayHint": {"refreshSupport": True}}
    editor = await editors(capabilities, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert await lenses(editor, uri) == []
    before = dict(editor.refreshed)
    editor.say_settings({"vramlint": {"lens": "codeLens"}})
    await editor.until(lambda: editor.refreshed["codeLens"] > before["codeLens"])
    await editor.until(lambda: editor.refreshed["inlayHint"] > before["inlayHint"])
    assert await lenses(editor, uri)

"""Commands, and the check of all files of the workspace."""
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

import program
import samples
from editor import PULL, PUSH, WATCHES

PROGRESS = {"window.workDoneProgress": True}


def write_tree(folder, count=6):
    """COUNT programs with findings, and some that have none or are not to be looked at."""
    for number in range(count):
        (folder / f"part{number % 3}").mkdir(exist_ok=True)
        (folder / f"part{number % 3}" / f"train{number}.py").write_text(samples.TRAIN)
    (folder / "clean.py").write_text(samples.CLEAN)
    (folder / "notes.txt").write_text(samples.TRAIN)
    (folder / "build").mkdir()
    (folder / "build" / "train.py").write_text(samples.TRAIN)
    return sorted((folder / f"part{number % 3}" / f"train{number}.py").as_uri() for number in range(count))


def shown(editor):
    """URI → diagnostics that the client shows now, where there are any."""
    last = {told["uri"]: told["diagnostics"] for told in editor.published}
    return {uri: items for uri, items in last.items() if items}


async def refused(awaitable):
    with pytest.raises(JsonRpcException):
        await awaitable


# ---- explain ----

@pytest.mark.parametrize("name", ["VL101", "tensor-append", "vl101", "Tensor-Append"])
async def test_explaining_a_rule(editor, name):
    told = await editor.execute("vramlint.explain", name)
    document = (program.ROOT / "rules/tensor-append.md").read_text()
    assert (told["code"], told["name"], told["markdown"]) == ("VL101", "tensor-append", document)


@pytest.mark.parametrize("arguments", [[], ["VL999"], [""], [None], [3], [["VL101"]], [{"code": "VL101"}], ["x" * 100000],
                                       ["VL101\u0000"], ["VL1"], ["ALL"]])
async def test_explaining_what_is_no_rule(editor, arguments):
    await refused(editor.execute("vramlint.explain", *arguments))


# ---- fix all ----

@pytest.mark.parametrize("capabilities", [PUSH, PULL], ids=["push", "pull"])
async def test_fixing_all_by_command(editors, tmp_path, capabilities):
    editor = await editors(capabilities, folders=[tmp_path])
    uri = editor.open("train.py", samples.WIDE)
    assert await editor.execute("vramlint.fixAll", uri) is None
    await editor.until(lambda: editor.edits)
    assert editor.texts[uri] == program.fixed(samples.WIDE) != samples.WIDE
    assert [code for code, _ in await editor.codes(uri)] == ["VL302"]


async def test_where_nothing_is_to_be_fixed_no_edit_is_asked_for(editor):
    uri = editor.open("train.py", samples.CLEAN)
    assert await editor.execute("vramlint.fixAll", uri) is None
    await editor.settle()
    assert editor.edits == []


@pytest.mark.parametrize("arguments", [[], [None], ["file:///not/open.py"], [3], [[]], [{}], ["no address"]])
async def test_fixing_what_is_not_open(editor, arguments):
    await refused(editor.execute("vramlint.fixAll", *arguments))


async def test_a_fix_of_a_text_that_does_not_parse(editor):
    uri = editor.open("train.py", samples.TRAIN + "\ndef f(:\n")
    await editor.execute("vramlint.fixAll", uri)
    await editor.settle()
    assert editor.texts[uri] == program.fixed(samples.TRAIN + "\ndef f(:\n")


# ---- suppress ----

@pytest.mark.parametrize("change", [{"uri": "file:///not/open.py"}, {"uri": None}, {"uri": 3}, {"fingerprint": "0" * 32},
                                    {"fingerprint": None}, {"fingerprint": 3}, {"fingerprint": ""}])
async def test_suppressing_what_is_not_there(editor, change):
    uri = editor.open("train.py", samples.TRAIN)
    fingerprint = (await editor.findings(uri))[0]["data"]["fingerprint"]
    await refused(editor.execute("vramlint.suppress", {"uri": uri, "fingerprint": fingerprint, "reason": "x", **change}))
    assert editor.edits == []


@pytest.mark.parametrize("reason", [None, 3, [], {}])
async def test_suppressing_without_a_reason(editor, reason):
    uri = editor.open("train.py", samples.TRAIN)
    fingerprint = (await editor.findings(uri))[0]["data"]["fingerprint"]
    await editor.execute("vramlint.suppress", {"uri": uri, "fingerprint": fingerprint, "reason": reason})
    await editor.until(lambda: editor.edits)
    assert "# vramlint: ignore[VL101] -- TODO: say why" in editor.texts[uri]


@pytest.mark.parametrize("command", ["", "vramlint", "vramlint.no", "vramlint.fixall", "x" * 10000])
async def test_a_command_that_is_none(editor, command):
    await refused(editor.execute(command, "VL101"))


# ---- the whole workspace ----

async def test_checking_all_files(editors, tmp_path):
    uris = write_tree(tmp_path)
    editor = await editors({**PUSH, **PROGRESS}, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
    assert sorted(shown(editor)) == uris
    for items in shown(editor).values():
        assert [item["code"] for item in items] == ["VL101", "VL302"]
    begin, *_, end = editor.progress
    assert begin["kind"] == "begin" and begin["cancellable"] and begin["title"]
    assert "12 findings" in end["message"]
    assert len(editor.created_tokens) == 1


async def test_checking_all_files_for_a_client_that_shows_no_progress(editors, tmp_path):
    uris = write_tree(tmp_path)
    editor = await editors(PULL, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: sorted(shown(editor)) == uris)
    assert editor.progress == [] and editor.created_tokens == []


@pytest.mark.parametrize("capabilities", [PUSH, PULL], ids=["push", "pull"])
async def test_a_file_that_is_opened_is_told_of_by_its_document_alone(editors, tmp_path, capabilities):
    uris = write_tree(tmp_path)
    editor = await editors(capabilities, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: sorted(shown(editor)) == uris)
    uri = editor.open(uris[0][len(tmp_path.as_uri()) + 1:])
    if editor.pulls:
        assert len(await editor.findings(uri)) == 2
        await editor.settle()
        assert uri not in shown(editor)
    else:
        await editor.findings(uri)
        assert len(shown(editor)[uri]) == 2
    editor.replace(uri, "append(loss)", "append(loss.item())")
    assert [code for code, _ in await editor.codes(uri)] == ["VL302"]
    editor.close(uri)  # and what is on the disk counts again
    await editor.until(lambda: len(shown(editor).get(uri, ())) == 2)


async def test_open_documents_are_not_told_of_twice(editors, tmp_path):
    uris = write_tree(tmp_path)
    editor = await editors({**PULL, **PROGRESS}, folders=[tmp_path])
    uri = editor.open(uris[0][len(tmp_path.as_uri()) + 1:])
    await editor.findings(uri)
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
    assert sorted(shown(editor)) == uris[1:]


async def test_checking_again_takes_back_what_is_mended(editors, tmp_path):
    uris = write_tree(tmp_path)
    editor = await editors({**PUSH, **PROGRESS}, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
    for path in tmp_path.glob("part*/*.py"):
        path.write_text(samples.CLEAN)
    gone = next(tmp_path.glob("part0/*.py"))
    gone.unlink()
    editor.progress.clear()
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
    assert shown(editor) == {} and len(uris) == 6


async def test_a_check_of_all_files_can_be_cancelled(editors, tmp_path):
    write_tree(tmp_path, 400)
    editor = await editors({**PUSH, **PROGRESS}, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress)
    editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(editor.created_tokens[0]))
    await editor.until(lambda: editor.progress[-1]["kind"] == "end")
    await editor.settle()
    count = len(editor.published)
    assert count < 400
    await editor.settle()
    assert len(editor.published) == count


async def test_while_all_files_are_checked_the_editor_is_served(editors, tmp_path):
    write_tree(tmp_path, 300)
    editor = await editors({**PUSH, **PROGRESS}, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    uri = editor.open("new.py", samples.TRAIN)
    assert len(await editor.findings(uri)) == 2
    assert await editor.hover_at(uri, editor.position(uri, "append(loss)"))
    assert editor.progress[-1]["kind"] != "end"
    await editor.execute("vramlint.checkWorkspace")  # begins anew
    await editor.until(lambda: [item["kind"] for item in editor.progress].count("end") == 2)
    assert len(shown(editor)) == 301


async def test_a_workspace_that_is_switched_off_or_empty_has_nothing(editors, tmp_path):
    write_tree(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    for settings, folders in (({"enable": False}, [tmp_path]), ({}, [empty]), ({}, [])):
        editor = await editors({**PUSH, **PROGRESS}, {"settings": settings}, folders)
        await editor.execute("vramlint.checkWorkspace")
        await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
        assert editor.published == []


async def test_what_is_told_of_a_file_follows_what_happens_to_it_on_the_disk(editors, tmp_path):
    uris = write_tree(tmp_path, 2)
    editor = await editors({**PUSH, **PROGRESS, **WATCHES}, folders=[tmp_path])
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: len(shown(editor)) == 2)
    path = next(tmp_path.glob("part0/*.py"))
    path.unlink()
    editor.say_files((path, 3))
    await editor.until(lambda: sorted(shown(editor)) == [uri for uri in uris if uri != path.as_uri()])

"""Documents: what the editor holds is what counts, and what is found in it is told once it is known."""
import pytest

import samples
from editor import PULL, PUSH
from texts import ENCODINGS

LEAK = [("VL101", samples.SAFE_LINE), ("VL302", samples.UNSAFE_LINE)]


def range_of(first, last):
    return {"start": {"line": first[0], "character": first[1]}, "end": {"line": last[0], "character": last[1]}}


@pytest.fixture(params=[PUSH, PULL], ids=["push", "pull"])
async def either(request, editors, tmp_path):
    return await editors(request.param, folders=[tmp_path])


# ---- text ----

async def test_what_is_opened_is_checked_whatever_the_disk_holds(either, tmp_path):
    (tmp_path / "train.py").write_text(samples.CLEAN)
    uri = either.open("train.py", samples.TRAIN)
    assert await either.codes(uri) == LEAK


async def test_a_document_that_is_on_no_disk_is_checked(either):
    for uri in ("untitled:Untitled-1", "vscode-vfs://github/a/b.py", "file://elsewhere/share/a.py"):
        either.open(uri, samples.TRAIN)
        assert await either.codes(uri) == LEAK


async def test_a_change_of_a_few_characters(either):
    uri = either.open("train.py", samples.TRAIN)
    assert await either.codes(uri) == LEAK
    either.replace(uri, "append(loss)", "append(loss.item())")
    assert await either.codes(uri) == LEAK[1:]
    either.replace(uri, "append(loss.item())", "append(loss)")
    assert await either.codes(uri) == LEAK


async def test_a_change_of_the_whole_text(either):
    uri = either.open("train.py", samples.TRAIN)
    either.change(uri, samples.CLEAN)
    assert await either.codes(uri) == []
    either.change(uri, "")
    assert await either.codes(uri) == []
    either.change(uri, "\n" + samples.TRAIN)
    assert await either.codes(uri) == [(code, line + 1) for code, line in LEAK]


async def test_changes_of_one_notification_each_count_in_the_text_before_it(either):
    uri = either.open("train.py", samples.CLEAN)
    either.change(uri,
                  samples.TRAIN,
                  (range_of((0, 0), (0, 0)), "# a\n# b\n"),
                  (range_of((1, 0), (2, 0)), ""),
                  (range_of((14, 18), (14, 22)), "loss * 2"),
                  "# c\n" + samples.TRAIN,
                  (range_of((0, 0), (1, 0)), "\n\n\n"))
    assert await either.codes(uri) == [(code, line + 3) for code, line in LEAK]
    assert either.texts[uri] == "\n\n\n" + samples.TRAIN


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_changes_behind_wide_characters_are_made_in_their_place(editors, tmp_path, encoding):
    editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, folders=[tmp_path])
    uri = editor.open("wide.py", samples.WIDE)
    assert await editor.codes(uri) == LEAK
    editor.replace(uri, ".append(loss)", ".append(loss.item())")
    assert await editor.codes(uri) == LEAK[1:]
    editor.replace(uri, "é€😀\t", "😀")
    editor.replace(uri, ".item())  # 😀", ")")
    editor.replace(uri, ")\n\n\ndef", ")  # 😀\n\n\ndef")
    assert await editor.codes(uri) == LEAK


@pytest.mark.parametrize("ends", ["\r\n", "\r"], ids=["CRLF", "CR"])
async def test_lines_end_as_they_will(either, ends):
    text = samples.TRAIN.replace("\n", ends)
    uri = either.open("train.py", text)
    assert await either.codes(uri) == LEAK
    either.change(uri, (range_of((0, 0), (0, 0)), ends), (range_of((14, 22), (14, 22)), ".item()"))
    assert await either.codes(uri) == [(LEAK[1][0], LEAK[1][1] + 1)]


async def test_a_line_feed_that_joins_a_carriage_return_makes_one_line_end(either):
    uri = either.open("train.py", samples.TRAIN.replace("import torch\n", "import torch\r", 1))
    either.change(uri, (range_of((1, 0), (1, 0)), "\n"), (range_of((13, 22), (13, 22)), ".item()"))
    assert await either.codes(uri) == LEAK[1:]


async def test_a_position_behind_the_end_is_the_end(either):
    uri = either.open("train.py", samples.TRAIN[:-1])
    either.change(uri, (range_of((21, 999), (21, 999)), "  # x"))
    either.change(uri, (range_of((99, 0), (99, 9)), "\n"))
    either.change(uri, (range_of((13, 22), (13, 999)), ".item())"))
    assert await either.codes(uri) == LEAK[1:]
    assert either.texts[uri].endswith("total  # x\n")


async def test_a_range_that_runs_backwards_is_the_same_range(either):
    """As in the library that most servers take text from."""
    uri = either.open("train.py", samples.TRAIN.replace("append(loss)", "append(loss.item())"))
    either.change(uri, (range_of((13, 29), (13, 22)), ""))
    assert await either.codes(uri) == LEAK
    either.change(uri, (range_of((13, 0), (8, 0)), "\n\n"), (range_of((0, 0), (0, 0)), samples.TRAIN))
    assert await either.codes(uri) == LEAK + [(LEAK[1][0], LEAK[1][1] + 22 - 3)]
    assert either.texts[uri].count("enumerate(loader)") == 1


@pytest.mark.parametrize("encoding, inside", [("utf-8", (27, 28, 29)), ("utf-16", (27,))])
async def test_a_position_within_a_character_is_before_it(editors, tmp_path, encoding, inside):
    editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, folders=[tmp_path])
    for character in inside:
        uri = editor.open("wide.py", samples.TRAIN.replace("append(loss)", "append(loss)  #😀"))
        editor.versions[uri] += 1
        editor.change(uri, (range_of((13, character), (13, character)), "x"))
        title = (await editor.actions(uri, range_of((13, 4), (13, 4))))[0]["title"]
        assert title == "Write 'losses.append(loss.detach())  #x😀' (VL101)"
        editor.close(uri)


async def test_other_languages_are_not_checked(either):
    uri = either.open("notes.txt", samples.TRAIN, language="plaintext")
    either.change(uri, samples.TRAIN + "\n")
    await either.settle()
    assert (await either.pull(uri))["items"] == []
    assert not any(told["diagnostics"] for told in either.published)


async def test_text_that_does_not_parse_gives_no_finding_of_its_own(either):
    uri = either.open("train.py", "def f(:\n    ]\n")
    assert await either.codes(uri) == []
    either.change(uri, samples.TRAIN + "\ndef f(:\n")
    assert await either.codes(uri) == LEAK


async def test_a_document_opened_twice_is_what_was_said_last(either):
    uri = either.open("train.py", samples.CLEAN)
    either.open("train.py", samples.TRAIN, version=7)
    assert await either.codes(uri) == LEAK
    either.replace(uri, "append(loss)", "append(loss.item())")
    assert await either.codes(uri) == LEAK[1:]


async def test_saving_changes_nothing(either):
    uri = either.open("train.py", samples.TRAIN)
    assert await either.codes(uri) == LEAK
    either.save(uri)
    await either.settle()
    assert await either.codes(uri) == LEAK
    assert len(either.published) == (0 if either.pulls else 1)


# ---- push ----

async def test_each_publication_says_which_version_it_is_of(editor):
    uri = editor.open("train.py", samples.TRAIN, version=5)
    await editor.findings(uri)
    for _ in range(3):
        editor.change(uri, (range_of((0, 0), (0, 0)), "\n"))
        await editor.findings(uri)
    assert [told["version"] for told in editor.published] == [5, 6, 7, 8]


async def test_fast_changes_are_told_of_once_when_they_pause(editors, tmp_path):
    editor = await editors(options={"settings": {"debounce": 150}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await editor.findings(uri)
    for _ in range(200):
        editor.change(uri, (range_of((0, 0), (0, 0)), "\n"))
    assert [line for _, line in await editor.codes(uri)] == [line + 200 for _, line in LEAK]
    await editor.settle()
    # a machine that is busy may pause for us
    assert len(editor.published) <= 5
    assert editor.published[-1]["version"] == 201


async def test_until_the_pause_is_over_nothing_is_told(editors, tmp_path):
    editor = await editors(options={"settings": {"debounce": 10000}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert len(await editor.findings(uri)) == 2  # at once: nobody is typing
    editor.change(uri, samples.CLEAN)
    await editor.settle()
    assert editor.published[-1]["version"] == 1
    assert await editor.hover_at(uri, editor.position(uri, "append(loss.item())")) is None


async def test_without_a_pause_asked_for_the_last_version_is_told_of(editor):
    uri = editor.open("train.py", samples.TRAIN)
    for _ in range(200):
        editor.change(uri, (range_of((0, 0), (0, 0)), "\n"))
    assert [line for _, line in await editor.codes(uri)] == [line + 200 for _, line in LEAK]
    versions = [told["version"] for told in editor.published]
    assert versions == sorted(set(versions)) and versions[-1] == 201


async def test_what_was_told_is_taken_back_when_the_document_is_closed(editor):
    uri = editor.open("train.py", samples.TRAIN)
    await editor.findings(uri)
    editor.close(uri)
    await editor.until(lambda: editor.last(uri)["diagnostics"] == [])
    editor.open("train.py", samples.TRAIN)
    await editor.until(lambda: len(editor.last(uri)["diagnostics"]) == 2)


async def test_a_document_closed_before_it_was_checked_is_not_told_of(editors, tmp_path):
    editor = await editors(options={"settings": {"debounce": 100}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.CLEAN)
    await editor.findings(uri)
    editor.change(uri, samples.TRAIN)
    editor.close(uri)
    other = editor.open("other.py", samples.TRAIN)
    await editor.findings(other)
    editor.change(other, samples.CLEAN)
    await editor.findings(other)
    assert not any(told["diagnostics"] for told in editor.published if told["uri"] == uri)


async def test_many_documents_are_each_told_of(editor):
    uris = [editor.open(f"train{number}.py", samples.TRAIN + "\n" * number) for number in range(30)]
    for uri in uris:
        assert await editor.codes(uri) == LEAK
    for uri in uris:
        editor.replace(uri, "append(loss)", "append(loss.item())")
    for uri in uris:
        assert await editor.codes(uri) == LEAK[1:]


# ---- pull ----

@pytest.fixture
async def puller(editors, tmp_path):
    return await editors(PULL, folders=[tmp_path])


async def test_what_has_not_changed_is_not_sent_again(puller):
    uri = puller.open("train.py", samples.TRAIN)
    first = await puller.pull(uri)
    again = await puller.pull(uri, first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    puller.replace(uri, "def evaluate", "# more\ndef evaluate")
    other = await puller.pull(uri, first["resultId"])
    assert other["kind"] == "full" and other["resultId"] != first["resultId"]
    puller.replace(uri, "# more\n", "")
    assert (await puller.pull(uri, other["resultId"]))["resultId"] == first["resultId"]


async def test_a_result_of_another_document_or_of_nobody_is_no_result(puller):
    clean = puller.open("clean.py", samples.CLEAN)
    uri = puller.open("train.py", samples.TRAIN)
    id = (await puller.pull(clean))["resultId"]
    assert (await puller.pull(uri, id))["kind"] == "full"
    assert (await puller.pull(uri, ""))["kind"] == "full"
    assert (await puller.pull(uri, "x" * 10000))["kind"] == "full"


async def test_pulling_what_is_not_open_gives_nothing(puller, tmp_path):
    (tmp_path / "train.py").write_text(samples.TRAIN)
    report = await puller.pull(puller.uri("train.py"))
    assert (report["kind"], report["items"]) == ("full", [])
    uri = puller.open("train.py")
    assert len((await puller.pull(uri))["items"]) == 2
    puller.close(uri)
    assert (await puller.pull(uri))["items"] == []


async def test_a_change_by_the_editor_asks_for_no_refresh(puller):
    uri = puller.open("train.py", samples.TRAIN)
    await puller.pull(uri)
    before = puller.refreshed["diagnostic"]
    puller.replace(uri, "append(loss)", "append(loss.item())")
    await puller.pull(uri)
    await puller.settle()
    assert puller.refreshed["diagnostic"] == before

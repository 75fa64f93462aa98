"""What one file says of another: meters.py keeps what train.py gives it."""
import asyncio

import pytest

import samples
from editor import PULL, PUSH, WATCHES

FOUND = [("VL101", 15)]


@pytest.fixture(params=[PUSH, PULL], ids=["push", "pull"])
def model(request):
    return request.param


@pytest.fixture
async def pair(editors, tmp_path, model):
    """An editor with train.py open; meters.py beside it keeps what it is given."""
    (tmp_path / "meters.py").write_text(samples.KEEPS)
    (tmp_path / "train.py").write_text(samples.USES_METERS)
    editor = await editors({**model, **WATCHES}, folders=[tmp_path])
    editor.train = editor.open("train.py")
    await becomes(editor, editor.train, FOUND)
    return editor


async def becomes(editor, uri, wanted):
    def places(items):
        return [(item["code"], item["range"]["start"]["line"]) for item in items]

    if editor.pulls:
        count = editor.refreshed["diagnostic"]
        while places((await editor.pull(uri))["items"]) != wanted:
            await editor.until(lambda: editor.refreshed["diagnostic"] > count)
            count = editor.refreshed["diagnostic"]
    else:
        await editor.until(lambda: editor.last(uri) and places(editor.last(uri)["diagnostics"]) == wanted)


async def test_an_unsaved_change_of_a_module_changes_what_is_found_where_it_is_used(pair):
    meters = pair.open("meters.py")
    pair.replace(meters, "append(value)", "append(value.item())")
    await becomes(pair, pair.train, [])
    pair.replace(meters, "append(value.item())", "append(value)")
    await becomes(pair, pair.train, FOUND)


async def test_closing_a_module_unsaved_makes_the_disk_count_again(pair):
    meters = pair.open("meters.py")
    pair.replace(meters, "append(value)", "append(value.item())")
    await becomes(pair, pair.train, [])
    pair.close(meters)
    await becomes(pair, pair.train, FOUND)


async def test_a_module_that_is_opened_with_other_text_than_the_disk_has(pair):
    pair.open("meters.py", samples.DETACHES)
    await becomes(pair, pair.train, [])


async def test_a_change_on_the_disk(pair, tmp_path):
    path = tmp_path / "meters.py"
    path.write_text(samples.DETACHES)
    pair.say_files((path, 2))
    await becomes(pair, pair.train, [])
    path.write_text(samples.KEEPS)
    pair.say_files((path, 2))
    await becomes(pair, pair.train, FOUND)


async def test_a_change_on_the_disk_below_an_open_document_does_not_count(pair, tmp_path):
    meters = pair.open("meters.py")
    path = tmp_path / "meters.py"
    path.write_text(samples.DETACHES)
    pair.say_files((path, 2))
    await pair.settle()
    await becomes(pair, pair.train, FOUND)
    pair.close(meters)
    await becomes(pair, pair.train, [])


async def test_a_module_that_is_removed_and_made_again(pair, tmp_path):
    path = tmp_path / "meters.py"
    path.unlink()
    pair.say_files((path, 3))
    await becomes(pair, pair.train, [])
    path.write_text(samples.KEEPS)
    pair.say_files((path, 1))
    await becomes(pair, pair.train, FOUND)


async def test_a_module_that_exists_in_the_editor_alone(editors, tmp_path, model):
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, [])
    meters = editor.open("meters.py", samples.KEEPS)
    await becomes(editor, train, FOUND)
    editor.close(meters)
    await becomes(editor, train, [])


async def test_a_package_instead_of_a_module(pair, tmp_path):
    (tmp_path / "meters.py").unlink()
    (tmp_path / "meters").mkdir()
    (tmp_path / "meters/__init__.py").write_text("from .meter import Meter\n")
    (tmp_path / "meters/meter.py").write_text(samples.KEEPS)
    pair.say_files((tmp_path / "meters.py", 3), (tmp_path / "meters/__init__.py", 1), (tmp_path / "meters/meter.py", 1))
    await becomes(pair, pair.train, FOUND)
    meter = pair.open("meters/meter.py")
    pair.replace(meter, "append(value)", "append(value.item())")
    await becomes(pair, pair.train, [])


async def test_a_module_behind_another(editors, tmp_path, model):
    (tmp_path / "meters.py").write_text("from inner import Meter\n")
    (tmp_path / "inner.py").write_text(samples.KEEPS)
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, FOUND)
    inner = editor.open("inner.py")
    editor.replace(inner, "append(value)", "append(value.item())")
    await becomes(editor, train, [])


async def test_without_a_watcher_the_disk_is_looked_at_on_saving(editors, tmp_path, model):
    path = tmp_path / "meters.py"
    path.write_text(samples.KEEPS)
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, FOUND)
    path.write_text(samples.DETACHES)
    editor.save(train)
    await becomes(editor, train, [])
    path.unlink()
    editor.save(train)
    await asyncio.sleep(0)
    path.write_text(samples.KEEPS)
    editor.open("other.py", samples.CLEAN)
    await becomes(editor, train, FOUND)


async def test_another_that_uses_nothing_of_it_is_not_told_of_again(editors, tmp_path):
    (tmp_path / "meters.py").write_text(samples.KEEPS)
    editor = await editors({**PUSH, **WATCHES}, folders=[tmp_path])
    train, other = editor.open("train.py", samples.USES_METERS), editor.open("other.py", samples.TRAIN)
    meters = editor.open("meters.py")
    await becomes(editor, train, FOUND)
    await editor.findings(other)
    before = [told["uri"] for told in editor.published].count(other)
    editor.replace(meters, "append(value)", "append(value.item())")
    await becomes(editor, train, [])
    assert [told["uri"] for told in editor.published].count(other) == before


async def test_a_trail_may_lead_into_the_module(pair):
    """And names its address, or stays in the document that is asked about."""
    findings = await pair.findings(pair.train) if pair.pulls else pair.last(pair.train)["diagnostics"]
    uris = {related["location"]["uri"] for related in findings[0]["relatedInformation"]}
    assert uris <= {pair.train, pair.uri("meters.py")}


async def test_both_open_and_changed_many_times(pair):
    meters = pair.open("meters.py")
    for _ in range(10):
        pair.replace(meters, "append(value)", "append(value.item())")
        pair.replace(pair.train, "import torch\n", "import torch\n\n")
        pair.replace(meters, "append(value.item())", "append(value)")
    await becomes(pair, pair.train, [(code, line + 10) for code, line in FOUND])


async def test_a_ring_of_imports(editors, tmp_path, model):
    (tmp_path / "meters.py").write_text("import train\n" + samples.KEEPS)
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, FOUND)
    meters = editor.open("meters.py")
    editor.replace(meters, "append(value)", "append(value.item())")
    await becomes(editor, train, [])


async def test_a_link_to_a_module_is_the_module(editors, tmp_path, model):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/meters.py").write_text(samples.KEEPS)
    (tmp_path / "meters.py").symlink_to(tmp_path / "real/meters.py")
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, FOUND)
    meters = editor.open("meters.py")
    editor.replace(meters, "append(value)", "append(value.item())")
    await becomes(editor, train, [])

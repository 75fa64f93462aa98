"""Nothing old stays: what is shown once the server is at rest is what `vramlint check` says then."""
import pytest
from lsprotocol import types

import program
import samples
from editor import PULL, PUSH, WATCHES
from test_across import becomes

BOTH = [("VL101", 13), ("VL302", 20)]
PROGRESS = {"window.workDoneProgress": True}


@pytest.fixture(params=[PUSH, PULL], ids=["push", "pull"])
def model(request):
    return request.param


def folders_change(editor, added=(), removed=()):
    def items(paths):
        return [types.WorkspaceFolder(uri=path.as_uri(), name=path.name) for path in paths]
    editor.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added=items(added), removed=items(removed))))


def shown(editor):
    """What a client has of documents that are not pulled: URI → diagnostics, where there are some."""
    last = {told["uri"]: told["diagnostics"] for told in editor.published}
    return {uri: items for uri, items in last.items() if items}


# ---- configuration ----

async def test_a_configuration_above_the_folder_is_looked_at_although_files_are_watched(editors, tmp_path, model):
    """Editors watch what is in their folders."""
    folder = tmp_path / "project"
    folder.mkdir()
    editor = await editors({**model, **WATCHES}, folders=[folder])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)
    (tmp_path / "vramlint.toml").write_text('select = ["VL302"]')
    editor.save(uri)
    await becomes(editor, uri, BOTH[1:])


async def test_what_a_configuration_extends_is_looked_at_although_files_are_watched(editors, tmp_path, model):
    (tmp_path / "base.toml").write_text('select = ["VL302"]')
    (tmp_path / "vramlint.toml").write_text('extend = "base.toml"')
    editor = await editors({**model, **WATCHES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH[1:])
    (tmp_path / "base.toml").write_text('select = ["VL101"] # x')
    editor.save(uri)
    await becomes(editor, uri, BOTH[:1])


@pytest.mark.parametrize("watches", [{}, WATCHES], ids=["looks", "watches"])
async def test_a_baseline_that_changes_is_read_again(editors, tmp_path, model, watches):
    (tmp_path / "train.py").write_text(samples.TRAIN)
    (tmp_path / "vramlint.toml").write_text('baseline = "known.json"')
    program.check(tmp_path, "--select", "VL101", "--baseline", "known.json", "--update-baseline", "train.py")
    editor = await editors({**model, **watches}, folders=[tmp_path])
    uri = editor.open("train.py")
    await becomes(editor, uri, BOTH[1:])
    program.check(tmp_path, "--baseline", "known.json", "--update-baseline", "train.py")
    editor.save(uri)
    await becomes(editor, uri, [])
    (tmp_path / "known.json").unlink()
    editor.save(uri)
    await becomes(editor, uri, BOTH)


async def test_faults_of_a_folder_that_is_closed_are_taken_back(editors, tmp_path, model):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    (two / "vramlint.toml").write_text("nonsense = 1")
    editor = await editors(model, folders=[one, two])
    uri = editor.open((two / "a.py").as_uri(), samples.CLEAN)
    await editor.findings(uri)
    await editor.until(lambda: shown(editor).get((two / "vramlint.toml").as_uri()))
    editor.close(uri)
    folders_change(editor, removed=[two])
    await editor.until(lambda: not shown(editor))


async def test_a_folder_that_is_added_has_the_settings_of_the_others(editors, tmp_path, model):
    """For a client that is not asked for them."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    editor = await editors(model, {"settings": {"select": ["VL302"], "debounce": 0}}, folders=[one])
    folders_change(editor, added=[two])
    uri = editor.open((two / "a.py").as_uri(), samples.TRAIN)
    await becomes(editor, uri, BOTH[1:])
    editor.say_settings({"vramlint": {"select": ["VL101"]}})
    folders_change(editor, removed=[two])
    folders_change(editor, added=[two])
    await becomes(editor, uri, BOTH[:1])


async def test_rules_of_a_folder_that_is_closed_are_left_with_it(editors, tmp_path, model):
    """What queries matched is remembered for the next text, and must not be taken for matches of other rules."""
    editor = await editors({**model, "workspace.configuration": True}, {}, [tmp_path / "none"])
    own = program.ROOT / "tests/golden/config-rules-own-explain/input/rules"
    editor.settings = {tmp_path.as_uri(): {"rules": str(own)}, "": {}}
    text = (own.parent / "train.py").read_text()
    uri = editor.open((tmp_path / "a.py").as_uri(), text)
    builtin = [(item["code"], item["line"] - 1) for item in program.check_text(text)]
    both = [(item["code"], item["line"] - 1) for item in program.check_text(text, "--rules", own)]
    assert builtin != both
    await becomes(editor, uri, builtin)
    for _ in range(2):
        folders_change(editor, added=[tmp_path])
        await becomes(editor, uri, both)
        folders_change(editor, removed=[tmp_path])
        editor.replace(uri, "mode=", "mode =")
        editor.replace(uri, "mode =", "mode=")
        await editor.settle()
        await becomes(editor, uri, builtin)


# ---- files behind links ----

async def test_a_module_that_goes_from_a_folder_behind_a_link(editors, tmp_path, model):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    (real / "meters.py").write_text(samples.KEEPS)
    editor = await editors({**model, **WATCHES}, folders=[link])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, [("VL101", 15)])
    (link / "meters.py").unlink()
    editor.say_files((link / "meters.py", 3))
    await becomes(editor, train, [])
    (link / "meters.py").write_text(samples.KEEPS)
    editor.say_files((link / "meters.py", 1))
    await becomes(editor, train, [("VL101", 15)])


async def test_a_folder_behind_a_link_is_told_of_by_the_name_that_the_editor_has_for_it(editors, tmp_path):
    real, link = tmp_path / "real", tmp_path / "a link"
    real.mkdir()
    link.symlink_to(real)
    (real / "vramlint.toml").write_text("nonsense = 1")
    (real / "other.py").write_text(samples.TRAIN)
    editor = await editors({**PUSH, **PROGRESS}, folders=[link])
    await editor.findings(editor.open("train.py", samples.CLEAN))
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")
    assert sorted(shown(editor)) == [(link / "other.py").as_uri(), (link / "vramlint.toml").as_uri()]


async def test_a_module_open_under_two_names_stays_open_when_one_is_closed(editors, tmp_path, model):
    (tmp_path / "meters.py").write_text(samples.DETACHES)
    (tmp_path / "same.py").symlink_to(tmp_path / "meters.py")
    editor = await editors(model, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, [])
    meters = editor.open("meters.py")
    same = editor.open("same.py")
    editor.change(meters, samples.KEEPS)
    await becomes(editor, train, [("VL101", 15)])
    editor.close(same)
    editor.replace(train, "import torch\n", "import torch\n\n")
    await editor.settle()
    await becomes(editor, train, [("VL101", 16)])


# ---- files that vanish with their folder ----

async def test_a_package_that_goes_with_its_folder_is_missed_on_saving(editors, tmp_path, model):
    """Some editors tell of the folder alone, others of nothing."""
    package = tmp_path / "meters"
    package.mkdir()
    (package / "__init__.py").write_text(samples.KEEPS)
    editor = await editors({**model, **WATCHES}, folders=[tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, [("VL101", 15)])
    (package / "__init__.py").unlink()
    package.rmdir()
    editor.save(train)
    await becomes(editor, train, [])


# ---- lenses ----

async def test_lenses_follow_what_other_files_do(editors, tmp_path):
    (tmp_path / "meters.py").write_text(samples.KEEPS)
    editor = await editors({**PUSH, "workspace.codeLens": {"refreshSupport": True}},
                           {"settings": {"lens": "codeLens", "debounce": 0}}, [tmp_path])
    train = editor.open("train.py", samples.USES_METERS)
    await becomes(editor, train, [("VL101", 15)])
    meters = editor.open("meters.py")
    await editor.settle()
    before = editor.refreshed["codeLens"]
    editor.replace(meters, "append(value)", "append(value.item())")
    await becomes(editor, train, [])
    await editor.until(lambda: editor.refreshed["codeLens"] > before)


# ---- all files ----

async def check_all(editor):
    editor.progress.clear()
    await editor.execute("vramlint.checkWorkspace")
    await editor.until(lambda: editor.progress and editor.progress[-1]["kind"] == "end")


async def test_findings_of_all_files_follow_the_configuration(editors, tmp_path, model):
    (tmp_path / "a.py").write_text(samples.TRAIN)
    editor = await editors({**model, **WATCHES, **PROGRESS}, folders=[tmp_path])
    await check_all(editor)
    assert [item["code"] for item in shown(editor)[editor.uri("a.py")]] == ["VL101", "VL302"]
    (tmp_path / "vramlint.toml").write_text('select = ["VL302"]')
    editor.say_files((tmp_path / "vramlint.toml", 1))
    await editor.until(lambda: [item["code"] for item in shown(editor).get(editor.uri("a.py"), ())] == ["VL302"])


async def test_findings_of_all_files_follow_what_they_import(editors, tmp_path, model):
    (tmp_path / "meters.py").write_text(samples.KEEPS)
    (tmp_path / "train.py").write_text(samples.USES_METERS)
    editor = await editors({**model, **WATCHES, **PROGRESS}, folders=[tmp_path])
    await check_all(editor)
    assert list(shown(editor)) == [editor.uri("train.py")]
    (tmp_path / "meters.py").write_text(samples.DETACHES)
    editor.say_files((tmp_path / "meters.py", 2))
    await editor.until(lambda: not shown(editor))


async def test_findings_of_all_files_go_with_their_folder(editors, tmp_path, model):
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "a.py").write_text(samples.TRAIN)
    editor = await editors({**model, **PROGRESS}, folders=[one, two])
    await check_all(editor)
    assert len(shown(editor)) == 2
    folders_change(editor, removed=[two])
    await editor.until(lambda: list(shown(editor)) == [(one / "a.py").as_uri()])


async def test_a_file_that_is_closed_again_is_still_one_of_all_files(editors, tmp_path, model):
    (tmp_path / "a.py").write_text(samples.TRAIN)
    editor = await editors({**model, **PROGRESS}, folders=[tmp_path])
    await check_all(editor)
    uri = editor.open("a.py")
    assert len(await editor.findings(uri)) == 2
    editor.close(uri)
    await editor.until(lambda: [item["code"] for item in shown(editor).get(uri, ())] == ["VL101", "VL302"])


async def test_a_folder_within_another_is_checked_once(editors, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.py").write_text(samples.TRAIN)
    editor = await editors({**PUSH, **WATCHES, **PROGRESS}, folders=[tmp_path, inner])
    await check_all(editor)
    assert "2 findings in 1 file" in editor.progress[-1]["message"]


async def test_files_behind_a_link_to_elsewhere_are_among_all_files(editors, tmp_path):
    folder, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for path in (folder, elsewhere):
        path.mkdir()
    (elsewhere / "a.py").write_text(samples.TRAIN)
    (folder / "linked").symlink_to(elsewhere)
    editor = await editors({**PUSH, **PROGRESS}, folders=[folder])
    await check_all(editor)
    wanted = sorted(item["code"] for item in program.check(folder))
    assert [sorted(item["code"] for item in items) for items in shown(editor).values()] == [wanted]
    editor.save(editor.open("other.py", samples.CLEAN))
    await editor.settle()
    assert len(shown(editor)) == 1


async def test_a_setting_of_a_wrong_kind_is_told_of_once(editors, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    editor = await editors(PUSH, {"settings": {"select": 5, "debounce": 0}}, [tmp_path / "one", tmp_path / "two"])
    for name in ("one", "two"):
        await editor.findings(editor.open((tmp_path / name / "a.py").as_uri(), samples.TRAIN))
    assert len([message for message in editor.messages if "vramlint.select" in message.message]) == 1


async def test_a_fault_of_what_configures_several_folders_is_told_of_once(editors, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "vramlint.toml").write_text("nonsense = 1")
    editor = await editors(folders=[tmp_path / "one", tmp_path / "two"])
    for name in ("one", "two"):
        await editor.findings(editor.open((tmp_path / name / "a.py").as_uri(), samples.TRAIN))
    await editor.settle()
    assert len([message for message in editor.messages if "nonsense" in message.message]) == 1


async def test_what_is_wrong_anew_is_told_of_anew(editors, tmp_path):
    (tmp_path / "vramlint.toml").write_text('baseline = "known.json"')
    editor = await editors(folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)

    async def told(times):
        await editor.settle()
        await editor.until(lambda: len([message for message in editor.messages if "known.json" in message.message]) == times)

    await told(1)
    (tmp_path / "known.json").write_text("{")
    editor.save(uri)
    await told(2)
    (tmp_path / "known.json").unlink()
    editor.save(uri)
    await told(3)

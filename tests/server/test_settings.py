"""What decides what is checked: the editor's settings, files, and their order; and what is said of faults in them."""
import json

import pytest

import program
import samples
from editor import PULL, PUSH, WATCHES
from lsprotocol import types
from texts import ENCODINGS, units

ASKS = {"workspace.configuration": True}
REGISTERS = {"workspace.didChangeConfiguration": {"dynamicRegistration": True}}
BOTH, SAFE, UNSAFE = ["VL101", "VL302"], ["VL101"], ["VL302"]


async def codes(editor, uri):
    return [code for code, _ in await editor.codes(uri)]


async def becomes(editor, uri, wanted):
    """What is told of URI without being asked comes to be WANTED."""
    if editor.pulls:
        count = editor.refreshed["diagnostic"]
        while [item["code"] for item in (await editor.pull(uri))["items"]] != wanted:
            await editor.until(lambda: editor.refreshed["diagnostic"] > count)
            count = editor.refreshed["diagnostic"]
    else:
        await editor.until(lambda: editor.last(uri) and [item["code"] for item in editor.last(uri)["diagnostics"]] == wanted)


@pytest.fixture(params=[PUSH, PULL], ids=["push", "pull"])
def model(request):
    return request.param


# ---- the editor's settings ----

SETTINGS = [
    ({}, BOTH),
    (None, BOTH),
    ({"select": ["VL302"]}, UNSAFE),
    ({"select": "VL302"}, UNSAFE),
    ({"select": []}, BOTH),
    ({"ignore": ["VL1"]}, UNSAFE),
    ({"extendIgnore": ["eval-no-grad"]}, SAFE),
    ({"select": ["VL1"], "extendSelect": ["VL302"]}, BOTH),
    ({"minConfidence": "flow"}, SAFE),
    ({"minSeverity": "error"}, []),
    ({"perFileIgnores": {"train.py": ["VL101"]}}, UNSAFE),
    ({"perFileIgnores": {"other.py": ["VL101"]}}, BOTH),
    ({"extendPerFileIgnores": {"*.py": ["VL302", "VL101"]}}, []),
    ({"exclude": ["train.py"]}, []),
    ({"extendExclude": ["tr*"]}, []),
    ({"exclude": ["other.py"]}, BOTH),
    ({"enable": False}, []),
    ({"enable": True}, BOTH),
    ({"unfixable": ["VL101"]}, BOTH),
]


@pytest.mark.parametrize("settings, wanted", SETTINGS, ids=lambda value: json.dumps(value))
async def test_a_setting_given_at_the_beginning(editors, tmp_path, model, settings, wanted):
    editor = await editors(model, {"settings": settings}, [tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await editor.settle()
    await becomes(editor, uri, wanted)
    assert editor.messages == []


@pytest.mark.parametrize("settings, wanted", SETTINGS[2:8], ids=lambda value: json.dumps(value))
async def test_a_setting_that_the_server_asks_for(editors, tmp_path, model, settings, wanted):
    from editor import Editor
    editor = Editor()
    editor.settings[""] = settings
    await editor.begin({**model, **ASKS}, {}, [tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, wanted)
    await editor.end()


async def test_settings_that_change_are_taken_at_once(editors, tmp_path, model):
    editor = await editors(model, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)
    for settings, wanted in (({"vramlint": {"select": ["VL302"]}}, UNSAFE), ({"select": ["VL101"]}, SAFE),
                             ({"vramlint": {}}, BOTH), ({"vramlint": {"enable": False}}, []), ({"vramlint": {"enable": True}}, BOTH)):
        editor.say_settings(settings)
        await becomes(editor, uri, wanted)


async def test_settings_that_change_are_asked_for_again(editors, tmp_path, model):
    editor = await editors({**model, **ASKS, **REGISTERS}, {}, [tmp_path])
    assert [item["method"] for item in editor.registrations] in ([], ["workspace/didChangeConfiguration"])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)
    editor.settings[""] = {"select": ["VL302"]}
    editor.say_settings(None)
    await becomes(editor, uri, UNSAFE)
    editor.settings[""] = None
    editor.settings[tmp_path.as_uri()] = {"select": ["VL101"]}
    editor.say_settings(None)
    await becomes(editor, uri, SAFE)
    assert [item["method"] for item in editor.registrations] == ["workspace/didChangeConfiguration"]


WRONG = [3, -1, 1.5, True, "", "x", [], [1], [None], [[]], {}, {"a": 1}, {"": ""}, None, "é€😀", ["VL999"], "\u0000"]
KEYS = ["enable", "lens", "debounce", "configuration", "configurationPreference", "select", "extendSelect", "ignore",
        "extendIgnore", "perFileIgnores", "severity", "minConfidence", "minSeverity", "failOn", "exclude", "include",
        "respectGitignore", "forceExclude", "requireReason", "baseline", "rules", "models", "fixable", "unsafeFixes", "nonsense",
        "vramlint"]


@pytest.mark.parametrize("key", KEYS)
async def test_a_setting_of_a_wrong_kind_does_no_harm(editors, tmp_path, key):
    """Whatever it means, the server goes on, and what is right afterwards counts."""
    editor = await editors(folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    for value in WRONG:
        editor.say_settings({"vramlint": {key: value}})
        assert await editor.hover_at(uri, {"line": 0, "character": 0}) is None
    for whole in WRONG:
        editor.say_settings(whole)
        editor.say_settings({"vramlint": whole})
    editor.say_settings({"vramlint": {"select": ["VL302"]}})
    await becomes(editor, uri, UNSAFE)


async def test_a_setting_that_does_not_count_is_told_of(editors, tmp_path):
    editor = await editors(options={"settings": {"minSeverity": "loud", "debounce": 0}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert await codes(editor, uri) == BOTH
    await editor.until(lambda: editor.messages)
    assert "loud" in editor.messages[0].message
    editor.replace(uri, "import torch", "import  torch")
    await editor.findings(uri)
    assert len(editor.messages) == 1


# ---- files ----

@pytest.mark.parametrize("name, text", [("vramlint.toml", 'select = ["VL302"]'), (".vramlint.toml", 'select = ["VL302"]'),
                                        ("pyproject.toml", '[tool.vramlint]\nselect = ["VL302"]')])
async def test_a_file_that_configures(editors, tmp_path, model, name, text):
    (tmp_path / name).write_text(text)
    (tmp_path / "sub").mkdir()
    editor = await editors(model, folders=[tmp_path])
    assert await codes(editor, editor.open("train.py", samples.TRAIN)) == UNSAFE
    assert await codes(editor, editor.open("sub/train.py", samples.TRAIN)) == UNSAFE


PREFERENCES = [("editorFirst", SAFE, UNSAFE), ("filesystemFirst", UNSAFE, UNSAFE), ("editorOnly", SAFE, BOTH), (None, SAFE, UNSAFE),
               ("nonsense", SAFE, UNSAFE)]


@pytest.mark.parametrize("preference, with_both, with_file", PREFERENCES)
async def test_who_wins(editors, tmp_path, preference, with_both, with_file):
    """The editor selects VL101, the file VL302; then the editor says nothing."""
    (tmp_path / "vramlint.toml").write_text('select = ["VL302"]')
    settings = {"configurationPreference": preference, "debounce": 0}
    editor = await editors(options={"settings": {**settings, "select": ["VL101"]}}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert await codes(editor, uri) == with_both
    editor.say_settings({"vramlint": settings})
    await becomes(editor, uri, with_file)


async def test_the_editor_counts_where_no_file_says_something(editors, tmp_path):
    (tmp_path / "vramlint.toml").write_text('ignore = ["VL9"]')
    editor = await editors(options={"settings": {"configurationPreference": "filesystemFirst", "select": ["VL101"]}},
                           folders=[tmp_path])
    assert await codes(editor, editor.open("train.py", samples.TRAIN)) == SAFE


async def test_a_file_that_the_editor_names(editors, tmp_path):
    (tmp_path / "vramlint.toml").write_text('select = ["VL302"]')
    (tmp_path / "else.toml").write_text('select = ["VL101"]')
    for name in ("else.toml", str(tmp_path / "else.toml")):
        editor = await editors(options={"settings": {"configuration": name}}, folders=[tmp_path])
        assert await codes(editor, editor.open("train.py", samples.TRAIN)) == SAFE


async def test_a_file_that_the_editor_names_and_that_is_not_there(editors, tmp_path):
    editor = await editors(options={"settings": {"configuration": "no/such.toml"}}, folders=[tmp_path])
    assert await codes(editor, editor.open("train.py", samples.TRAIN)) == BOTH
    await editor.until(lambda: editor.messages)
    assert "no/such.toml" in editor.messages[0].message


async def test_what_the_command_line_says_is_below_what_the_editor_says(editors, tmp_path):
    editor = await editors(folders=[tmp_path], arguments=["--select", "VL302"])
    uri = editor.open("train.py", samples.TRAIN)
    assert await codes(editor, uri) == UNSAFE
    editor.say_settings({"vramlint": {"select": ["VL101"]}})
    await becomes(editor, uri, SAFE)


async def test_folders_each_have_their_configuration(editors, tmp_path, model):
    for name, code in (("one", "VL101"), ("two", "VL302"), ("one/inner", "VL302")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "vramlint.toml").write_text(f'select = ["{code}"]')
    editor = await editors(model, folders=[tmp_path, tmp_path / "one", tmp_path / "two"])
    for name, wanted in (("one/a.py", SAFE), ("two/a.py", UNSAFE), ("one/inner/a.py", UNSAFE), ("a.py", BOTH)):
        assert await codes(editor, editor.open(name, samples.TRAIN)) == wanted


async def test_folders_each_have_their_settings(editors, tmp_path):
    from editor import Editor
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    editor = Editor()
    editor.settings = {(tmp_path / "one").as_uri(): {"select": ["VL101"]}, (tmp_path / "two").as_uri(): {"enable": False}, "": {}}
    await editor.begin({**PUSH, **ASKS}, {}, [tmp_path / "one", tmp_path / "two"])
    one, two = editor.open("a.py", samples.TRAIN), editor.open((tmp_path / "two/a.py").as_uri(), samples.TRAIN)
    out = editor.open((tmp_path / "a.py").as_uri(), samples.TRAIN)
    await becomes(editor, one, SAFE)
    await becomes(editor, two, [])
    await becomes(editor, out, BOTH)
    await editor.end()


@pytest.mark.parametrize("order", [0, 1], ids=["outer-first", "inner-first"])
async def test_a_folder_within_another_has_settings_of_its_own(editors, tmp_path, order):
    from editor import Editor
    (tmp_path / "inner").mkdir()
    editor = Editor()
    editor.settings = {tmp_path.as_uri(): {"select": ["VL101"]}, (tmp_path / "inner").as_uri(): {"select": ["VL302"]}}
    await editor.begin({**PUSH, **ASKS}, {}, [tmp_path, tmp_path / "inner"][::-1 if order else 1])
    await becomes(editor, editor.open((tmp_path / "inner/a.py").as_uri(), samples.TRAIN), UNSAFE)
    await becomes(editor, editor.open((tmp_path / "innermost.py").as_uri(), samples.TRAIN), SAFE)
    await editor.end()


async def test_folders_that_come_and_go(editors, tmp_path, model):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two/vramlint.toml").write_text('select = ["VL302"]')
    two = types.WorkspaceFolder(uri=(tmp_path / "two").as_uri(), name="two")
    capabilities = {**model, **ASKS}
    editor = await editors(capabilities, {}, [tmp_path / "one"])
    editor.settings[two.uri] = {"configurationPreference": "editorOnly", "select": ["VL101"]}
    uri = editor.open(two.uri + "/a.py", samples.TRAIN)
    await becomes(editor, uri, UNSAFE)

    def folders(added, removed):
        editor.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent(added=added, removed=removed)))

    folders([two], [])
    await becomes(editor, uri, SAFE)
    folders([], [two])
    await becomes(editor, uri, UNSAFE)
    folders([types.WorkspaceFolder(uri="file:///no/such", name=""), types.WorkspaceFolder(uri="x:y", name="")], [two, two])
    await becomes(editor, uri, UNSAFE)


async def test_excluded_files_have_no_findings(editors, tmp_path, model):
    (tmp_path / "vramlint.toml").write_text('extend-exclude = ["gen"]')
    editor = await editors(model, folders=[tmp_path])
    for name, wanted in (("gen/a.py", []), ("build/a.py", []), ("src/a.py", BOTH)):
        (tmp_path / name).parent.mkdir()
        uri = editor.open(name, samples.TRAIN)
        await editor.settle()
        await becomes(editor, uri, wanted)


async def test_a_baseline_leaves_out_what_it_lists(editors, tmp_path, model):
    (tmp_path / "train.py").write_text(samples.TRAIN)
    (tmp_path / "vramlint.toml").write_text('baseline = "known.json"')
    program.check(tmp_path, "--select", "VL101", "--baseline", "known.json", "--update-baseline", "train.py")
    editor = await editors(model, folders=[tmp_path])
    uri = editor.open("train.py")
    assert await codes(editor, uri) == UNSAFE
    editor.replace(uri, "losses.append(loss)", "losses.append(loss * 2)")
    assert await codes(editor, uri) == BOTH


async def test_a_baseline_that_is_broken_is_told_of(editors, tmp_path):
    (tmp_path / "vramlint.toml").write_text('baseline = "known.json"')
    (tmp_path / "known.json").write_text("{")
    editor = await editors(folders=[tmp_path])
    assert await codes(editor, editor.open("train.py", samples.TRAIN)) == BOTH
    await editor.until(lambda: any("known.json" in message.message for message in editor.messages))


# ---- faults ----

BROKEN = 'select = ["VL302"]\nnonsense = 1\nminseverity = "note"\n'


async def test_a_broken_configuration_is_a_diagnostic_in_its_file(editors, tmp_path, model):
    path = tmp_path / "vramlint.toml"
    path.write_text(BROKEN)
    editor = await editors({**model, **WATCHES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await codes(editor, uri)
    told = await editor.until(lambda: editor.last(path.as_uri()))
    assert [item["range"]["start"]["line"] for item in told["diagnostics"]] == [1, 2]
    assert "nonsense" in told["diagnostics"][0]["message"] and told["diagnostics"][0]["source"] == "vramlint"
    assert len(editor.messages) == 1
    path.write_text('select = ["VL302"]\n')
    editor.say_files((path, 2))
    await editor.until(lambda: editor.last(path.as_uri())["diagnostics"] == [])
    await becomes(editor, uri, UNSAFE)
    assert len(editor.messages) == 1


@pytest.mark.parametrize("text", ["select = [", "= 3", "\u0000", "[tool", 'select = "VL1\n', "a = 1\na = 2", 'extend = "no.toml"'])
async def test_a_configuration_that_does_not_parse(editors, tmp_path, model, text):
    path = tmp_path / "vramlint.toml"
    path.write_text(text)
    editor = await editors(model, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await editor.settle()
    told = await editor.until(lambda: editor.last(path.as_uri()))
    assert told["diagnostics"] and told["diagnostics"][0]["severity"] == 1
    path.write_text("")
    editor.save(uri)
    await editor.until(lambda: editor.last(path.as_uri())["diagnostics"] == [])
    await becomes(editor, uri, BOTH)


async def test_a_fault_in_a_configuration_has_its_place_in_the_agreed_encoding(editors, tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.vramlint]\nseverity = {"é€😀" = "note", VL101 = "loud"}\n')
    line = path.read_text().splitlines()[1]
    for encoding in ENCODINGS:
        editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, folders=[tmp_path])
        editor.open("train.py", samples.TRAIN)
        told = await editor.until(lambda: editor.last(path.as_uri()))
        starts = [item["range"]["start"] for item in told["diagnostics"] if "loud" in item["message"]]
        assert starts == [{"line": 1, "character": units(line[:line.index('"loud"')], encoding)}]


# ---- changes on the disk ----

async def test_a_client_that_can_is_asked_to_tell_of_files(editors, tmp_path):
    editor = await editors({**PUSH, **WATCHES}, folders=[tmp_path])
    watched, = await editor.until(lambda: editor.registrations)
    assert watched["method"] == "workspace/didChangeWatchedFiles"
    patterns = {watcher["globPattern"] for watcher in watched["registerOptions"]["watchers"]}
    assert "**/*.py" in patterns and any("vramlint.toml" in pattern and "pyproject.toml" in pattern for pattern in patterns)


async def test_a_client_that_cannot_is_not_asked(editors, tmp_path):
    editor = await editors(folders=[tmp_path])
    await editor.settle()
    assert editor.registrations == []


async def test_a_configuration_made_changed_and_removed_with_a_watcher(editors, tmp_path, model):
    path = tmp_path / "vramlint.toml"
    editor = await editors({**model, **WATCHES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)
    path.write_text('select = ["VL302"]')
    editor.say_files((path, 1))
    await becomes(editor, uri, UNSAFE)
    path.write_text('select = ["VL101"]')
    editor.say_files((path, 2))
    await becomes(editor, uri, SAFE)
    path.unlink()
    editor.say_files((path, 3))
    await becomes(editor, uri, BOTH)


@pytest.mark.parametrize("event", ["save", "open"])
async def test_a_configuration_made_changed_and_removed_without(editors, tmp_path, model, event):
    """Files are looked at when something is opened or saved."""
    path = tmp_path / "vramlint.toml"
    editor = await editors(model, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)

    def look(number):
        editor.save(uri) if event == "save" else editor.open(f"other{number}.py", samples.CLEAN)

    for number, (text, wanted) in enumerate(((b'select = ["VL302"]', UNSAFE), (b'select = ["VL101"]', SAFE), (None, BOTH))):
        path.write_bytes(text) if text else path.unlink()
        look(number)
        await becomes(editor, uri, wanted)


async def test_a_configuration_that_another_extends_is_looked_at(editors, tmp_path):
    (tmp_path / "base.toml").write_text('select = ["VL302"]')
    (tmp_path / "vramlint.toml").write_text('extend = "base.toml"')
    editor = await editors(folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, UNSAFE)
    (tmp_path / "base.toml").write_text('select = ["VL101"] # x')
    editor.save(uri)
    await becomes(editor, uri, SAFE)


async def test_a_configuration_typed_in_the_editor_counts_once_it_is_saved(editors, tmp_path):
    path = tmp_path / "vramlint.toml"
    path.write_text("")
    editor = await editors({**PUSH, **WATCHES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    await becomes(editor, uri, BOTH)
    configuration = editor.open("vramlint.toml", language="toml")
    editor.change(configuration, 'select = ["VL302"]')
    await editor.settle()
    assert [item["code"] for item in editor.last(uri)["diagnostics"]] == BOTH
    path.write_text('select = ["VL302"]')
    editor.save(configuration)
    editor.say_files((path, 2))
    await becomes(editor, uri, UNSAFE)

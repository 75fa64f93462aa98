"""What can be done about a finding, and what the text is after it was done."""
import pytest

import program
import samples
import texts
from editor import PULL, PUSH, RESOLVES, edits_of, titled
from texts import ENCODINGS

UNSAFE = " – may change what the code does"
ALL_TITLES = ["Write 'losses.append(loss.detach())' (VL101)", "Suppress VL101 on this line", "Explain VL101 tensor-append",
              "Fix all that vramlint can fix safely"]


def line(number):
    return {"start": {"line": number, "character": 8}, "end": {"line": number, "character": 8}}


def titles(actions):
    return [action["title"] for action in actions]


@pytest.fixture(params=[PUSH, {**PUSH, **RESOLVES}, {**PULL, **RESOLVES}], ids=["push", "push-resolve", "pull-resolve"])
async def any_editor(request, editors, tmp_path):
    return await editors(request.param, folders=[tmp_path])


async def edit_of(editor, action):
    """The edit of ACTION, asked for where it does not come along."""
    return (action if "edit" in action else await editor.resolve(action))["edit"]


async def applied(editor, uri, action):
    return texts.apply(editor.texts[uri], edits_of(await edit_of(editor, action)).get(uri, []), editor.encoding)


# ---- what is offered ----

async def test_actions_of_a_finding_with_a_safe_fix(any_editor):
    uri = any_editor.open("train.py", samples.TRAIN)
    actions = await any_editor.actions(uri)
    assert titles(actions) == ALL_TITLES
    assert [action["kind"] for action in actions] == ["quickfix"] * 3 + ["source.fixAll.vramlint"]
    assert [action.get("isPreferred", False) for action in actions] == [True, False, False, False]


async def test_actions_of_a_finding_whose_fix_may_change_what_the_code_does(any_editor):
    uri = any_editor.open("train.py", samples.TRAIN)
    second = (await any_editor.findings(uri))[1]
    actions = await any_editor.actions(uri, second["range"], diagnostics=[second])
    fix = actions[0]
    assert fix["title"].endswith(UNSAFE) and not fix.get("isPreferred")
    assert (await applied(any_editor, uri, fix)).count("@torch.no_grad()\ndef evaluate") == 1


async def test_a_fix_of_several_places_is_named_after_its_rule(any_editor):
    text = (program.ROOT / "fixtures/missing-item/running-mean-update.py").read_text()
    found = [finding for finding in program.check_text(text) if len(finding.get("fix", {}).get("edits", ())) > 1]
    uri = any_editor.open("mean.py", text)
    actions = await any_editor.actions(uri, program.range_of(found[0], text, any_editor.encoding))
    assert actions[0]["title"] == f"Fix {found[0]['code']} {found[0]['name']}"


async def test_the_diagnostics_that_are_sent_along_are_given_back(any_editor):
    uri = any_editor.open("train.py", samples.TRAIN)
    first, second = await any_editor.findings(uri)
    whole = {"start": first["range"]["start"], "end": second["range"]["end"]}
    actions = await any_editor.actions(uri, whole, diagnostics=[first, second])
    for finding in (first, second):
        about = [action for action in actions if finding["code"] in action["title"]]
        assert len(about) == 3
        for action in about:
            assert [item["data"] for item in action["diagnostics"]] == [finding["data"]]


async def test_where_nothing_is_found_only_the_whole_document_can_be_fixed(any_editor):
    uri = any_editor.open("train.py", samples.TRAIN)
    assert titles(await any_editor.actions(uri, line(0))) == ALL_TITLES[3:]
    clean = any_editor.open("clean.py", samples.CLEAN)
    assert await any_editor.actions(clean, line(0)) == []
    assert await any_editor.actions("file:///not/open.py", line(0)) == []


@pytest.mark.parametrize("only, offered", [
    ([], ALL_TITLES),
    (["quickfix"], ALL_TITLES[:3]),
    (["source"], ALL_TITLES[3:]),
    (["source.fixAll"], ALL_TITLES[3:]),
    (["source.fixAll.vramlint"], ALL_TITLES[3:]),
    (["source.fixAll.vramlint.more"], []),
    (["source.fixAll.vram"], []),
    (["source.fixAll.ruff"], []),
    (["source.organizeImports"], []),
    (["refactor"], []),
    (["quick"], []),
    (["refactor", "quickfix"], ALL_TITLES[:3]),
    (["quickfix", "source"], ALL_TITLES),
    ([""], ALL_TITLES),
])
async def test_only_what_is_asked_for(editor, only, offered):
    uri = editor.open("train.py", samples.TRAIN)
    first = (await editor.findings(uri))[0]
    assert titles(await editor.actions(uri, first["range"], only=only, diagnostics=[first])) == offered


async def test_a_client_that_knows_commands_alone_is_offered_no_actions(editors, tmp_path):
    editor = await editors({"general.positionEncodings": ["utf-8"]}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert await editor.actions(uri) == []


# ---- what an edit is like ----

async def test_edits_name_the_version_where_the_client_knows_versions(editors, tmp_path):
    editor = await editors(folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN, version=41)
    edit = (await editor.actions(uri))[0]["edit"]
    assert list(edit) == ["documentChanges"]
    assert edit["documentChanges"][0]["textDocument"] == {"uri": uri, "version": 41}
    capabilities = {name: value for name, value in PUSH.items() if name != "workspace.workspaceEdit"}
    editor = await editors(capabilities, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    assert list((await editor.actions(uri))[0]["edit"]["changes"]) == [uri]


async def test_edits_that_take_work_come_when_they_are_asked_for(editors, tmp_path):
    editor = await editors({**PUSH, **RESOLVES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    for action in (await editor.actions(uri))[1::2]:
        assert "edit" not in action and action["data"]
        resolved = await editor.resolve(action)
        assert resolved["edit"]
        assert {key: value for key, value in resolved.items() if key != "edit"} == action


async def test_an_action_resolved_when_the_text_has_changed_is_about_the_new_text(editors, tmp_path):
    editor = await editors({**PUSH, **RESOLVES}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    suppress, fix_all = (await editor.actions(uri))[1::2]
    editor.replace(uri, "import torch", "# new\nimport torch")
    after = await applied(editor, uri, suppress)
    assert after.splitlines()[14].startswith("    losses.append(loss)  # vramlint: ignore[VL101]")
    assert await applied(editor, uri, fix_all) == program.fixed(editor.texts[uri])
    editor.change(uri, samples.CLEAN)
    for action in (suppress, fix_all):
        assert edits_of(await edit_of(editor, action)).get(uri, []) == []


# ---- what comes out of it ----

@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", [samples.TRAIN, samples.WIDE], ids=["plain", "wide"])
async def test_the_text_after_a_fix_has_the_finding_no_more(editors, tmp_path, encoding, text):
    editor = await editors({**PUSH, "general.positionEncodings": [encoding]}, folders=[tmp_path])
    uri = editor.open("train.py", text)
    after = await applied(editor, uri, (await editor.actions(uri))[0])
    assert after == text.replace(".append(loss)", ".append(loss.detach())")
    editor.change(uri, after)
    assert [code for code, _ in await editor.codes(uri)] == ["VL302"]


# What has safe fixes: hardly any of the other rules.
FIXABLE = [path for rule in ("tensor-append", "missing-item", "bare-suppression", "unused-suppression", "eval-no-grad")
           for path in sorted(program.ROOT.glob(f"fixtures/{rule}/*.fixed.py"))[:6]]


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_fixing_all_is_what_the_command_line_does(editors, tmp_path, encoding):
    editor = await editors({**PUSH, **RESOLVES, "general.positionEncodings": [encoding]}, folders=[tmp_path])
    changed = 0
    samples_ = [path.with_name(path.name.replace(".fixed", "")).read_text() for path in FIXABLE]
    for number, text in enumerate([samples.WIDE, *samples_]):
        uri = editor.open(f"{number}.py", text)
        wanted = program.fixed(text)
        actions = await editor.actions(uri, line(0), only=["source.fixAll"])
        assert bool(actions) == (wanted != text), uri
        if actions:
            assert await applied(editor, uri, actions[0]) == wanted, uri
            changed += 1
    assert changed > 5


async def test_every_fix_alone_takes_its_finding_away(editors, tmp_path):
    """Of one file of each rule that has fixes."""
    editor = await editors(folders=[tmp_path])
    seen = set()
    for path in sorted(program.ROOT.glob("fixtures/*/*.py")):
        if path.name.endswith(".fixed.py") or path.parent.name in seen:
            continue
        text = path.read_text()
        uri = editor.open(path.name, text)
        for finding in await editor.findings(uri):
            if not finding["data"]["fix"] or finding["data"]["name"] != path.parent.name:
                continue
            seen.add(path.parent.name)
            action = (await editor.actions(uri, finding["range"], only=["quickfix"], diagnostics=[finding]))
            fix = [item for item in action if item["diagnostics"] == [finding]][0]
            after = await applied(editor, uri, fix)
            left = [item["fingerprint"] for item in program.check_text(after, "--isolated", name=path.name)]
            assert after != text and finding["data"]["fingerprint"] not in left, (path, fix["title"])
            break
        editor.close(uri)
    assert len(seen) >= 10


# ---- suppressing ----

@pytest.mark.parametrize("text", [samples.TRAIN, samples.WIDE, samples.TRAIN.replace("\n", "\r\n")],
                         ids=["plain", "wide", "crlf"])
async def test_the_comment_that_suppresses_a_finding(any_editor, text):
    uri = any_editor.open("train.py", text)
    after = await applied(any_editor, uri, titled(await any_editor.actions(uri), "Suppress VL101"))
    assert "vramlint: ignore[VL101] -- TODO: say why" in after
    assert [finding["code"] for finding in program.check_text(after)] == ["VL302"]
    any_editor.change(uri, after)
    assert [code for code, _ in await any_editor.codes(uri)] == ["VL302"]


async def test_a_comment_joins_one_that_is_there(editor):
    uri = editor.open("train.py", samples.TRAIN.replace("append(loss)", "append(loss)  # vramlint: ignore[VL102] -- old"))
    found = [item for item in await editor.findings(uri) if item["code"] == "VL101"]
    action = titled(await editor.actions(uri, found[0]["range"], diagnostics=found), "Suppress VL101")
    after = await applied(editor, uri, action)
    assert "VL101" not in [finding["code"] for finding in program.check_text(after)]


async def test_what_is_said_about_comments_cannot_be_suppressed_by_one(editor):
    uri = editor.open("unused.py", "x = 1  # vramlint: ignore[VL101] -- not any more\n")
    actions = await editor.actions(uri)
    assert titles(actions)[0] == "Delete '# vramlint: ignore[VL101] -- not any more' (VL001)"
    assert not any(title.startswith("Suppress") for title in titles(actions))
    assert await applied(editor, uri, actions[0]) == "x = 1\n"


async def test_a_client_that_asks_a_person_for_the_reason(editors, tmp_path):
    editor = await editors(options={"settings": {"debounce": 0}, "asksForReason": True}, folders=[tmp_path])
    uri = editor.open("train.py", samples.TRAIN)
    action = titled(await editor.actions(uri), "Suppress VL101")
    fingerprint = (await editor.findings(uri))[0]["data"]["fingerprint"]
    assert action["title"] == "Suppress VL101 on this line…" and "edit" not in action
    assert action["command"]["command"] == "vramlint.suppress"
    argument, = action["command"]["arguments"]
    assert (argument["uri"], argument["fingerprint"]) == (uri, fingerprint)
    await editor.execute("vramlint.suppress", {**argument, "reason": "ten steps only"})
    await editor.until(lambda: editor.edits)
    assert editor.texts[uri].splitlines()[13] == "    losses.append(loss)  # vramlint: ignore[VL101] -- ten steps only"
    assert [code for code, _ in await editor.codes(uri)] == ["VL302"]


@pytest.mark.parametrize("reason", ["two\nlines", "a\r\nb", "a\rb", "a\u2028b\u2029c", "a\u0000b", "a\tb", "é€😀", "\\n", "-- # ]",
                                    "x" * 5000, "a\x0bb\x0cc\x85d", " ", "\n"])
async def test_a_reason_stays_within_its_comment(editor, reason):
    uri = editor.open("train.py", samples.TRAIN)
    fingerprint = (await editor.findings(uri))[0]["data"]["fingerprint"]
    await editor.execute("vramlint.suppress", {"uri": uri, "fingerprint": fingerprint, "reason": reason})
    await editor.until(lambda: editor.edits)
    after = editor.texts[uri]
    compile(after, "train.py", "exec")
    assert [finding["code"] for finding in program.check_text(after)] == ["VL302"]
    code = [line.partition("  #")[0] for line in after.split("\n") if not line.lstrip().startswith("#")]
    assert code == samples.TRAIN.split("\n")


async def test_explaining(any_editor):
    uri = any_editor.open("train.py", samples.TRAIN)
    command = titled(await any_editor.actions(uri), "Explain")["command"]
    assert (command["command"], command["arguments"]) == ("vramlint.explain", ["VL101"])


async def test_what_is_the_same_for_several_findings_is_offered_once(any_editor):
    twice = samples.TRAIN.replace("losses.append(loss)", "losses.append(loss); losses.append(loss)")
    uri = any_editor.open("train.py", twice)
    found = [item for item in await any_editor.findings(uri) if item["code"] == "VL101"]
    whole = {"start": found[0]["range"]["start"], "end": found[1]["range"]["end"]}
    offered = [title for title in titles(await any_editor.actions(uri, whole, diagnostics=found)) if "all" not in title]
    assert [title.split()[0] for title in offered] == ["Write", "Suppress", "Explain", "Write"]


async def test_what_a_baseline_lists_is_not_fixed(any_editor, tmp_path):
    """… however the other actions on offer were worked out, and in however many rounds."""
    other = "\nmore = []\nfor x in loader:\n    loss = model(x).sum()\n    loss.backward()\n    more.append(loss)\n"
    (tmp_path / "train.py").write_text(samples.TRAIN)
    program.check(tmp_path, "--baseline", "known.json", "--update-baseline", "train.py")
    (tmp_path / "vramlint.toml").write_text('baseline = "known.json"')
    uri = any_editor.open("train.py", samples.TRAIN + other)
    place = (await any_editor.findings(uri))[0]["range"]
    actions = await any_editor.actions(uri, place)
    await edit_of(any_editor, titled(actions, "Suppress"))
    after = await applied(any_editor, uri, titled(actions, "Fix all"))
    assert "more.append(loss.detach())" in after
    assert "losses.append(loss)\n" in after

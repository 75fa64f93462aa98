"""What is agreed on at the beginning."""
import re

import pytest
import pytest_lsp
from lsprotocol import types

import program
import samples
from editor import PULL, PUSH, plain
from texts import ENCODINGS

OFFERS = [
    (None, "utf-16"),
    ([], "utf-16"),
    (["utf-8"], "utf-8"),
    (["utf-16"], "utf-16"),
    (["utf-32"], "utf-32"),
    (["utf-16", "utf-8"], "utf-8"),
    (["utf-16", "utf-32"], "utf-32"),
    (["utf-16", "utf-32", "utf-8"], "utf-8"),
    (["utf-7"], "utf-16"),
]


def offering(encodings, capabilities=PUSH):
    without = {name: value for name, value in capabilities.items() if not name.startswith("general")}
    return without if encodings is None else {**without, "general.positionEncodings": encodings}


@pytest.mark.parametrize("offer, chosen", OFFERS)
async def test_the_encoding_that_is_cheapest_of_those_offered(editors, offer, chosen):
    editor = await editors(offering(offer))
    assert plain(editor.answer.capabilities)["positionEncoding"] == chosen


@pytest.mark.parametrize("capabilities", [PUSH, PULL], ids=["push", "pull"])
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_ranges_and_trails_count_in_the_agreed_encoding(editors, tmp_path, encoding, capabilities):
    editor = await editors(offering([encoding], capabilities), folders=[tmp_path])
    uri = editor.open("wide.py", samples.WIDE)
    diagnostics = await editor.findings(uri)
    wanted = [program.expected(finding, samples.WIDE, encoding) for finding in program.check_text(samples.WIDE)]
    assert [program.told(item) for item in diagnostics] == [{**item, "fingerprint": told["data"]["fingerprint"]}
                                                          for item, told in zip(wanted, diagnostics)]
    assert len(diagnostics) == 2 and diagnostics[0]["relatedInformation"]


@pytest.mark.parametrize("capabilities, pulls", [
    ({}, False),
    (PUSH, False),
    ({**PUSH, "textDocument.diagnostic": {}}, False),  # Neovim 0.11: could not be told to pull again
    ({**PUSH, "workspace.diagnostics": {"refreshSupport": True}}, False),
    ({**PUSH, "textDocument.diagnostic": {}, "workspace.diagnostics": {"refreshSupport": False}}, False),
    ({**PUSH, "textDocument.diagnostic": {}, "workspace.diagnostics": {"refreshSupport": True}}, True),
    (PULL, True),
])
async def test_diagnostics_are_pulled_or_pushed_and_never_both(editors, tmp_path, capabilities, pulls):
    editor = await editors(capabilities, folders=[tmp_path])
    assert editor.pulls == pulls
    uri = editor.open("train.py", samples.TRAIN)
    assert [code for code, _ in await editor.codes(uri)] == ["VL101", "VL302"]
    await editor.settle()
    assert len(editor.published) == (0 if pulls else 1)
    editor.close(uri)
    await editor.settle()
    assert len(editor.published) == (0 if pulls else 2)


async def test_a_client_that_is_pushed_to_and_asks_is_answered(editor):
    """A request is answered, whoever sends it."""
    uri = editor.open("train.py", samples.TRAIN)
    await editor.findings(uri)
    assert (await editor.pull(uri))["kind"] == "full"


async def test_all_capabilities(editors):
    told = plain((await editors(PULL)).answer.capabilities)
    assert told == {
        "positionEncoding": "utf-8",
        "textDocumentSync": {"openClose": True, "change": 2, "save": True},
        "notebookDocumentSync": {"notebookSelector": [{"notebook": "*", "cells": [{"language": "python"}]}], "save": True},
        "diagnosticProvider": {"identifier": "vramlint", "interFileDependencies": False, "workspaceDiagnostics": False},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.vramlint"], "resolveProvider": True},
        "hoverProvider": True,
        "codeLensProvider": {"resolveProvider": False},
        "inlayHintProvider": {"resolveProvider": False},
        "executeCommandProvider": {"commands": ["vramlint.explain", "vramlint.fixAll", "vramlint.suppress",
                                                "vramlint.checkWorkspace"]},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    told = plain((await editors(PUSH)).answer.capabilities)
    assert "diagnosticProvider" not in told


async def test_the_server_says_who_it_is(editors):
    info = plain((await editors()).answer.server_info)
    assert info["name"] == "vramlint" and re.fullmatch(r"\d+\.\d+\.\d+.*", info["version"])


@pytest.mark.parametrize("name, encoding, pulls", [
    ("visual-studio-code@1.65.2", "utf-16", False),
    ("neovim@v0.6.1", "utf-16", False),
    ("neovim@v0.9.1", "utf-16", False),
    ("neovim@v0.10.0", "utf-16", False),
    ("neovim@v0.11.0", "utf-8", False),
    ("emacs@v29.1", "utf-8", False),
])
async def test_a_known_client_sees_a_finding_once(editors, tmp_path, name, encoding, pulls):
    editor = await editors(pytest_lsp.client_capabilities(name), folders=[tmp_path])
    assert (editor.encoding, editor.pulls) == (encoding, pulls)
    uri = editor.open("train.py", samples.WIDE)
    wanted = [program.range_of(finding, samples.WIDE, encoding) for finding in program.check_text(samples.WIDE)]
    assert [item["range"] for item in await editor.findings(uri)] == wanted
    await editor.settle()
    assert len(editor.published) == 1


async def test_trails_and_tags_only_for_those_who_can_show_them(editors, tmp_path):
    text = "x = 1  # vramlint: ignore[VL101] -- not any more\n"
    for capabilities, has in ((PUSH, True), ({"general.positionEncodings": ["utf-8"]}, False)):
        editor = await editors(capabilities, folders=[tmp_path])
        train = (await editor.findings(editor.open("train.py", samples.TRAIN)))[0]
        unused = (await editor.findings(editor.open("unused.py", text)))[0]
        assert unused["code"] == "VL001" and unused["severity"] == 4
        assert ("relatedInformation" in train) == has
        assert ("tags" in unused) == has and unused.get("tags", [1]) == [1]
        assert "tags" not in train


async def test_a_diagnostic_says_what_it_is_about(editor):
    first, second = await editor.findings(editor.open("train.py", samples.TRAIN))
    found = program.check_text(samples.TRAIN)[0]
    assert first["source"] == "vramlint"
    assert first["data"] == {"name": "tensor-append", "fingerprint": first["data"]["fingerprint"], "cost": found["cost"],
                             "proof": found["proof"], "fix": "safe"}
    assert second["data"]["fix"] == "unsafe"
    assert re.fullmatch("[0-9a-f]{32}", first["data"]["fingerprint"])


async def test_root_uri_and_root_path_are_folders_as_well(editors, tmp_path):
    (tmp_path / "vramlint.toml").write_text('ignore = ["VL101"]\n')
    for params in ({"root_uri": tmp_path.as_uri()}, {"root_path": str(tmp_path)}):
        from editor import Editor
        editor = Editor()
        await editor.start_io(program.PROGRAM, "server", env=program.ENVIRONMENT, cwd="/")
        await editor.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities(), **params))
        editor.folder = tmp_path
        uri = editor.open("train.py", samples.TRAIN)
        assert [code for code, _ in await editor.codes(uri)] == ["VL302"]
        await editor.end()

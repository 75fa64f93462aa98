"""What no client should send: the server answers each request once, goes on, and is right about what comes next."""
import json
import os
import pathlib
import random
import shutil
import tempfile
import time

import pytest

import program
import raw
import samples

URI = "file:///somewhere/train.py"
NOTEBOOK, CELL = "file:///somewhere/note.ipynb", "vscode-notebook-cell:/somewhere/note.ipynb#W0"
PARSE_ERROR, INVALID, LOST = -32700, -32600, 2
RANGE = {"start": {"line": 13, "character": 4}, "end": {"line": 13, "character": 8}}
ABLE = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "tagSupport": {"valueSet": [1]}},
                     "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                                    "dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
                     "hover": {"contentFormat": ["markdown"]}, "diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "configuration": True, "applyEdit": True,
                  "didChangeWatchedFiles": {"dynamicRegistration": True},
                  "didChangeConfiguration": {"dynamicRegistration": True},
                  "workspaceEdit": {"documentChanges": True}, "codeLens": {"refreshSupport": True},
                  "inlayHint": {"refreshSupport": True}},
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
}


def begin(server, **params):
    server.initialize(ABLE, **params)
    server.open(URI, samples.TRAIN)


def works(server):
    """The server is of sound mind: it knows what is open, and finds what is in it."""
    server.open(URI, samples.TRAIN)
    report = server.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    assert [item["code"] for item in report["result"]["items"]] == ["VL101", "VL302"], report


def last_fault(server, count=1):
    """The error that COUNT unreadable messages have been answered by."""
    return server.wait(lambda: [message["error"]["code"] for message in server.answers(None)][count - 1:])[0]


# ---- wrong kinds, in every field of every method ----

DOCUMENT = {"uri": URI}
ITEM = {"uri": URI, "languageId": "python", "version": 1, "text": samples.TRAIN}
MESSAGES = {
    "textDocument/didOpen": {"textDocument": ITEM},
    "textDocument/didChange": {"textDocument": {"uri": URI, "version": 2},
                               "contentChanges": [{"range": RANGE, "rangeLength": 4, "text": "x"}, {"text": samples.TRAIN}]},
    "textDocument/didSave": {"textDocument": DOCUMENT, "text": "x"},
    "textDocument/didClose": {"textDocument": DOCUMENT},
    "textDocument/diagnostic": {"textDocument": DOCUMENT, "identifier": "vramlint", "previousResultId": "x"},
    "textDocument/hover": {"textDocument": DOCUMENT, "position": RANGE["start"]},
    "textDocument/codeAction": {"textDocument": DOCUMENT, "range": RANGE, "context": {
        "diagnostics": [{"range": RANGE, "message": "x", "code": "VL101", "data": {"fingerprint": "x"}}],
        "only": ["quickfix"], "triggerKind": 1}},
    "codeAction/resolve": {"title": "x", "kind": "quickfix", "data": {"uri": URI, "what": "fixAll", "fingerprint": "x"}},
    "textDocument/codeLens": {"textDocument": DOCUMENT},
    "textDocument/inlayHint": {"textDocument": DOCUMENT, "range": RANGE},
    "notebookDocument/didOpen": {
        "notebookDocument": {"uri": NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1, "metadata": {},
                             "cells": [{"kind": 2, "document": CELL, "executionSummary": {}}]},
        "cellTextDocuments": [{**ITEM, "uri": CELL}]},
    "notebookDocument/didChange": {
        "notebookDocument": {"uri": NOTEBOOK, "version": 2},
        "change": {"metadata": {}, "cells": {
            "structure": {"array": {"start": 0, "deleteCount": 1, "cells": [{"kind": 2, "document": CELL + "x"}]},
                          "didOpen": [{**ITEM, "uri": CELL + "x"}], "didClose": [{"uri": CELL}]},
            "data": [{"kind": 2, "document": CELL}],
            "textContent": [{"document": {"uri": CELL, "version": 2}, "changes": [{"range": RANGE, "text": "y"}]}]}}},
    "notebookDocument/didSave": {"notebookDocument": {"uri": NOTEBOOK}},
    "notebookDocument/didClose": {"notebookDocument": {"uri": NOTEBOOK}, "cellTextDocuments": [{"uri": CELL}]},
    "workspace/executeCommand": {"command": "vramlint.suppress", "arguments": [{"uri": URI, "fingerprint": "x", "reason": "y"}]},
    "workspace/didChangeConfiguration": {"settings": {"vramlint": {"select": ["VL1"]}}},
    "workspace/didChangeWatchedFiles": {"changes": [{"uri": "file:///a/vramlint.toml", "type": 2},
                                                    {"uri": "file:///a/b.py", "type": 1}]},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": [{"uri": "file:///usr", "name": "a"}],
                                                      "removed": [{"uri": "file:///tmp", "name": "b"}]}},
    "window/workDoneProgress/cancel": {"token": "vramlint/scan"},
    "$/cancelRequest": {"id": 999999},
    "$/setTrace": {"value": "verbose"},
    "initialized": {},
}
REQUESTS = {"textDocument/diagnostic", "textDocument/hover", "textDocument/codeAction", "codeAction/resolve",
            "textDocument/codeLens", "textDocument/inlayHint", "workspace/executeCommand"}
WRONG = [None, True, 0, -1, 3, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e300, "", "x", "\u0000", "\ud800", URI, [], [None], [[]],
         [3], ["x"], {}, {"uri": URI}, {"": {}}]
REMOVED = object()


def places(value, path=()):
    """Where something stands in VALUE."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    if isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is REMOVED and len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def variants(message):
    for path in places(message):
        for new in [*WRONG, REMOVED]:
            if path or new is not REMOVED:
                yield replaced(message, path, new)
    yield {**message, "more": {"a": [1] * 100}}


@pytest.mark.parametrize("method", MESSAGES)
def test_fields_of_wrong_kinds(server, method):
    begin(server)
    server.notify("notebookDocument/didOpen", MESSAGES["notebookDocument/didOpen"])
    ids = []
    for params in variants(MESSAGES[method]):
        if method in REQUESTS:
            ids.append(server.ask(method, params))
        server.notify(method, params)
        if "lose" in method or "Open" in method:
            server.open(URI, samples.TRAIN)
            server.notify("notebookDocument/didOpen", MESSAGES["notebookDocument/didOpen"])
    for id in ids:
        server.answer(id)
    server.notify("workspace/didChangeConfiguration", {"settings": {}})
    works(server)
    server.finish()


def test_params_that_are_missing(server):
    begin(server)
    for method in MESSAGES:
        if method in REQUESTS:
            server.asked.append(method)
            server.write(raw.frame({"jsonrpc": "2.0", "id": method, "method": method}))
        server.write(raw.frame({"jsonrpc": "2.0", "method": method}))
    works(server)
    for method in REQUESTS:
        server.answer(method)
    server.finish()


INITIALIZE = {"processId": None, "clientInfo": {"name": "x"}, "rootPath": "/usr", "rootUri": "file:///usr/share", "trace": "off",
              "initializationOptions": {"settings": {"select": ["VL1"]}, "asksForReason": True}, "capabilities": ABLE,
              "workspaceFolders": [{"uri": "file:///usr/lib", "name": "x"}]}


def test_fields_of_wrong_kinds_at_the_beginning(servers):
    """Each takes a server of its own, so that of what can be wrong a part is tried, another each day."""
    chance = random.Random(time.strftime("%F"))
    for params in chance.sample(list(variants(INITIALIZE)), 60 // program.SHARE):
        server = servers()
        answer = server.request("initialize", params)
        assert "result" in answer, params
        server.notify("initialized", {})
        server.open(URI, samples.TRAIN)
        assert "result" in server.request("textDocument/hover", {"textDocument": DOCUMENT, "position": RANGE["start"]})
        server.finish()
        server.kill()


# ---- bytes that are no messages ----

@pytest.mark.parametrize("body", [
    b"", b" ", b"{", b"}", b"[", b'"', b"nul", b"{'a':1}", b'{"a":}', b'{"jsonrpc":"2.0",}', b"\xff\xfe", b"{}{}", b"\x00",
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}', b"[" * 100000, b'{"a":' * 100000, b"\xef\xbb\xbf{}" * 2,
    b'{"a":"' + b"x" * 1000000, b"\r\n\r\n", b"Content-Length: 2\r\n\r\n{}",
])
def test_a_body_that_is_no_json(server, body):
    begin(server)
    server.write(raw.frame(body))
    assert last_fault(server) == PARSE_ERROR
    works(server)
    server.finish()


@pytest.mark.parametrize("body", [b"{}", b"[]", b"3", b"null", b'"x"', b"[{}]", b'{"jsonrpc":"2.0"}', b'{"id":1}',
                                  b'{"jsonrpc":"2.0","id":1}', b'{"method":3}', b'{"jsonrpc":"2.0","id":4,"method":null}',
                                  b'{"jsonrpc":"2.0","id":4,"method":["x"]}', b'{"id":true,"method":"x"}'])
def test_json_that_is_no_message(server, body):
    begin(server)
    server.write(raw.frame(body))
    assert last_fault(server) == INVALID
    works(server)
    server.finish()


@pytest.mark.parametrize("header", [
    b"\r\n", b"\n", b"X: y\r\n\r\n", b"Content-Length\r\n\r\n", b"Content-Length: \r\n\r\n", b"Content-Length: x\r\n\r\n",
    b"Content-Length: -1\r\n\r\n", b"Content-Length: 0x10\r\n\r\n", b"Content-Length: 1 2\r\n\r\n", b"Content-Length: 1.5\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00\x00\r\n\r\n", b": 5\r\n\r\n", b"Content-Length: +5\r\n\r\n", b"\xff\xff\xff\r\n\r\n",
])
def test_a_header_without_a_length_is_passed_over(server, header):
    begin(server)
    server.write(header)
    works(server)
    server.finish()


@pytest.mark.parametrize("head", [
    b"Content-Length: %d\r\n\r\n", b"content-length: %d\r\n\r\n", b"CONTENT-LENGTH:%d\r\n\r\n", b"Content-Length: %d\n\n",
    b"Content-Length:\t %d \r\n\r\n", b"Content-Length: 000%d\r\n\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
    b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n", b"X-A: b\r\n" * 500 + b"Content-Length: %d\r\n\r\n",
])
def test_a_header_as_some_write_it(server, head):
    begin(server)
    body = json.dumps({"jsonrpc": "2.0", "id": "h", "method": "no/such"}).encode()
    server.asked.append("h")
    server.write(head % len(body) + body)
    assert server.answer("h")["error"]["code"] == -32601
    works(server)
    server.finish()


@pytest.mark.parametrize("data", [b"x" * 100000, b"X: y\r\n" * 100000, b"Content-Length: " + b"9" * 50 + b"\r\n\r\n",
                                  b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: 18446744073709551616\r\n\r\n{}",
                                  b"\x00" * 100000, b"Content-Length: 5" + b" " * 100000])
def test_what_cannot_be_followed_any_more_ends_with_a_word(server, data):
    begin(server)
    server.write(data)
    assert server.ended(LOST).startswith("vramlint: error: ")


def test_a_length_that_is_too_short_or_too_long_loses_no_more_than_it_must(servers):
    for wrong in (-20, -1, 1, 20):
        server = servers()
        begin(server)
        body = json.dumps({"jsonrpc": "2.0", "method": "no/such"}).encode()
        server.write(b"Content-Length: %d\r\n\r\n" % (len(body) + wrong) + body)
        for _ in range(200):
            server.notify("no/such")
        server.process.stdin.close()
        server.process.wait(program.SECONDS)
        assert server.process.returncode in (1, LOST)


def test_messages_cut_anywhere(server):
    server.initialize()  # by a client that is asked nothing, and so writes nothing in between
    message = raw.frame({"jsonrpc": "2.0", "id": "cut", "method": "no/é€😀", "params": {"é": "€😀"}})
    for cut in range(1, len(message)):
        server.write(message[:cut])
        time.sleep(0.0005)
        server.write(message[cut:])
    server.wait(lambda: len(server.answers("cut")) == len(message) - 1)
    works(server)


def test_messages_byte_by_byte_and_all_at_once(servers):
    """By a client that is asked nothing, and so writes nothing in between."""
    frames = b"".join(map(raw.frame, [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": raw.PUSH}},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": ITEM}},
        {"jsonrpc": "2.0", "id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": DOCUMENT}},
        {"jsonrpc": "2.0", "id": 3, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]))
    said = []
    for size in (1, 7, len(frames)):
        server = servers()
        for start in range(0, len(frames), size):
            server.write(frames[start:start + size])
        server.ended(0)
        said.append([server.answers(id) for id in (1, 2, 3)])
        assert len(server.answers(2)[0]["result"]["items"]) == 2
    assert said[0] == said[1] == said[2]


def test_noise(servers):
    """Messages with bytes changed, taken out and put in; then the server ends or goes on, and nothing worse."""
    chance = random.Random(5)
    good = [raw.frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            for number, (method, params) in enumerate(MESSAGES.items())]
    for _ in range(30 // program.SHARE):
        server = servers()
        begin(server)
        for _ in range(60):
            data = bytearray(chance.choice(good))
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(data))
                data[at:at + chance.randrange(3)] = chance.choice((b"", b"\x00", b'"', b"{", b"}", b"\xff", b"\\u", b"9", b"\r\n\r\n"))
            server.write(bytes(data))
        server.process.stdin.close()
        server.process.wait(program.SECONDS)
        assert server.process.returncode in (0, 1, LOST)
        server.kill()
        assert b"Sanitizer" not in server.errors and b"runtime error" not in server.errors, server.errors[-2000:]


# ---- text ----

@pytest.mark.parametrize("text", ["\u0000", "a\u0000b", "\ud800", "\udc00\ud800", "\ud83d", "\ufeff", "\uffff", "\U0010ffff", "\x7f\x1b[0m"])
def test_text_that_is_hard_to_hold(server, text):
    """Escaped, as JSON may have it; what stands behind is found in its place."""
    begin(server)
    server.open(URI, f"_ = '{text}'\n" + samples.TRAIN)
    report = server.request("textDocument/diagnostic", {"textDocument": DOCUMENT})["result"]["items"]
    assert [item["range"]["start"]["line"] for item in report] == [14, 21]
    server.change(URI, 2, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}, "text": text + "#\n\n"})
    report = server.request("textDocument/diagnostic", {"textDocument": DOCUMENT})["result"]["items"]
    assert [item["range"]["start"]["line"] for item in report] == [15, 22]
    server.finish()


def test_bytes_that_are_no_utf8(server):
    begin(server)
    body = json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
        "textDocument": {**ITEM, "text": "_ = 'MARK'\n" + samples.TRAIN}}}).encode()
    for wrong in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\x80", b"\xf5\x80\x80\x80"):
        server.write(raw.frame(body.replace(b"MARK", wrong)))
        report = server.request("textDocument/diagnostic", {"textDocument": DOCUMENT})["result"]["items"]
        assert [item["range"]["start"]["line"] for item in report] == [14, 21], wrong
        server.write(raw.frame(body.replace(b"append(loss)", b"append(loss)  # " + wrong)))
        actions = server.request("textDocument/codeAction", {
            "textDocument": DOCUMENT, "range": report[0]["range"], "context": {"diagnostics": []}})["result"]
        assert actions[0]["title"].startswith("Write 'losses.append(loss.detach())  # ?"), wrong
    server.finish()


HUGE = [-1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e300, 0.5]


@pytest.mark.parametrize("what", ["hover", "codeAction", "didChange"])
def test_positions_outside_of_the_document(server, what):
    begin(server)
    for line in [0, 5, 999, *HUGE]:
        for character in [0, 5, 999, *HUGE]:
            position = {"line": line, "character": character}
            for range_ in ({"start": position, "end": position}, {"start": position, "end": {"line": 0, "character": 0}},
                           {"start": {"line": 0, "character": 0}, "end": position}):
                if what == "hover":
                    assert "result" in server.request("textDocument/hover", {"textDocument": DOCUMENT, "position": position})
                    break
                if what == "codeAction":
                    assert "result" in server.request("textDocument/codeAction", {
                        "textDocument": DOCUMENT, "range": range_, "context": {"diagnostics": []}})
                else:
                    server.change(URI, 2, {"range": range_, "text": "é\n"})
    works(server)
    server.finish()


# ---- documents in the wrong order ----

def test_documents_opened_and_closed_as_nobody_should(server):
    begin(server)
    other = "file:///somewhere/other.py"
    server.change(other, 2, {"text": "x"})
    server.close(other)
    server.close(other)
    server.open(other, samples.TRAIN)
    server.open(other, samples.CLEAN, version=1)
    server.change(other, 0, {"text": samples.TRAIN})
    server.change(other, -5, {"text": samples.TRAIN})
    server.close(other)
    server.close(other)
    server.change(other, 9, {"text": samples.TRAIN})
    for uri in ("", " ", "file:", "x", "file:///", "é"):
        server.open(uri, samples.TRAIN)
        server.change(uri, 2, {"text": samples.CLEAN})
        server.close(uri)
    works(server)
    server.finish()


def test_notebooks_opened_and_closed_as_nobody_should(server):
    """Cells that are documents of their own, that two notebooks share, or that are named twice."""
    begin(server)

    def open_notebook(uri, cells):
        server.notify("notebookDocument/didOpen", {
            "notebookDocument": {"uri": uri, "notebookType": "x", "version": 1,
                                 "cells": [{"kind": 2, "document": cell} for cell in cells]},
            "cellTextDocuments": [{**ITEM, "uri": cell} for cell in cells]})

    def close_notebook(uri):
        server.notify("notebookDocument/didClose", {"notebookDocument": {"uri": uri}, "cellTextDocuments": []})

    def splice(uri, start, count, cells, opened=()):
        server.notify("notebookDocument/didChange", {"notebookDocument": {"uri": uri, "version": 2}, "change": {"cells": {"structure": {
            "array": {"start": start, "deleteCount": count, "cells": [{"kind": 2, "document": cell} for cell in cells]},
            "didOpen": [{**ITEM, "uri": cell} for cell in opened]}}}})

    a, b = "file:///a.ipynb", "file:///b.ipynb"
    chance = random.Random(3)
    names = [URI, a, b, CELL, CELL + "1", CELL + "2"]
    for _ in range(400):
        uri, cells = chance.choice((a, b, URI)), chance.choices(names, k=chance.randrange(4))
        step = chance.randrange(7)
        if step == 0:
            open_notebook(uri, cells)
        elif step == 1:
            close_notebook(chance.choice(names))
        elif step == 2:
            splice(uri, chance.randrange(-1, 5), chance.randrange(-1, 5), cells, cells[:1])
        elif step == 3:
            server.open(chance.choice(names), samples.TRAIN)
        elif step == 4:
            server.close(chance.choice(names))
        elif step == 5:
            server.change(chance.choice(names), 3, {"text": samples.TRAIN}, {"range": RANGE, "text": "é"})
        else:
            server.request("textDocument/diagnostic", {"textDocument": {"uri": chance.choice(names)}})
    for name in names:
        close_notebook(name)
        server.close(name)
    works(server)
    server.finish()


# ---- names ----

NAMES = ["file:///tmp/a%20b.py", "file:///tmp/a%00b.py", "file:///tmp/a%0Ab.py", "file:///tmp/%FF%FE.py", "file:///tmp/a b.py",
         "file:///tmp/é€😀.py", "file:///tmp/%C3%A9.py", "file:///tmp/a%2Fb.py", "file:///tmp/../../../../etc/passwd",
         "file:///tmp/a%", "file:///tmp/a%2", "file:///tmp/a%zz.py", "file://localhost/tmp/a.py", "FILE:///tmp/a.py", "file:/tmp/a.py",
         "file:///tmp", "file:///", "file:///dev/null", "file:///proc/self/mem", "file:///tmp/" + "x" * 5000 + ".py",
         "file:///" + "d/" * 3000 + "a.py", "file:///tmp/a.py?x=y#z", "file:///c%3A/a/b.py", "file:///C:/a/b.py",
         "vscode-remote://ssh-remote%2Bx/a.py", "untitled:a", "git:/a.py?%7B%7D", "file:///tmp/a\\b.py", 'file:///tmp/a"b.py',
         "file:///tmp/\u0001.py", "a.py", "/tmp/a.py", "file:///tmp/.py", "file:///tmp/a.ipynb"]


@pytest.mark.parametrize("pulls", [True, False], ids=["pull", "push"])
def test_names_of_all_kinds(server, pulls):
    """What is found is told of the very name that the editor has."""
    server.initialize(ABLE if pulls else raw.PUSH)
    for name in NAMES:
        server.open(name, samples.TRAIN)
        if pulls:
            told = server.request("textDocument/diagnostic", {"textDocument": {"uri": name}})["result"]["items"]
        else:
            told = server.wait_published(name, 1)["diagnostics"]
        assert [item["code"] for item in told] == ["VL101", "VL302"], name
        edit = server.request("textDocument/codeAction", {"textDocument": {"uri": name}, "range": RANGE, "context": {"diagnostics": []}})
        assert "result" in edit
        server.change(name, 2, {"text": samples.CLEAN})
        server.close(name)
    server.finish()


@pytest.mark.parametrize("name", ["a b", "é€😀", "a%41", "a%2541", "a#b?c", 'a"b', "a\\b", "a+b", "a\nb"])
def test_the_configuration_is_that_of_the_path_behind_the_name(server, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "vramlint.toml").write_text('select = ["VL302"]')
    server.initialize(ABLE)
    for uri in ((folder / "train.py").as_uri(), (folder / "train.py").as_uri().replace("train", "%74%72ain")):
        server.open(uri, samples.TRAIN)
        report = server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert [item["code"] for item in report["result"]["items"]] == ["VL302"]
    server.finish()


def test_a_name_with_a_nul_is_no_path(server, tmp_path):
    (tmp_path / "vramlint.toml").write_text('select = ["VL302"]')
    server.initialize(ABLE)
    uri = (tmp_path / "train.py").as_uri() + "%00"
    server.open(uri, samples.TRAIN)
    report = server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert [item["code"] for item in report["result"]["items"]] == ["VL101", "VL302"]
    server.finish()


def test_a_tree_of_hostile_names(server, tmp_path):
    """All files of the workspace are checked, whatever they are called; what cannot be read is left."""
    tree = os.fsencode(tmp_path / "tree")
    os.mkdir(tree)
    names = [b"a b.py", b"new\nline.py", b"\xff\xfe.py", "é€😀.py".encode(), b"%41.py", b"a#b?c.py", b'q"\'.py', b"-x.py", b"\x01.py"]
    for name in names:
        with open(os.path.join(tree, name), "w") as file:
            file.write(samples.TRAIN)
    os.symlink(b".", os.path.join(tree, b"loop"))
    os.symlink(b"nowhere.py", os.path.join(tree, b"dangling.py"))
    os.symlink(b"a b.py", os.path.join(tree, b"link.py"))
    os.mkdir(os.path.join(tree, b"folder.py"))
    os.mkfifo(os.path.join(tree, b"pipe.py"))
    server.initialize(ABLE, rootUri=pathlib.Path(os.fsdecode(tree)).as_uri())
    server.request("workspace/executeCommand", {"command": "vramlint.checkWorkspace"})
    server.wait(lambda: [message for message in server.messages if message.get("method") == "$/progress"
                         and message["params"]["value"]["kind"] == "end"])
    told = {message["params"]["uri"] for message in server.messages
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["diagnostics"]}
    from urllib.parse import unquote_to_bytes
    assert {os.path.basename(unquote_to_bytes(uri)) for uri in told} - {b"link.py"} == set(names)
    for uri in sorted(told):
        with open(unquote_to_bytes(uri)[len("file://"):]) as file:
            server.open(uri, file.read())
        report = server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert len(report["result"]["items"]) == 2
    server.finish()


def test_a_link_to_a_file_is_the_file(server, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/vramlint.toml").write_text('select = ["VL302"]')
    (tmp_path / "real/train.py").write_text(samples.TRAIN)
    (tmp_path / "link.py").symlink_to("real/train.py")
    (tmp_path / "folder").symlink_to("real")
    server.initialize(ABLE, rootUri=tmp_path.as_uri())
    for name in ("real/train.py", "link.py", "folder/train.py"):
        uri = (tmp_path / name).as_uri()
        server.open(uri, samples.TRAIN)
        report = server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        assert [item["code"] for item in report["result"]["items"]] == ["VL302"], name
    server.finish()


def test_files_and_folders_that_vanish(server, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "vramlint.toml").write_text('select = ["VL101"]')
    (folder / "meters.py").write_text(samples.KEEPS)
    uri = (folder / "train.py").as_uri()
    server.initialize({**ABLE, "workspace": {"diagnostics": {"refreshSupport": True}}}, rootUri=folder.as_uri())
    server.open(uri, samples.USES_METERS)
    assert server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["result"]["items"]
    server.request("workspace/executeCommand", {"command": "vramlint.checkWorkspace"})
    shutil.rmtree(folder)
    server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": (folder / name).as_uri(), "type": 3}
                                                                  for name in ("vramlint.toml", "meters.py")]})
    server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["result"]["items"] == []
    server.request("workspace/executeCommand", {"command": "vramlint.checkWorkspace"})
    works(server)
    server.finish()


def test_what_may_not_be_read(servers):
    """Folders and configurations that are closed to the server, which is not root."""
    with tempfile.TemporaryDirectory(prefix="server-") as name:
        top = pathlib.Path(name)
        top.chmod(0o755)
        copy = shutil.copy(program.PROGRAM, top / "vramlint")
        for folder, inside in (("closed", "vramlint.toml"), ("open", "vramlint.toml"), ("open/part", "meters.py")):
            (top / folder).mkdir()
            (top / folder / inside).write_text('select = ["VL302"]')
        (top / "open/vramlint.toml").chmod(0)
        (top / "open/part/meters.py").chmod(0)
        (top / "closed").chmod(0)
        user = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        server = servers(command=[copy, "server"], **user)
        server.initialize(ABLE, workspaceFolders=[{"uri": (top / folder).as_uri(), "name": ""} for folder in ("closed", "open")])
        for folder in ("closed", "open", "open/part"):
            uri = (top / folder / "train.py").as_uri()
            server.open(uri, samples.USES_METERS)
            server.change(uri, 2, {"text": samples.TRAIN})
            report = server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            assert [item["code"] for item in report["result"]["items"]] == ["VL101", "VL302"], folder
        assert server.published((top / "open/vramlint.toml").as_uri())[-1]["diagnostics"]
        server.request("workspace/executeCommand", {"command": "vramlint.checkWorkspace"})
        server.finish()
        (top / "closed").chmod(0o755)


# ---- sizes ----

def test_a_document_of_many_megabytes(server):
    """What is too large to be a program is not checked, and what is open beside it is."""
    begin(server)
    server.open("file:///huge.py", "x = 1\n" * 3_000_000)
    server.open("file:///line.py", "x = [" + "1, " * 300_000 + "]\n")
    server.change("file:///huge.py", 2, {"range": RANGE, "text": "y"})
    works(server)
    server.finish()


def test_a_deep_document(server):
    begin(server)
    for text in ("(" * 50_000, "[" * 20_000 + "]" * 20_000, "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 900)),
                 "a" + ".b" * 20_000, "x = " + "-" * 20_000 + "1", "f(" * 5_000 + ")" * 5_000):
        server.open("file:///deep.py", text)
        assert "result" in server.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///deep.py"}})
    works(server)
    server.finish()


def test_thousands_of_changes_in_one_message(server):
    begin(server)
    server.change(URI, 2, *[{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#"}] * 5000)
    assert len(server.request("textDocument/diagnostic", {"textDocument": DOCUMENT})["result"]["items"]) in (0, 2)
    works(server)
    server.finish()


def test_many_folders_and_documents(server, tmp_path):
    folders = []
    for number in range(200):
        (tmp_path / str(number)).mkdir()
        folders.append({"uri": (tmp_path / str(number)).as_uri(), "name": str(number)})
    begin(server, workspaceFolders=folders)
    for folder in folders:
        server.open(folder["uri"] + "/a.py", samples.TRAIN)
    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folders * 2, "removed": folders}})
    works(server)
    for folder in folders:
        server.close(folder["uri"] + "/a.py")
    server.finish()

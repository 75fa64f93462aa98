"""A server's life: what may be asked when, how it ends, and that every request is answered once."""
import signal
import subprocess
import sys
import time

import pytest

import program
import raw
import samples

URI = "file:///somewhere/train.py"
NOT_INITIALIZED, INVALID, NO_METHOD, PARSE_ERROR, CANCELLED = -32002, -32600, -32601, -32700, -32800


def hover(uri=URI, line=13, character=8):
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


# ---- in order ----

def test_a_request_before_initialize_is_refused(server):
    assert server.request("textDocument/hover", hover())["error"]["code"] == NOT_INITIALIZED
    assert server.request("no/such")["error"]["code"] == NOT_INITIALIZED
    server.initialize()
    assert "result" in server.request("textDocument/hover", hover())
    server.finish()


def test_a_notification_before_initialize_is_dropped(server):
    server.open(URI, samples.TRAIN)
    server.notify("initialized", {})
    server.initialize()
    assert server.request("textDocument/hover", hover())["result"] is None
    assert not server.published(URI)
    server.finish()


def test_initialize_is_answered_once(server):
    server.initialize()
    assert server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["error"]["code"] == INVALID
    server.finish()


def test_a_request_after_shutdown_is_refused(server):
    server.initialize()
    server.open(URI, samples.TRAIN)
    server.wait_published(URI)
    assert server.request("shutdown")["result"] is None
    assert server.request("textDocument/hover", hover())["error"]["code"] == INVALID
    assert server.request("shutdown")["error"]["code"] == INVALID
    assert server.request("initialize", {"capabilities": {}})["error"]["code"] == INVALID
    server.notify("exit")
    server.ended(0)
    server.accounts()


def test_nothing_is_published_after_shutdown(server):
    server.initialize(initializationOptions={"settings": {"debounce": 200}})
    server.open(URI, samples.CLEAN)
    server.wait_published(URI)
    server.change(URI, 2, {"text": samples.TRAIN})
    server.request("shutdown")
    server.change(URI, 3, {"text": samples.TRAIN})
    server.request("nothing")
    server.notify("exit")
    server.ended(0)
    assert [told["version"] for told in server.published(URI)] == [1]


# ---- the end ----

def test_exit_after_shutdown_is_a_good_end(server):
    server.initialize()
    server.finish()


def test_exit_without_shutdown_is_none(server):
    server.initialize()
    server.notify("exit")
    server.ended(1)


def test_exit_at_once(server):
    server.notify("exit")
    server.ended(1)


@pytest.mark.parametrize("stage", ["new", "open", "shut"])
def test_the_end_of_input_is_the_end(server, stage):
    if stage != "new":
        server.initialize()
        server.open(URI, samples.TRAIN)
    if stage == "shut":
        server.request("shutdown")
    server.process.stdin.close()
    assert server.ended(1) == ""


def test_an_end_in_the_middle_of_a_message(server):
    server.initialize()
    server.write(b"Content-Length: 1000\r\n\r\n{")
    server.process.stdin.close()
    server.ended(1)


def test_an_end_in_the_middle_of_a_header(server):
    server.write(b"Content-Len")
    server.process.stdin.close()
    server.ended(1)


def test_a_reader_who_goes_away(servers):
    server = servers(reads=False)
    server.write(raw.frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}))
    server.process.stdout.close()
    for number in range(2, 50):
        server.write(raw.frame({"jsonrpc": "2.0", "id": number, "method": "nothing", "params": {}}))
    server.process.wait(program.SECONDS)
    assert server.process.returncode in (1, 2)


def test_a_signal_ends_it(server):
    server.initialize()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(program.SECONDS)
    assert server.process.returncode == -signal.SIGTERM


def test_the_death_of_the_editor_is_the_end(server):
    """Even where something else still holds the pipe that leads here."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        server.initialize(processId=editor.pid)
        assert "result" in server.request("textDocument/hover", hover())
        editor.kill()
    server.ended(1, 15)


def test_an_editor_that_is_dead_already(server):
    with subprocess.Popen([sys.executable, "-c", ""]) as editor:
        editor.wait()
    server.ask("initialize", {"processId": editor.pid, "rootUri": None, "capabilities": {}})
    server.ended(1, 15)


@pytest.mark.parametrize("process", [None, 0, -1, 1, 2 ** 31, 2 ** 53, 1.5, "12", True])
def test_an_editor_that_is_no_process_of_ours_is_alive(server, process):
    server.initialize(processId=process)
    assert "result" in server.request("textDocument/hover", hover())
    server.finish()


# ---- what may be asked ----

def test_an_unknown_request_is_told_to_be_one(server):
    server.initialize()
    for method in ("no/such", "textDocument/completion", "$/no", "", "exit", "textDocument/didOpen", "initialized",
                   "textDocument/hover\u0000", "x" * 100000, "é€😀"):
        error = server.request(method, {})["error"]
        assert error["code"] == NO_METHOD and error["message"], method
    server.finish()


def test_an_unknown_notification_is_nothing(server):
    server.initialize()
    before = len(server.messages)
    for method in ("no/such", "$/no", "$/setTrace", "textDocument/willSave", "textDocument/hover", "shutdown", ""):
        server.notify(method, {"value": "verbose"})
    assert "result" in server.request("textDocument/hover", hover())
    assert [message for message in server.messages[before:] if message.get("id") is None
            and message.get("method") != "window/logMessage"] == []
    server.finish()


@pytest.mark.parametrize("id", [0, -1, 7, 2 ** 31 - 1, 2 ** 31, -2 ** 31, 2 ** 53 - 1, "", "a", "7", "é€😀", "\n\"\\", "x" * 10000])
def test_an_answer_has_the_id_of_its_request(server, id):
    server.initialize()
    assert "result" in server.request("textDocument/hover", hover(), id=id)
    assert server.request("no/such", {}, id=f"{id}+")["error"]["code"] == NO_METHOD
    server.finish()


@pytest.mark.parametrize("id", [True, [], {}, [1], {"a": 1}])
def test_an_id_of_the_wrong_kind_makes_no_request(server, id):
    server.initialize()
    server.write(raw.frame({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": hover()}))
    error = server.wait(lambda: [message for message in server.answers(None) if "error" in message])[0]["error"]
    assert error["code"] == INVALID
    server.finish()


def test_answers_to_what_was_not_asked_are_nothing(server):
    server.initialize()
    for message in ({"id": 999, "result": None}, {"id": "x", "result": {}}, {"id": 1, "error": {"code": 1, "message": "no"}},
                    {"id": 1, "result": [1, 2, 3]}, {"id": 2, "result": [None] * 9}, {"id": None, "result": None}):
        server.write(raw.frame({"jsonrpc": "2.0", **message}))
    assert "result" in server.request("textDocument/hover", hover())
    server.finish()


def test_an_error_in_place_of_settings_leaves_what_was(servers):
    server = servers(reads=True)
    capabilities = {**raw.PUSH, "workspace": {"configuration": True}}
    server.initialize(capabilities)
    id = server.wait(lambda: [message["id"] for message in server.messages
                              if message.get("method") == "workspace/configuration"])[0]
    server.write(raw.frame({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "no"}}))
    server.open(URI, samples.TRAIN)
    assert len(server.wait_published(URI)["diagnostics"]) == 2
    server.finish()


# ---- taking back ----

def test_a_request_taken_back_before_it_is_worked_on(server):
    """In one write, so that both are there when the server looks."""
    server.initialize()
    frames, ids = [], []
    for number in range(50):
        ids.append(f"r{number}")
        frames.append(raw.frame({"jsonrpc": "2.0", "id": ids[-1], "method": "textDocument/hover", "params": hover()}))
    frames += [raw.frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}) for id in reversed(ids)]
    server.asked += ids
    server.open(URI, samples.TRAIN * 50)
    server.write(b"".join(frames))
    answers = [server.answer(id) for id in ids]
    assert any(answer.get("error", {}).get("code") == CANCELLED for answer in answers)
    assert all("result" in answer or answer["error"]["code"] == CANCELLED for answer in answers)
    server.finish()


def test_a_request_taken_back_while_it_is_worked_on(server):
    server.initialize({**raw.PUSH, "textDocument": {"diagnostic": {}},
                       "workspace": {"diagnostics": {"refreshSupport": True}}})
    server.open(URI, "import torch\n" + samples.TRAIN.partition("def")[0] * (800 // program.SHARE ** 2))
    id = server.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    other = server.ask("textDocument/hover", hover("file:///no.py"))
    server.write(raw.frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}))
    answer = server.answer(id)
    assert "result" in answer or answer["error"]["code"] == CANCELLED
    assert server.answer(other)["result"] is None
    assert server.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})["result"]["items"]
    server.finish()


def test_taking_back_what_is_answered_or_was_never_asked_is_nothing(server):
    server.initialize()
    id = server.ask("textDocument/hover", hover())
    server.answer(id)
    for wrong in (id, 12345, "x", None, [], {}, 1.5, True):
        server.notify("$/cancelRequest", {"id": wrong})
    for params in (None, [], "x", 3, {}):
        server.notify("$/cancelRequest", params)
    assert "result" in server.request("textDocument/hover", hover())
    server.finish()


def test_an_id_may_be_used_again_once_it_was_answered(server):
    """Taking back came late; what is asked under the same id later is wanted."""
    server.initialize({**raw.PUSH, "textDocument": {"diagnostic": {}},
                       "workspace": {"diagnostics": {"refreshSupport": True}}})
    server.open(URI, samples.TRAIN)
    ask = {"textDocument": {"uri": URI}}
    assert len(server.request("textDocument/diagnostic", ask, id=70)["result"]["items"]) == 2
    server.notify("$/cancelRequest", {"id": 70})
    server.write(raw.frame({"jsonrpc": "2.0", "id": 70, "method": "textDocument/diagnostic", "params": ask}))
    assert "result" in server.wait(lambda: server.answers(70)[1:])[0]
    server.request("shutdown")
    server.notify("exit")
    server.ended(0)


# ---- time ----

def test_a_client_that_reads_nothing_loses_nothing(servers):
    """The pipe is full long before the server has answered all; it goes on once somebody reads."""
    server = servers(reads=False)
    server.ask("initialize", {"processId": None, "capabilities": raw.PUSH})
    server.notify("initialized", {})
    server.open(URI, samples.TRAIN)
    ids = [server.ask("textDocument/hover", hover()) for _ in range(300)]
    server.start_reading()
    for id in ids:
        assert "tensor-append" in server.answer(id)["result"]["contents"]["value"]
    server.finish()


def test_a_burst_of_ten_thousand_messages(server):
    server.initialize()
    server.open(URI, samples.TRAIN)
    change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"}
    frames = []
    for number in range(10000):
        if number % 10:
            frames.append(raw.frame({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
                "textDocument": {"uri": URI, "version": number}, "contentChanges": [change]}}))
        else:
            server.asked.append(f"b{number}")
            frames.append(raw.frame({"jsonrpc": "2.0", "id": f"b{number}", "method": "no/such"}))
    server.write(b"".join(frames))
    last = server.wait_published(URI, 9999)
    assert [item["range"]["start"]["line"] for item in last["diagnostics"]] == [9000 + samples.SAFE_LINE,
                                                                              9000 + samples.UNSAFE_LINE]
    server.finish()


def test_with_nothing_to_do_it_does_nothing(server):
    server.initialize()
    server.open(URI, samples.TRAIN)
    server.wait_published(URI)
    assert "result" in server.request("textDocument/hover", hover())

    def used():
        with open(f"/proc/{server.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    time.sleep(0.2)  # what was begun ends
    before = used()
    time.sleep(1)
    assert used() - before <= 1
    server.finish()


def test_the_log_is_written_to_a_file_too(servers, tmp_path):
    log = tmp_path / "log.txt"
    server = servers("--log-file", log)
    server.initialize()
    server.write(raw.frame(b"{"))
    server.wait(lambda: server.answers(None))
    server.finish()
    assert "no JSON" in log.read_text()


def test_a_log_that_cannot_be_written_is_told_of_or_left(servers, tmp_path):
    server = servers("--log-file", tmp_path / "no" / "log.txt")
    server.initialize()
    server.write(raw.frame(b"{"))
    server.wait(lambda: server.answers(None))
    server.finish()


@pytest.mark.parametrize("arguments", [["x"], ["--no-such"], ["--select", "VL999x"], ["--config", "/no/such.toml"],
                                       ["--log-file"]])
def test_options_that_make_no_sense(arguments):
    done = subprocess.run([program.PROGRAM, "server", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=program.SECONDS, env=program.ENVIRONMENT)
    assert done.returncode in (1, 2) and done.stdout == b"" and (done.stderr or arguments[0] == "--select")


def test_stdio_is_what_there_is(servers):
    server = servers("--stdio", "--select", "VL302")
    server.initialize()
    server.open(URI, samples.TRAIN)
    assert [item["code"] for item in server.wait_published(URI)["diagnostics"]] == ["VL302"]
    server.finish()

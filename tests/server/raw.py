"""A client that sends bytes: for what no proper client sends, and for all that is about processes and time.

It reads what the server writes as strictly as the protocol allows, and keeps account of requests: each is answered once.
"""
import json
import re
import subprocess
import threading
import time

import program

HEADER = re.compile(rb"Content-Length: (0|[1-9][0-9]*)\r\n\r\n")
PUSH = {"textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}},
        "general": {"positionEncodings": ["utf-8"]}}


def frame(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Server:
    def __init__(self, *arguments, cwd="/", reads=True, command=None, **process):
        self.process = subprocess.Popen([*(command or [program.PROGRAM, "server"]), *map(str, arguments)], cwd=cwd,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=program.ENVIRONMENT, **process)
        self.messages, self.fault, self.errors = [], None, b""
        self.asked, self.counter, self.times = [], 0, {}
        self.changed = threading.Condition()
        self.threads = [threading.Thread(target=self._read_errors, daemon=True)]
        if reads:
            self.threads.append(threading.Thread(target=self._read, daemon=True))
        for thread in self.threads:
            thread.start()

    # ---- what the server writes ----

    def start_reading(self):
        thread = threading.Thread(target=self._read, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _read_errors(self):
        self.errors = self.process.stderr.read()

    def _read(self):
        try:
            self._read_frames()
        except Exception as fault:  # told by whoever waits
            with self.changed:
                self.fault = fault
                self.changed.notify_all()

    def _read_frames(self):
        stream = self.process.stdout
        while True:
            head = stream.readline()
            if not head:
                break
            head += stream.readline()
            match = HEADER.fullmatch(head)
            assert match, f"no header: {head!r}"
            body = stream.read(int(match[1]))
            arrived = time.perf_counter()
            assert len(body) == int(match[1]), "a message is cut off"
            message = json.loads(body.decode("utf-8"))
            assert message["jsonrpc"] == "2.0", message
            assert isinstance(message.get("params", {}), (dict, list)), message
            with self.changed:
                self.messages.append(message)
                self.times[len(self.messages) - 1] = arrived
                self.changed.notify_all()
            if "method" in message and "id" in message:
                self.write(frame({"jsonrpc": "2.0", "id": message["id"], "result": None}))
        with self.changed:
            self.fault = EOFError("the server has closed its output")
            self.changed.notify_all()

    def wait(self, found, seconds=program.SECONDS):
        """What FOUND returns once that is true, which is asked again when a message has come."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                value = found()
                if value:
                    return value
                if self.fault:
                    raise AssertionError(f"{self.fault!r}, standard error: {self.errors.decode(errors='replace')[-3000:]}")
                left = end - time.monotonic()
                assert left > 0, f"nothing came within {seconds} s; the last messages were {self.messages[-3:]}"
                self.changed.wait(left)

    def answers(self, id):
        return [message for message in self.messages if "method" not in message and message.get("id") == id]

    def published(self, uri):
        """All that was published of URI."""
        return [message["params"] for message in self.messages
                if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri]

    def wait_published(self, uri, version=None):
        return self.wait(lambda: next((told for told in reversed(self.published(uri))
                                       if version is None or told.get("version") == version), None))

    # ---- what is written to it ----

    def write(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # who waits for an answer is told

    def notify(self, method, params=None):
        self.write(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method, params=None, id=None):
        """Sends a request; returns its id."""
        if id is None:
            self.counter += 1
            id = self.counter
        self.asked.append(id)
        self.write(frame({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        return id

    def answer(self, id):
        return self.wait(lambda: self.answers(id))[0]

    def request(self, method, params=None, id=None):
        return self.answer(self.ask(method, params, id))

    def initialize(self, capabilities=PUSH, **params):
        params.setdefault("initializationOptions", {"settings": {"debounce": 0}})
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities, **params})
        self.notify("initialized", {})
        return answer["result"]

    def open(self, uri, text, version=1, language="python"):
        self.notify("textDocument/didOpen",
                    {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                               "contentChanges": list(changes)})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # ---- the end ----

    def ended(self, status, seconds=program.SECONDS):
        """The server has ended by itself, with STATUS and no word of a sanitizer's."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server does not end") from None
        for thread in self.threads:
            thread.join(seconds)
        errors = self.errors.decode(errors="replace")
        assert self.process.returncode == status, f"exit status {self.process.returncode}: {errors[-3000:]}"
        assert "Sanitizer" not in errors and "runtime error" not in errors, errors[-3000:]
        return errors

    def accounts(self):
        """Each request was answered once, and nothing else was."""
        counts = {}
        for message in self.messages:
            if "method" not in message and message.get("id") is not None:
                key = json.dumps(message["id"])
                counts[key] = counts.get(key, 0) + 1
        wanted = {json.dumps(id): 1 for id in self.asked}
        assert counts == wanted, f"answered: {counts}, asked: {wanted}"

    def finish(self):
        """Ends it as the protocol wants, and looks whether all was well."""
        assert self.request("shutdown")["result"] is None
        self.notify("exit")
        self.ended(0)
        self.accounts()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        for thread in self.threads:
            thread.join(5)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.kill()

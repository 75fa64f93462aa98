"""One connection to the supervisor: JSON objects, one a line. Falls silent for good when anything goes wrong."""
import json
import math
import os
import socket
import time

LONGEST = 1 << 20
FLUSH_AFTER = 0.05  # seconds that an event may wait for company


def finite(value):
    """The same value with None for what JSON cannot say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return value


def connected(path):
    """A socket with the supervisor at its other end, or None."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(2)
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


class Wire:
    def __init__(self, connection, began):
        """Events go to what `connection` has of sendall and close; nowhere where it is None."""
        self.began = began
        self.pending = []
        self.flushed = 0.0
        self.pid = os.getpid()
        self.socket = connection

    def send(self, ev, urgent=True, **keys):
        if self.socket is None or os.getpid() != self.pid:
            return
        event = {"ev": ev, "pid": self.pid, "t": round(time.time() - self.began, 4)}
        event.update(keys)
        try:
            text = json.dumps(event, default=str, allow_nan=False)
        except (ValueError, TypeError):
            text = json.dumps(finite(event), default=str)
        line = text.encode("utf-8", "replace") + b"\n"
        if len(line) > LONGEST:
            return
        self.pending.append(line)
        now = time.monotonic()
        if urgent or now - self.flushed > FLUSH_AFTER:
            self.flushed = now
            self.flush()

    def flush(self):
        if self.socket is None or not self.pending:
            return
        lines, self.pending = b"".join(self.pending), []
        try:
            self.socket.sendall(lines)
        except OSError:
            self.close()

    def close(self):
        try:
            if self.socket is not None:
                self.socket.close()
        except OSError:
            pass
        self.socket = None
        self.pending = []

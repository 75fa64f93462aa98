"""docs/confirm-protocol.md names each event that the agent sends and each key of it."""
import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "docs/confirm-protocol.md").read_text()
GIVEN = {"ev", "pid", "t", "urgent"}
SUPERVISORS = {"worker"}


def calls():
    """(event, the names of its keys) of each call of send."""
    for path in sorted((ROOT / "src/confirm/agent").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "send" and node.args:
                yield node.args[0].value, {keyword.arg for keyword in node.keywords if keyword.arg}


def described():
    """{event: what its part of the document says}"""
    parts = re.split(r"^\*\*`(\w+)`\*\*", TEXT.split("## Events")[1].split("## In a file")[0], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def test_each_event_and_key_is_described():
    texts, sent = described(), dict()
    for event, keys in calls():
        sent.setdefault(event, set()).update(keys - GIVEN)
    assert len(sent) > 10 and sent["step"] > {"i", "rss"}
    missing = [f"{event}.{key}" for event, keys in sent.items() for key in sorted(keys) if f"`{key}`" not in texts.get(event, "")]
    missing += [event for event in sent if event not in texts]
    missing += [f"{event} is not sent" for event in texts if event not in sent and event not in SUPERVISORS]
    assert not missing, missing


def test_each_key_of_a_holder_is_described():
    source = (ROOT / "src/confirm/agent/session.py").read_text()
    [event] = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef) and node.name == "event"]
    keys = {key.value for node in ast.walk(event) if isinstance(node, ast.Dict) for key in node.keys if isinstance(key, ast.Constant)}
    assert "births" in keys
    assert not [key for key in keys if f"`{key}`" not in described()["holder"]]

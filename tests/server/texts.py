"""Texts as an editor has them: positions in any encoding, and edits applied; written from the specification alone."""
import re

ENCODINGS = ("utf-8", "utf-16", "utf-32")
_WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def units(text, encoding):
    name, width = _WIDTHS[encoding]
    return len(text.encode(name)) // width


def line_starts(text):
    return [0] + [match.end() for match in re.finditer("\r\n|\r|\n", text)]


def position_at(text, offset, encoding):
    line = max(number for number, start in enumerate(line_starts(text)) if start <= offset)
    return {"line": line, "character": units(text[line_starts(text)[line]:offset], encoding)}


def offset_at(text, position, encoding):
    """The offset in characters; what lies outside is brought inside."""
    starts = line_starts(text)
    if position["line"] >= len(starts):
        return len(text)
    line = re.split("\r\n|\r|\n", text)[position["line"]]
    name, width = _WIDTHS[encoding]
    before = line.encode(name)[:position["character"] * width]
    return starts[position["line"]] + len(before.decode(name, errors="ignore"))


def change(text, range_, new, encoding):
    start, end = sorted((offset_at(text, range_["start"], encoding), offset_at(text, range_["end"], encoding)))
    return text[:start] + new + text[end:]


def apply(text, edits, encoding):
    """TEXT after EDITS, the protocol's TextEdits, all of which are about the same text."""
    places = sorted(((offset_at(text, edit["range"]["start"], encoding), offset_at(text, edit["range"]["end"], encoding),
                      index, edit["newText"]) for index, edit in enumerate(edits)), reverse=True)
    for (start, _, _, _), (_, end, _, _) in zip(places, places[1:]):
        assert end <= start, f"edits overlap: {edits}"
    for start, end, _, new in places:
        text = text[:start] + new + text[end:]
    return text

"""How services read commands out of a job's log, ported from their sources: ActionCommand.cs of actions/runner and
Command.cs of microsoft/azure-pipelines-agent."""
import unicodedata


def unescape(text, table):
    for code, plain in table:
        text = text.replace(code, plain)
    return text


DATA = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
PROPERTY = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]
AZURE = [("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%")]


def properties(text, separator, table):
    pairs = [pair.split("=", 1) for pair in text.strip().split(separator) if pair]
    return {pair[0]: unescape(pair[1], table) for pair in pairs if len(pair) == 2 and pair[1]}


def github(line):
    """(command, properties, data) or None; the old form, ##[…], is a command wherever it stands."""
    text = line.lstrip()
    end = text.find("::", 2)
    if text.startswith("::") and end >= 0:
        command, _, rest = text[2:end].partition(" ")
        return command, properties(rest, ",", PROPERTY), unescape(text[end + 2:], DATA)
    start = line.find("##[")
    end = line.find("]", start)
    return None if start < 0 or end < 0 else (line[start + 3:end], {}, line[end + 1:])


def azure(line):
    start = line.find("##vso[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    command, _, rest = line[start + 6:end].partition(" ")
    return command, properties(rest, ";", AZURE), unescape(line[end + 1:], AZURE)


def lines(text):
    """As the services split it: not at what only Python takes for a line end."""
    return text.replace("\r\n", "\n").split("\n")


def strangers(text):
    """Characters that act on a terminal, turn text or hide in it; joiners are letters' business."""
    return sorted({f"U+{ord(c):04X}" for c in text
                   if c not in "\n\t\u200c\u200d" and (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs"))})

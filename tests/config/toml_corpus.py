"""TOML documents: hand-made ones for what is easily got wrong, and random ones, whole or with slips of the hand."""
import pathlib

HAND_MADE = pathlib.Path(__file__).resolve().parent / "hand-made.txt"

BYTES = [
    b"a = 1\r\nb = '''\r\nx\r\ny'''\r\n",
    b"a = 1\rb = 2\n",
    b"a = 'x\ry'\n",
    b"a = 1\x00\n",
    b"a = 'x\x00'\n",
    b"a = 'x\x7f'\n",
    b"# \x01\n",
    b"# \x7f\n",
    b"\xef\xbb\xbfa = 1\n",
    b"a = '\xff'\n",
    b"a = 1\n\n\n",
    b"a = 1",
    b"",
    b"\n",
    b"\r\n",
    b" ",
    b"#",
    b'a = """x\\\r\n  y"""\r\n',
    b'a = """x\\ \r\n  y"""',
    b"a = \x0b1\n",
    b"a = 1\x0c\n",
    "a = '\u2028\u0085'\n".encode(),
]


def hand_made():
    return HAND_MADE.read_bytes().split(b"===\n") + BYTES


KEYS = ["a", "b", "c", "d-e", '"q"', "'l l'", "a.b", "a.b.c", "b . c", '"a".x', "1", "a.d-e"]
SCALARS = ["1", "-2", "0x1F", "0o17", "0b1", "1_0", "1.5", "-1e3", "inf", "nan", "true", "false", '"t"', "'l'", '"\\n\\u0041"',
           '"""m\nm"""', "'''n\nn'''", "2020-02-29", "10:00:00", "2020-01-01T10:00:00Z", "2020-01-01 10:00:00.5+01:00", '""', "''"]


def value(random, depth):
    kind = random.random()
    if depth < 3 and kind < 0.15:
        items = [value(random, depth + 1) for _ in range(random.randrange(4))]
        return random.choice(["[%s]", "[ %s ]", "[\n%s\n]"]) % random.choice([", ", ",\n", " , "]).join(items)
    if depth < 3 and kind < 0.3:
        return "{%s}" % ", ".join(f"{random.choice(KEYS)} = {value(random, depth + 1)}" for _ in range(random.randrange(3)))
    return random.choice(SCALARS)


def document(random):
    """Mostly sound by itself, though keys may meet."""
    lines = []
    for _ in range(random.randrange(1, 10)):
        kind = random.random()
        if kind < 0.2:
            lines.append(f"[{random.choice(KEYS)}]")
        elif kind < 0.3:
            lines.append(f"[[{random.choice(KEYS)}]]")
        elif kind < 0.35:
            lines.append("# comment")
        else:
            lines.append(f"{random.choice(KEYS)} = {value(random, 0)}{random.choice(['', '  # c'])}")
    return random.choice(["\n", "\n", "\r\n"]).join(lines).encode() + random.choice([b"", b"\n"])


JUNK = [b'"', b"'", b'"""', b"[", b"]", b"{", b"}", b",", b"=", b".", b"#", b"\n", b" ", b"\\", b"_", b"0", b"-", b"+", b":", b"e",
        b"\\u", b"\\\n", b"\\ \n", b"T", b"Z", b"\t", b"a", b"\x00", b"\x80", "é".encode()]


def slipped(random, text):
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text) + 1)
        kind = random.randrange(3)
        if kind == 0:
            text = text[:at] + text[at + random.randint(1, 3):]
        elif kind == 1:
            text = text[:at] + random.choice(JUNK) + text[at:]
        else:
            lines = text.split(b"\n")
            i, j = random.randrange(len(lines)), random.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = b"\n".join(lines)
    return text

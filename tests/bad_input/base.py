"""Malformed files: how a case is stated, and ways to break a JSON object or a text."""
import copy
import json

DIRECTORY, ABSENT, UNREADABLE, CERTIFICATE = object(), object(), object(), object()


def text_of(value):
    return value if isinstance(value, (str, bytes)) else json.dumps(value)


def put(base, value, *path):
    """A copy of `base` with one entry replaced."""
    changed = copy.deepcopy(base)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def without(base, *path):
    changed = copy.deepcopy(base)
    at = changed
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return changed


def replaced(base, old, new):
    text = text_of(base)
    assert old in text, old
    return text.replace(old, new, 1)


def raw_entry(base, literal, *path):
    """A copy of `base` with an entry that json.dumps would not write."""
    marker = "@marker@"
    return text_of(put(base, marker, *path)).replace(json.dumps(marker), literal)


def truncated(base, share):
    text = text_of(base)
    return text[: int(len(text) * share)]


BRACKETS = 10_000_000


def unreadable_texts(base, toml):
    """(name, content, words of the message) of what is wrong in any file of this base."""
    text = text_of(base)
    syntax = "TOML" if toml else "JSON"
    cases = [
        ("empty", "", "empty"),
        ("blank", " \n\t\n", "empty"),
        ("not-utf8", text.encode() + b"\xff\xfe", "UTF-8"),
        ("utf16", b"\xff\xfe" + text.encode("utf-16-le"), "UTF-8"),
        ("nul-bytes", b"\0" * 1000, "zero byte"),
        ("nul-at-the-end", text + "\0", "zero byte"),
        ("brackets", "[" * BRACKETS, "nested"),
        ("closing-brackets", "]" * BRACKETS, syntax),
        ("directory", DIRECTORY, "directory"),
        ("absent", ABSENT, "cannot read"),
        ("unreadable", UNREADABLE, "cannot read"),
        ("wrong-syntax", "<html></html>", syntax),
    ]
    if toml:
        cases += [
            ("cut-in-a-string", text[: text.index('"') + 4], syntax),
            ("cut-after-a-key", text[: text.index(next(
                key for key in ("layers", "address", "hosts", "endpoints", "latency") if key in text))] + "x =", syntax),
            ("deep-nesting", text.replace("[", f"deep = {'[' * 100}{']' * 100}\n[", 1), "nested"),
            ("deep-dotted-key", "a." * 1_000_000 + "a = 1", "nested"),
            ("duplicate-table", text + text.split("\n", 1)[1].split("\n", 1)[0] + "\n",
             syntax) if "[[" not in text else ("duplicate-key", 'format = "x"\n' + text, syntax),
        ]
    else:
        cases += [(f"truncated-{int(share * 100)}%", truncated(base, share), syntax)
                  for share in (0.05, 0.3, 0.6, 0.99)]
        cases += [
            ("deep-nesting", "{\"deep\":" + "[" * 100 + "]" * 100 + "," + text[1:], "nested"),
            ("deep-objects", "{\"a\":" * (BRACKETS // 5), "nested"),
            ("trailing-text", text + " x", syntax),
            ("duplicate-key", replaced(base, "{", '{"format": "x", '), "twice"),
            ("array-at-the-top", "[" + text + "]", "object"),
            ("number-at-the-top", "7", "object"),
        ]
    return cases


class Command:
    def __init__(self, words, files, output=True):
        self.words = words
        self.files = files  # name -> content
        self.output = output  # takes -o


class Case:
    def __init__(self, command, name, file, content, words, named=None):
        self.command, self.file, self.content, self.words = command, file, content, words
        self.named = named or file  # the file that the message is about
        self.name = f"{command}/{file}/{name}"
        self.typed = []  # words typed besides


def typed_case(command, name, typed, words, named=""):
    """Good files and bad words on the command line."""
    case = Case(command, name, "", ABSENT, words, named)
    case.typed = typed
    return case

"""Malformed files for every command: each must end with exit code 2 and clear messages, never with a
crash, a hang, a half-written file or a result.

Usage: bad_input_test.py --binary LONGHAUL [--list] [NAME...]

Each case makes one file of a good set bad, and says which words the message must hold, so that a
case cannot pass for another reason; the tables are in bad_input/, by what they break.
Works with sanitizer builds: their reports fail a case.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bad_input.base import ABSENT, CERTIFICATE, DIRECTORY, UNREADABLE, text_of
from bad_input.commands import COMMANDS
from bad_input.good import FABRIC
from bad_input_cases import all_cases

SECONDS = 60  # far above what any case needs, sanitizers included
MOST_LINES = 6  # five problems and "and N more"
LONGEST_LINE = 1500
FORBIDDEN = ("terminate", "Sanitizer", "runtime error", "internal error", "Assertion", "Traceback",
             "core dumped", "out of memory", "    #0 ")


class Runner:
    def __init__(self, binary):
        self.binary = binary
        self.plan = self.certificate = None

    def run(self, words, folder):
        environment = dict(os.environ, LC_ALL="C.UTF-8", SOURCE_DATE_EPOCH="0")
        return subprocess.run([self.binary, *words], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)

    def make_plan(self):
        """What place makes of the good fabric: what cases of plans and certificates start from."""
        with tempfile.TemporaryDirectory() as folder:
            write(pathlib.Path(folder) / "fabric.json", FABRIC)
            done = self.run(COMMANDS["place"].words + ["-o", "plan.json", "--certificate",
                                                       "proof.json"], folder)
            assert done.returncode == 0, done.stderr.decode()
            self.plan = json.loads((pathlib.Path(folder) / "plan.json").read_text())
            self.certificate = json.loads((pathlib.Path(folder) / "proof.json").read_text())


def write(path, content):
    """Writes content, or makes the special thing; returns how the command line names it."""
    if content is DIRECTORY:
        path.mkdir()
    elif content is UNREADABLE:
        if os.geteuid() != 0:
            path.write_text("x")
            path.chmod(0)
        else:  # root reads everything: a path through a plain file cannot be read by anyone
            path.write_text("x")
            return path.name + "/inside"
    elif content is not ABSENT:
        data = text_of(content)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path.name


def prepare(runner, command, folder, file=None, content=None):
    """Writes the files of a command, one of them bad; returns the words to type."""
    words = list(COMMANDS[command].words)
    for name, good in COMMANDS[command].files.items():
        good = runner.plan if good is None else runner.certificate if good is CERTIFICATE else good
        typed = write(folder / name, content if name == file else good)
        words = [typed if word == name else word for word in words]
    return words + (["-o", "out"] if COMMANDS[command].output else [])


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def complaints(done, before, after, case):
    """What is wrong with how the program ended."""
    out, err = done.stdout, done.stderr.decode("utf-8", "replace")
    lines = err.splitlines()
    if done.returncode != 2:
        yield f"exit code {done.returncode}, not 2"
    if out:
        yield f"standard output holds {out[:80]!r}"
    if not 1 <= len(lines) <= MOST_LINES:
        yield f"{len(lines)} lines on standard error"
    for line in lines[:MOST_LINES]:
        if not line.startswith("longhaul: "):
            yield f"a line that does not start with 'longhaul: ': {line[:80]!r}"
        if len(line) > LONGEST_LINE:
            yield f"a line of {len(line)} characters"
        if any(ord(c) < 32 or ord(c) == 127 for c in line):
            yield f"a control character in {line[:80]!r}"
    yield from (f"the word {word!r}" for word in FORBIDDEN if word in err)
    if case.words not in err:
        yield f"no mention of {case.words!r}"
    if case.content is not UNREADABLE and case.named not in err:
        yield f"the file {case.named} is not named"
    if before != after:
        yield f"files changed: {sorted(set(after) ^ set(before))}"


def check(runner, case):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = prepare(runner, case.command, folder, case.file, case.content) + case.typed
        before = tree(folder)
        start = time.monotonic()
        try:
            done = runner.run(words, folder)
        except subprocess.TimeoutExpired:
            return [f"still running after {SECONDS} s"], ""
        spent = time.monotonic() - start
        problems = list(complaints(done, before, tree(folder), case))
        message = done.stderr.decode("utf-8", "replace")[:600]
        return problems, f"{message}({spent:.2f} s)"


def check_good(runner, command):
    """The unbroken files are accepted: otherwise no case of this command means anything."""
    with tempfile.TemporaryDirectory() as name:
        words = prepare(runner, command, pathlib.Path(name))
        done = runner.run(words, name)
        return [] if done.returncode == 0 else [
            f"good files end with {done.returncode}: {done.stderr.decode()}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print each case and its message")
    parser.add_argument("names", nargs="*", help="only cases whose name holds one of these")
    options = parser.parse_args()
    runner = Runner(options.binary.resolve())
    runner.make_plan()
    failures = count = 0
    for command in COMMANDS:
        problems = check_good(runner, command)
        failures += len(problems)
        for problem in problems:
            print(f"{command}: {problem}")
    for case in all_cases(runner.plan, runner.certificate):
        if options.names and not any(name in case.name for name in options.names):
            continue
        problems, message = check(runner, case)
        count += 1
        failures += bool(problems)
        if problems or options.list:
            print(f"{'FAILED ' if problems else ''}{case.name}: {'; '.join(problems)}\n{message}")
    print(f"{count} malformed inputs, {failures} failures")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the command lines of a golden file, or of a documentation page, and compares what they print.

A golden file (tests/golden/*.golden):

    # Comments come first. "# tolerance 1e-9" lets numbers differ by that relative amount.
    $ longhaul size --job jobs/x.toml
    what standard output holds
    ! what standard error holds
    exit 0

A documentation page (docs/commands/*.md): every ```console block. "$ longhaul ..." lines are run,
the lines below are what a terminal shows (standard output, then standard error). The exit code must
be 0 unless the next line is "$ echo $?".

In both, a line "..." in the expected text stands for any number of lines, and the character "\u2026"
inside a line for any text. Commands run through sh in a folder that shows the repository, so that
files they write stay out of it; $TMP is a folder for more. UPDATE_GOLDEN=1 rewrites what differs.

Usage: golden_test.py --binary LONGHAUL [--source ROOT] FILE...
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
ANY_LINES = "..."
ANY_TEXT = "\u2026"
TIMEOUT_S = 300


class Step:
    """One command with the lines of the file that hold its expected output: [start, end)."""

    def __init__(self, command, start):
        self.command = command
        self.start = start
        self.end = start
        self.expected = []


def same_line(expected, found, tolerance):
    if expected == found:
        return True
    if ANY_TEXT in expected:
        pattern = ".*".join(re.escape(part) for part in expected.split(ANY_TEXT))
        return re.fullmatch(pattern, found) is not None
    if tolerance == 0 or NUMBER.sub("#", expected) != NUMBER.sub("#", found):
        return False
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(found))
    return all(
        abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), abs(float(b))) for a, b in pairs
    )


def same_text(expected, found, tolerance):
    """Whether the lines match, where "..." matches any number of lines."""
    reachable = {0}
    for line in expected:
        if line == ANY_LINES:
            reachable = set(range(min(reachable), len(found) + 1))
        else:
            reachable = {
                i + 1
                for i in reachable
                if i < len(found) and same_line(line, found[i], tolerance)
            }
        if not reachable:
            return False
    return len(found) in reachable


def parse_golden(lines):
    """Steps of a golden file and its tolerance. Raises ValueError when it is malformed."""
    tolerance, steps, i = 0.0, [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("$ "):
            step = Step(line[2:], i + 1)
            while i + 1 < len(lines) and not re.fullmatch(r"exit \d+", lines[i + 1]):
                i += 1
            if i + 1 == len(lines):
                raise ValueError(f"line {step.start}: no line 'exit N' after the command")
            step.end = i + 2
            step.expected = lines[step.start : step.end]
            steps.append(step)
            i += 2
        elif line.startswith("# tolerance ") and not steps:
            tolerance = float(line.split()[2])
            i += 1
        elif not line.strip() or (line.startswith("#") and not steps):
            i += 1
        else:
            raise ValueError(f"line {i + 1}: expected a line '$ command', found {line!r}")
    return steps, tolerance


def parse_page(lines):
    """Steps of the console blocks of a page."""
    steps, inside = [], False
    for i, line in enumerate(lines):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            steps.append(Step(line[2:], i + 1))
            steps[-1].end = i + 1
        elif inside and steps:
            steps[-1].expected.append(line)
            steps[-1].end = i + 1
    return steps, 0.0


class Runner:
    """Runs commands in one folder that shows the repository."""

    def __init__(self, binary, source, folder):
        folder = pathlib.Path(folder)
        self.view, self.tmp, bin_folder = folder / "view", folder / "tmp", folder / "bin"
        for made in (self.view, self.tmp, bin_folder):
            made.mkdir()
        for entry in source.iterdir():
            if not entry.name.startswith("."):
                (self.view / entry.name).symlink_to(entry)
        (bin_folder / "longhaul").symlink_to(binary)
        self.environment = dict(
            os.environ,
            PATH=f"{bin_folder}:{os.environ['PATH']}",
            TMP=str(self.tmp),
            LC_ALL="C.UTF-8",
            SOURCE_DATE_EPOCH="0",
        )
        self.last_exit = 0

    def run(self, command):
        """(lines of standard output, lines of standard error, exit code)"""
        if command == "echo $?":
            return [str(self.last_exit)], [], 0
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.view,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
        self.last_exit = done.returncode
        texts = [
            stream.decode("utf-8", "replace").replace(str(self.tmp), "$TMP")
            for stream in (done.stdout, done.stderr)
        ]
        return texts[0].splitlines(), texts[1].splitlines(), done.returncode


def check_golden(runner, steps):
    """What each step of a golden file really prints, in the notation of the file."""
    for step in steps:
        out, err, code = runner.run(step.command)
        yield step, out + ["! " + line for line in err] + [f"exit {code}"], None


def check_page(runner, steps):
    for i, step in enumerate(steps):
        out, err, code = runner.run(step.command)
        asks = i + 1 < len(steps) and steps[i + 1].command == "echo $?"
        problem = None if code == 0 or asks else f"exit code {code}"
        yield step, out + err, problem


def show_difference(path, step, found):
    print(f"{path}:{step.start}: $ {step.command}")
    print("--- expected")
    print("\n".join(step.expected))
    print("--- found")
    print("\n".join(found))


def run_file(path, binary, source, update):
    """Number of steps that differ."""
    lines = path.read_text(encoding="utf-8").splitlines()
    page = path.suffix == ".md"
    steps, tolerance = (parse_page if page else parse_golden)(lines)
    if not any(step.command.split()[0] == "longhaul" or "longhaul " in step.command for step in steps):
        print(f"{path}: runs no longhaul command")
        return 1
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(binary, source, folder)
        for step, found, problem in (check_page if page else check_golden)(runner, steps):
            # A page may leave a blank line between commands.
            expected = step.expected
            while page and expected and not expected[-1]:
                expected = expected[:-1]
            if problem or not same_text(expected, found, tolerance):
                differing.append((step, found))
                if not update:
                    show_difference(path, step, found + ([problem] if problem else []))
    if update and differing:
        for step, found in reversed(differing):
            lines[step.start : step.end] = found
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{path}: {len(differing)} of {len(steps)} outputs rewritten")
        return 0
    print(f"{path}: {len(steps)} commands, {len(differing)} differ")
    return len(differing)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    update = os.environ.get("UPDATE_GOLDEN", "") not in ("", "0")
    binary = options.binary.resolve()
    return 1 if sum(
        run_file(path, binary, options.source.resolve(), update) for path in options.files
    ) else 0


if __name__ == "__main__":
    sys.exit(main())

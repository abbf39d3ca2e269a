#!/usr/bin/env python3
"""What the README shows of `longhaul demo` is what the program prints.

    readme_test.py BINARY README.md

Each line of the README's block that follows "`./dev demo` prints" must be a line of the output, in the same
order; lines with "..." are where the README is shortened.
"""
import subprocess
import sys


def shown_lines(readme):
    """Lines of the indented block after the announcement."""
    lines = readme.split("`./dev demo` prints", 1)[1].splitlines()[1:]
    block = []
    for line in lines:
        if line.strip() and not line.startswith("    "):
            break
        if line.strip() and "..." not in line:
            block.append(line[4:])
    return block


def main():
    binary, readme = sys.argv[1:]
    with open(readme, encoding="utf-8") as file:
        expected = shown_lines(file.read())
    assert len(expected) > 10, "the README shows no output of the demonstration"
    printed = iter(subprocess.run([binary, "demo"], capture_output=True, text=True,
                                  check=True).stdout.splitlines())
    for line in expected:
        if line not in printed:  # goes on from the last match
            sys.exit(f"README.md shows a line that `longhaul demo` does not print here: {line!r}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles every header alone, so that none leans on what another file includes (a unity build hides it).

    tools/lone_headers.py BUILD_DIR [--budget SECONDS]

BUILD_DIR holds compile_commands.json of the "tidy" preset, with the units that CMake makes of headers. Those
that changed last, or include one that did (by git log), come first. After --budget seconds no further header is
started; how many were not reached is said and is no failure. Exit code 1 when a header does not compile.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import tidy


def age(unit, changes, cache):
    """Place of the last commit that touched the header or one that it includes; 0: the newest."""
    header = tidy.ROOT / "src" / tidy.HEADER_UNIT.search(unit)[1]
    files = {header} | tidy.included(header, cache)
    return min(changes.get(str(file.relative_to(tidy.ROOT)), -1) for file in files)


def compile_alone(entry, deadline):
    """What the compiler said: None when there was no time left, "" when the header is whole."""
    if time.monotonic() > deadline:
        return None
    words = shlex.split(entry["command"])
    words = [word for word in words[:words.index("-o")] if word != "ccache"]
    done = subprocess.run([*words, "-fsyntax-only", entry["file"]], cwd=entry["directory"], capture_output=True,
                          text=True)
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    options = parser.parse_args()
    entries = [entry for entry in json.loads((options.build / "compile_commands.json").read_text())
               if tidy.HEADER_UNIT.search(entry["file"])]
    if not entries:
        sys.exit(f"lone headers: {options.build} has no units of headers; configure the preset tidy first")
    changes, cache = tidy.last_changes(), {}
    entries.sort(key=lambda entry: (age(entry["file"], changes, cache), entry["file"]))
    deadline = time.monotonic() + options.budget
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        said = list(pool.map(lambda entry: compile_alone(entry, deadline), entries))
    failed = [text for text in said if text]
    print("".join(failed), end="")
    late = said.count(None)
    print(f"lone headers: {len(entries) - late} of {len(entries)} compiled, {len(failed)} with errors"
          + (f"; out of time before {late}, which changed longest ago" if late else ""))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

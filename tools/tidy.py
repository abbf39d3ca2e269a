#!/usr/bin/env python3
"""Runs clang-tidy-19 on the library and command sources, two at a time.

    tools/tidy.py BUILD_DIR [--budget SECONDS] [FILE...]

BUILD_DIR holds compile_commands.json of the "tidy" preset (one command a file). A file that was
clean is not checked again until it, a header that it includes or .clang-tidy changes (BUILD_DIR/tidy-clean.json).
Sources that were changed last (by git log) come first, then the headers by themselves (the units
that CMake makes of them), in the same order. After --budget seconds no further file is started; the files that were not reached are named and do not count as failures. Exit code 1 when any
file has a finding.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# gcc knows warnings that clang does not; a finding about them would be noise.
COMMAND = ["clang-tidy-19", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p"]


INCLUDE = re.compile(rb'^#include ["<](longhaul/[^">]+)[">]', re.MULTILINE)
HEADER_UNIT = re.compile(r"_verify_interface_header_sets/(.*)\.cxx$")


def included(file, cache):
    """Headers of this tree that a file includes, also through others."""
    if file not in cache:
        cache[file] = set()
        for name in INCLUDE.findall(file.read_bytes()):
            for folder in ("src", "apps"):
                header = ROOT / folder / name.decode()
                if header.exists():
                    cache[file] |= {header} | included(header, cache)
    return cache[file]


def fingerprints(files):
    """Maps each file to a hash of everything that its findings can depend on in this tree."""
    cache = {}
    common = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    result = {}
    for file in files:
        own = common.copy()
        for part in sorted(included(file, cache)) + [file]:
            own.update(part.read_bytes())
        result[str(file.relative_to(ROOT))] = own.hexdigest()
    return result


def last_changes():
    """Maps names of files to the place of their last change in the log; less is newer. Empty without git."""
    log = subprocess.run(["git", "-C", str(ROOT), "log", "--format=", "--name-only", "--no-renames"],
                         capture_output=True, text=True)
    place = {}
    for number, name in enumerate(log.stdout.split("\n")):
        place.setdefault(name, number)
    return place


def newest_first(names):
    """Names in the order of their last commit, newest first; by name where there is no git. Units of
    headers stand behind all others."""
    place = last_changes()

    def order(name):
        unit = HEADER_UNIT.search(name)
        return unit is not None, place.get(f"src/{unit[1]}" if unit else name, -1), name
    return sorted(names, key=order)


def check(build, name, deadline):
    """Findings of one file: None when there was no time left, "" when it is clean."""
    if time.monotonic() > deadline:
        return name, None
    done = subprocess.run(COMMAND + [str(build), str(ROOT / name)], capture_output=True, text=True)
    return name, (done.stdout + done.stderr if done.returncode else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    options = parser.parse_args()
    database = json.loads((options.build / "compile_commands.json").read_text())
    known = {pathlib.Path(entry["file"]).resolve() for entry in database}
    wanted = {file.resolve() for file in options.files} & known if options.files else known
    hashes = fingerprints(sorted(wanted))
    memory = options.build / "tidy-clean.json"
    clean = json.loads(memory.read_text()) if memory.exists() else {}
    todo = newest_first(name for name in hashes if clean.get(name) != hashes[name])
    deadline = time.monotonic() + options.budget
    failed, late = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, text in pool.map(lambda name: check(options.build, name, deadline), todo):
            if text is None:
                late.append(name)
            elif text:
                failed.append(name)
                print(text, end="" if text.endswith("\n") else "\n", flush=True)
            else:
                clean[name] = hashes[name]
                memory.write_text(json.dumps(clean, indent=1, sort_keys=True))
    print(f"clang-tidy: {len(hashes)} files, {len(todo) - len(late)} checked now, {len(failed)} with findings")
    if late:
        print(f"clang-tidy: out of time before {len(late)} files: {' '.join(late)}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Builds and runs the tests under sanitizers part by part, so that a limit of time costs the parts that
changed long ago.

    tools/sanitized.py build [--jobs N]
    tools/sanitized.py test --seconds S [--jobs N]

A part is a module (its test binaries), or "program": the command and all tests of the whole. The parts
that were changed last (by git log) come first. "build" makes them in that order, in build/asan; "test"
runs those that are built, waits for one that is not as long as another process builds, and starts
nothing after S seconds. Long searches (label "slow"), benchmarks and tests of scripts (label "tree") are
left out. Exit code 1 when a
test or the build fails; parts that were not reached are named and are no failure.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

import tidy

ROOT = tidy.ROOT
BUILD = ROOT / "build/asan"
PROGRAM = "program"
LEFT_OUT = "slow|bench|tree"


def modules():
    """Modules that have tests, with the binaries of those."""
    found = {}
    for folder in sorted((ROOT / "src/longhaul").iterdir()):
        properties = list(folder.glob("*_property_test.cpp"))
        units = set(folder.glob("*_test.cpp")) - set(properties)
        found[folder.name] = ([f"longhaul_{folder.name}_test"] if units else []) + (
            [f"longhaul_{folder.name}_property_test"] if properties else [])
    return {name: binaries for name, binaries in found.items() if binaries}


def parts():
    """Names of parts to what is built for them, what changed last first."""
    all_parts = {**modules(), PROGRAM: ["longhaul_app", "longhaul_fuzz_corpus_test"]}
    log = subprocess.run(["git", "-C", str(ROOT), "log", "--format=", "--name-only", "--no-renames"],
                         capture_output=True, text=True)
    order = []
    for name in log.stdout.split("\n"):
        module = re.match(r"src/longhaul/([^/]+)/", name)
        part = module[1] if module else PROGRAM if name.startswith("apps/") else None
        if part in all_parts and part not in order:
            order.append(part)
    order += [part for part in all_parts if part not in order]
    return {part: all_parts[part] for part in order}


def mark(part):
    """The file that says that a part is built."""
    return BUILD / "parts" / part


def build(jobs):
    (BUILD / "parts").mkdir(parents=True, exist_ok=True)
    for part in parts():
        mark(part).unlink(missing_ok=True)
    subprocess.run(["cmake", "--preset", "asan"], cwd=ROOT, check=True)
    for part, targets in parts().items():
        subprocess.run(["cmake", "--build", "--preset", "asan", "--parallel", str(jobs), "--target", *targets],
                       cwd=ROOT, check=True)
        mark(part).touch()


def selection(part):
    """How ctest is told to run the tests of a part."""
    if part != PROGRAM:
        return ["-R", rf"^{part}\."]
    return ["-E", "^(" + "|".join([*modules(), "bench"]) + r")\."]


def run(part, jobs, deadline):
    """True: passed, False: failed, None: no time left."""
    command = ["ctest", "--preset", "asan", "-j", str(jobs), "-LE", LEFT_OUT, *selection(part)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as tests:
        try:
            return tests.wait(max(1, deadline - time.monotonic())) == 0
        except subprocess.TimeoutExpired:
            os.killpg(tests.pid, 15)
            return None


def alive(process):
    """Whether a process runs; one that ended and whom nobody has asked about yet does not."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(part, deadline):
    """Whether a part is built before the deadline; also False when the builder is gone."""
    builder = os.getenv("SANITIZED_BUILDER")
    while not mark(part).exists():
        if time.monotonic() > deadline or (builder and not alive(builder)):
            return mark(part).exists()
        time.sleep(0.2)
    return True


def test(jobs, seconds):
    deadline = time.monotonic() + seconds
    outcome = {}
    for part in parts():
        begin = time.monotonic()
        outcome[part] = run(part, jobs, deadline) if wait_for(part, deadline) else None
        word = {True: "passed", False: "FAILED", None: "not reached"}[outcome[part]]
        print(f"sanitized: {part} {word}, {time.monotonic() - begin:.0f} s", flush=True)
    late = [part for part, passed in outcome.items() if passed is None]
    if late:
        print(f"sanitized: out of time before {len(late)} of {len(outcome)} parts: {' '.join(late)}")
    sys.exit(any(passed is False for passed in outcome.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["build", "test"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    if options.what == "build":
        build(options.jobs)
    else:
        test(options.jobs, options.seconds)


if __name__ == "__main__":
    main()

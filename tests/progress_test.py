"""On a terminal, `place` says that it still works; elsewhere and with --quiet it does not.

Usage: progress_test.py --binary LONGHAUL
"""
import argparse
import json
import os
import pathlib
import pty
import random
import subprocess
import sys
import tempfile

DEVICES = 128  # all different, so that neither search nor proof ends before the time limit
LINE = b"longhaul: searching and proving, 2 s"


def write_fabric(path):
    source = random.Random(1)

    def matrix(low, high):
        return [[source.uniform(low, high) for _ in range(DEVICES)] for _ in range(DEVICES)]

    fabric = {
        "format": "longhaul.fabric/1",
        "labels": [f"site {i}" for i in range(DEVICES)],
        "alpha_ms": matrix(1, 100),
        "beta_gbps": matrix(0.1, 10),
    }
    path.write_text(json.dumps(fabric), encoding="utf-8")


def standard_error(command, terminal):
    """What the command writes there; a pseudo terminal stands for the screen of a person."""
    if not terminal:
        return subprocess.run(command, capture_output=True, check=True).stderr
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        try:
            while block := os.read(ours, 4096):
                text += block
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 0, process.returncode
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    with tempfile.TemporaryDirectory() as folder:
        fabric = pathlib.Path(folder, "fabric.json")
        write_fabric(fabric)
        command = [binary, "place", "--fabric", str(fabric), "--pp", "8", "--dp", "16"]
        command += ["--c-pp", "0.5", "--c-dp", "0.6", "--time-limit", "2.3"]
        command += ["--budget", "1000000000", "--baseline-samples", "0"]
        shown = standard_error(command, terminal=True)
        assert LINE in shown and shown.endswith(b"\r\x1b[K"), shown
        for words, terminal in ([], False), (["--quiet"], True):
            silent = standard_error(command + words, terminal)
            assert silent == b"", silent
    return 0


if __name__ == "__main__":
    sys.exit(main())

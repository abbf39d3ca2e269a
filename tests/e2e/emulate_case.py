"""What the tests of `longhaul emulate` share: a network that is held, and probes in its hosts."""

import contextlib
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LONGHAUL = str(pathlib.Path(os.environ["LONGHAUL"]).resolve())
PROBE = str(pathlib.Path(__file__).with_name("emulate_probe.py"))
SKIP = 77
TRIES = 5


def again(test):
    """Other work on the machine makes packets late, never early: what compares times may try again."""
    @functools.wraps(test)
    def tried(self):
        for left in reversed(range(TRIES)):
            try:
                return test(self)
            except AssertionError:
                if left == 0:
                    raise
    return tried
PATIENCE = 30.0  # s, far above what any step needs

PAIR = """
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
between = ["a", "b"]
"""


def run(wan, *words, options=(), **more):
    """longhaul emulate on the text of a WAN file."""
    command = [LONGHAUL, "emulate", "-", "--quiet", *options]
    return subprocess.run([*command, "--", *words], input=wan, capture_output=True, text=True,
                          timeout=PATIENCE, **more)


def eventually(condition):
    """Whether a condition holds within the time that a loaded machine needs."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def processes(token):
    """Numbers of processes with a word in their command line."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if token.encode() in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


class Network:
    """A network that is held; its hosts run probes."""

    def __init__(self, wan):
        self.folder = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.folder.name) / "wan.toml"
        self.file.write_text(wan)
        self.report = pathlib.Path(self.folder.name) / "report.json"

    def __enter__(self):
        self.emulator = subprocess.Popen([LONGHAUL, "emulate", str(self.file), "-o", str(self.report)],
                                         stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.servers = []
        for line in self.emulator.stderr:
            if "--pid" in line:
                self.pid = line.split("--pid ")[1].split()[0]
                break
        return self

    def __exit__(self, *_):
        self.emulator.terminate()
        self.emulator.communicate(timeout=PATIENCE)
        self.code = self.emulator.returncode
        for server in self.servers:  # they end with the network
            server.communicate(timeout=PATIENCE)
        self.result = json.loads(self.report.read_text()) if self.report.exists() else None
        self.folder.cleanup()

    def start(self, host, *words):
        return subprocess.Popen([LONGHAUL, "emulate", "exec", "--pid", self.pid, host, "--", *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def probe(self, host, *words):
        return self.start(host, sys.executable, PROBE, *map(str, words))

    def serve(self, *hosts):
        for host in hosts:
            self.servers.append(self.probe(host, "serve"))
            assert self.servers[-1].stdout.readline() == "ready\n"

    def ask(self, host, *words):
        return self.answer(self.probe(host, *words))

    @staticmethod
    def answer(process):
        out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, out
        return json.loads(out)

    def resource(self, name):
        return next(r for r in self.result["resources"] if r["name"] == name)

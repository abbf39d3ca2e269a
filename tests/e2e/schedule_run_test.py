"""Schedules run for real between emulated hosts: times against the schedule, sums to the bit, faults,
and that nothing is left.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/schedule_run_test.py [-v] [NAME...]

Needs root, or user namespaces and the right to open /dev/net/tun; ends with 77 and the reason where
neither is there. Other work on the machine makes packets late, never early: what compares times may
try again.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LONGHAUL = str(pathlib.Path(os.environ["LONGHAUL"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORK = str(ROOT / "islands" / "nine-city.json")
SKIP = 77
TRIES = 4
PATIENCE = 60.0  # s, far above what any run needs
PAIR = """
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
between = ["a", "b"]
"""
# Three islands in a row of 20 and 30 ms, so that small runs stay short.
ROW = {
    "name": "row", "payload_gb": 1, "ingress_gbps": 20, "egress_gbps": 20,
    "nodes": ["a", "b", "c"],
    "links": [{"a": "a", "b": "b", "latency_ms": 20, "gbps": 100},
              {"a": "b", "b": "c", "latency_ms": 30, "gbps": 100}],
    "schedules": {"all": [[["a", "b", "c"]]]},
}


def command(schedule, *options, network=NETWORK):
    return [LONGHAUL, "schedule", "run", "--network", str(network), "--schedule", schedule, *options]


def run(schedule, *options, network=NETWORK):
    return subprocess.run(command(schedule, "--json", *options, network=network),
                          capture_output=True, text=True, timeout=PATIENCE)


def processes(token):
    """Numbers of processes with a word in their command line."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if token.encode() in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found


def eventually(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Times(unittest.TestCase):
    """Rounds end within 5 % of the schedule, every sum is right, and clocks may be wrong."""

    def on_time(self, schedule, memory, rounds, *options):
        for _ in range(TRIES):
            done = run(schedule, "--memory-gb", memory, "--clock-error-ms", "250", *options)
            result = json.loads(done.stdout)
            self.assertEqual(result["wrong_sums"], 0)
            self.assertEqual(done.returncode == 0, result["on_time"] and result["incomplete"] == 0)
            if done.returncode == 0:
                break
        self.assertTrue(result["on_time"], result["rounds"])
        self.assertEqual(result["incomplete"], 0)
        for found, expected in zip(result["rounds"], rounds, strict=True):
            self.assertAlmostEqual(found["predicted_ms"], expected, delta=0.01)
            # Nothing arrives before light does.
            self.assertGreater(min(found["each_ms"]), expected - 1)
        self.assertLess(result["clock_miss_ms"], result["clock_residual_ms"] + 0.01)
        return result

    # Known answers of the nine cities: docs/mathematics/schedule.md.
    def test_triangles_without_memory(self):
        result = self.on_time("triangles", "0", [462.0, 564.916], "--rounds", "own", "--repeat", "2")
        self.assertEqual(result["reports"], 9 * 2 * 2)
        # Arrivals are aligned: a few slots do.
        self.assertLess(result["aggregators"]["peak_slots"], 8)
        self.assertGreater(result["aggregators"]["completed"], 0.9 * 9 * 4 * result["blocks"])

    def test_pairs(self):
        result = self.on_time("pairs", "0", [433.648, 449.3795], "--rounds", "own", "--repeat", "1")
        self.assertEqual(result["reports"], 16)  # one island is alone in each round
        self.assertEqual(result["aggregators"]["peak_slots"], 0)

    def test_all_to_all(self):
        result = self.on_time("all_to_all", "32", [675.829], "--repeat", "2")
        self.assertGreater(result["aggregators"]["peak_slots"], 8)


class Small(unittest.TestCase):
    """What needs no nine islands."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.network = self.folder / f"longhaul-row-{os.getpid()}.json"
        self.network.write_text(json.dumps(ROW))

    def all(self, *options):
        return run("all", "--memory-gb", "1", "--payload-mb", "0.1", *options, network=self.network)

    def test_schedule_file(self):
        timed = self.folder / "timed.json"
        subprocess.run([LONGHAUL, "schedule", "score", "--network", self.network, "--schedule", "all",
                        "--memory-gb", "1", "-o", timed], check=True, capture_output=True)
        done = run(str(timed), "--payload-mb", "0.1", "--repeat", "1", "--tolerance", "0.5",
                   network=self.network)
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["reports"], result["wrong_sums"]), (0, 3, 0))
        self.assertAlmostEqual(result["rounds"][0]["predicted_ms"], 450, delta=0.01)

    def test_losses_and_duplicates(self):
        done = self.all("--loss", "0.01", "--duplicates", "0.1", "--repeat", "2")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((result["reports"], result["wrong_sums"], result["incomplete"]), (6, 0, 0))
        self.assertGreater(result["resends"], 0)
        self.assertGreater(result["aggregators"]["duplicates"], 0)

    def test_an_island_dies(self):
        done = self.all("--kill", "b@1", "--repeat", "2", "--patience-ms", "300")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result["lost"], ["b"])
        # a and c end both rounds with what they have, and know what that is.
        self.assertEqual((result["reports"], result["wrong_sums"], result["incomplete"]), (4, 0, 4))

    def test_too_late_is_no(self):
        done = self.all("--repeat", "1", "--tolerance", "0")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["on_time"])

    def ended_by(self, number):
        """Runs it, sends a signal while processes exchange, and returns the exit code."""
        process = subprocess.Popen(command("all", "--memory-gb", "1", "--repeat", "500",
                                           network=self.network),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The emulator, the first process of its network, the coordinator, and two a city.
        self.assertTrue(eventually(lambda: len(processes(self.network.name)) >= 9))
        process.send_signal(number)
        process.wait(PATIENCE)
        self.assertTrue(eventually(lambda: not processes(self.network.name)))
        return process.returncode

    def test_nothing_is_left_after_kill(self):
        self.assertEqual(self.ended_by(signal.SIGKILL), -signal.SIGKILL)

    def test_nothing_is_left_after_interrupt(self):
        self.assertEqual(self.ended_by(signal.SIGINT), 128 + signal.SIGINT)


def main():
    trial = subprocess.run([LONGHAUL, "emulate", "-", "--quiet", "--", "true"], input=PAIR, text=True,
                           capture_output=True)
    if trial.returncode == 2 and "longhaul: " in trial.stderr:
        print("skipped, networks cannot be emulated here:", trial.stderr)
        return SKIP
    unittest.main(verbosity=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())

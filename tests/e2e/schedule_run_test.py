"""Schedules run for real between emulated hosts: times against the schedule, sums to the bit, faults,
and that nothing is left.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/schedule_run_test.py [-v] [NAME...]

Needs root, or user namespaces and the right to open /dev/net/tun; ends with 77 and the reason where
neither is there. Other work on the machine makes packets late, never early: what compares times may
try again.
"""
import contextlib
import json
import math
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
    "schedules": {"all": [[["a", "b", "c"]]], "pairs": [[["a", "b"]], [["b", "c"]]]},
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

    def on_time(self, schedule, memory, rounds, *options, sending_ms=400):
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
            for measured, predicted in zip(found["each_ms"], found["predicted_each_ms"], strict=True):
                self.assertGreater(measured, predicted - 1)
        self.assertLess(result["clock_miss_ms"], result["clock_residual_ms"] + 0.01)
        # Slots bear twice what clocks may be wrong by, besides the guard and what the memory holds.
        blocks = result["blocks"]
        guard = math.ceil((result["guard_ms"] + 2 * result["clock_residual_ms"]) / sending_ms * blocks)
        held = math.floor(min(1, float(memory)) * blocks)
        self.assertEqual({island["slots"] for island in result["islands"]}, {held + guard + 2})
        return result

    # Known answers of the nine cities: docs/mathematics/schedule.md.
    def test_triangles_without_memory(self):
        result = self.on_time("triangles", "0", [462.0, 564.916], "--rounds", "own", "--repeat", "2")
        self.assertEqual(result["reports"], 9 * 2 * 2)
        # Arrivals are aligned: a few slots do.
        self.assertLess(result["aggregators"]["peak_slots"], 8)
        self.assertEqual((result["lacking"], result["requests"], result["resends"]), (0, 0, 0))
        self.assertGreater(result["aggregators"]["completed"], 0.9 * 9 * 4 * result["blocks"])

    def test_pairs(self):
        result = self.on_time("pairs", "0", [433.648, 449.3795], "--rounds", "own", "--repeat", "1")
        self.assertEqual(result["reports"], 16)  # one island is alone in each round
        self.assertEqual(result["aggregators"]["peak_slots"], 0)

    def test_all_to_all(self):
        result = self.on_time("all_to_all", "32", [675.829], "--repeat", "2",
                              sending_ms=560)  # the links between the cities are full
        self.assertGreater(result["aggregators"]["peak_slots"], 8)


    # Rounds that overlap: times are those of the event simulation, which is other code, block by
    # block: the sums of two rounds queue in front of the access links.
    def test_streamed(self):
        for memory in ("0", "32"):
            with self.subTest(memory=memory):
                simulated = subprocess.run(
                    [LONGHAUL, "schedule", "simulate", "triangles", "--network", NETWORK,
                     "--rounds", "streamed", "--memory-gb", memory, "--rounds-to-run", "4",
                     "--blocks", "195", "--births", "0", "--json"],
                    capture_output=True, check=True)
                times = json.loads(simulated.stdout)["round_ms"]
                medians = [(times[0] + times[2]) / 2, (times[1] + times[3]) / 2]
                result = self.on_time("triangles", memory, medians, "--rounds", "streamed",
                                      "--repeat", "2")
                self.assertEqual(result["reports"], 9 * 2 * 2)
                for found, expected in zip(result["rounds"], (times[0::2], times[1::2])):
                    for one, other in zip(found["predicted_each_ms"], expected, strict=True):
                        self.assertAlmostEqual(one, other, delta=0.01)


class Losses(unittest.TestCase):
    """1 % of all packets of full links: everything is there in the end, and nobody asks too often."""

    def recovers(self, schedule, *options, clique, network=NETWORK):
        done = run(schedule, "--loss", "0.01", *options, network=network)
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0, result["problems"])
        self.assertEqual((result["wrong_sums"], result["incomplete"]), (0, 0))
        # A lost packet takes one block from each other member at most: no false alarms.
        self.assertGreater(result["lacking"], 0)
        self.assertLessEqual(result["lacking"], result["network_lost"] * (clique - 1))
        # Every request and resend is lost with 1 - 0.99^7 = 7 % at most: 1.2 tries in the mean.
        self.assertLessEqual(result["requests"], 2 * result["lacking"])
        self.assertLessEqual(result["resends"], 2 * result["lacking"])
        self.assertLessEqual(result["request_datagrams"], result["requests"])
        return result

    def test_triangles(self):
        result = self.recovers("triangles", "--memory-gb", "0", "--rounds", "own", "--repeat", "2",
                               clique=3)
        self.assertEqual(result["reports"], 9 * 2 * 2)
        # Late by what resends need, and by a second try of the farthest.
        for found in result["rounds"]:
            self.assertLess(max(found["each_ms"]), found["predicted_ms"] + 2 * result["recovery_ms"])

    def test_all_to_all(self):
        self.recovers("all_to_all", "--memory-gb", "32", "--repeat", "1", clique=9)

    def test_streamed(self):
        self.recovers("triangles", "--memory-gb", "0", "--rounds", "streamed", "--repeat", "2",
                      clique=3)

    def test_nobody_asks_without_tries(self):
        done = run("triangles", "--memory-gb", "0", "--rounds", "own", "--repeat", "1", "--loss",
                   "0.01", "--tries", "0", "--recovery-ms", "50", "--patience-ms", "100")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertEqual((result["wrong_sums"], result["requests"], result["resends"]), (0, 0, 0))
        self.assertGreater(result["incomplete"], 0)
        self.assertIn("sums are without blocks of some islands", result["problems"][0])


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

    def test_weights(self):
        timed = self.folder / "timed.json"
        subprocess.run([LONGHAUL, "schedule", "score", "--network", self.network, "--schedule", "all",
                        "--memory-gb", "1", "-o", timed], check=True, capture_output=True)
        schedule = json.loads(timed.read_text())
        schedule["rounds"][0]["cliques"][0]["weights"] = [[0.5, 0.3, 0.2], [0.3, 0.4, 0.3],
                                                          [0.2, 0.3, 0.5]]
        timed.write_text(json.dumps(schedule))
        done = run(str(timed), "--payload-mb", "0.1", "--repeat", "2", "--loss", "0.02",
                   network=self.network)
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["reports"], result["wrong_sums"]), (0, 6, 0))
        self.assertEqual((result["weight_scale"], result["payload_bits"]), (32768, 16))

    def test_jitter(self):
        shaky = json.loads(json.dumps(ROW))
        shaky["links"][0]["jitter_ms"] = 1
        self.network.write_text(json.dumps(shaky))
        for _ in range(TRIES):
            result = json.loads(self.all("--repeat", "1", "--clock-error-ms", "50").stdout)
            self.assertEqual((result["wrong_sums"], result["incomplete"]), (0, 0))
            if result["passed"]:
                break
        self.assertTrue(result["passed"], result["problems"])
        # A standard deviation of 1 ms, evenly spread: 1.73 ms either way, of two copies.
        self.assertAlmostEqual(result["jitter_ms"], 2 * math.sqrt(3), delta=1e-3)
        self.assertAlmostEqual(result["guard_ms"], 10 + result["jitter_ms"], delta=1e-6)
        self.assertLess(result["clock_miss_ms"], result["clock_residual_ms"] + 0.01)

    def test_rounds_that_overlap(self):
        for _ in range(TRIES):
            done = run("pairs", "--rounds", "streamed", "--memory-gb", "0", "--payload-mb", "0.1",
                       "--repeat", "3", network=self.network)
            result = json.loads(done.stdout)
            self.assertEqual((result["wrong_sums"], result["incomplete"]), (0, 0))
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, result["problems"])

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
        self.assertTrue(result["passed"])
        self.assertEqual(result["lost"], ["b"])
        # a and c end both rounds with what they have, and know what that is.
        self.assertEqual((result["reports"], result["wrong_sums"], result["incomplete"]), (4, 0, 4))

    def test_too_late_is_no(self):
        done = self.all("--repeat", "1", "--tolerance", "0")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["on_time"])

    def start(self, repeat):
        process = subprocess.Popen(command("all", "--memory-gb", "1", "--repeat", repeat, "--json",
                                           "--payload-mb", "0.1", "--patience-ms", "200",
                                           network=self.network),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # The emulator, the first process of its network, the coordinator, and two a city.
        self.assertTrue(eventually(lambda: len(processes(self.network.name)) >= 9))
        return process

    def ended_by(self, number):
        """Runs it, sends a signal while processes exchange, and returns the exit code."""
        process = self.start("500")
        process.send_signal(number)
        said = process.communicate(timeout=PATIENCE)[1]
        self.assertTrue(eventually(lambda: not processes(self.network.name)))
        return process.returncode, said

    def kill_inside(self, member):
        """Kills a process by its number in the network."""
        for number in processes(self.network.name):
            with contextlib.suppress(OSError):
                status = pathlib.Path(f"/proc/{number}/status").read_text()
                inside = next(line for line in status.splitlines() if line.startswith("NSpid:")).split()
                if len(inside) > 2 and inside[-1] == str(member):
                    os.kill(number, signal.SIGKILL)

    def without(self, member):
        """Kills one of its processes while rounds go on, and returns how it ended."""
        # A second is enough for clocks and the first block, on most machines; a round takes half a
        # second.
        for delay in (1, 2, 4):
            process = self.start(str(2 * delay))
            time.sleep(delay)
            self.kill_inside(member)
            out, said = process.communicate(timeout=PATIENCE)
            self.assertTrue(eventually(lambda: not processes(self.network.name)))
            if "before the first round" not in said:
                break
        return process.returncode, out, said

    # The first process of the network is number 1, the coordinator 2; then islands and aggregators
    # in turn.
    def test_an_island_is_killed_from_outside(self):
        code, out, _ = self.without(3)
        self.assertEqual((code, json.loads(out)["lost"]), (1, ["a"]))
        self.assertIn("the process of a ended", json.loads(out)["problems"][0])

    def test_an_aggregator_is_killed_from_outside(self):
        code, out, _ = self.without(4)
        result = json.loads(out)
        self.assertEqual((code, result["lost"], result["lost_aggregators"]), (1, [], ["a"]))
        self.assertEqual(result["wrong_sums"], 0)

    def test_the_coordinator_is_killed_from_outside(self):
        code, out, said = self.without(2)
        self.assertEqual((code, out), (128 + signal.SIGKILL, ""))
        self.assertIn("signal 9 ended the run before its last round", said)

    def test_two_at_once(self):
        one, two = self.start("1"), self.start("1")
        for process in (one, two):
            result = json.loads(process.communicate(timeout=PATIENCE)[0])
            self.assertEqual((result["reports"], result["wrong_sums"], result["incomplete"]), (3, 0, 0))

    def test_nothing_is_left_after_kill(self):
        self.assertEqual(self.ended_by(signal.SIGKILL)[0], -signal.SIGKILL)

    def test_nothing_is_left_after_interrupt(self):
        code, said = self.ended_by(signal.SIGINT)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertIn("signal 2 ended the run before its last round", said)


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

"""Emulated networks: what packets meet in them, how programs run in them, and that nothing is left.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/emulate_test.py [-v] [NAME...]

Needs root, or user namespaces and the right to open /dev/net/tun; ends with 77 and the reason where
neither is there. Times have wide margins: other jobs may use the machine.
"""

import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from emulate_case import (LONGHAUL, PAIR, PATIENCE, PROBE, SKIP, Network, again, eventually,
                          processes, run)


class Packets(unittest.TestCase):
    """What packets meet on the way. Expected values follow from the file."""

    WAN = """
[defaults]
link = { delay_ms = 1 }
[[host]]
name = "a"
[[host]]
name = "b"
[[region]]
name = "s"
hosts = 2
site_up = { rate_mbps = 40 }
[[host]]
name = "lossy"
down = { loss = 0.1 }
[[host]]
name = "leaky"
down = { loss = 0.01 }
[[host]]
name = "short"
down = { rate_mbps = 1, queue_kb = 30 }
[[host]]
name = "wobbly"
down = { delay_ms = 20, jitter_ms = 8 }
[[link]]
from = "a"
to = "b"
delay_ms = 20
rate_mbps = 40
[[link]]
from = "b"
to = "a"
delay_ms = 5
rate_mbps = 100
"""

    @classmethod
    def setUpClass(cls):
        cls.network = Network(cls.WAN).__enter__()
        cls.network.serve("a", "b", "lossy", "leaky", "short", "wobbly")

    @classmethod
    def tearDownClass(cls):
        cls.network.__exit__()
        # 8 MB are more than 5,500 packets, of which one in a hundred was lost: 55, five deviations
        lost = cls.network.resource("down:leaky")["lost"]
        assert lost > 20, lost

    @again
    def test_delays_add_up(self):
        times = self.network.ask("a", "ping", "b", 20, 2)
        self.assertGreaterEqual(min(times), 25)
        self.assertLess(statistics.median(times), 27)

    @again
    def test_rates_of_both_directions(self):
        # 1448 bytes of payload in 1514 on the wire
        there = self.network.ask("a", "send", "b", 3)
        back = self.network.ask("b", "send", "a", 3)
        self.assertAlmostEqual(there, 40 * 1448 / 1514, delta=40 * 0.03)
        self.assertAlmostEqual(back, 100 * 1448 / 1514, delta=100 * 0.03)

    @again
    def test_hosts_share_the_uplink_of_their_site(self):
        flows = [self.network.probe("s-1", "send", "a", 4), self.network.probe("s-2", "send", "b", 4)]
        rates = [Network.answer(flow) for flow in flows]
        self.assertAlmostEqual(sum(rates), 40 * 1448 / 1514, delta=40 * 0.06)
        self.assertGreater(min(rates), 0.5)  # how TCP divides it is TCP's affair

    def test_losses(self):
        # 2000 packets at 0.1: 200 lost, deviation 13.4; five deviations
        arrived = self.network.ask("a", "flood", "lossy", 2000, 100, 0)
        self.assertAlmostEqual(2000 - arrived, 200, delta=67)

    def test_super_packets_are_cut_where_packets_are_lost(self):
        self.assertIs(self.network.ask("a", "copy", "leaky", 8_000_000), True)

    @again
    def test_queue(self):
        # 1000 bytes of payload are 1042 on the wire: 28 fit into 30 kB, and 1 leaves every 8 ms
        arrived = self.network.ask("a", "flood", "short", 200, 1000, 0)
        self.assertGreaterEqual(arrived, 28)
        self.assertLess(arrived, 60)

    @again
    def test_jitter(self):
        # 1 + 20 +- 8 there, 1 back; packets are further apart than the jitter
        times = self.network.ask("a", "ping", "wobbly", 60, 1)
        self.assertGreaterEqual(min(times), 14)
        self.assertLess(statistics.median(times), 26)
        self.assertGreater(statistics.pstdev(times), 2.5)  # 8 / sqrt(3) = 4.6


class Programs(unittest.TestCase):
    """How programs run in the network."""

    def test_exit_code_and_output(self):
        done = run(PAIR, "sh", "-c", "echo out; echo err >&2; exit 9")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (9, "out\n", "err\n"))

    def test_killed_and_missing_programs(self):
        self.assertEqual(run(PAIR, "sh", "-c", "kill -9 $$").returncode, 137)
        missing = run(PAIR, "/no/such/program")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("No such file", missing.stderr)
        self.assertEqual(run(PAIR, "/etc").returncode, 126)

    def test_environment_and_names(self):
        script = ('echo "$LONGHAUL_EMULATE_HOSTS|$LONGHAUL_EMULATE_ADDRESSES|'
                  '$LONGHAUL_EMULATE_CONTROL_ADDRESSES|$LONGHAUL_EMULATE_HOST"; getent hosts b; '
                  f'{LONGHAUL} emulate exec a -- sh -c "uname -n; echo \\$LONGHAUL_EMULATE_ADDRESS"')
        done = run(PAIR, "sh", "-c", script)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "a b|10.77.0.1 10.77.0.2|10.78.0.1 10.78.0.2|control")
        self.assertEqual(lines[1].split(), ["10.77.0.2", "b"])
        self.assertEqual(lines[2:], ["a", "10.77.0.1"])

    def test_on_a_host_and_on_each(self):
        script = "echo $LONGHAUL_EMULATE_HOST $LONGHAUL_EMULATE_ADDRESS; test $LONGHAUL_EMULATE_HOST = a"
        on = run(PAIR, "sh", "-c", script, options=["--on", "b"])
        self.assertEqual((on.returncode, on.stdout), (1, "b 10.77.0.2\n"))
        each = run(PAIR, "sh", "-c", script, options=["--each"])
        self.assertEqual(each.returncode, 1)
        self.assertEqual(sorted(each.stdout.splitlines()), ["a: a 10.77.0.1", "b: b 10.77.0.2"])

    def test_words_are_passed_on_as_typed(self):
        words = ["[1,2]", "a b", "", "--", "--quiet", "x,y", "$HOME"]
        done = run(PAIR, sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
        self.assertEqual(done.stdout.strip(), repr(words))

    @again
    def test_control_reaches_hosts_and_hosts_do_not_go_around(self):
        ping = f"{sys.executable} {PROBE} ping"
        script = (f"{LONGHAUL} emulate exec b -- {sys.executable} {PROBE} serve >ready & "
                  "while ! grep -q ready ready; do :; done; "
                  f"{ping} b 5 1; {ping} b.control 5 1; "
                  f"{LONGHAUL} emulate exec a -- {sys.executable} -c '"
                  "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                  "try: s.sendto(b\"x\", (\"10.78.0.2\", 7000)); print(\"reached\")\n"
                  "except OSError: print(\"unreachable\")'")
        with tempfile.TemporaryDirectory() as folder:
            done = run(PAIR + "delay_ms = 200\n", "sh", "-c", script, cwd=folder)
        wan, control, around = done.stdout.splitlines()
        self.assertLess(statistics.median(json.loads(wan)), 100)
        self.assertLess(statistics.median(json.loads(control)), 100)
        self.assertEqual(around, "unreachable")

    def test_report(self):
        with Network(PAIR + "delay_ms = 3\n") as network:
            network.serve("b")
            network.ask("a", "ping", "b", 10, 0)
            network.emulator.send_signal(signal.SIGUSR1)
            self.assertTrue(any(line.startswith("emulated") for line in network.emulator.stderr))
        self.assertEqual(network.code, 0)
        self.assertEqual(network.result["format"], "longhaul.emulation/1")
        self.assertEqual(network.resource("link:a>b")["packets"], 10)
        self.assertEqual(network.resource("link:b>a")["bytes"], 10 * (8 + 28 + 14))
        self.assertEqual(network.result["hosts"][1]["received_packets"], 10)

    def least_round_trip(self, network, here, there):
        """ms, of five between two hosts of a network file."""
        script = (f"{LONGHAUL} emulate exec {there} -- {sys.executable} {PROBE} serve >ready & "
                  "while ! grep -q ready ready; do :; done; "
                  f"{LONGHAUL} emulate exec {here} -- {sys.executable} {PROBE} ping {there} 5 1")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([LONGHAUL, "emulate", str(network), "--quiet", "--", "sh", "-c", script],
                                  capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return min(json.loads(done.stdout))

    @again
    def test_a_fabric_is_a_network(self):
        fabric = {"labels": ["x", "y"], "alpha_ms": [[0, 12], [30, 0]], "beta_gbps": [[0, 1], [1, 0]]}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "fabric.json"
            file.write_text(json.dumps(fabric))
            self.assertAlmostEqual(self.least_round_trip(file, "x", "y"), 42, delta=3)

    @again
    def test_a_topology_is_a_network(self):
        """NYC to AMS of nine-city.toml is by London: 35.0 + 1.65 ms one way, so 73.3 ms there and back."""
        network = pathlib.Path(__file__).parents[2] / "topologies/nine-city.toml"
        self.assertAlmostEqual(self.least_round_trip(network, "NYC", "AMS"), 73.3, delta=3)

    def test_an_unknown_congestion_control_is_named(self):
        done = run(PAIR, "true", options=["--congestion", "nope"])
        self.assertEqual(done.returncode, 2)
        self.assertIn('the kernel of this machine has no "nope"; it has', done.stderr)
        self.assertEqual(run(PAIR, "true", options=["--congestion", "reno"]).returncode, 0)

    @again
    def test_two_networks_at_once(self):
        with Network(PAIR + "delay_ms = 10\n") as one, Network(PAIR + "delay_ms = 30\n") as two:
            one.serve("b")
            two.serve("b")
            self.assertAlmostEqual(min(one.ask("a", "ping", "b", 5, 1)), 20, delta=3)
            self.assertAlmostEqual(min(two.ask("a", "ping", "b", 5, 1)), 60, delta=3)


class Ends(unittest.TestCase):
    """Nothing is left, however it ends."""

    def setUp(self):
        self.token = f"longhaul-e2e-{os.getpid()}-{random.getrandbits(40)}"
        self.links = pathlib.Path("/proc/net/dev").read_text().count("\n")
        self.mounts = pathlib.Path("/proc/self/mounts").read_text()

    def tearDown(self):
        self.assertTrue(eventually(lambda: not processes(self.token)), "processes are left")
        self.assertEqual(pathlib.Path("/proc/self/mounts").read_text(), self.mounts)
        self.assertNotIn("wan0", pathlib.Path("/proc/net/dev").read_text())
        names = pathlib.Path("/run/netns")
        self.assertFalse(names.exists() and {"a", "b", "control"} & set(os.listdir(names)))

    def script(self, rest):
        """A command with children that want to outlive it, one of them a session of its own."""
        return ["sh", "-c", f"sh -c 'sleep 1000; : {self.token}' & "
                            f"setsid sh -c 'trap \"\" TERM INT HUP; sleep 1000; : {self.token}' & {rest}",
                self.token]

    def begin(self, rest):
        emulator = subprocess.Popen([LONGHAUL, "emulate", "-", "--quiet", "--", *self.script(rest)],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        emulator.stdin.write(PAIR)
        emulator.stdin.close()
        return emulator

    def end(self, emulator):
        code = emulator.wait(PATIENCE)
        emulator.stdout.close()
        return code

    def test_command_ends(self):
        self.assertEqual(run(PAIR, *self.script("exit 0")).returncode, 0)

    def test_command_fails(self):
        self.assertEqual(run(PAIR, *self.script("exit 5")).returncode, 5)

    def test_signals_reach_the_command(self):
        for number, code in ((signal.SIGTERM, 41), (signal.SIGINT, 42)):
            emulator = self.begin("trap 'exit 41' TERM; trap 'exit 42' INT; echo ready; "
                                  "while :; do sleep 0.01; done")
            self.assertEqual(emulator.stdout.readline(), "ready\n")
            emulator.send_signal(number)
            self.assertEqual(self.end(emulator), code)

    def test_the_third_signal_kills(self):
        emulator = self.begin("trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done")
        self.assertEqual(emulator.stdout.readline(), "ready\n")
        for _ in range(2):
            emulator.terminate()
            self.assertEqual(emulator.stdout.readline(), "no\n")
        emulator.terminate()
        self.assertEqual(self.end(emulator), 137)

    def test_emulator_is_killed_while_the_command_runs(self):
        emulator = self.begin("echo ready; sleep 1000")
        self.assertEqual(emulator.stdout.readline(), "ready\n")
        self.assertGreaterEqual(len(processes(self.token)), 3)
        emulator.kill()
        self.assertEqual(self.end(emulator), -signal.SIGKILL)

    def test_emulator_is_killed_at_any_moment(self):
        moments = random.Random(7)
        for _ in range(20):
            emulator = self.begin("sleep 1000")
            time.sleep(moments.uniform(0, 0.15))  # the moment is what is varied here
            emulator.kill()
            self.end(emulator)
            self.assertTrue(eventually(lambda: not processes(self.token)))

    def test_first_process_is_killed(self):
        emulator = self.begin("echo ready; sleep 1000")
        emulator.stdout.readline()
        children = pathlib.Path(f"/proc/{emulator.pid}/task/{emulator.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        os.kill(int(children[0]), signal.SIGKILL)
        self.assertEqual(self.end(emulator), 137)


class Rights(unittest.TestCase):
    """Without root: a user namespace, or a clear message."""

    ANYONE = 65534

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become another user")

    def reachable(self, folder):
        """The program where any user may run it."""
        copy = pathlib.Path(folder) / "longhaul"
        copy.write_bytes(pathlib.Path(LONGHAUL).read_bytes())
        copy.chmod(0o755)
        pathlib.Path(folder).chmod(0o755)
        return copy

    def test_message(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.reachable(folder)
            hidden = f"mknod {folder}/tun c 10 200 && chmod 600 {folder}/tun && " \
                     f"mount --bind {folder}/tun /dev/net/tun && exec setpriv --reuid {self.ANYONE} " \
                     f"--regid {self.ANYONE} --clear-groups {program} emulate - -- true"
            done = subprocess.run(["unshare", "-m", "sh", "-c", hidden], input=PAIR, text=True,
                                  capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^longhaul: .*(/dev/net/tun|root)")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_user_namespace(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.reachable(folder)
            words = f"mknod {folder}/tun c 10 200 && chmod 666 {folder}/tun && " \
                    f"mount --bind {folder}/tun /dev/net/tun && cd / && exec setpriv --reuid " \
                    f"{self.ANYONE} --regid {self.ANYONE} --clear-groups {program} emulate - --quiet " \
                    f"-- {program} emulate exec a -- {program} emulate exec b -- uname -n"
            done = subprocess.run(["unshare", "-m", "sh", "-c", words], input=PAIR, text=True,
                                  capture_output=True, timeout=PATIENCE)
        if done.returncode == 2 and "user namespaces" in done.stderr:
            self.skipTest("this kernel gives users no namespaces: " + done.stderr)
        self.assertEqual((done.returncode, done.stdout), (0, "b\n"), done.stderr)


def main():
    trial = run(PAIR, "true")
    if trial.returncode == 2 and "longhaul: " in trial.stderr:
        print("skipped, networks cannot be emulated here:", trial.stderr)
        return SKIP
    unittest.main(verbosity=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())

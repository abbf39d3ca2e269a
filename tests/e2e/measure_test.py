"""Campaigns on loopback: agents and coordinators as processes, killed at bad moments.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/measure_test.py
"""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LONGHAUL = os.environ.get("LONGHAUL", str(SOURCE / "build/release/apps/longhaul/longhaul"))
SECONDS = 60  # limit of one command; far more than any needs
SMALL = {"--smallest": "4KiB", "--largest": "16KiB", "--skew-factor": "0", "--most-repeats": "3",
         "--assume-rtt-ms": "0.1", "--assume-gbps": "10"}
ALL = "ping,peer,both,fan-out,fan-in,relay"


class MeasureCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="longhaul-measure-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.token = self.folder / "token"
        self.token.write_text("0123456789abcdef" * 4 + "\n")
        self.token.chmod(0o600)
        self.plan = self.folder / "plan.jsonl"
        self.raw = self.folder / "raw.jsonl"
        self.agents = {}
        self.ports = {}
        self.addCleanup(self.end_agents)

    def end_agents(self):
        for agent in self.agents.values():
            agent.kill()
            agent.wait()
            agent.stdout.close()

    def start_agent(self, name, *options, names="abcd"):
        """Starts an agent on a port from the kernel, or on the one that it had before."""
        peers = ",".join(f"{peer}=127.0.0.1" for peer in list(names) + ["coordinator"])
        process = subprocess.Popen(
            [LONGHAUL, "measure", "agent", "--listen", f"127.0.0.1:{self.ports.get(name, 0)}",
             "--token-file", str(self.token), "--peers", peers, "--json", "--quiet", *options],
            stdout=subprocess.PIPE, text=True)
        line = json.loads(process.stdout.readline())
        self.assertEqual(line["event"], "listening")
        self.ports[name] = line["port"]
        self.agents[name] = process
        # Read on, so that notes never fill the pipe.
        return process

    def kill_agent(self, name):
        self.agents[name].kill()
        self.agents[name].wait()
        self.agents[name].stdout.close()

    def start_agents(self, names, *options):
        for name in names:
            self.start_agent(name, *options)
        self.write_hosts(names)

    def write_hosts(self, names):
        text = "".join(f'[[host]]\nname = "{name}"\naddress = "127.0.0.1"\n'
                       f'port = {self.ports[name]}\nsite = "{"xy"[i % 2]}"\n'
                       for i, name in enumerate(names))
        (self.folder / "hosts.toml").write_text(text)

    def longhaul(self, *arguments, code=0):
        done = subprocess.run([LONGHAUL, "measure", *map(str, arguments)], capture_output=True,
                              text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def make_plan(self, *options):
        small = [word for key, value in SMALL.items() if key not in options for word in (key, value)]
        self.longhaul("plan", self.folder / "hosts.toml", "-o", self.plan, *small, *options)

    def run_command(self, *options, reconnect=0.2):
        return [LONGHAUL, "measure", "run", str(self.plan), "-o", str(self.raw), "--token-file",
                str(self.token), "--reconnect-seconds", str(reconnect), "--no-audit", *options]

    def run_plan(self, *options, code=0):
        done = subprocess.run(self.run_command(*options), capture_output=True, text=True,
                              timeout=SECONDS)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def records(self, kind):
        lines = [json.loads(line) for line in self.raw.read_text().splitlines()]
        return [line for line in lines if line["record"] == kind]

    def planned(self):
        lines = [json.loads(line) for line in self.plan.read_text().splitlines()]
        return {line["task"]: line for line in lines if line["record"] == "task"}

    def expect_each_complete_once(self):
        complete = collections.Counter(end["task"] for end in self.records("task_end")
                                       if end["complete"])
        self.assertEqual(set(complete), set(self.planned()), "a task was lost")
        self.assertEqual(set(complete.values()), {1}, "a task ran twice")
        ends = {(end["task"], end["attempt"]) for end in self.records("task_end")}
        self.assertEqual(len(ends), len(self.records("task_end")), "an attempt ended twice")


class CampaignTest(MeasureCase):
    def test_a_complete_campaign(self):
        self.start_agents("abc")
        self.make_plan("--patterns", ALL, "--states", "warm,cold", "--streams", "1,2",
                       "--blocks", "2", "--congestion-control", "reno")
        self.run_plan()
        self.expect_each_complete_once()
        self.assertEqual(len(self.records("end")), 1)
        samples = collections.defaultdict(list)
        for sample in self.records("sample"):
            self.assertTrue(sample["ok"])
            self.assertGreater(sample["elapsed_s"], 0)
            samples[sample["task"]].append(sample)
        for name, task in self.planned().items():
            mine = samples[name]
            self.assertTrue(mine, name)
            if task["pattern"] == "ping":
                self.assertEqual(len(mine), 20)
                continue
            self.assertEqual({sample["bytes"] for sample in mine}, {4096, 8192, 16384}, name)
            self.assertEqual({sample["congestion_control"] for sample in mine}, {"reno"})
            per_round = {"peer": 1, "both_ways": 2, "relay": 3}.get(task["pattern"],
                                                                     len(task["hosts"]) - 1)
            self.assertEqual(len(mine) % per_round, 0)
            self.assertGreaterEqual(len(mine), 2 * 3 * per_round)
            if task["state"] == "cold":
                self.assertTrue(all(sample["connect_s"] > 0 for sample in mine))
            if task["streams"] == 2:
                self.assertTrue(all(len(sample["per_stream_s"]) == 2 for sample in mine))
            if task["pattern"].startswith("fan"):
                self.assertTrue(all(sample["root_s"] > 0 for sample in mine))
        # A ring: every process receives from the one before it.
        relay = {(sample["from"], sample["to"]) for sample in self.records("sample")
                 if sample["pattern"] == "relay"}
        self.assertEqual(relay, {("a", "b"), ("b", "c"), ("c", "a")})

    def test_the_raw_file_is_not_taken_by_accident(self):
        self.start_agents("ab")
        self.make_plan("--blocks", "1")
        self.run_plan()
        before = self.raw.read_bytes()
        self.assertIn("exists already", self.run_plan(code=2).stderr)
        self.assertEqual(self.raw.read_bytes(), before)
        self.run_plan("--resume")  # nothing is left to do
        self.expect_each_complete_once()
        # What is older than now runs again, and its last attempt counts.
        self.run_plan("--resume", "--max-age", "0s")
        complete = collections.Counter(end["task"] for end in self.records("task_end"))
        self.assertEqual(set(complete.values()), {2})
        self.assertEqual({end["attempt"] for end in self.records("task_end")}, {1, 2})

    def test_only_what_changed_runs_again(self):
        self.start_agents("abc")
        self.make_plan("--blocks", "1", "--patterns", "peer")
        self.run_plan()
        self.kill_agent("c")
        del self.ports["c"]
        self.start_agent("c")  # another port: another host, as far as anybody can tell
        self.write_hosts("abc")
        self.make_plan("--blocks", "1", "--patterns", "peer")
        self.run_plan("--resume")
        attempts = collections.Counter(end["task"] for end in self.records("task_end"))
        for name, task in self.planned().items():
            self.assertEqual(attempts[name], 2 if "c" in task["hosts"] else 1, name)

    def test_one_writer_at_a_time(self):
        self.start_agents("ab")
        self.make_plan("--blocks", "20")
        first = subprocess.Popen(self.run_command("--quiet"), stdout=subprocess.DEVNULL)
        while not self.raw.exists() or self.raw.stat().st_size == 0:
            self.assertIsNone(first.poll())
        second = self.run_plan("--resume", code=2)
        self.assertIn("another run", second.stderr)
        first.send_signal(signal.SIGINT)  # ends in order: a partial campaign
        self.assertEqual(first.wait(SECONDS), 3)
        self.run_plan("--resume")
        self.expect_each_complete_once()


class DeathTest(MeasureCase):
    def test_an_agent_dies_in_a_fan(self):
        self.start_agents("abcd")
        self.make_plan("--patterns", "fan-in,fan-out", "--blocks", "1", "--largest", "64MiB",
                       "--smallest", "64MiB", "--most-repeats", "4", "--repeats", "4")
        run = subprocess.Popen(self.run_command("--attempts", "2"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        while not self.raw.exists() or '"task_end"' not in self.raw.read_text():
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        self.kill_agent("c")
        out, err = run.communicate(timeout=SECONDS)
        self.assertEqual(run.returncode, 3, out + err)
        self.assertIn("lost host c", err)
        ends = self.records("task_end")
        lost = {end["task"] for end in ends if not end["complete"]}
        self.assertTrue(all("c" in self.planned()[task]["hosts"] for task in lost))
        kinds = {event["kind"] for event in self.records("event")}
        self.assertTrue({"peer_lost", "skipped"} & kinds)
        for sample in self.records("sample"):
            if (sample["task"], sample["attempt"]) in {
                    (end["task"], end["attempt"]) for end in ends if not end["complete"]}:
                self.assertFalse(sample["ok"])
        # Everything without c is there; the rest follows when c is back.
        done = {end["task"] for end in ends if end["complete"]}
        for name, task in self.planned().items():
            self.assertTrue("c" in task["hosts"] or name in done, name)
        self.start_agent("c")
        self.run_plan("--resume")
        self.expect_each_complete_once()

    def test_an_agent_that_comes_back_is_used_again(self):
        self.start_agents("abc")
        self.make_plan("--patterns", "peer", "--blocks", "30")
        run = subprocess.Popen(self.run_command("--attempts", "5", reconnect=1),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not self.raw.exists() or '"task_end"' not in self.raw.read_text():
            self.assertIsNone(run.poll())
        self.kill_agent("b")
        self.start_agent("b")
        out, err = run.communicate(timeout=SECONDS)
        self.assertEqual(run.returncode, 0, out + err)
        self.expect_each_complete_once()

    def test_the_coordinator_dies_at_twenty_points(self):
        self.start_agents("abcd")
        self.make_plan("--patterns", ALL, "--blocks", "5", "--widths", "2,3")
        points = random.Random(7)
        killed = 0
        resumed = []
        while killed < 20:
            run = subprocess.Popen(self.run_command(*resumed), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            resumed = ["--resume"]
            try:
                run.wait(points.uniform(0.02, 0.25))
                self.fail(f"the campaign was over after {killed} deaths: make it longer")
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
                killed += 1
        self.run_plan("--resume")
        self.expect_each_complete_once()
        self.assertEqual({run["run"] for run in self.records("run")},
                         {self.records("run")[0]["run"]})

    def test_a_line_that_was_cut_off_is_dropped(self):
        self.start_agents("ab")
        self.make_plan("--blocks", "2")
        self.run_plan()
        lines = self.raw.read_bytes().splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if b'"task_end"' in line)
        self.raw.write_bytes(b"".join(lines[:at]) + lines[at][:25])
        warning = self.run_plan("--resume").stderr
        self.assertIn("is dropped", warning)
        self.expect_each_complete_once()


class HostileTest(MeasureCase):
    def answer_to(self, name, data):
        """All that an agent says to somebody who sends `data`, until it closes."""
        with socket.create_connection(("127.0.0.1", self.ports[name]), timeout=SECONDS) as talk:
            said = b""
            try:
                talk.sendall(data)
                while block := talk.recv(4096):
                    said += block
            except ConnectionResetError:
                pass
            return said

    def test_strangers_get_nothing_and_disturb_nobody(self):
        self.start_agents("ab")
        self.make_plan("--blocks", "1")
        head = b"LHTP\x01\x01"
        for data in [b"GET / HTTP/1.0\r\n\r\n", head + b"\xff\xff" + bytes(32),
                     head + b"\x00\x02" + bytes(32) + b"{}" + bytes(32), bytes(1000),
                     b"LHTP\x02\x01\x00\x00" + bytes(64)]:
            self.assertEqual(self.answer_to("a", data), b"")
        crowd = [socket.create_connection(("127.0.0.1", self.ports["b"]), timeout=SECONDS)
                 for _ in range(1000)]
        self.run_plan()
        for guest in crowd:
            guest.close()
        self.expect_each_complete_once()

    def test_the_wrong_token_measures_nothing(self):
        self.start_agents("ab")
        self.make_plan("--blocks", "1")
        self.token.chmod(0o600)
        self.token.write_text("f" * 64 + "\n")
        done = self.run_plan("--attempts", "1", code=3)
        self.assertIn("host a: it closed the connection: another token", done.stderr)
        self.assertEqual(self.records("sample"), [])

    def test_addresses_that_are_no_peers_are_closed(self):
        self.start_agent("a", names="")  # only the coordinator may come
        self.start_agent("b", names="ab")
        self.write_hosts("ab")
        self.make_plan("--blocks", "1", "--patterns", "peer")
        done = self.run_plan("--attempts", "1", code=3)
        complete = {end["task"] for end in self.records("task_end") if end["complete"]}
        self.assertEqual(complete, {"b0/peer/a>b/warm"}, done.stderr)

    def test_limits_of_an_agent_hold(self):
        self.start_agent("a")
        self.start_agent("b", "--max-task-bytes", "20kB")
        self.write_hosts("ab")
        self.make_plan("--blocks", "1", "--patterns", "peer")
        self.run_plan("--attempts", "1", code=3)
        complete = {end["task"] for end in self.records("task_end") if end["complete"]}
        self.assertEqual(complete, {"b0/peer/b>a/warm"})
        self.assertIn("refused", {event["kind"] for event in self.records("event")})

    def test_secrets_and_listening_need_care(self):
        peers = ["--peers", "coordinator=127.0.0.1"]
        listen = ["agent", "--listen", "127.0.0.1:0", "--token-file"]
        self.token.chmod(0o644)
        self.assertIn("0644", self.longhaul(*listen, self.token, *peers, code=2).stderr)
        self.token.chmod(0o600)
        self.token.write_text("short\n")
        self.assertIn("5 bytes", self.longhaul(*listen, self.token, *peers, code=2).stderr)
        self.token.write_text("x" * 40)
        everywhere = ["agent", "--listen", "0.0.0.0:0", "--token-file", self.token]
        self.assertIn("--any", self.longhaul(*everywhere, *peers, code=2).stderr)
        self.assertIn("coordinator", self.longhaul(*listen, self.token, "--peers", "a=127.0.0.1",
                                                   code=2).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

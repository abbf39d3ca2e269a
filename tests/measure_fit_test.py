"""What `measure fit`, `check` and `show` say of made-up campaigns, and what their fabrics hold.

Usage: measure_fit_test.py --binary LONGHAUL
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MIB = 2 ** 20
SIZES = [MIB // 4, MIB, 4 * MIB, 16 * MIB]
BINARY = ""


def seconds(size, rtt_ms, gbps):
    return rtt_ms / 1e3 + 8 * size / (gbps * 1e9)


def sample(pattern, start, end, size, elapsed_s, **more):
    return {"record": "sample", "task": f"{pattern} {start}>{end}", "attempt": 1, "block": 0,
            "rep": 0, "pattern": pattern, "state": "warm", "transport": "tcp", "streams": 1,
            "from": start, "to": end, "bytes": size, "elapsed_s": elapsed_s, "ok": True, **more}


def pair(start, end, rtt_ms=20, gbps=0.2, sizes=None, **more):
    return [dict(sample("peer", start, end, size, seconds(size, rtt_ms, gbps), **more), rep=rep)
            for size in sizes or SIZES for rep in range(5)]


class FitCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, hosts, samples):
        records = [{"record": "run", "format": "longhaul.raw/1", "run": "made-up"}]
        records += [{"record": "host", **host} for host in hosts] + samples + [{"record": "end"}]
        (self.folder / "raw.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))

    def measure(self, *arguments, code=0):
        done = subprocess.run([BINARY, "measure", *arguments], cwd=self.folder, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def fabric(self):
        self.measure("fit", "raw.jsonl", "--fabric", "fabric.json")
        return json.loads((self.folder / "fabric.json").read_text())

    def test_the_least_round_trip_is_the_fabrics(self):
        samples = pair("a", "b", 115) + pair("b", "a", 115)
        for transport, rtt in (("tcp", 0.115), ("icmp", 0.055)):
            samples += [dict(sample("ping", "a", "b", 64, rtt), transport=transport, rep=rep)
                        for rep in range(10)]
        self.write([{"id": "a"}, {"id": "b"}], samples)
        self.assertAlmostEqual(self.fabric()["alpha_ms"][0][1], 27.5)

    def test_processes_of_a_machine_are_devices_of_one_host(self):
        ids = ["lima-1/0", "lima-1/1", "oslo-1/0"]
        hosts = [{"id": name, "host": name[:6], "local_rank": int(name[7:])} for name in ids]
        self.write(hosts, [s for two in itertools.permutations(ids, 2) for s in pair(*two)])
        fabric = self.fabric()
        self.assertEqual([(d["host"], d["local_rank"]) for d in fabric["devices"]],
                         [("lima-1", 0), ("lima-1", 1), ("oslo-1", 0)])
        self.assertEqual(fabric["labels"], ["lima-1", "lima-1", "oslo-1"])

    def test_suspects_are_counted_on_standard_error(self):
        self.write([{"id": "a"}, {"id": "b"}], pair("a", "b", sizes=[MIB]) + pair("b", "a"))
        done = self.measure("fit", "raw.jsonl", "--fabric", "fabric.json")
        self.assertIn("1 pair of the fabric has a suspect fit", done.stderr)
        self.assertIn("suspect a>b (pair): one message size", done.stdout)
        done = self.measure("check", "fabric.json", code=1)
        self.assertIn("suspect    1 pairs", done.stdout)
        self.assertIn("50 % of the pairs have a suspect fit", done.stdout)
        done = self.measure("next", "fabric.json", "--tolerance", "9")
        self.assertIn("1 measured pair has a suspect fit", done.stdout)
        self.assertEqual(json.loads(self.measure("next", "fabric.json", "--tolerance", "9",
                                                 "--json").stdout)["suspect"], 1)

    def test_a_fabric_that_was_not_measured_does_not_say(self):
        matrix = [[0, 1, 2], [1, 0, 9], [2, 9, 0]]
        (self.folder / "fabric.json").write_text(json.dumps(
            {"labels": ["a", "b", "c"], "alpha_ms": matrix, "beta_gbps": matrix}))
        done = self.measure("check", "fabric.json")
        self.assertIn("suspect    unknown: the fabric does not say; check the links file", done.stdout)
        self.assertIsNone(json.loads(self.measure("check", "fabric.json", "--json").stdout)["suspect"])

    def test_a_latency_from_zero_is_said_as_it_is(self):
        beta = [[0, 1, 2], [1, 0, 9], [2, 9, 0]]
        for name, alpha in (("old", 0), ("new", 130)):
            (self.folder / f"{name}.json").write_text(json.dumps(
                {"labels": ["a", "b", "c"], "beta_gbps": beta,
                 "alpha_ms": [[0, alpha, 5], [7, 0, 7], [7, 7, 0]]}))
        done = self.measure("check", "old.json", "new.json", code=1)
        self.assertIn("a>b: latency 130 ms, was 0 ms", done.stdout)
        done = self.measure("check", "new.json", "old.json", code=1)
        self.assertIn("a>b: latency 0 ms, was 130 ms", done.stdout)

    def test_a_campaign_that_has_not_ended_is_said(self):
        self.write([{"id": "a"}, {"id": "b"}], pair("a", "b") + pair("b", "a"))
        self.assertNotIn("has not ended", self.measure("fit", "raw.jsonl").stderr)
        raw = self.folder / "raw.jsonl"
        lines = [line for line in raw.read_text().splitlines() if '"end"' not in line]
        tasks = [{"record": "task", "task": f"peer {ends}", "attempt": 1, "slot": 0,
                  "pattern": "peer", "state": "warm", "peers": ends.split(">")}
                 for ends in ("a>b", "b>a")]
        ends = [{"record": "task_end", "task": task["task"], "attempt": 1, "complete": True}
                for task in tasks]
        raw.write_text("".join(line + "\n" for line in lines + [json.dumps(r) for r in tasks + ends]))
        self.assertIn("raw.jsonl: the campaign has not ended", self.measure("fit", "raw.jsonl").stderr)

    def test_sizes_are_read_alike(self):
        self.write([{"id": "a"}, {"id": "b"}], pair("a", "b") + pair("b", "a"))
        for size in ("2.5MB", "2500000", "2MiB"):
            self.measure("fit", "raw.jsonl", "--message-size", size, "--fabric", "fabric.json")
        provenance = json.loads((self.folder / "fabric.json").read_text())["provenance"]
        self.assertIn("messages of 2097152 bytes", provenance)
        for size in ("0", "2.5mb", "-1", "2PB"):
            done = self.measure("fit", "raw.jsonl", f"--message-size={size}", code=2)
            self.assertIn("--message-size", done.stderr)

    def test_a_plan_warns_of_messages_that_are_too_small(self):
        (self.folder / "hosts.toml").write_text(
            'format = "longhaul.measure-hosts/1"\n' + "".join(
                f'[[host]]\nname = "{name}"\naddress = "10.0.0.{i}:7000"\n'
                for i, name in enumerate("ab", 1)))
        # 0.2 Gbit/s over 80 ms are 2 MB under way: four times that are 8 MB.
        done = self.measure("plan", "hosts.toml", "--largest", "2MiB")
        self.assertIn("--largest 2MiB is 1 bandwidth-delay products at 80 ms and 0.2 Gbit/s",
                      done.stderr)
        self.assertIn("give 17MB or more, or 0", done.stderr)
        for good in (["--largest", "8MiB"], [], ["--largest", "2MiB", "--assume-rtt-ms", "10"]):
            self.assertEqual(self.measure("plan", "hosts.toml", *good).stderr, "")

    def test_groups_without_fans_are_not_measured(self):
        hosts = [{"id": "a", "groups": ["rack"]}, {"id": "b", "groups": ["rack"]}, {"id": "c"}]
        pairs = [s for two in itertools.permutations("abc", 2) for s in pair(*two)]
        self.write(hosts, pairs)
        self.assertIn("what hosts share (rack) was not measured",
                      self.measure("fit", "raw.jsonl").stdout)

    def serial_receivers(self, rate):
        """Writes a campaign of four hosts, each of which takes one message after the other; rate(sender) Gbit/s."""
        ids = "abcd"
        samples = [s for two in itertools.permutations(ids, 2) for s in pair(*two, 1, rate(two[0]))]
        for root in ids:
            for width in (2, 3):
                peers = [name for name in ids if name != root][:width]
                for inward in (True, False):
                    together = 1 / sum(1 / rate(p) for p in peers) if inward else rate(root)
                    for size, rep in itertools.product(SIZES, range(3)):
                        time = seconds(size, 1, together)
                        samples += [dict(sample("fan_in" if inward else "fan_out",
                                                *((p, root) if inward else (root, p)), size, time,
                                                peers=peers, root_s=time), rep=rep,
                                         task=f"{inward} {root} {width}") for p in peers]
        self.write([{"id": name} for name in ids], samples)

    def test_a_rate_of_one_direction_goes_into_the_fabric(self):
        self.serial_receivers(lambda sender: 1)
        done = self.measure("fit", "raw.jsonl", "--fabric", "fabric.json")
        self.assertEqual(done.stderr, "")
        shared = json.loads((self.folder / "fabric.json").read_text())["shared"]
        self.assertEqual([entry["of"] for entry in shared], [["a"], ["b"], ["c"], ["d"]])
        for entry in shared:
            self.assertAlmostEqual(entry["gbps_back"], 1, delta=0.01)
            self.assertNotIn("gbps_there", entry)

    def test_a_resource_that_a_fabric_cannot_state(self):
        """Each message takes as long as it does alone, so no rate says what a receiver takes in."""
        self.serial_receivers(lambda sender: 1 if sender in "ab" else 4)
        done = self.measure("fit", "raw.jsonl", "--fabric", "fabric.json")
        self.assertIn("shared receiver occupancy", done.stdout)
        self.assertIn("a fabric cannot state it", done.stdout)
        self.assertIn("Gbit/s where its pairs are alike", done.stdout)
        self.assertIn("NOT in the fabric", done.stderr)
        self.assertNotIn("shared", json.loads((self.folder / "fabric.json").read_text()))

    def test_time_of_collective_libraries_is_one_way(self):
        self.write([], pair("a", "b") + pair("b", "a"))
        self.assertIn("alpha ms, round trip (95 %)", self.measure("fit", "raw.jsonl").stdout)
        self.write([], [dict(message, transport="nccl")
                        for message in pair("a", "b") + pair("b", "a")])
        self.assertIn("alpha ms, one way (95 %)", self.measure("fit", "raw.jsonl").stdout)

    def test_nothing_is_written_when_no_fabric_can_be_made(self):
        twice = pair("a", "b") + pair("b", "a")
        self.write([], twice + [dict(message, transport="nccl") for message in twice])
        done = self.measure("fit", "raw.jsonl", "-o", "links.json", "--fabric", "fabric.json", code=2)
        self.assertIn("several", done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["raw.jsonl"])

    def test_a_file_given_twice_would_count_twice(self):
        self.write([], pair("a", "b") + pair("b", "a"))
        done = self.measure("fit", "raw.jsonl", "./raw.jsonl", code=2)
        self.assertEqual(done.stderr, "longhaul: ./raw.jsonl: holds the same as raw.jsonl; give each file "
                                      "once: its samples would count twice\n")

    def test_one_device_is_nothing_to_place_on(self):
        (self.folder / "one.json").write_text(json.dumps(
            {"format": "longhaul.fabric/1", "labels": ["a"], "alpha_ms": [[0]], "beta_gbps": [[0]]}))
        self.assertIn("there are no two devices", self.measure("check", "one.json", code=1).stdout)

    def test_one_gate_of_many_pairs_is_one_line(self):
        ids = "abc"
        self.write([], [s for two in itertools.permutations(ids, 2)
                        for s in pair(*two, sizes=[MIB])])
        lines = [line for line in self.measure("fit", "raw.jsonl").stdout.splitlines()
                 if line.startswith("suspect")]
        self.assertEqual(len(lines), 1)
        self.assertTrue(lines[0].startswith("suspect a>b, a>c, b>a and 3 more (pair); the first:"))

    def test_show_counts_one_and_bytes(self):
        self.write([], [sample("ping", "a", "b", 120, 0.02)])
        self.assertIn("1 sample of 1 directed pair, 1 usable, 120 B",
                      self.measure("show", "raw.jsonl").stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    known, rest = parser.parse_known_args()
    BINARY = str(pathlib.Path(known.binary).resolve())
    unittest.main(argv=[sys.argv[0], *rest])

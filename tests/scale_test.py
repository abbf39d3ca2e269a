"""Places 10,000 devices in little memory: the address space of the command is limited.

Usage: scale_test.py --binary LONGHAUL [unittest arguments]
"""
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

LONGHAUL = ""
MEMORY = 2_500_000_000  # bytes of address space
SECONDS = 120  # limit of one command; far more than any needs
PAYLOADS = ["--c-pp", "0.1", "--c-dp", "1"]


def globe(regions, devices):
    """A region table: delays by the great circle between points on a spiral over a globe."""
    points = []
    for i in range(regions):
        z = 1 - (2 * i + 1) / regions
        angle = 2.399963229728653 * i
        radius = math.sqrt(1 - z * z)
        points.append((radius * math.cos(angle), radius * math.sin(angle), z))
    pairs = []
    for i in range(regions):
        for j in range(i + 1, regions):
            cosine = sum(a * b for a, b in zip(points[i], points[j]))
            delay = round(2 + 6371 * math.acos(max(-1, min(1, cosine))) / 120, 1)
            pairs.append({"a": f"r{i}", "b": f"r{j}", "delay_ms": delay,
                          "bandwidth_gbps": round(min(5, 60 / delay), 3)})
    return {"regions": [f"r{i}" for i in range(regions)], "gpus_per_region": devices,
            "intra_region": {"delay_ms": 0.2, "bandwidth_gbps": 20}, "pairs": pairs}


def hosts(instances, devices):
    return {"instances": instances, "gpus_per_instance": devices, "delay_ms": 0.5,
            "intra_delay_ms": 0.01, "intra_gbps": 400, "inter_gbps": 25}


class ScaleTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_limited(self, *words):
        done = subprocess.run(
            [LONGHAUL, *words], cwd=self.folder, timeout=SECONDS, text=True, capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def place(self, table, pp, dp, *options):
        (self.folder / "fabric.json").write_text(json.dumps(table))
        self.run_limited("place", "--fabric", "fabric.json", "--pp", str(pp), "--dp", str(dp),
                         *PAYLOADS, "--threads", "2", "-o", "plan.json", *options)
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual(sorted(plan["rank_map"]), list(range(pp * dp)))
        self.assertGreaterEqual(plan["score"], plan["bound"])
        return plan

    def test_regions_and_what_the_other_commands_make_of_the_plan(self):
        plan = self.place(globe(20, 500), 100, 100, "--time-limit", "1")
        found = json.loads(self.run_limited(
            "evaluate", "--fabric", "fabric.json", "--pp", "100", "--dp", "100", *PAYLOADS,
            "--rank-map", "plan.json", "--json"))
        self.assertAlmostEqual(found["score"], plan["score"], delta=1e-9 * plan["score"])
        self.assertLessEqual(plan["score"], plan["baseline"]["host_order_solved"])

    def test_few_samples_of_many_devices_and_all_of_few(self):
        many = self.place(globe(20, 500), 100, 100, "--budget", "1", "--proof-budget", "0")
        few = self.place(globe(4, 4), 4, 4, "--budget", "1", "--proof-budget", "0")
        self.assertEqual(few["baseline"]["samples"], 200)
        self.assertGreaterEqual(many["baseline"]["samples"], 8)
        self.assertLess(many["baseline"]["samples"], 200)

    def test_hosts(self):
        self.place(hosts(1250, 8), 100, 100, "--time-limit", "0.1")
        self.place(hosts(10_000, 1), 100, 100, "--time-limit", "0.1")

    def test_few_and_many_stages(self):
        self.place(globe(20, 500), 2, 5000, "--time-limit", "0.1")
        self.place(globe(20, 500), 1000, 10, "--time-limit", "0.1")

    def test_large_fabrics_are_written_by_kind(self):
        (self.folder / "table.json").write_text(json.dumps(globe(20, 1000)))
        facts = self.run_limited("fabric", "table.json", "-o", "kinds.json", "--json")
        written = json.loads((self.folder / "kinds.json").read_text())
        self.assertEqual(len(written["kinds"]), 20_000)
        self.assertEqual(len(written["alpha_ms"]), 20)
        again = self.run_limited("fabric", "kinds.json", "--json")
        facts, again = json.loads(facts), json.loads(again)
        for key in ("devices", "labels", "alpha_ms", "beta_gbps"):
            self.assertEqual(facts[key], again[key])
        # Inside a region 0.2 ms: 20 x 1000 x 999 of the ordered pairs, about one in twenty.
        self.assertEqual(facts["alpha_ms"]["min"], 0.2)


if __name__ == "__main__":
    at = sys.argv.index("--binary")
    LONGHAUL = str(pathlib.Path(sys.argv[at + 1]).resolve())
    del sys.argv[at:at + 2]
    unittest.main()

#!/usr/bin/env python3
"""Runs the bench on two rows, and again with best known values that are wrong in either direction.

    quick_test.py BENCH_PLACEMENT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BENCH = None
KNOWN = "dtfm-spot 8x8 0.471249/0.65"  # optimum by hand: docs/mathematics/placement.md
COMPARED = "dtfm-campuses 8x8 0.128/1.3"


def run(*arguments):
    return subprocess.run([BENCH, "--quick", *arguments], capture_output=True, text=True, timeout=250)


class Quick(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.best_known = json.loads((HERE / "best_known.json").read_text())

    def with_score(self, factor):
        self.best_known["rows"][COMPARED]["score"] *= factor
        path = pathlib.Path(self.folder.name, "best_known.json")
        path.write_text(json.dumps(self.best_known))
        return run("--best-known", str(path))

    def lines(self, done):
        return {line.split(" | ")[0].strip("| "): line for line in done.stdout.splitlines()
                if line.startswith("| dtfm")}

    def test_both_rows_pass(self):
        lines_file = pathlib.Path(self.folder.name, "lines.jsonl")
        done = run("--lines", str(lines_file))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = self.lines(done)
        self.assertEqual(set(rows), {KNOWN, COMPARED})
        for line in rows.values():
            self.assertTrue(line.endswith("| pass |"), line)
        self.assertIn("31.634148 / 31.634148", rows[KNOWN])
        machine, *runs = map(json.loads, lines_file.read_text().splitlines())
        self.assertIn("processor", machine)
        self.assertEqual({one["id"] for one in runs}, {KNOWN, COMPARED})

    def test_best_known_below_what_is_reached(self):
        done = self.with_score(0.999)
        self.assertEqual(done.returncode, 1)
        self.assertIn("miss: best known", self.lines(done)[COMPARED])

    def test_result_below_a_proved_optimum(self):
        self.assertTrue(self.best_known["rows"][COMPARED]["proved"])
        done = self.with_score(1.001)
        self.assertEqual(done.returncode, 1)
        self.assertIn("miss: best known", self.lines(done)[COMPARED])

    def test_row_without_best_known_value(self):
        del self.best_known["rows"][COMPARED]
        path = pathlib.Path(self.folder.name, "best_known.json")
        path.write_text(json.dumps(self.best_known))
        self.assertEqual(run("--best-known", str(path)).returncode, 1)

    def test_bad_input(self):
        self.assertEqual(run("--best-known", "no-such-file").returncode, 2)
        self.assertEqual(run("--only", "no such row").returncode, 2)
        self.assertEqual(run("--skyplane", "no-such-folder").returncode, 2)


if __name__ == "__main__":
    BENCH = sys.argv.pop(1)
    unittest.main()

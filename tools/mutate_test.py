#!/usr/bin/env python3
"""mutate.py: what it mutates, and that files come back."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOLS = pathlib.Path(__file__).parent
sys.path.insert(0, str(TOOLS))
import mutate  # noqa: E402

EVERYWHERE = (1, 10**9)


class Mutate(unittest.TestCase):
    def test_code_is_mutated_and_nothing_else(self):
        source = '#include <a+b>  // x < y\n/* a + b */\nauto s = "a + b";\nint z = a + b;\n'
        found = mutate.mutants(source, EVERYWHERE)
        self.assertEqual([(new, line) for _, _, new, line in found], [(" - ", 4)])

    def test_lines_limit_the_mutants(self):
        source = "x = a + b;\ny = a + b;\nz = a + b;\n"
        self.assertEqual([m[3] for m in mutate.mutants(source, (2, 2))], [2])

    def test_thinned_is_spread_evenly(self):
        self.assertEqual(mutate.thinned(list(range(10)), 2), [0, 5])
        self.assertEqual(mutate.thinned([1, 2], 5), [1, 2])

    def test_file_comes_back_when_the_run_is_stopped(self):
        # A stand-in for cmake and ctest: passes at first, then sleeps so that the run is stopped
        # in the middle of a mutant.
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, body in (("cmake", "exit 0"), ("ctest", "grep -q ' - ' a.cpp && sleep 20; exit 0")):
                (root / name).write_text(f"#!/bin/sh\n{body}\n")
                (root / name).chmod(0o755)
            (root / "a.cpp").write_text("int z = a + b;\n")
            run = subprocess.Popen(
                [sys.executable, str(TOOLS / "mutate.py"), "a.cpp"], cwd=root,
                env={"PATH": f"{root}:/usr/bin:/bin"}, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 20
            while " - " not in (root / "a.cpp").read_text():
                self.assertLess(time.monotonic(), deadline, "never mutated")
                time.sleep(0.01)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(20), 130)
            self.assertEqual((root / "a.cpp").read_text(), "int z = a + b;\n")


if __name__ == "__main__":
    unittest.main()

"""What tools/tidy.py, tools/sanitized.py and tools/lone_headers.py take first, in a small repository of their own.

    python3 tools/tidy_test.py
"""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import lone_headers
import sanitized
import tidy

UNIT = "build/tidy/src/longhaul/{0}/longhaul_{0}_verify_interface_header_sets/longhaul/{0}/{1}.hpp.cxx"


class OrderTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        for module in (tidy, sanitized):
            self.addCleanup(setattr, module, "ROOT", module.ROOT)
            module.ROOT = self.root
        self.addCleanup(setattr, sanitized, "BUILD", sanitized.BUILD)
        sanitized.BUILD = self.root / "build"
        self.git("init", "--quiet")
        (self.root / ".clang-tidy").write_text("")
        # From old to new; every commit changes one module.
        for name in ("core/a.hpp", "core/a.cpp", "core/a_test.cpp", "fabric/b.cpp", "fabric/b_property_test.cpp",
                     "report/c.hpp"):
            self.commit("src/longhaul/" + name)

    def git(self, *words):
        subprocess.run(["git", "-C", str(self.root), "-c", "user.name=n", "-c", "user.email=e", *words], check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self, name, text="\n"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", name)

    def test_newest_sources_first_and_headers_by_themselves_last(self):
        units = [UNIT.format("core", "a"), UNIT.format("report", "c")]
        names = ["src/longhaul/core/a.cpp", "src/longhaul/fabric/b.cpp", *units]
        self.assertEqual(tidy.newest_first(names), [names[1], names[0], units[1], units[0]])

    def test_a_unit_is_checked_again_when_its_header_changes(self):
        unit = self.root / UNIT.format("core", "a")
        unit.parent.mkdir(parents=True)
        unit.write_text("#include <longhaul/core/a.hpp> // IWYU pragma: associated\n")
        before = tidy.fingerprints([unit])
        self.assertEqual(tidy.fingerprints([unit]), before)
        (self.root / "src/longhaul/core/a.hpp").write_text("int other;\n")
        self.assertNotEqual(tidy.fingerprints([unit]), before)

    def test_a_header_is_as_new_as_what_it_includes(self):
        self.commit("src/longhaul/fabric/d.hpp", '#include "longhaul/core/a.hpp"\n')
        self.commit("src/longhaul/core/a.hpp", "int newest;\n")
        units = [UNIT.format(*name) for name in (("report", "c"), ("fabric", "d"), ("core", "a"))]
        changes, cache = tidy.last_changes(), {}
        ages = [lone_headers.age(unit, changes, cache) for unit in units]
        self.assertEqual(ages[1], ages[2])
        self.assertLess(ages[2], ages[0])

    def test_a_header_that_leans_on_another_does_not_compile_alone(self):
        for text, whole in (("std::vector<int> v;\n", False), ("#include <vector>\nstd::vector<int> v;\n", True)):
            unit = self.root / "unit.cpp"
            unit.write_text(text)
            entry = {"file": str(unit), "directory": str(self.root), "command": f"c++ -o unit.o -c {unit}"}
            said = lone_headers.compile_alone(entry, time.monotonic() + 60)
            self.assertEqual(said == "", whole, said)
            self.assertIsNone(lone_headers.compile_alone(entry, time.monotonic() - 1))

    def test_parts_are_modules_with_tests_and_the_program(self):
        self.commit("apps/longhaul/main.cpp")
        self.commit("src/longhaul/core/a.cpp", "int newest;\n")
        self.assertEqual(list(sanitized.parts().items()), [
            ("core", ["longhaul_core_test"]), ("program", ["longhaul_app", "longhaul_fuzz_corpus_test"]),
            ("fabric", ["longhaul_fabric_property_test"])])

    def test_every_part_is_tested_once(self):
        named = {part: sanitized.selection(part) for part in sanitized.parts()}
        self.assertEqual(named["core"], ["-R", r"^core\."])
        self.assertEqual(named["program"], ["-E", r"^(core|fabric|bench)\."])

    def test_a_part_that_nobody_builds_is_not_waited_for(self):
        gone = subprocess.Popen(["true"])
        self.addCleanup(gone.wait)  # until then it has ended, and nobody has asked
        os.environ["SANITIZED_BUILDER"] = str(gone.pid)
        self.addCleanup(os.environ.pop, "SANITIZED_BUILDER")
        self.assertFalse(sanitized.wait_for("core", time.monotonic() + 60))
        sanitized.mark("core").parent.mkdir(parents=True)
        sanitized.mark("core").touch()
        self.assertTrue(sanitized.wait_for("core", time.monotonic() + 60))


if __name__ == "__main__":
    unittest.main()

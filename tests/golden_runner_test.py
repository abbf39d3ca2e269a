"""Checks that the golden runner sees differences: a comparison that always agrees tests nothing."""
import pathlib
import stat
import tempfile
import unittest

import golden_test


class Lines(unittest.TestCase):
    def test_numbers_are_exact_without_a_tolerance(self):
        self.assertTrue(golden_test.same_line("score 1.5", "score 1.5", 0))
        self.assertFalse(golden_test.same_line("score 1.5", "score 1.50", 0))

    def test_tolerance_is_relative_and_for_numbers_only(self):
        self.assertTrue(golden_test.same_line("score 1000.0 s", "score 1000.1 s", 1e-3))
        self.assertFalse(golden_test.same_line("score 1000.0 s", "score 1002.0 s", 1e-3))
        self.assertFalse(golden_test.same_line("score 1.0 s", "score 1.0 m", 1e-3))
        self.assertFalse(golden_test.same_line("stage s1", "stage s2", 1))
        self.assertFalse(golden_test.same_line("1 2", "1", 1))

    def test_any_text(self):
        self.assertTrue(golden_test.same_line("took \u2026 s", "took 1.25 s", 0))
        self.assertFalse(golden_test.same_line("took \u2026 s", "took 1.25 m", 0))


class Texts(unittest.TestCase):
    def test_any_lines(self):
        same = golden_test.same_text
        self.assertTrue(same(["a", "...", "d"], ["a", "b", "c", "d"], 0))
        self.assertTrue(same(["a", "...", "d"], ["a", "d"], 0))
        self.assertTrue(same(["..."], [], 0))
        self.assertTrue(same(["...", "b", "...", "b"], ["b", "x", "b"], 0))
        self.assertFalse(same(["...", "d"], ["a", "d", "e"], 0))
        self.assertFalse(same(["a", "...", "d"], ["a", "b"], 0))

    def test_length_counts(self):
        self.assertFalse(golden_test.same_text(["a"], ["a", "b"], 0))
        self.assertFalse(golden_test.same_text(["a", "b"], ["a"], 0))
        self.assertFalse(golden_test.same_text([], ["a"], 0))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.binary = self.root / "program"
        self.binary.write_text('#!/bin/sh\necho "out $1"\necho "err" >&2\nexit 3\n')
        self.binary.chmod(self.binary.stat().st_mode | stat.S_IXUSR)

    def tearDown(self):
        self.folder.cleanup()

    def run_text(self, name, text, update=False):
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        return golden_test.run_file(path, self.binary, self.root, update), path.read_text()

    def test_golden_sees_each_stream_and_the_exit_code(self):
        good = "# about\n$ longhaul a\nout a\n! err\nexit 3\n\n$ longhaul b\nout b\n! err\nexit 3\n"
        self.assertEqual(self.run_text("a.golden", good)[0], 0)
        for wrong in (good.replace("out a", "out x"), good.replace("! err", "err", 1),
                      good.replace("exit 3", "exit 0", 1), good.replace("! err\n", "", 1)):
            self.assertEqual(self.run_text("a.golden", wrong)[0], 1)

    def test_update_rewrites_only_what_differs(self):
        text = "# about\n$ longhaul a\n...\nexit 3\n\n$ longhaul b\nold\nexit 0\n"
        failures, after = self.run_text("a.golden", text, update=True)
        self.assertEqual(failures, 0)
        self.assertEqual(after, "# about\n$ longhaul a\n...\nexit 3\n\n$ longhaul b\nout b\n! err\nexit 3\n")

    def test_malformed_golden_files_are_refused(self):
        for text in ("$ longhaul a\nout a\n", "stray\n"):
            with self.assertRaises(ValueError):
                self.run_text("a.golden", text)

    def test_pages_need_a_command_and_its_exit_code(self):
        page = "# Page\n```console\n$ longhaul a\nout a\nerr\n$ echo $?\n3\n```\n"
        self.assertEqual(self.run_text("a.md", page)[0], 0)
        self.assertEqual(self.run_text("a.md", page.replace("$ echo $?\n3\n", ""))[0], 1)
        self.assertEqual(self.run_text("a.md", page.replace("\n3\n", "\n0\n"))[0], 1)
        self.assertEqual(self.run_text("a.md", page.replace("console", "sh"))[0], 1)


if __name__ == "__main__":
    unittest.main()

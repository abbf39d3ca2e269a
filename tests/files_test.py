"""What commands do to files and streams when these are not as usual: links, devices, pipes, a folder
that somebody else writes at the same time, standard input named twice.

Usage: files_test.py --binary LONGHAUL [unittest arguments]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bad_input.commands import COMMANDS, PAYLOADS, QUICK, SHAPE
from bad_input.good import FABRIC, HOSTS

LONGHAUL = ""
SECONDS = 60  # limit of one command; far more than any needs
LAUNCH = COMMANDS["launch"].words
PLACE = ["place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, *QUICK]


class FilesTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.write("fabric.json", json.dumps(FABRIC))
        self.write("hosts.toml", HOSTS)
        self.accepted(*PLACE, "-o", "plan.json")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def start(self, *words, **options):
        return subprocess.Popen([LONGHAUL, *words], cwd=options.pop("cwd", self.folder),
                                stdin=options.pop("stdin", subprocess.DEVNULL), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def end(self, process):
        """Exit code, standard output, standard error."""
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"{process.args} still runs after {SECONDS} s")
        return process.returncode, out, err

    def accepted(self, *words, **options):
        code, out, err = self.end(self.start(*words, **options))
        self.assertEqual(code, 0, err)
        return out

    def refused(self, message, *words, **options):
        code, out, err = self.end(self.start(*words, **options))
        self.assertEqual((code, out), (2, ""), err)
        self.assertIn(message, err)
        self.assertEqual(err.count("\n"), 1, err)

    def test_outputs_never_replace_what_is_read(self):
        before = (self.folder / "fabric.json").read_text()
        (self.folder / "link.json").symlink_to("fabric.json")
        for output in ("fabric.json", "./fabric.json", "link.json"):
            self.refused("is read and would be overwritten", *PLACE, "-o", output)
            self.refused("is read and would be overwritten", *PLACE, "--certificate", output)
        self.refused("would be written twice", *PLACE, "-o", "p.json", "--certificate", "./p.json")
        self.refused("is read and would be overwritten", "place", "--fabric", "fabric.json",
                     "--from", "plan.json", *QUICK, "-o", "plan.json")
        self.assertEqual((self.folder / "fabric.json").read_text(), before)
        self.assertFalse((self.folder / "p.json").exists())

    def test_replanning_takes_terms_from_the_old_plan_unless_given(self):
        self.accepted(*PLACE, "--exchange", "ring", "--stage-seconds", "2", "-o", "ring.json")
        again = ["place", "--fabric", "fabric.json", "--from", "ring.json", *QUICK]
        self.accepted(*again, "-o", "same.json")
        self.accepted(*again, "--exchange", "sharded", "-o", "other.json")
        same, other = (json.loads((self.folder / name).read_text())
                       for name in ("same.json", "other.json"))
        self.assertEqual(same["terms"]["exchange"], "ring")
        self.assertEqual(same["workload"]["stage_seconds"], [2])
        self.assertEqual(other["terms"]["exchange"], "sharded")

    def plan_with_fabric(self, path):
        plan = json.loads((self.folder / "plan.json").read_text())
        plan["fabric"]["path"] = path
        self.write("elsewhere.json", json.dumps(plan))

    # ---- links ---------------------------------------------------------------------------------

    def test_links_are_followed_also_to_what_is_not_there_yet(self):
        (self.folder / "far").mkdir()
        (self.folder / "link.json").symlink_to("far/plan.json")
        (self.folder / "second").symlink_to("first")
        (self.folder / "first").symlink_to("far/launch")
        for _ in range(2):
            self.accepted(*PLACE, "-o", "link.json")
            self.accepted(*LAUNCH, "-o", "second/", "--force")
        for name in ("link.json", "second", "first"):
            self.assertTrue((self.folder / name).is_symlink(), name)
        self.assertEqual(sorted(os.listdir(self.folder / "far")), ["launch", "plan.json"])

    def test_a_ring_of_links_is_refused(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.refused("a: cannot", *PLACE, "-o", "a")
        self.refused("cannot", *LAUNCH, "-o", "a")

    # ---- folders -------------------------------------------------------------------------------

    def test_the_current_folder_is_not_replaced(self):
        inside = self.folder / "inside"
        inside.mkdir()
        words = [word if word.startswith("-") or "." not in word else "../" + word
                 for word in LAUNCH[:-2]]
        for name in (".", "./", "../inside", "../inside/."):
            self.refused("is the current folder", *words, "-o", name, cwd=inside)
        (inside / "deep").mkdir()
        self.accepted(*words, "-o", "deep/.", cwd=inside)
        self.assertEqual(os.listdir(inside), ["deep"])

    def test_a_folder_of_another_run_is_not_replaced_without_force(self):
        for i in range(5):
            runs = [self.start(*LAUNCH, "-o", f"race-{i}") for _ in range(6)]
            codes = [self.end(run)[0] for run in runs]
            self.assertEqual(sorted(codes), [0, 2, 2, 2, 2, 2])
        self.assertEqual([name for name in os.listdir(self.folder) if name.count(".")
                          and name.startswith("race")], [])

    def test_the_start_command_works_for_a_folder_that_looks_like_an_option(self):
        for name in ("-", "-x", "it's"):
            out = self.accepted(*LAUNCH, f"--output={name}")
            change = out.splitlines()[-1].split("to start: ")[1].split(" && ")[0]
            done = subprocess.run(["sh", "-c", f"{change} && ls launch.sh"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.stdout, "launch.sh\n", done.stderr)

    def test_a_full_disk_is_reported_under_the_name_that_was_typed(self):
        # A limit on the size of files stands for the full disk: writes beyond it fail.
        limit = "import resource, signal, os, sys\n" \
                "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" \
                "resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))\n" \
                "os.execv(sys.argv[1], sys.argv[1:])\n"
        for words, name in (([*PLACE, "-o", "out.json"], "out.json: "),
                            ([*LAUNCH, "-o", "out"], "out/")):
            before = sorted(os.listdir(self.folder))
            done = subprocess.run([sys.executable, "-c", limit, LONGHAUL, *words], text=True,
                                  cwd=self.folder, capture_output=True, timeout=SECONDS)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith("longhaul: " + name), done.stderr)
            self.assertIn("cannot write", done.stderr)
            self.assertEqual(sorted(os.listdir(self.folder)), before)

    # ---- what is read --------------------------------------------------------------------------

    def test_an_output_that_cannot_be_written_is_refused_before_the_search(self):
        # So large a budget would search for days.
        self.refused("folder exists", "place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS,
                     "--budget", "1000000000000", "-o", "absent/plan.json")

    def test_devices_without_an_end_are_refused(self):
        self.refused("/dev/zero: is a device", "fabric", "/dev/zero")
        self.refused("/dev/zero: is a device", "explain", "/dev/zero")

    def test_pipes_can_be_named(self):
        pipe = ["sh", "-c", f'exec "$0" {" ".join(PLACE).replace("fabric.json", "/dev/fd/3")} '
                            '3<&0 -o piped.json', LONGHAUL]
        done = subprocess.run(pipe, cwd=self.folder, input=json.dumps(FABRIC), text=True,
                              capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_plan_makes_no_command_wait_or_read_without_end(self):
        os.mkfifo(self.folder / "pipe")
        reader, writer = os.pipe()  # standard input that stays open
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        for number, path in enumerate(("pipe", "/dev/zero", "-")):
            self.plan_with_fabric(path)
            self.refused("no plain file", "explain", "elsewhere.json", stdin=reader)
            self.accepted(*[word.replace("plan.json", "elsewhere.json") for word in LAUNCH],
                          "-o", f"out-{number}", stdin=reader)
            self.accepted("explain", "elsewhere.json", "--fabric", "fabric.json", stdin=reader)

    def test_standard_input_stands_for_one_file(self):
        workload = [*SHAPE, *PAYLOADS]
        for words in (["evaluate", "--fabric", "-", *workload, "--rank-map", "-"],
                      ["place", "--fabric", "-", "--job", "-"],
                      ["explain", "-", "--fabric", "-"],
                      ["launch", "-", "--to", "env", "--hosts", "-", "-o", "out"]):
            self.refused("stands for more than one file", *words)

    def test_messages_name_standard_input(self):
        workload = [*SHAPE, *PAYLOADS]
        for words in (["evaluate", "--fabric", "fabric.json", *workload, "--rank-map", "-"],
                      ["place", "--fabric", "-", *workload],
                      ["place", "--fabric", "fabric.json", "--job", "-"],
                      ["explain", "-"],
                      ["explain", "plan.json", "--fabric", "-"]):
            self.refused("longhaul: standard input: ", *words)

    def test_explain_tells_when_the_plan_claims_another_score(self):
        plan = json.loads((self.folder / "plan.json").read_text())
        plan["rank_map"] = [0, 2, 1, 3]  # the other pairing of the two labels
        self.write("edited.json", json.dumps(plan))
        for name, warned in (("plan.json", False), ("edited.json", True)):
            code, out, err = self.end(self.start("explain", name, "--json"))
            self.assertEqual(code, 0)
            self.assertEqual("but its rank map takes" in err, warned, err)
            self.assertEqual(json.loads(out)["score"] != plan["score"], warned)

    def test_a_plan_and_its_fabric_may_move_together(self):
        for folder in ("moved", "moved/deep", "alone"):
            (self.folder / folder).mkdir()
        plan = json.loads((self.folder / "plan.json").read_text())
        plan["fabric"]["path"] = "results/fabric.json"
        for place in ("moved/plan.json", "alone/plan.json"):
            self.write(place, json.dumps(plan))
        self.write("moved/fabric.json", json.dumps(FABRIC))
        for words in (["explain"], ["simulate"], ["evaluate", "--rank-map"]):
            self.accepted(*words, "moved/plan.json")
            self.accepted(*words, "../plan.json", cwd=self.folder / "moved" / "deep")
            self.refused('alone/plan.json: fabric: wants the fabric "results/fabric.json"',
                         *words, "alone/plan.json")
            self.accepted(*words, "alone/plan.json", "--fabric", "fabric.json")
            # Another fabric is taken when it is named, not when it happens to be there.
            other = json.loads(json.dumps(FABRIC))
            other["alpha_ms"][0][2] = 6
            self.write("other.json", json.dumps(other))
            self.accepted(*words, "plan.json", "--fabric", "other.json")
        self.write("alone/fabric.json", json.dumps(other))
        self.refused("give --fabric", "explain", "alone/plan.json")

    # ---- maps and fabrics in parts --------------------------------------------------------------

    def test_an_option_replaces_only_its_part_of_a_plan(self):
        shared = dict(FABRIC, shared=[{"name": "cable", "gbps": 0.01, "between": ["a", "b"]}])
        self.write("shared.json", json.dumps(shared))
        self.accepted("place", "--fabric", "shared.json", *SHAPE, *PAYLOADS, *QUICK, "-o", "s.json")

        def score(*options):
            out = self.accepted("evaluate", "--rank-map", "s.json", *options, "--json")
            return json.loads(out)["score_mapped"]

        self.assertAlmostEqual(score(), json.loads((self.folder / "s.json").read_text())["score"])
        self.assertLess(score("--ignore-shared"), score() / 2)
        ignored = self.accepted("evaluate", "--fabric", "fabric.json", *SHAPE, *PAYLOADS,
                                "--rank-map", "s.json", "--json")
        self.assertAlmostEqual(score("--ignore-shared"), json.loads(ignored)["score_mapped"])
        self.assertGreater(score("--stage-seconds", "3"), score() + 2.9)

    def test_a_rank_map_becomes_a_plan_without_claims(self):
        self.write("map.txt", "0 1 2 3")
        out = self.accepted("evaluate", "--fabric", "fabric.json", *SHAPE, *PAYLOADS,
                            "--rank-map", "map.txt", "-o", "host.json", "--json")
        plan = json.loads((self.folder / "host.json").read_text())
        self.assertEqual(plan["rank_map"], [0, 1, 2, 3])
        self.assertAlmostEqual(plan["score"], json.loads(out)["score_mapped"])
        self.assertEqual((plan["bound"], plan["optimal"]), (0, False))
        for words in (["explain", "host.json"], ["simulate", "host.json"],
                      ["evaluate", "--rank-map", "host.json"],
                      [*[word.replace("plan.json", "host.json") for word in LAUNCH], "-o", "out"]):
            code, _, err = self.end(self.start(*words))
            self.assertEqual((code, err), (0, ""))
        self.refused("is read and would be overwritten", "evaluate", "--rank-map", "host.json",
                     "-o", "host.json")

    def test_a_fabric_without_hosts_is_the_start_of_a_new_plan(self):
        hosts = dict(FABRIC, devices=[{"host": f"h{i}", "local_rank": 0} for i in range(4)])
        self.write("hosts.json", json.dumps(hosts))
        self.accepted("place", "--fabric", "hosts.json", *SHAPE, *PAYLOADS, *QUICK, "-o", "old.json")
        out = self.accepted("fabric", "hosts.json", "--drop", "h1", "-o", "less.json", "--json")
        self.assertEqual(json.loads(out)["devices"], 3)
        self.assertEqual(json.loads(self.accepted("fabric", "less.json", "--json")),
                         json.loads(out))
        for option, places in (("--drop", "h1/0"), ("--keep", "h0,h2/0,h3")):
            same = json.loads(self.accepted("fabric", "hosts.json", option, places, "--json"))
            self.assertEqual({**same, "sha256": ""}, {**json.loads(out), "sha256": ""})
        self.refused('no device has the host, label or name "h9"', "fabric", "hosts.json",
                     "--keep", "h9")
        again = ["place", "--fabric", "less.json", "--from", "old.json", *QUICK]
        code, _, err = self.end(self.start(*again))
        self.assertEqual(code, 1)
        self.assertIn("pp x dp that fit: 1 x 3, 3 x 1; with some left out: 2 x 1 (1)", err)
        code, _, err = self.end(self.start(*again, "--pp", "3", "--dp", "1"))
        self.assertEqual(code, 2, err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn("old.json: workload: holds c-pp and c-dp for pp 2 x dp 2, and the new plan has "
                      "pp 3 x dp 1; "
                      "give --c-pp (it was ", err)
        code, _, err = self.end(self.start(*again, "--pp", "3", "--dp", "1", "--c-pp", "1"))
        self.assertEqual(code, 2, err)
        self.assertNotIn("c-pp", err)
        out = self.accepted(*again, "--pp", "3", "--dp", "1", "--c-pp", "1", "--c-dp", "2", "--json")
        self.assertFalse(json.loads(out)["same_workload"])
        code, _, err = self.end(self.start(*again, "--pp", "2", "--dp", "1", "--c-pp", "1"))
        self.assertEqual((code, err), (0, ""))

    # ---- environment ---------------------------------------------------------------------------

    def test_the_fixed_time_is_a_time(self):
        # date -u -d @951782400 +%FT%TZ; the last second has four digits of a year.
        for seconds, time in (("0", "1970-01-01T00:00:00Z"), ("951782400", "2000-02-29T00:00:00Z"),
                              ("253402300799", "9999-12-31T23:59:59Z")):
            text = self.accepted(*PLACE, "--json", env={"SOURCE_DATE_EPOCH": seconds})
            self.assertEqual(json.loads(text)["provenance"]["time"], time)
        for wrong in ("", "-1", "now", "1e3", " 1", "253402300800", "9223372036854775807", "9" * 99):
            self.refused("SOURCE_DATE_EPOCH: found", *PLACE, "-o", "none.json",
                         env={"SOURCE_DATE_EPOCH": wrong})
        self.assertFalse((self.folder / "none.json").exists())


if __name__ == "__main__":
    binary = sys.argv.index("--binary")
    LONGHAUL = str(pathlib.Path(sys.argv[binary + 1]).resolve())
    unittest.main(argv=sys.argv[:binary] + sys.argv[binary + 2:])

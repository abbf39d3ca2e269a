"""The command `longhaul launch`: what it writes, prints and refuses (launch_test.py runs the files).

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/launch_command_test.py
"""

import json
import os
import shutil
import subprocess
import unittest

from launch_case import EQUAL, EQUAL_BLOCKS, HOSTILE, MIXED, SOURCE, LaunchCase, plan_of


class Scripts(LaunchCase):
    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck")
    def test_shellcheck_passes(self):
        hosts = 'workdir = "it\'s $HOME `x`"\n' + EQUAL
        for launcher in ("torchrun", "env", "slurm", "mpi", "deepspeed", "megatron",
                         "kubernetes"):
            with self.subTest(launcher=launcher):
                shutil.rmtree(self.output, True)
                self.emit(launcher, hosts, EQUAL_BLOCKS, command=["python3", "t.py", HOSTILE])
                scripts = [p for p in self.output.iterdir() if p.suffix in (".sh", ".sbatch")]
                if launcher == "kubernetes":
                    scripts = self.yaml_scripts()
                self.assertNotEqual(scripts, [])
                result = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stdout)

    def yaml_scripts(self):
        """The block scalars of jobset.yaml, cut out by their indentation."""
        files, lines = {}, (self.output / "jobset.yaml").read_text().splitlines()
        name = None
        for line in lines:
            if line.startswith("  ") and line.endswith(".sh: |"):
                name = line.strip()[:-3]
                files[name] = []
            elif name and (line.startswith("    ") or not line):
                files[name].append(line[4:])
            else:
                name = None
        self.assertEqual(sorted(files), ["rank_exec.sh", "start_host.sh", "verify_rank.sh"])
        return [self.write(name, "\n".join(text) + "\n") for name, text in files.items()]

    def test_files_are_executable_and_the_folder_readable(self):
        self.emit("env", EQUAL, MIXED)
        self.assertTrue(os.access(self.output / "launch.sh", os.X_OK))
        self.assertFalse((self.output / "rank_map.tsv").stat().st_mode & 0o111)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if "out dir" in p.name),
                         ["out dir"])


class Command(LaunchCase):
    def test_json_names_the_files(self):
        result = self.emit("torchrun", EQUAL, EQUAL_BLOCKS, "--json")
        answer = json.loads(result.stdout)
        self.assertEqual(list(answer), ["launcher", "convention", "directory", "world_size",
                                        "hosts", "rank_zero", "start", "files", "notes"])
        self.assertEqual(answer["rank_zero"],
                         {"host": "b", "address": "10.0.0.2", "port": 29500})
        self.assertEqual(sorted(answer["files"]), sorted(p.name for p in self.output.iterdir()))

    def test_a_map_that_a_launcher_cannot_express_is_refused(self):
        for launcher in ("torchrun", "deepspeed"):
            result = self.emit(launcher, EQUAL, MIXED, code=1)
            self.assertIn("but host a holds 0, 2, 4, 6; use --to env, slurm, mpi", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertFalse(self.output.exists())

    def test_dynamic_rendezvous_is_refused(self):
        result = self.emit("torchrun", EQUAL, EQUAL_BLOCKS, "--rdzv", "c10d", code=2)
        self.assertIn("only static keeps the map", result.stderr)
        self.assertFalse(self.output.exists())

    def test_command_may_be_one_text(self):
        result = self.longhaul(
            "launch", self.write("plan.json", plan_of(MIXED)), "--to", "env", "--hosts",
            self.write("hosts.toml", EQUAL), "-o", self.output, "--command",
            "python3 train.py --note 'a b'")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("python3 train.py --note 'a b'",
                      (self.output / "start_host.sh").read_text())

    def test_existing_folders(self):
        self.output.mkdir()
        self.emit("env", EQUAL, MIXED)  # an empty one is taken
        before = sorted(p.name for p in self.output.iterdir())
        self.emit("env", EQUAL, MIXED, code=2)
        self.emit("slurm", EQUAL, MIXED, "--force")
        self.assertNotEqual(sorted(p.name for p in self.output.iterdir()), before)
        self.assertTrue((self.output / "job.sbatch").exists())
        (self.output / "precious").mkdir()
        result = self.emit("env", EQUAL, MIXED, "--force", code=2)
        self.assertIn("was not written by this command", result.stderr)
        self.assertTrue((self.output / "precious").exists())
        shutil.rmtree(self.output)
        self.output.mkdir()
        (self.output / "mine.txt").write_text("keep")
        self.emit("env", EQUAL, MIXED, "--force", code=2)
        self.assertEqual((self.output / "mine.txt").read_text(), "keep")
        shutil.rmtree(self.output)
        self.output.write_text("a file")
        self.emit("env", EQUAL, MIXED, "--force", code=2)
        self.assertEqual(self.output.read_text(), "a file")
        self.output = self.folder / "missing" / "folder"
        self.emit("env", EQUAL, MIXED, code=2)
        self.assertEqual([p.name for p in self.folder.iterdir() if ".XXXXXX" in p.name], [])

    def test_bad_usage(self):
        plan = self.write("plan.json", plan_of(MIXED))
        hosts = self.write("hosts.toml", EQUAL)
        good = ["launch", plan, "--to", "env", "--hosts", hosts, "-o", self.output]
        for words, message in (
            (["launch"], "the plan is missing"),
            (good[:-2] + ["--", "a"], "-o is missing"),
            (good + ["--", ""], "the training command is missing"),
            (good + ["--command", "a", "--", "b"], "given twice"),
            (good + ["--command", "a 'b"], "not closed"),
            (good + ["--convention", "x", "--", "a"], "unknown convention"),
            (good + ["--name", "A B", "--", "a"], "name"),
            (good + ["--master-port", "0", "--", "a"], "master-port"),
            (["launch", "nothing.json", *good[2:], "--", "a"], "cannot read"),
            (["launch", plan, "--to", "env", "--hosts", "none.toml", "-o", self.output, "--",
              "a"], "cannot read"),
            (["launch", plan, "--to", "ssh", "--hosts", hosts, "-o", self.output, "--", "a"],
             "unknown launcher"),
            (["launch", plan, "--to", "kubernetes", "--hosts", hosts, "-o", self.output, "--",
              "a"], "add --image"),
        ):
            with self.subTest(words=words):
                result = self.longhaul(*words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(message, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertFalse(self.output.exists())

    def test_without_a_command_the_files_run_train_py(self):
        result = self.longhaul(
            "launch", self.write("plan.json", plan_of(MIXED)), "--to", "env", "--hosts",
            self.write("hosts.toml", EQUAL), "-o", self.output)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no training command is given", result.stdout)
        self.assertIn("python3 train.py", (self.output / "start_host.sh").read_text())

    def test_lists(self):
        self.assertIn("deepspeed-pipe-model-data",
                      self.longhaul("launch", "--list-conventions").stdout)
        self.assertIn("torchrun", self.longhaul("launch", "--list-launchers").stdout)

    def test_shipped_hosts_files_match_the_world_wide_fabric(self):
        for name, launcher in (("worldwide-8x8", "torchrun"), ("worldwide-64x1", "torchrun")):
            plan = self.write("plan.json", plan_of(list(range(63, -1, -1)), pp=8, dp=8))
            result = self.longhaul(
                "launch", plan, "--to", launcher, "--hosts",
                SOURCE / "examples/hosts" / f"{name}.toml", "-o", self.folder / name, "--", "a")
            self.assertEqual(result.returncode, 0, result.stderr)


def host(lines):
    return f'[[host]]\nname = "a"\ndevices = 4\n{lines}\n[[host]]\nname = "b"\ndevices = 4\n'


MALFORMED = {
    "empty": b"",
    "no hosts": b'user = "a"\n',
    "no table": b"host = 3\n",
    "empty list": b"host = []\n",
    "not toml": b"[[host]\nname = a\n",
    "not utf-8": b'[[host]]\nname = "\xff"\ndevices = 8\n',
    "truncated": host("").encode()[:20],
    "duplicate key": host('user = "a"\nuser = "b"').encode(),
    "unknown key": host('adress = "10.0.0.1"').encode(),
    "newer format": b'format = "longhaul.hosts/9"\n' + host("").encode(),
    "other format": b'format = "longhaul.plan/1"\n' + host("").encode(),
    "command in a name": b'[[host]]\nname = "a; touch PWNED"\ndevices = 8\n',
    "substitution": b'[[host]]\nname = "$(touch PWNED)"\ndevices = 8\n',
    "backticks": b'[[host]]\nname = "`touch PWNED`"\ndevices = 8\n',
    "quote": b"[[host]]\nname = \"a'b\"\ndevices = 8\n",
    "newline": b'[[host]]\nname = "a\\nb"\ndevices = 8\n',
    "option as a name": b'[[host]]\nname = "-oProxyCommand=x"\ndevices = 8\n',
    "option as an address": host('address = "-oProxyCommand=touch PWNED"').encode(),
    "bad address": host('address = "10.0.0.300"').encode(),
    "user with a space": host('user = "a b"').encode(),
    "user as an option": host('user = "-l"').encode(),
    "interface": host('interface = "wg0; touch PWNED"').encode(),
    "long interface": host('interface = "abcdefghijklmnop"').encode(),
    "zero devices": b'[[host]]\nname = "a"\ndevices = 0\n',
    "negative devices": b'[[host]]\nname = "a"\ndevices = -8\n',
    "devices as text": b'[[host]]\nname = "a"\ndevices = "8"\n',
    "too many devices": b'[[host]]\nname = "a"\ndevices = 1000000000000\n',
    "nan": b'[[host]]\nname = "a"\ndevices = nan\n',
    "no devices": b'[[host]]\nname = "a"\n',
    "fewer than the plan": b'[[host]]\nname = "a"\ndevices = 7\n',
    "more than the plan": b'[[host]]\nname = "a"\ndevices = 9\n',
    "same name": host("").replace('"b"', '"A"').encode(),
    "same address": host('address = "b"').encode(),
    "gpus twice": host("gpus = [0, 1, 1, 2]").encode(),
    "gpus and devices": host("gpus = [0, 1]").encode(),
    "overlapping devices": b'[[host]]\nname = "a"\nfabric_devices = [0, 1, 2, 3]\n'
                           b'[[host]]\nname = "b"\nfabric_devices = [3, 4, 5, 6]\n',
    "device without a host": b'[[host]]\nname = "a"\nfabric_devices = [0, 1, 2, 3, 4, 5, 6]\n',
    "device beyond the plan": b'[[host]]\nname = "a"\nfabric_devices = [0, 1, 2, 3, 4, 5, 6, 7, 9]\n',
    "some list devices": host("fabric_devices = [0, 1, 2, 3]").encode(),
    "port": host("ssh_port = 70000").encode(),
    "master port": b"master_port = 0\n" + host("").encode(),
    "climbing folder": b'launch_dir = "../../etc"\n' + host("").encode(),
    "control in a folder": host('workdir = "a\\u0007b"').encode(),
    "date": host("cores = 2026-01-01").encode(),
    "deep": b"x = " + b"[" * 5000 + b"]" * 5000 + b"\n",
}


class MalformedHosts(LaunchCase):
    def test_each_gives_one_message_and_no_files(self):
        plan = self.write("plan.json", plan_of(MIXED))
        for name, content in MALFORMED.items():
            with self.subTest(name=name):
                (self.folder / "bad.toml").write_bytes(content)
                for launcher in ("env", "slurm"):
                    result = self.longhaul("launch", plan, "--to", launcher, "--hosts",
                                           "bad.toml", "-o", self.output, "--", "true")
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    self.assertTrue(result.stderr.startswith("longhaul: bad.toml: "),
                                    result.stderr)
                    self.assertEqual(result.stdout, "")
                    self.assertFalse(self.output.exists())
        self.assertEqual(list(self.folder.rglob("PWNED")), [])

    def test_a_folder_and_a_missing_file(self):
        plan = self.write("plan.json", plan_of(MIXED))
        for hosts in (self.folder, self.folder / "none.toml"):
            result = self.longhaul("launch", plan, "--to", "env", "--hosts", hosts, "-o",
                                   self.output, "--", "true")
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()

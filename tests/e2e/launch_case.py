"""What the tests of `longhaul launch` share: hosts, rank maps, and a folder with stand-ins for the
launchers."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LONGHAUL = os.path.abspath(
    os.environ.get("LONGHAUL", SOURCE / "build/release/apps/longhaul/longhaul"))
SLOW_FORK = os.environ.get("SLOW_FORK", "")  # the library of fakes/slow_fork.cpp
FAKES = pathlib.Path(__file__).resolve().parent / "fakes"
SECONDS = 60  # limit of one command; far more than any needs

# Two hosts of three and five devices; the gpus of b are not in order.
UNEQUAL = """
user = "ubuntu"
interface = "wg0"
[[host]]
name = "a"
address = "10.0.0.1"
devices = 3
[[host]]
name = "b"
address = "10.0.0.2"
gpus = [3, 1, 0, 2, 4]
ssh_port = 2222
"""
EQUAL = """
[[host]]
name = "a"
address = "10.0.0.1"
devices = 4
[[host]]
name = "b"
address = "10.0.0.2"
gpus = [3, 1, 0, 2]
"""
MIXED = [0, 2, 4, 6, 1, 3, 5, 7]  # no host holds a block of ranks
BLOCKS = [5, 7, 6, 1, 0, 3, 2, 4]  # b holds 0-4, a holds 5-7, out of order inside
EQUAL_BLOCKS = [5, 7, 6, 4, 0, 3, 2, 1]
HOSTILE = "it's $HOME; touch PWNED; `touch PWNED` $(touch PWNED) \"*\" \\"


def plan_of(rank_map, pp=4, dp=2):
    return {
        "format": "longhaul.plan/1",
        "shape": {"pp": pp, "dp": dp},
        "workload": {"c_pp_gb": 0.5, "pp_messages": 1, "c_dp_gb": 0.5, "dp_messages": 1},
        "rank_map": rank_map,
    }


def alive(pid):
    """Whether a process runs (a zombie does not)."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


class LaunchCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="longhaul-launch-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.seen = self.folder / "seen"
        self.homes = self.folder / "homes"
        self.seen.mkdir()
        self.homes.mkdir()
        self.output = self.folder / "out dir"
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("NCCL", "GLOO"))},
            "PATH": f"{FAKES}:{os.environ['PATH']}",
            "FAKE_HOMES": str(self.homes),
            "FAKE_STATE": str(self.folder / "state"),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        (self.folder / "state").mkdir()

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def longhaul(self, *words):
        return subprocess.run(
            [LONGHAUL, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def emit(self, launcher, hosts, rank_map, *options, command=None, code=0):
        """Writes the launch folder; the training command is the probe."""
        self.hosts, self.rank_map = hosts, rank_map
        command = command or [str(FAKES / "probe"), str(self.seen)]
        result = self.longhaul(
            "launch", self.write("plan.json", plan_of(rank_map)), "--to", launcher, "--hosts",
            self.write("hosts.toml", hosts), "-o", self.output, "--image", "image:1", *options,
            "--", *command,
        )
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def start(self, *words, **extra):
        command = ["sh", str(self.output / "launch.sh"), *words]
        with subprocess.Popen(
            command, cwd=self.folder, env={**self.environment, **extra}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def table(self):
        lines = (self.output / "rank_map.tsv").read_text().splitlines()
        keys = lines[0].split("\t")
        return [dict(zip(keys, line.split("\t"))) for line in lines[1:]]

    def processes(self):
        """What every training process saw, by rank."""
        found = {}
        for path in self.seen.iterdir():
            values = dict(line.split("=", 1) for line in path.read_text().splitlines())
            self.assertNotIn(values["RANK"], found, "a rank ran twice")
            found[values["RANK"]] = values
        return found

    def check_processes(self, master, interface=None, gpus=True):
        """Every process of the map ran once, with the values of the map."""
        found = self.processes()
        table = self.table()
        self.assertEqual(sorted(found), sorted(row["rank"] for row in table))
        # The map itself is checked against the plan, not against the program.
        self.assertEqual([int(row["rank"]) for row in table], self.rank_map)
        for row in table:
            values = found[row["rank"]]
            self.assertEqual(values["LOCAL_RANK"], row["local_rank"])
            self.assertEqual(values["WORLD_SIZE"], str(len(table)))
            self.assertEqual(values["MASTER_ADDR"], master)
            self.assertEqual(values["MASTER_PORT"], "29500")
            self.assertEqual(values["FAKE_HOST"], row["host"])
            if gpus:
                visible = values["CUDA_VISIBLE_DEVICES"].split(",")
                self.assertEqual(visible[int(values["LOCAL_RANK"])], row["gpu"])
            if interface:
                self.assertEqual(values["NCCL_SOCKET_IFNAME"], "=" + interface)
                self.assertEqual(values["GLOO_SOCKET_IFNAME"], interface)

    def check_all_ended(self):
        for path in self.seen.iterdir():
            if path.suffix == ".new":
                continue  # ended while it wrote
            pid = int(path.read_text())
            deadline = time.monotonic() + 20
            while self.trains(pid) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(self.trains(pid), "a training process was left behind")
        deadline = time.monotonic() + 5  # far below the 30 s after which a process is killed by force
        while self.watchers() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.watchers(), [], "start_host.sh was left behind")

    def trains(self, pid):
        """Whether this is still the process of SLEEPER; a busy machine may give its id to another."""
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return alive(pid) and (b"sleep\0" in words or bytes(self.seen) in words)

    def watchers(self):
        """Processes of start_host.sh that run in the homes of this test."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes()
                if b"start_host.sh" in words and os.readlink(process / "cwd").startswith(
                        str(self.folder)):
                    found.append(words)
            except OSError:
                pass  # ended meanwhile
        return found

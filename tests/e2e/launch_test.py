"""Runs what `longhaul launch` writes: real shells and processes, with stand-ins for ssh, torchrun,
deepspeed, srun and sbatch that do what their manuals say, and the real mpirun where there is one.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/launch_test.py
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LONGHAUL = os.environ.get("LONGHAUL", str(SOURCE / "build/release/apps/longhaul/longhaul"))
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


class OverSsh(LaunchCase):
    """env, torchrun, deepspeed, megatron: start_host.sh on every host."""

    def test_env_starts_any_map(self):
        self.emit("env", UNEQUAL, MIXED)
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_processes("10.0.0.1", "wg0")
        calls = (self.folder / "state/ssh.log").read_text()
        self.assertIn("user=ubuntu port=22 host=10.0.0.1", calls)
        self.assertIn("user=ubuntu port=2222 host=10.0.0.2", calls)

    def test_devices_follow_the_names_of_the_hosts_not_their_order(self):
        # The plan's devices are on b first, its local ranks from behind; the file has a first.
        hosts = """
[[host]]
name = "a"
address = "10.0.0.1"
devices = 2
[[host]]
name = "b"
address = "10.0.0.2"
devices = 2
"""
        plan = plan_of([0, 1, 2, 3], pp=2, dp=2)
        plan["device_hosts"] = [{"host": "B", "local_rank": 1}, {"host": "B", "local_rank": 0},
                                {"host": "a", "local_rank": 0}, {"host": "a", "local_rank": 1}]
        result = self.longhaul(
            "launch", self.write("plan.json", plan), "--to", "env", "--hosts",
            self.write("hosts.toml", hosts), "-o", self.output, "--",
            str(FAKES / "probe"), str(self.seen))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([(row["rank"], row["host"], row["gpu"]) for row in self.table()],
                         [("0", "b", "1"), ("1", "b", "0"), ("2", "a", "0"), ("3", "a", "1")])
        # Every process checks its rank against the map: a wrong host would refuse to start.
        started = self.start()
        self.assertEqual(started.returncode, 0, started.stderr)
        seen = {rank: values["FAKE_HOST"] for rank, values in self.processes().items()}
        self.assertEqual(seen, {"0": "b", "1": "b", "2": "a", "3": "a"})
        self.assertEqual(self.processes()["0"]["MASTER_ADDR"], "10.0.0.2")

    def test_env_master_is_the_host_of_rank_zero(self):
        self.emit("env", UNEQUAL, BLOCKS)
        self.assertEqual(self.start().returncode, 0)
        self.check_processes("10.0.0.2", "wg0")

    def test_values_reach_the_command_as_they_are(self):
        workdir = self.folder / "it's a $HOME; dir"
        workdir.mkdir()
        hosts = f"workdir = {json.dumps(str(workdir))}\n" + EQUAL
        self.emit(
            "env", hosts, MIXED,
            command=["sh", "-c", 'pwd >"$1/$RANK.d"; printf %s "$2" >"$1/$RANK.w"', "sh",
                     str(self.seen), HOSTILE],
        )
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stderr)
        for rank in range(8):
            self.assertEqual((self.seen / f"{rank}.w").read_text(), HOSTILE)
            self.assertEqual((self.seen / f"{rank}.d").read_text(), f"{workdir}\n")
        self.assertEqual(list(self.folder.rglob("PWNED")), [])

    def test_torchrun_ranks_follow_the_static_rendezvous(self):
        for hosts, rank_map in ((EQUAL, EQUAL_BLOCKS), (UNEQUAL, BLOCKS)):
            with self.subTest(hosts=hosts):
                shutil.rmtree(self.output, True)
                shutil.rmtree(self.seen)
                self.seen.mkdir()
                shutil.rmtree(self.folder / "state")
                (self.folder / "state").mkdir()
                self.emit("torchrun", hosts, rank_map)
                result = self.start()
                self.assertEqual(result.returncode, 0, result.stderr)
                self.check_processes("10.0.0.2")

    def test_verifier_stops_a_torchrun_that_sorts_hosts_by_name(self):
        self.emit("torchrun", EQUAL, EQUAL_BLOCKS)
        result = self.start(FAKE_TORCHRUN_SORTS="1")
        self.assertEqual(result.returncode, 1)
        # b holds 0-3 in the map; sorted by name it comes second and gets 4-7.
        self.assertIn("host b, local rank 0: the map said 0, got 4", result.stderr)
        self.assertEqual(self.processes(), {})

    def test_deepspeed_local_ranks_are_those_of_deepspeed(self):
        self.emit("deepspeed", UNEQUAL, BLOCKS)
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_processes("10.0.0.2", "wg0")
        # launch.py: LOCAL_RANK = rank modulo the processes of the host; 5 mod 3 = 2 on host a.
        self.assertEqual(self.processes()["5"]["LOCAL_RANK"], "2")

    def test_deepspeed_includes_chosen_gpus(self):
        self.emit("deepspeed", EQUAL.replace("gpus = [3, 1, 0, 2]", "gpus = [7, 5, 4, 6]"),
                  EQUAL_BLOCKS)
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_processes("10.0.0.2")

    def test_megatron_adds_its_flags(self):
        for options, flag in (((), True), (("--convention", "megatron"), False)):
            with self.subTest(options=options):
                shutil.rmtree(self.output, True)
                self.emit("megatron", EQUAL, EQUAL_BLOCKS, *options,
                          command=["sh", "-c", 'echo "$@" >"$0/$RANK"', str(self.seen)])
                result = self.start()
                self.assertEqual(result.returncode, 0, result.stderr)
                words = (self.seen / "0").read_text().split()
                self.assertIn("--pipeline-model-parallel-size 4", " ".join(words))
                self.assertEqual("--use-tp-pp-dp-mapping" in words, flag)
                shutil.rmtree(self.folder / "state")
                (self.folder / "state").mkdir()

    def check_all_ended(self):
        for path in self.seen.iterdir():
            if path.suffix == ".new":
                continue  # ended while it wrote
            pid = int(path.read_text())
            deadline = time.monotonic() + 20
            while alive(pid) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertFalse(alive(pid), "a training process was left behind")
        deadline = time.monotonic() + 5  # far below the 30 s after which a process is killed by force
        while self.watchers() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.watchers(), [], "start_host.sh was left behind")

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

    SLEEPER = ["sh", "-c", 'echo $$ >"$0/$RANK.new"; mv "$0/$RANK.new" "$0/$RANK"; exec sleep 300']

    def test_a_swapped_rank_ends_the_whole_job(self):
        self.emit("env", EQUAL, MIXED, command=[*self.SLEEPER, str(self.seen)])
        script = self.output / "start_host.sh"
        text = script.read_text()
        self.assertIn("run 5 2 &", text)
        script.write_text(text.replace("run 5 2 &", "run 3 2 &"))
        started = time.monotonic()
        result = self.start()
        self.assertEqual(result.returncode, 1)
        self.assertIn("host b, local rank 2: the map said 5, got 3", result.stderr)
        self.assertIn("which belongs to host b, local rank 1", result.stderr)
        self.assertLess(time.monotonic() - started, 40)
        self.assertFalse((self.seen / "5").exists())
        self.check_all_ended()

    def test_a_wrong_world_size_is_found(self):
        self.emit("env", EQUAL, MIXED)
        script = self.output / "start_host.sh"
        script.write_text(script.read_text().replace("WORLD_SIZE=8", "WORLD_SIZE=9"))
        result = self.start()
        self.assertEqual(result.returncode, 1)
        self.assertIn("the map has 8 ranks, the launcher 9", result.stderr)

    def test_a_failing_process_ends_the_whole_job(self):
        self.emit("env", EQUAL, MIXED, command=[
            "sh", "-c", 'echo $$ >"$0/$RANK.new"; mv "$0/$RANK.new" "$0/$RANK"; [ "$RANK" != 2 ] || exit 9; exec sleep 300',
            str(self.seen)])
        result = self.start()
        self.assertEqual(result.returncode, 1)
        self.assertIn("host a ended with status", result.stderr)
        self.check_all_ended()

    def test_stop_and_signals_end_the_job(self):
        for how in ("stop", "signal"):
            with self.subTest(how=how):
                shutil.rmtree(self.output, True)
                shutil.rmtree(self.seen)
                self.seen.mkdir()
                self.emit("env", EQUAL, MIXED, command=[*self.SLEEPER, str(self.seen)])
                job = subprocess.Popen(
                    ["sh", str(self.output / "launch.sh")], env=self.environment,
                    cwd=self.folder, stderr=subprocess.DEVNULL)
                deadline = time.monotonic() + SECONDS
                while len(list(self.seen.iterdir())) < 8 and time.monotonic() < deadline:
                    time.sleep(0.05)
                self.assertEqual(len(list(self.seen.iterdir())), 8)
                if how == "stop":
                    self.assertEqual(self.start("stop").returncode, 0)
                else:
                    job.send_signal(signal.SIGTERM)
                self.assertEqual(job.wait(SECONDS), 1)
                self.check_all_ended()

    def test_a_second_start_is_refused(self):
        self.emit("env", EQUAL, MIXED)
        self.assertEqual(self.start("push").returncode, 0)
        first = subprocess.Popen(["sleep", "300"])
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        for pid_folder in self.homes.glob("*/.longhaul/*"):
            (pid_folder / "pid").write_text(f"{first.pid} earlier\n")
        result = self.start("run")
        self.assertIsNone(first.poll(), "the job that runs was ended")
        self.assertEqual(result.returncode, 1)
        self.assertIn("this job runs already", result.stderr)

    def test_hosts_that_share_the_folder_are_found(self):
        self.emit("env", f'launch_dir = "{self.folder}/shared"\n' + EQUAL, MIXED)
        result = self.start()
        self.assertEqual(result.returncode, 1)
        self.assertIn("set launch_dir to a folder that hosts do not share", result.stderr)

    def test_an_unreachable_host_is_named(self):
        self.emit("env", EQUAL, MIXED)
        result = self.start(FAKE_SSH_DOWN="10.0.0.2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("host b: could not copy the launch files", result.stderr)
        self.assertEqual(self.processes(), {})


class Schedulers(LaunchCase):
    def test_slurm_tasks_follow_the_host_file(self):
        for rank_map in (MIXED, BLOCKS):
            with self.subTest(rank_map=rank_map):
                shutil.rmtree(self.output, True)
                shutil.rmtree(self.seen)
                self.seen.mkdir()
                self.emit("slurm", UNEQUAL, rank_map)
                result = self.start()
                self.assertEqual(result.returncode, 0, result.stderr)
                self.check_processes("10.0.0.1" if rank_map is MIXED else "10.0.0.2", "wg0")

    def test_slurm_block_distribution_is_found(self):
        self.emit("slurm", EQUAL, MIXED)
        result = self.start(FAKE_SRUN_BLOCK="1")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("host a, local rank 1: the map said 2, got 1", result.stderr)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_mpi_ranks_follow_the_rankfile(self):
        self.emit("mpi", UNEQUAL, MIXED)
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.check_processes("10.0.0.1", "wg0")

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_mpi_with_another_rankfile_is_found(self):
        self.emit("mpi", EQUAL, MIXED)
        rankfile = self.output / "rankfile"
        lines = rankfile.read_text().splitlines()
        lines[0], lines[1] = (lines[0].replace("10.0.0.1", "10.0.0.2"),
                              lines[1].replace("10.0.0.2", "10.0.0.1"))
        rankfile.write_text("\n".join(lines) + "\n")
        result = self.start()
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, "the map said (0, got 1|1, got 0)")

    def documents(self):
        """The documents of jobset.yaml, read by whichever Python has a YAML reader."""
        program = ("import json, sys, yaml; "
                   "print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))")
        for python in (sys.executable, "/usr/bin/python3"):
            result = subprocess.run([python, "-c", program, self.output / "jobset.yaml"],
                                    capture_output=True, text=True)
            if result.returncode == 0:
                return json.loads(result.stdout)
            if "No module named" not in result.stderr:
                self.fail(result.stderr)
        self.skipTest("no YAML reader")

    def test_kubernetes_pods_take_their_ranks_from_the_map(self):
        self.emit("kubernetes", UNEQUAL.replace('interface = "wg0"', ""), MIXED)
        config, jobset = self.documents()
        self.assertEqual(config["kind"], "ConfigMap")
        self.assertEqual(jobset["kind"], "JobSet")
        self.assertEqual(config["data"]["rank_map.tsv"],
                         (self.output / "rank_map.tsv").read_text())
        name = jobset["metadata"]["name"]
        mount = self.folder / "mount"
        mount.mkdir()
        for file, text in config["data"].items():
            (mount / file).write_text(text)
            (mount / file).chmod(0o555)
        for index, job in enumerate(jobset["spec"]["replicatedJobs"]):
            pod = job["template"]["spec"]["template"]["spec"]
            node = pod["nodeSelector"]["kubernetes.io/hostname"]
            container = pod["containers"][0]
            self.assertEqual(node, "ab"[index])
            self.assertEqual(container["image"], "image:1")
            self.assertEqual(container["resources"]["limits"]["nvidia.com/gpu"], [3, 5][index])
            self.assertEqual(pod["volumes"][0]["configMap"],
                             {"name": config["metadata"]["name"], "defaultMode": 0o555})
            self.assertEqual(container["volumeMounts"][0]["mountPath"], "/longhaul")
            words = [word.replace("/longhaul/", f"{mount}/") for word in container["command"]]
            state = self.folder / f"state-{node}"
            state.mkdir()
            result = subprocess.run(
                words, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                env={**self.environment, "NODE_NAME": node, "FAKE_HOST": node,
                     "LONGHAUL_STATE_DIR": str(state)})
            self.assertEqual(result.returncode, 0, result.stderr)
        # Rank 0 is on host a, the first replicated job: <set>-<job>-<index>-<pod>.<subdomain>.
        self.assertEqual(jobset["spec"]["network"]["subdomain"], name)
        self.check_processes(f"{name}-h0-0-0.{name}")

    def test_kubernetes_pod_on_the_wrong_node_is_found(self):
        self.emit("kubernetes", EQUAL, MIXED)
        config, _ = self.documents()
        for file, text in config["data"].items():
            (self.folder / file).write_text(text)
            (self.folder / file).chmod(0o755)
        result = subprocess.run(
            ["sh", "start_host.sh", "a"], cwd=self.folder, capture_output=True, text=True,
            timeout=SECONDS, env={**self.environment, "NODE_NAME": "b"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("the map said", result.stderr)

    def test_yaml_keeps_hostile_commands(self):
        self.emit("kubernetes", EQUAL, MIXED, command=["echo", HOSTILE, "a: b", "- c", "@NAME@"])
        config, _ = self.documents()
        start = config["data"]["start_host.sh"].replace("child env", "env", 1)
        self.assertIn("@NAME@", start)
        self.assertEqual(subprocess.run(["sh", "-n"], input=start, text=True).returncode, 0)


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

"""Runs what `longhaul launch` writes: real shells and processes, with stand-ins for ssh, torchrun,
deepspeed, srun and sbatch that do what their manuals say, and the real mpirun where there is one.

    LONGHAUL=build/release/apps/longhaul/longhaul python3 tests/e2e/launch_test.py
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from launch_case import (BLOCKS, EQUAL, EQUAL_BLOCKS, FAKES, HOSTILE, MIXED, SECONDS, SLOW_FORK,
                         UNEQUAL, LaunchCase, plan_of)


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

    def pushed(self):
        """The folder of the launch files on host a."""
        self.emit("env", EQUAL, MIXED, command=[*self.SLEEPER, str(self.seen)])
        self.assertEqual(self.start("push").returncode, 0)
        (folder,) = (self.homes / "10.0.0.1").glob(".longhaul/*")
        return folder

    @unittest.skipUnless(SLOW_FORK, "no library that makes a fork slow")
    def test_signals_are_not_lost_by_processes_that_just_start(self):
        # A shell's fork starts with its parent's traps and drops them: a signal before that is lost.
        # Forks that take a second make that time long: first the children's, then their commands'.
        folder = self.pushed()
        for after in (0.25, 0.75, 1.25, 1.75, 2.5):
            with self.subTest(after=after), subprocess.Popen(
                    ["sh", "start_host.sh", "a", str(after)], cwd=folder, start_new_session=True,
                    stderr=subprocess.DEVNULL,
                    env={**self.environment, "LD_PRELOAD": SLOW_FORK}) as process:
                deadline = time.monotonic() + SECONDS
                while not (folder / "pid").exists() and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(after)
                process.terminate()
                try:
                    self.assertEqual(process.wait(15), 1)  # below the 30 s of force
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    self.fail("start_host.sh goes on after the signal")
            self.check_all_ended()
            self.assertFalse((folder / "pid").exists())

    def test_a_start_that_comes_after_its_stop_is_refused(self):
        folder = self.pushed()

        def run(*words):
            return subprocess.run(["sh", *words], cwd=folder, env=self.environment, timeout=SECONDS)

        self.assertEqual(run("stop_host.sh", "1.1").returncode, 0)
        self.assertEqual(run("start_host.sh", "a", "1.1").returncode, 1)
        self.assertEqual(list(self.seen.iterdir()), [])
        self.assertFalse((folder / "pid").exists())
        with subprocess.Popen(["sh", "start_host.sh", "a", "1.2"], cwd=folder,
                              env=self.environment) as process:  # another one starts
            deadline = time.monotonic() + SECONDS
            while len(list(self.seen.iterdir())) < 4 and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(len(list(self.seen.iterdir())), 4)
            self.assertEqual(run("stop_host.sh", "1.2").returncode, 0)
            self.assertEqual(process.wait(SECONDS), 1)
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


if __name__ == "__main__":
    unittest.main()

"""The script of `longhaul measure template` under torchrun: four processes over Gloo on loopback.

Usage: template_test.py LONGHAUL. Needs Debian's python3-torch; without it the test is skipped (exit
code 77) and says so. The expected numbers of samples follow from the patterns: n ranks, s sizes, r
repeats; widths 1, 2 and 3 of fans.
"""
import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"
RANKS, SIZES, REPEATS = 4, [4096, 65536, 1 << 20], 3
SECONDS = 240


def skip_without_torch():
    try:
        found = subprocess.run([PYTHON, "-c", "import torch.distributed as d; assert d.is_gloo_available()"],
                               capture_output=True, timeout=60)
    except OSError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    if found.returncode != 0:
        print(f"skipped: {PYTHON} has no torch with Gloo (package python3-torch)")
        sys.exit(77)


def torchrun(script, folder, *words):
    """Debian's torch 1.13 on Python 3.11 needs redirects and tee; port 0 lets the kernel choose."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
    done = subprocess.run([PYTHON, "-m", "torch.distributed.run", "--nproc_per_node", str(RANKS),
                           "--redirects", "1", "--tee", "1", "--log_dir", "logs", "--rdzv_backend", "c10d",
                           "--rdzv_endpoint", "127.0.0.1:0", str(script), *words],
                          cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


FAKE_HOST = """import os, socket
if os.environ.get("FAKE_HOST"):
    socket.gethostname = lambda: os.environ["FAKE_HOST"]
"""


def start(script, folder, *words, hosts=("",) * RANKS):
    """The same without torchrun, which takes seconds to start; each process believes to be on its host."""
    (folder / "sitecustomize.py").write_text(FAKE_HOST)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(RANKS):
        environment = dict(os.environ, OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", RANK=str(rank),
                           WORLD_SIZE=str(RANKS), LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(RANKS),
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), PYTHONPATH=str(folder),
                           FAKE_HOST=hosts[rank])
        started.append(subprocess.Popen([PYTHON, str(script), *words], cwd=folder, env=environment,
                                        stderr=subprocess.PIPE, text=True))
    return started


def processes(script, folder, *words, **more):
    """Runs to the end; messages of each rank."""
    started = start(script, folder, *words, **more)
    errors = [process.communicate(timeout=SECONDS)[1] for process in started]
    assert all(process.returncode == 0 for process in started), errors
    return errors


def longhaul(binary, *words):
    done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def records_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def expected_samples(ranks, sizes, repeats):
    pairs = ranks * (ranks - 1) // 2
    each = sizes * repeats
    fans = ranks * sum((1, 2, 3)) * each
    return {"local": ranks * each, "ping": pairs * max(repeats, 20), "peer": 2 * pairs * each,
            "both_ways": 2 * pairs * each, "fan_out": fans, "fan_in": fans, "relay": ranks * each}


def check_samples(samples):
    for sample in samples:
        assert sample["elapsed_s"] > 0, sample
        assert sample["transport"] == "gloo" and sample["path"] in ("local", "intra_node"), sample
        own = sample["pattern"] in ("local", "both_ways", "relay")
        assert sample["timing"] == ("one_way" if own else "echo"), sample
        if sample["pattern"].startswith("fan"):
            peer = sample["to" if sample["pattern"] == "fan_out" else "from"]
            assert peer in sample["peers"] and sample["root_s"] > 0, sample
            if sample["pattern"] == "fan_out":  # the root is done when the last answer is there
                assert sample["root_s"] >= sample["elapsed_s"], sample
        if sample["pattern"] == "relay":
            assert sample["send_path"] == "intra_node", sample


def test_all_patterns(binary, folder):
    script = folder / "measure_links.py"
    longhaul(binary, "measure", "template", "--sizes", "4K,64K,1M", "--repeats", str(REPEATS), "-o",
             str(script))
    torchrun(script, folder, "-o", "raw.jsonl")
    records = records_of(folder / "raw.jsonl")
    samples = [record for record in records if record["record"] == "sample"]
    counts = collections.Counter(sample["pattern"] for sample in samples)
    assert counts == expected_samples(RANKS, len(SIZES), REPEATS), counts
    assert {sample["bytes"] for sample in samples} == {1, *SIZES}
    check_samples(samples)
    hosts = [record for record in records if record["record"] == "host"]
    assert len(hosts) == RANKS and all("torch" in host for host in hosts), hosts
    assert [host["local_rank"] for host in hosts] == list(range(RANKS)), hosts
    assert {host["host"] for host in hosts} == {socket.gethostname()}, hosts
    tasks = [record["task"] for record in records if record["record"] == "task"]
    assert tasks == [record["task"] for record in records if record["record"] == "task_end"], tasks
    shown = json.loads(longhaul(binary, "measure", "show", str(folder / "raw.jsonl"), "--json"))
    assert shown["complete"] and shown["patterns"]["peer"]["pairs"] == RANKS * (RANKS - 1), shown
    assert shown["patterns"]["fan_in"]["usable"] == counts["fan_in"], shown


def test_group_blocks_and_memory(binary, folder):
    """Three of four ranks; two passes; a size whose buffers do not fit is left out and named."""
    script = folder / "measure_links.py"
    longhaul(binary, "measure", "template", "--patterns", "peer,fan_in", "--group", "0,1,3", "--blocks",
             "2", "--fan-widths", "2", "--sizes", "4K,64M", "--repeats", "2", "-o", str(script))
    errors = processes(script, folder, "-o", "group.jsonl", "--max-bytes", "16M")
    records = records_of(folder / "group.jsonl")
    samples = [record for record in records if record["record"] == "sample"]
    ends = {sample["from"].rsplit("/", 1)[1] for sample in samples}
    assert ends == {"0", "1", "3"}, ends
    assert {sample["block"] for sample in samples} == {0, 1}
    assert {sample["bytes"] for sample in samples} == {4096}
    assert len(samples) == 2 * (6 * 2 + 3 * 2 * 2), len(samples)
    assert "left out" in errors[0], errors
    tasks = sum(record["record"] == "task" for record in records)
    messages = 2 * (6 * 4 + 3 * 2 * 4)  # blocks, pairs and fans, repeats with 2 that warm up
    assert f"{tasks} tasks, {messages} messages" in errors[0], errors[0]
    assert f"task {tasks} of {tasks}" in errors[0], errors[0]


def test_one_per_node_without_rank_0(binary, folder):
    """Hosts east (rank 1) and west (ranks 2, 3): pairs 1-2 and 2-3. The lowest rank that takes part writes."""
    script = folder / "measure_links.py"
    longhaul(binary, "measure", "template", "--patterns", "peer,fan_out", "--group", "3,1,2", "--fan-widths", "1,2",
             "--sizes", "4K", "--repeats", "1", "-o", str(script))
    words = (script, folder, "--one-per-node", "-o", "raw.jsonl")
    errors = processes(*words, hosts=("east", "east", "west", "west"))
    assert not errors[0] and "samples in raw.jsonl" in errors[1], errors
    samples = [record for record in records_of(folder / "raw.jsonl") if record["record"] == "sample"]
    pairs = sorted((sample["from"], sample["to"]) for sample in samples if sample["pattern"] == "peer")
    assert pairs == [("east/1", "west/2"), ("west/2", "east/1"), ("west/2", "west/3"), ("west/3", "west/2")], pairs
    fans = collections.Counter(sample["from"] for sample in samples if sample["pattern"] == "fan_out")
    assert fans == {"east/1": 1, "west/2": 3, "west/3": 1}, fans


def test_budget_of_seconds(binary, folder):
    """Far more blocks than a second allows: a whole file, whose event says so; it is not written over."""
    script = folder / "measure_links.py"
    longhaul(binary, "measure", "template", "--patterns", "peer", "--blocks", "1000000", "--sizes", "4K", "-o",
             str(script))
    errors = processes(script, folder, "-o", "raw.jsonl", "--max-seconds", "1")
    assert "pairs not measured are missing" in errors[0], errors[0]
    records = records_of(folder / "raw.jsonl")
    assert [record["record"] for record in records[-3:]] == ["task_end", "event", "end"], records[-3:]
    assert records[-2]["kind"] == "budget", records[-2]
    shown = json.loads(longhaul(binary, "measure", "show", str(folder / "raw.jsonl"), "--json"))
    assert shown["complete"] and shown["patterns"]["peer"]["pairs"] > 0, shown
    again = subprocess.run([PYTHON, str(script), "-o", "raw.jsonl"], cwd=folder, capture_output=True, text=True,
                           timeout=SECONDS)
    assert again.returncode != 0 and "holds records already" in again.stderr, again.stderr
    assert records_of(folder / "raw.jsonl") == records


def test_crash_keeps_what_was_done(binary, folder):
    """A process dies in the middle: the tasks before are in the file and count."""
    script = folder / "measure_links.py"
    longhaul(binary, "measure", "template", "--patterns", "peer", "--blocks", "1000000", "--sizes", "4K", "-o",
             str(script))
    started = start(script, folder, "-o", "raw.jsonl")
    for line in started[0].stderr:
        if "task 3 of" in line:
            break
    started[2].kill()
    for process in started:
        process.communicate(timeout=SECONDS)
    assert all(process.returncode != 0 for process in started)
    records = records_of(folder / "raw.jsonl")
    ended = [record["task"] for record in records if record["record"] == "task_end"]
    assert len(ended) >= 3 and records[-1]["record"] != "end", ended
    shown = json.loads(longhaul(binary, "measure", "show", str(folder / "raw.jsonl"), "--json"))
    assert not shown["complete"], shown
    assert shown["patterns"]["peer"]["usable"] == 10 * len(ended), (shown, len(ended))


def main():
    skip_without_torch()
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    for test in (test_all_patterns, test_group_blocks_and_memory, test_one_per_node_without_rank_0,
                 test_budget_of_seconds, test_crash_keeps_what_was_done):
        with tempfile.TemporaryDirectory() as folder:
            test(binary, pathlib.Path(folder))
        print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()

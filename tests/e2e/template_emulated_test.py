"""The script of `longhaul measure template` between emulated hosts: what it measures, and what
`measure fit` makes of it, must be what the emulator was told.

Usage: template_emulated_test.py LONGHAUL. Needs python3-torch and the right to emulate; ends with 77
and the reason where one is missing. Bounds are wide: other jobs may use the machine.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from template_test import PYTHON, longhaul, records_of, skip_without_torch

INSIDE_MS, BETWEEN_MS, RATE_MBPS, PAYLOAD = 1, 20, 100, 1448 / 1514
WAN = f"""
[defaults]
up = {{ rate_mbps = {RATE_MBPS} }}
down = {{ rate_mbps = {RATE_MBPS} }}
[[region]]
name = "east"
hosts = 2
inside = {{ delay_ms = {INSIDE_MS} }}
[[region]]
name = "west"
hosts = 2
inside = {{ delay_ms = {INSIDE_MS} }}
[[link]]
between = ["east", "west"]
delay_ms = {BETWEEN_MS}
"""
SECONDS = 240


def inside(binary, script, output):
    """Runs in the network: one process a host, rank 0 on the first."""
    hosts = os.environ["LONGHAUL_EMULATE_HOSTS"].split()
    addresses = os.environ["LONGHAUL_EMULATE_ADDRESSES"].split()
    processes = []
    for rank, host in enumerate(hosts):
        variables = {"RANK": rank, "WORLD_SIZE": len(hosts), "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 1,
                     "MASTER_ADDR": addresses[0], "MASTER_PORT": 29500, "GLOO_SOCKET_IFNAME": "wan0",
                     "OMP_NUM_THREADS": 1}
        words = ["env", *(f"{key}={value}" for key, value in variables.items()), PYTHON, script, "-o", output]
        processes.append(subprocess.Popen([binary, "emulate", "exec", host, "--", *words]))
    codes = [process.wait(timeout=SECONDS) for process in processes]
    return max(codes, key=abs)


def skip_without_rights(binary):
    done = subprocess.run([binary, "emulate", "-", "--quiet", "--", "true"], input=WAN, capture_output=True,
                          text=True, timeout=60)
    if done.returncode != 0:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)


def check_fabric(fabric):
    """Every ordered pair of the four hosts. Load slows single pairs down, so the middle one is strict."""
    truth = RATE_MBPS / 1000 * PAYLOAD
    rates = []
    labels = fabric["labels"]
    places = [label.split("-")[0] for label in labels]
    assert sorted(places) == ["east", "east", "west", "west"], labels
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            delay = INSIDE_MS if places[i] == places[j] else BETWEEN_MS
            alpha, beta = fabric["alpha_ms"][i][j], fabric["beta_gbps"][i][j]
            assert alpha >= 0.95 * delay, (labels[i], labels[j], alpha, delay)  # load only adds to it
            assert truth / 2 < beta < truth * 2, (labels[i], labels[j], beta)
            rates.append(beta)
    middle = statistics.median(rates)
    assert abs(middle / truth - 1) < 0.15, (middle, truth)


def check_round_trips(samples):
    """The least round trip of each pair is hardly disturbed by the load of the machine."""
    least = {}
    for sample in samples:
        if sample["pattern"] == "ping":
            ends = sample["from"].split("-")[0], sample["to"].split("-")[0]
            pair = sample["from"], sample["to"], INSIDE_MS if ends[0] == ends[1] else BETWEEN_MS
            least[pair] = min(least.get(pair, 1e9), sample["elapsed_s"] * 1000)
    assert len(least) == 6, least
    for (a, b, delay), found in least.items():
        assert 2 * delay <= found <= 2 * delay + 2.5, (a, b, found, 2 * delay)


def main():
    if sys.argv[1] == "--inside":
        sys.exit(inside(*sys.argv[2:]))
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    skip_without_torch()
    skip_without_rights(binary)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "wan.toml").write_text(WAN)
        longhaul(binary, "measure", "template", "--patterns", "ping,peer", "--sizes", "64K,512K,2M", "--repeats",
                 "3", "-o", str(folder / "links.py"))
        done = subprocess.run([binary, "emulate", str(folder / "wan.toml"), "--quiet", "--", sys.executable, __file__,
                               "--inside", binary, str(folder / "links.py"), str(folder / "raw.jsonl")],
                              capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        samples = [record for record in records_of(folder / "raw.jsonl") if record["record"] == "sample"]
        assert {sample["path"] for sample in samples} == {"inter_node"}
        check_round_trips(samples)
        longhaul(binary, "measure", "fit", str(folder / "raw.jsonl"), "--fabric", str(folder / "fabric.json"))
        check_fabric(json.loads((folder / "fabric.json").read_text()))
    print("emulated links measured as they are: ok")


if __name__ == "__main__":
    main()

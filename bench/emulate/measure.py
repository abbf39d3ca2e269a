"""Measures what is required of `emulate`, and prints the table of README.md.

    bench/emulate/measure.py --binary build/release/apps/longhaul/longhaul [--seconds 4] [-o FILE] [--results FOLDER]

Needs root and iperf3. Takes about two minutes. Pings run at real-time priority, below that of the
emulator: otherwise they measure how busy the machine is.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBE = str(ROOT / "tests" / "e2e" / "emulate_probe.py")
PAYLOAD = 1448 / 1514


class Bench:
    def __init__(self, binary, seconds):
        self.binary = str(pathlib.Path(binary).resolve())
        self.seconds = seconds
        self.rows = []

    def row(self, what, required, found, holds):
        self.rows.append((what, required, found, "yes" if holds else "**no**"))
        print(f"{what}: {found} ({required}): {'yes' if holds else 'NO'}", file=sys.stderr)

    def emulate(self, wan, script):
        """Runs a shell script in a network; returns its output and the report."""
        with tempfile.TemporaryDirectory() as folder:
            file, report = pathlib.Path(folder) / "wan.toml", pathlib.Path(folder) / "report.json"
            file.write_text(wan)
            done = subprocess.run(
                [self.binary, "emulate", str(file), "--quiet", "-o", str(report), "--", "sh", "-c", script],
                capture_output=True, text=True, timeout=300,
                env=dict(os.environ, LONGHAUL=self.binary, PROBE=PROBE, PYTHON="chrt -f 5 " + sys.executable, TMP=folder))
            assert done.returncode == 0, done.stderr
            return done.stdout, json.loads(report.read_text())

    def flows(self, wan, pairs):
        """Mbit/s of payload of TCP flows that run at once, and the report."""
        script = ""
        for _, to in pairs:
            script += f"$LONGHAUL emulate exec {to} -- iperf3 -s -1 >$TMP/server & "
        script += "sleep 0.5;"
        for index, (host, to) in enumerate(pairs):
            script += (f"$LONGHAUL emulate exec {host} -- iperf3 -c {to} -t {self.seconds} -O 2 -J "
                       f">$TMP/{index} & ")
        script += "wait;" + "".join(f"cat $TMP/{i}; echo '\f';" for i in range(len(pairs)))
        out, report = self.emulate(wan, script)
        rates = [json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e6
                 for text in out.split("\f") if text.strip()]
        return rates, report

    def pings(self, wan, target, count, gap):
        script = (f"$LONGHAUL emulate exec b -- $PYTHON $PROBE serve >$TMP/server & sleep 0.5;"
                  f"{target.format(ping=f'$PYTHON $PROBE ping', count=count, gap=gap)}")
        out, _ = self.emulate(wan, script)
        return json.loads(out)


def pair(keys="", to="b"):
    return f'[[host]]\nname = "a"\n[[host]]\nname = "{to}"\n[[link]]\nbetween = ["a", "{to}"]\n{keys}\n'


def unshaped(bench):
    rates = sorted(bench.flows(pair(), [("a", "b")])[0][0] / 1e3 for _ in range(3))
    bench.row("one TCP flow, nothing shaped", "at least 5 Gbit/s",
              f"{rates[1]:.1f} Gbit/s ({rates[0]:.1f} to {rates[2]:.1f})", rates[1] >= 5)


def added_round_trip(bench):
    through = bench.pings(pair(), "$LONGHAUL emulate exec a -- {ping} b {count} {gap}", 2000, 0)
    kernel = bench.pings(pair(), "{ping} b.control {count} {gap}", 2000, 0)
    added = statistics.median(through) - statistics.median(kernel)
    bench.row("round trip added, against a veth pair", "under 0.2 ms",
              f"{added:.3f} ms ({statistics.median(through):.3f} against "
              f"{statistics.median(kernel):.3f})", added < 0.2)


def shaped_total(bench):
    rates, report = bench.flows(pair("rate_mbps = 500\ndelay_ms = 5"), [("a", "b")])
    error = rates[0] / (500 * PAYLOAD) - 1
    bench.row("one flow at 500 Mbit/s, 5 ms", "error under 2 %",
              f"{100 * error:+.2f} %, late {report['late_mean_ms']:.3f} ms", abs(error) < 0.02)
    hosts = "".join(f'[[host]]\nname = "{side}{i}"\n' for i in range(5) for side in "xy")
    links = "".join(f'[[link]]\nbetween = ["x{i}", "y{i}"]\nrate_mbps = 100\ndelay_ms = {5 + 5 * i}\n'
                    for i in range(5))
    wan = "[defaults]\nlink = {}\n" + hosts + links
    rates, report = bench.flows(wan, [(f"x{i}", f"y{i}") for i in range(5)])
    errors = [rate / (100 * PAYLOAD) - 1 for rate in rates]
    total = sum(rates) / (500 * PAYLOAD) - 1
    bench.row("five flows at 100 Mbit/s, 5 to 25 ms", "error under 2 %",
              f"total {100 * total:+.2f} %, worst {100 * min(errors, key=lambda e: -abs(e)):+.2f} %, "
              f"late {report['late_mean_ms']:.3f} ms", abs(total) < 0.02)


def delays(bench):
    for delay in (1, 10, 40, 80):
        times = bench.pings(pair(f"delay_ms = {delay}"),
                            "$LONGHAUL emulate exec a -- {ping} b {count} {gap}", 50, 1)
        excess = statistics.median(times) - 2 * delay
        bench.row(f"round trip of 2 x {delay} ms", "within 1 ms", f"{excess:+.3f} ms", abs(excess) < 1)


def losses(bench):
    script = ("$LONGHAUL emulate exec b -- $PYTHON $PROBE serve >$TMP/server & sleep 0.5;"
              "$LONGHAUL emulate exec a -- $PYTHON $PROBE flood b 20000 100 0")
    out, _ = bench.emulate(
        '[[host]]\nname = "a"\n[[host]]\nname = "b"\n[[link]]\nfrom = "a"\nto = "b"\nloss = 0.02\n'
        'rate_mbps = 50\nqueue_ms = 1000\n[[link]]\nfrom = "b"\nto = "a"\n', script)
    share = 1 - json.loads(out) / 20000
    bench.row("loss of 0.02, 20,000 datagrams", "0.02 +- 0.003 (three deviations)", f"{share:.4f}",
              abs(share - 0.02) < 0.003)


def jitter(bench):
    times = bench.pings('[[host]]\nname = "a"\n[[host]]\nname = "b"\n[[link]]\nfrom = "a"\nto = "b"\n'
                        'delay_ms = 20\njitter_ms = 10\n[[link]]\nfrom = "b"\nto = "a"\n',
                        "$LONGHAUL emulate exec a -- {ping} b {count} {gap}", 600, 0)
    times.sort()
    worst = max(abs(time - (10 + 20 * (i + 0.5) / len(times))) for i, time in enumerate(times))
    limit = 20 * 1.63 / len(times) ** 0.5 + 0.5  # Kolmogorov-Smirnov at 1 %, and half a ms of lateness
    bench.row("20 +- 10 ms, 600 round trips against the uniform law", f"quantiles within {limit:.1f} ms",
              f"worst {worst:.2f} ms", worst < limit)


def building(bench):
    for hosts in (8, 64, 256):
        wan = f'[[region]]\nname = "r"\nhosts = {hosts}\n'
        begin = time.monotonic()
        bench.emulate(wan, ":")
        bench.row(f"{hosts} hosts built and removed", "seconds", f"{time.monotonic() - begin:.2f} s", True)


def table(bench):
    lines = ["| what | required | found | holds |", "| --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(row) + " |" for row in bench.rows]
    return "\n".join(lines) + "\n"


def proc_value(path, key):
    with open(path, encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith(key)), "unknown")


def machine(bench, load_before):
    """What the figures depend on, in one line."""
    memory = float(proc_value("/proc/meminfo", "MemTotal").split()[0]) * 1.024e-6
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    iperf3 = subprocess.run(["iperf3", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    return (f"{proc_value('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores online, {memory:.1f} GB; Linux "
            f"{platform.release().split('-')[0]}; {' '.join(iperf3.split()[:2])}; commit {commit.stdout.strip() or 'unknown'}; load "
            f"{load_before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end; {bench.seconds} s a flow.\n")


def write_results(folder, text):
    """As bench/placement names its results: date and processor."""
    name = re.sub("[^a-z0-9]+", "-", proc_value("/proc/cpuinfo", "model name").lower()).strip("-")
    date = time.strftime("%Y-%m-%d", time.gmtime())
    path = pathlib.Path(folder) / f"{date}-{name}.md"
    path.write_text(f"# Emulator bench, {date}\n\n" + text)
    print(f"wrote {path}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("-o", "--output")
    parser.add_argument("--results", help="folder for a file named after date and processor")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    bench = Bench(options.binary, options.seconds)
    for part in (unshaped, added_round_trip, shaped_total, delays, losses, jitter, building):
        part(bench)
    text = machine(bench, load) + "\n" + table(bench)
    if options.results:
        write_results(options.results, text)
    print(text, end="")
    if options.output:
        pathlib.Path(options.output).write_text(text)
    sys.exit(any("no" in row[3] for row in bench.rows))


if __name__ == "__main__":
    main()

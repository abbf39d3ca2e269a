"""The table of malformed files that bad_input_test.py runs: good files, ways to break them, cases."""
import copy
import json

DIRECTORY, ABSENT, UNREADABLE, CERTIFICATE = object(), object(), object(), object()

# ---------------------------------------------------------------------------------------------
# Good files. Every case changes one of them.

FABRIC = {
    "format": "longhaul.fabric/1",
    "labels": ["a", "a", "b", "b"],
    "alpha_ms": [[0, 1, 5, 5], [1, 0, 5, 5], [5, 5, 0, 1], [5, 5, 1, 0]],
    "beta_gbps": [[0, 9, 2, 2], [9, 0, 2, 2], [2, 2, 0, 9], [2, 2, 9, 0]],
}
STEPS = {
    "format": "longhaul.measured-steps/1",
    "steps": [{"name": "a", "plan": "plan.json", "seconds": [1.5, 1.25]},
              {"name": "b", "plan": "other.json", "seconds": [2]}],
}
OTHER_PLAN = {  # pipelines inside a site
    "format": "longhaul.plan/1",
    "fabric": {"path": "fabric.json"},
    "workload": {"c_pp_gb": 3, "c_dp_gb": 0.1},
    "shape": {"pp": 2, "dp": 2},
    "rank_map": [0, 1, 2, 3],
}
REGIONS = {
    "format": "longhaul.regions/1",
    "regions": ["a", "b"],
    "gpus_per_region": 2,
    "intra_region": {"delay_ms": 1, "bandwidth_gbps": 9},
    "pairs": [{"a": "a", "b": "b", "delay_ms": 5, "bandwidth_gbps": 2}],
}
GROUPS = {
    "format": "longhaul.instances/1",
    "groups": [{"instances": 2, "gpus_per_instance": 2}],
    "delay_ms": 1,
    "intra_gbps": 9,
    "inter_gbps": 2,
}
FLOWS = """format = "longhaul.flows/1"
[[link]]
name = "up"
gbps = 10
latency_ms = 20
[[link]]
name = "down"
gbps = 20
[[route]]
name = "there"
path = ["up", "down"]
[[flow]]
name = "a"
route = "there"
payload_gb = 1
weight = 2
[[flow]]
name = "b"
path = ["up"]
payload_gb = 2
after = ["a"]
"""

JOB = """format = "longhaul.job/1"
[model]
layers = 4
hidden_size = 64
heads = 8
vocabulary = 100
sequence_length = 16
[batch]
global_batch = 24
[precision]
activations = "fp16"
gradients = "fp32"
[parallel]
pp = 2
dp = 2
"""
ISLANDS = {
    "format": "longhaul.islands/1",
    "payload_gb": 1,
    "ingress_gbps": 20,
    "egress_gbps": 20,
    "nodes": ["a", "b"],
    "links": [{"a": "a", "b": "b", "latency_ms": 5, "gbps": 10}],
}
HOSTS = """format = "longhaul.hosts/1"
[[host]]
name = "one"
address = "10.0.0.1"
devices = 2
[[host]]
name = "two"
address = "10.0.0.2"
devices = 2
"""
WAN = """format = "longhaul.wan/1"
[defaults]
up = { rate_mbps = 200, queue_kb = 100 }
[[region]]
name = "east"
hosts = 2
inside = { delay_ms = 1, jitter_ms = 1 }
[[region]]
name = "west"
hosts = ["one", "two"]
[[link]]
between = ["east", "west"]
delay_ms = 30
loss = 0.01
"""
TOPOLOGY = """format = "longhaul.topology/1"
[[group]]
name = "rack"
endpoints = "host"
count = 4
pattern = "tree"
switches = 1
gbps = 100
latency_us = 1
[[group]]
name = "region"
members = "rack"
count = 2
pattern = "tree"
switches = 1
gbps = 100
[[site]]
name = "east"
group = "region"
[[site]]
name = "west"
group = "region"
[[link]]
a = "east"
b = "west"
latency_ms = 30
gbps = 10
[[policy]]
from = "east"
to = "west"
use = "ecmp"
"""
NET = {"format": "longhaul.topology/1", "name": "net", "provenance": "none",
       "group": [{"name": "net", "endpoints": "host", "count": 4, "gbps": 1, "pattern": "tree",
                  "switches": 1}]}
NET_FABRIC = dict(FABRIC, devices=[{"host": f"host{i}", "local_rank": 0} for i in range(4)])
AGENTS = """format = "longhaul.measure-hosts/1"
[[host]]
name = "one"
address = "10.0.0.1"
groups = ["up"]
[[host]]
name = "two"
address = "10.0.0.2"
[[group]]
name = "up"
"""
RAW = "".join(line + "\n" for line in (
    '{"record": "run", "format": "longhaul.raw/1", "run": "r", "started": "2026-11-29T12:00:00Z"}',
    '{"record": "sample", "pattern": "peer", "from": "a", "to": "b", "bytes": 1e6, "elapsed_s": 1, '
    '"t": "2026-11-29T12:00:01Z"}',
    '{"record": "sample", "pattern": "peer", "from": "b", "to": "a", "bytes": 1e6, "elapsed_s": 1}',
    '{"record": "end"}'))
RANK_MAP = [0, 1, 2, 3]
IPERF3 = {
    "start": {"connected": [{"local_host": "a", "remote_host": "b"}],
              "test_start": {"protocol": "TCP", "num_streams": 1, "bytes": 0, "blocks": 0}},
    "end": {"sum_received": {"bytes": 1e9, "seconds": 10.0}},
}
PLATFORM = """<?xml version="1.0"?>
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf"/>
    <link id="l" bandwidth="1Gbps" latency="1ms"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
"""


def text_of(value):
    return value if isinstance(value, (str, bytes)) else json.dumps(value)


# ---------------------------------------------------------------------------------------------
# Ways to break a JSON object or a text.

def put(base, value, *path):
    """A copy of `base` with one entry replaced."""
    changed = copy.deepcopy(base)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def without(base, *path):
    changed = copy.deepcopy(base)
    at = changed
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return changed


def replaced(base, old, new):
    text = text_of(base)
    assert old in text, old
    return text.replace(old, new, 1)


def raw_entry(base, literal, *path):
    """A copy of `base` with an entry that json.dumps would not write."""
    marker = "@marker@"
    return text_of(put(base, marker, *path)).replace(json.dumps(marker), literal)


def truncated(base, share):
    text = text_of(base)
    return text[: int(len(text) * share)]


BRACKETS = 10_000_000


def unreadable_texts(base, toml):
    """(name, content, words of the message) of what is wrong in any file of this base."""
    text = text_of(base)
    syntax = "TOML" if toml else "JSON"
    cases = [
        ("empty", "", "empty"),
        ("blank", " \n\t\n", "empty"),
        ("not-utf8", text.encode() + b"\xff\xfe", "UTF-8"),
        ("utf16", b"\xff\xfe" + text.encode("utf-16-le"), "UTF-8"),
        ("nul-bytes", b"\0" * 1000, "zero byte"),
        ("nul-at-the-end", text + "\0", "zero byte"),
        ("brackets", "[" * BRACKETS, "nested"),
        ("closing-brackets", "]" * BRACKETS, syntax),
        ("directory", DIRECTORY, "directory"),
        ("absent", ABSENT, "cannot read"),
        ("unreadable", UNREADABLE, "cannot read"),
        ("wrong-syntax", "<html></html>", syntax),
    ]
    if toml:
        cases += [
            ("cut-in-a-string", text[: text.index('"') + 4], syntax),
            ("cut-after-a-key", text[: text.index(next(
                key for key in ("layers", "address", "hosts", "endpoints", "latency") if key in text))] + "x =", syntax),
            ("deep-nesting", text.replace("[", f"deep = {'[' * 100}{']' * 100}\n[", 1), "nested"),
            ("deep-dotted-key", "a." * 1_000_000 + "a = 1", "nested"),
            ("duplicate-table", text + text.split("\n", 1)[1].split("\n", 1)[0] + "\n",
             syntax) if "[[" not in text else ("duplicate-key", 'format = "x"\n' + text, syntax),
        ]
    else:
        cases += [(f"truncated-{int(share * 100)}%", truncated(base, share), syntax)
                  for share in (0.05, 0.3, 0.6, 0.99)]
        cases += [
            ("deep-nesting", "{\"deep\":" + "[" * 100 + "]" * 100 + "," + text[1:], "nested"),
            ("deep-objects", "{\"a\":" * (BRACKETS // 5), "nested"),
            ("trailing-text", text + " x", syntax),
            ("duplicate-key", replaced(base, "{", '{"format": "x", '), "twice"),
            ("array-at-the-top", "[" + text + "]", "object"),
            ("number-at-the-top", "7", "object"),
        ]
    return cases


# ---------------------------------------------------------------------------------------------
# Commands: how each is typed, which files it reads, and which of them a case breaks.

PAYLOADS = ["--c-pp", "0.1", "--c-dp", "0.1"]
SHAPE = ["--pp", "2", "--dp", "2"]
QUICK = ["--budget", "50", "--restarts", "1", "--baseline-samples", "2"]


class Command:
    def __init__(self, words, files, output=True):
        self.words = words
        self.files = files  # name -> content
        self.output = output  # takes -o


COMMANDS = {
    "place": Command(["place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, *QUICK],
                     {"fabric.json": FABRIC}),
    "fabric": Command(["fabric", "fabric.json"], {"fabric.json": FABRIC}),
    "regions": Command(["place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, *QUICK],
                       {"fabric.json": REGIONS}),
    "groups": Command(["place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, *QUICK],
                      {"fabric.json": GROUPS}),
    "place-from": Command(["place", "--fabric", "fabric.json", "--from", "plan.json", *QUICK],
                          {"plan.json": None, "fabric.json": FABRIC}),
    "place-robust": Command(["place", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, *QUICK,
                             "--robust", "--samples", "2"], {"fabric.json": FABRIC}),
    "place-phase": Command(["place", "--fabric", "fabric.json", *SHAPE, *QUICK, "--phase",
                            "c_pp=0.1:1:2", "c_dp=0.1:1:2"], {"fabric.json": FABRIC}),
    "evaluate": Command(["evaluate", "--fabric", "fabric.json", *SHAPE, *PAYLOADS, "--rank-map",
                         "map.json"],
                        {"fabric.json": FABRIC, "map.json": RANK_MAP}, output=False),
    "explain": Command(["explain", "plan.json"],
                       {"plan.json": None, "fabric.json": FABRIC}, output=False),
    "simulate": Command(["simulate", "plan.json", "--trace", "trace.json", "--picture", "step.svg"],
                        {"plan.json": None, "fabric.json": FABRIC}, output=False),
    "simulate-topology": Command(["simulate", "plan.json", "--fabric", "fabric.json", "--topology",
                                  "net.json"],
                                 {"plan.json": None, "fabric.json": NET_FABRIC, "net.json": NET},
                                 output=False),
    "validate-topology": Command(["validate", "steps.json", "--fabric", "fabric.json", "--topology",
                                  "net.json", "--least-tau", "-1", "--fastest-within", "10"],
                                 {"steps.json": STEPS, "plan.json": None, "other.json": OTHER_PLAN,
                                  "fabric.json": NET_FABRIC, "net.json": NET}, output=False),
    "validate": Command(["validate", "steps.json", "--least-tau", "-1", "--fastest-within", "10"],
                        {"steps.json": STEPS, "plan.json": None, "other.json": OTHER_PLAN,
                         "fabric.json": FABRIC}, output=False),
    "certificate": Command(["evaluate", "--fabric", "fabric.json", "--certificate", "proof.json"],
                           {"fabric.json": FABRIC, "proof.json": CERTIFICATE}, output=False),
    "evaluate-plan": Command(["evaluate", "--rank-map", "plan.json"],
                             {"plan.json": None, "fabric.json": FABRIC}, output=False),
    "place-job": Command(["place", "--fabric", "fabric.json", "--job", "job.toml", *QUICK],
                         {"fabric.json": FABRIC, "job.toml": JOB}),
    "advise": Command(["advise", "--fabric", "fabric.json", "--job", "job.toml",
                       "--sequence-seconds", "0.1", "--budget", "50", "--no-crossings"],
                      {"fabric.json": FABRIC, "job.toml": JOB}, output=False),
    "advise-network": Command(["advise", "--network", "islands.json", "--step-seconds", "0.1",
                               "--no-crossings"], {"islands.json": ISLANDS}, output=False),
    "advise-topology": Command(["advise", "--network", "net.toml", "--step-seconds", "0.1",
                                "--payload-gb", "1"], {"net.toml": TOPOLOGY}, output=False),
    "advise-both": Command(["advise", "--fabric", "fabric.json", "--job", "job.toml", "--network",
                            "islands.json", "--sequence-seconds", "0.1", "--budget", "50",
                            "--no-crossings"],
                           {"fabric.json": FABRIC, "job.toml": JOB, "islands.json": ISLANDS},
                           output=False),
    "size": Command(["size", "--job", "job.toml"], {"job.toml": JOB}),
    "flows": Command(["flows", "flows.toml"], {"flows.toml": FLOWS}),
    "flows-topology": Command(["flows", "flows.toml", "--topology", "net.toml"],
                              {"flows.toml": FLOWS, "net.toml": TOPOLOGY}),
    "measure-check": Command(["measure", "check", "fabric.json"], {"fabric.json": FABRIC},
                             output=False),
    "measure-fit": Command(["measure", "fit", "raw.jsonl"], {"raw.jsonl": RAW}),
    "measure-import": Command(["measure", "import", "iperf3", "iperf3.json"],
                              {"iperf3.json": IPERF3}),
    "measure-import-xml": Command(["measure", "import", "simgrid", "platform.xml"],
                                  {"platform.xml": PLATFORM}),
    "measure-export": Command(["measure", "export", "simgrid", "fabric.json"],
                              {"fabric.json": FABRIC}),
    "emulate": Command(["emulate", "wan.toml", "--check"], {"wan.toml": WAN}),
    "emulate-fabric": Command(["emulate", "fabric.json", "--check"], {"fabric.json": FABRIC}),
    "route-compile": Command(["route", "compile", "net.toml"], {"net.toml": TOPOLOGY}),
    "route-check": Command(["route", "check", "routes.json"], {"routes.json": NET}, output=False),
    "route-multicast": Command(["route", "multicast", "net.toml", "--from", "east", "--to", "west"],
                               {"net.toml": TOPOLOGY}, output=False),
    "measure-plan": Command(["measure", "plan", "agents.toml"], {"agents.toml": AGENTS}),
    "launch": Command(["launch", "plan.json", "--to", "env", "--hosts", "hosts.toml", "--command",
                       "python3 train.py"],
                      {"plan.json": None, "fabric.json": FABRIC, "hosts.toml": HOSTS}),
}


class Case:
    def __init__(self, command, name, file, content, words, named=None):
        self.command, self.file, self.content, self.words = command, file, content, words
        self.named = named or file  # the file that the message is about
        self.name = f"{command}/{file}/{name}"


def fabric_cases(command):
    def case(name, content, words):
        return Case(command, name, "fabric.json", content, words)

    yield from (case(*c) for c in unreadable_texts(FABRIC, False))
    square = FABRIC["alpha_ms"]
    yield case("not-square", put(FABRIC, square[:3], "alpha_ms"), "4")
    yield case("ragged", put(FABRIC, [1, 2], "alpha_ms", 2), "alpha_ms[2]")
    yield case("sizes-differ", put(FABRIC, FABRIC["labels"] + ["c"], "labels"), "labels")
    yield case("wide", put(FABRIC, [row + [1] for row in square], "alpha_ms"), "alpha_ms")
    yield case("no-rows", put(FABRIC, [], "alpha_ms"), "alpha_ms")
    yield case("empty-rows", put(FABRIC, [[], [], [], []], "alpha_ms"), "alpha_ms")
    yield case("no-devices", {"labels": [], "alpha_ms": [], "beta_gbps": []}, "device")
    for literal in ("NaN", "Infinity", "-Infinity", "1e999"):
        yield case("alpha-" + literal, raw_entry(FABRIC, literal, "alpha_ms", 0, 1), "line 1")
        yield case("beta-" + literal, raw_entry(FABRIC, literal, "beta_gbps", 0, 1), "line 1")
    for name, value, words in (("null", None, "null"), ("string-nan", "NaN", "a string"),
                               ("string-inf", "Infinity", "a string"), ("boolean", True, "boolean"),
                               ("object", {}, "object"), ("list", [1], "array")):
        yield case("alpha-" + name, put(FABRIC, value, "alpha_ms", 1, 2), words)
        yield case("beta-" + name, put(FABRIC, value, "beta_gbps", 1, 2), words)
    yield case("negative-alpha", put(FABRIC, -1, "alpha_ms", 1, 2), "alpha_ms[1][2]")
    yield case("huge-alpha", put(FABRIC, 1e300, "alpha_ms", 1, 2), "alpha_ms[1][2]")
    yield case("zero-beta", put(FABRIC, 0, "beta_gbps", 1, 2), "beta_gbps[1][2]")
    yield case("negative-beta", put(FABRIC, -2, "beta_gbps", 1, 2), "beta_gbps[1][2]")
    yield case("tiny-beta", put(FABRIC, 1e-300, "beta_gbps", 1, 2), "beta_gbps[1][2]")
    yield case("all-wrong", put(FABRIC, [["x"] * 4] * 4, "beta_gbps"), "more problems")
    yield case("no-labels", without(FABRIC, "labels"), "labels")
    yield case("no-alpha", without(FABRIC, "alpha_ms"), "alpha_ms")
    yield case("no-beta", without(FABRIC, "beta_gbps"), "beta_gbps")
    yield case("nothing", {}, "regions")
    yield case("labels-text", put(FABRIC, "aabb", "labels"), "labels")
    yield case("labels-numbers", put(FABRIC, [1, 2, 3, 4], "labels"), "labels[0]")
    yield case("alpha-number", put(FABRIC, 3, "alpha_ms"), "alpha_ms")
    yield case("alpha-object", put(FABRIC, {}, "alpha_ms"), "alpha_ms")
    yield case("wrong-format", put(FABRIC, "longhaul.plan/1", "format"), "longhaul.fabric/1")
    yield case("newer-format", put(FABRIC, "longhaul.fabric/2", "format"), "newer")
    yield case("format-number", put(FABRIC, 1, "format"), "format")
    yield case("nested-duplicate", replaced(put(FABRIC, [{"host": "h"}] * 4, "devices"),
                                            '{"host": "h"}', '{"host": "h", "host": "i"}'), "twice")
    yield case("too-few-devices", put(FABRIC, [{}] * 3, "devices"), "devices")
    yield case("device-speed", put(FABRIC, [{"speed": 0}] * 4, "devices"), "speed")
    yield case("device-number", put(FABRIC, [1, 2, 3, 4], "devices"), "devices")
    yield case("estimated-size", put(FABRIC, [[True]], "estimated"), "estimated")
    yield case("interval-ragged", put(FABRIC, {"alpha_ms": {"lower": [[1]], "upper": [[1]]}},
                                      "interval"), "interval")
    yield case("control-characters", put(FABRIC, {"\x1b[31m\n": 1}, "labels"), "labels")


def check_cases():
    """A file of fits is told from a fabric by its format."""
    links = {"format": "longhaul.links/1", "hosts": [{"id": "a"}], "pairs": []}

    def case(name, content, words):
        return Case("measure-check", name, "fabric.json", content, words)

    yield case("newer-links", put(links, "longhaul.links/2", "format"), "newer")
    yield case("links-without-pairs", without(links, "pairs"), "pairs")
    yield case("links-host-number", put(links, [1], "hosts"), "hosts[0]")


def raw_cases():
    def change(name, old, new, words):
        return Case("measure-fit", name, "raw.jsonl", replaced(RAW, old, new), words)

    yield change("to-itself", '"to": "b"', '"to": "a"', "from and to are both")
    yield change("started-free-text", "2026-11-29T12:00:00Z", "last week", "a time is in UTC")
    yield change("t-free-text", "2026-11-29T12:00:01Z", "now", "a time is in UTC")
    yield change("t-no-day", "2026-11-29T12:00:01Z", "2026-02-30T12:00:01Z", "a time is in UTC")
    yield change("huge-bytes", "1e6", "1e308", "bytes")


def shared_cases():
    def case(name, entry, words):
        return Case("place", "shared-" + name, "fabric.json", put(FABRIC, [entry], "shared"), words)

    yield case("both", {"name": "x", "gbps": 1, "gbps_back": 1, "of": ["a"]}, "both gbps and")
    yield case("no-rate", {"name": "x", "of": ["a"]}, "has no gbps")
    yield case("half-of-one", {"name": "x", "gbps_there": 1, "duplex": False, "of": ["a"]},
               "half duplex")
    yield case("negative", {"name": "x", "gbps_there": -1, "of": ["a"]}, "shared[0].gbps_there")
    yield case("duplex-text", {"name": "x", "gbps": 1, "duplex": "no", "of": ["a"]}, "duplex")


def region_cases():
    def case(name, content, words):
        return Case("regions", name, "fabric.json", content, words)

    pair = REGIONS["pairs"][0]
    yield case("missing-pair", put(REGIONS, [], "pairs"), "pair")
    yield case("no-pairs", without(REGIONS, "pairs"), "pairs")
    yield case("unknown-region", put(REGIONS, "c", "pairs", 0, "b"), "unknown region")
    yield case("pair-twice", put(REGIONS, [pair, dict(pair, a="b", b="a")], "pairs"), "twice")
    yield case("pair-with-itself", put(REGIONS, [pair, dict(pair, b="a")], "pairs"), "itself")
    yield case("region-twice", put(REGIONS, ["a", "a"], "regions"), "twice")
    yield case("one-direction", put(REGIONS, True, "directed"), "pair")
    yield case("regions-text", put(REGIONS, "ab", "regions"), "regions")
    yield case("regions-numbers", put(REGIONS, [1, 2], "regions"), "regions[0]")
    yield case("no-regions", put(REGIONS, [], "regions"), "region")
    yield case("too-many-regions", put(REGIONS, [f"r{i}" for i in range(200_000)], "regions"), "regions")
    yield case("too-many-devices", put(REGIONS, 20_000, "gpus_per_region"), "devices")
    yield case("negative-count", put(REGIONS, -1, "gpus_per_region"), "gpus_per_region")
    yield case("broken-count", put(REGIONS, 1.5, "gpus_per_region"), "gpus_per_region")
    yield case("counts-of-others", put(REGIONS, [1, 2, 3], "gpus_per_region"), "gpus_per_region")
    yield case("no-count", without(REGIONS, "gpus_per_region"), "gpus_per_region")
    yield case("no-device-a-host", put(REGIONS, 0, "gpus_per_host"), "gpus_per_host")
    yield case("hosts-of-others", put(REGIONS, [1, 2, 3], "gpus_per_host"), "gpus_per_host")
    yield case("speed-zero", put(REGIONS, 0, "speed"), "speed")
    yield case("speed-text", put(REGIONS, ["1", 1], "speed"), "speed[0]")
    yield case("memory-negative", put(REGIONS, [80, -1], "memory_gb"), "memory_gb[1]")
    yield case("memory-null", put(REGIONS, None, "memory_gb"), "memory_gb")
    yield case("zero-rate", put(REGIONS, 0, "pairs", 0, "bandwidth_gbps"), "bandwidth_gbps")
    yield case("negative-delay", put(REGIONS, -1, "pairs", 0, "delay_ms"), "delay_ms")
    yield case("no-rate", without(REGIONS, "pairs", 0, "bandwidth_gbps"), "bandwidth_gbps")
    yield case("no-inside", without(REGIONS, "intra_region"), "intra_region")
    yield case("inside-number", put(REGIONS, 3, "intra_region"), "intra_region")
    yield case("pair-number", put(REGIONS, [1], "pairs"), "pairs[0]")
    yield case("newer-format", put(REGIONS, "longhaul.regions/2", "format"), "newer")


def group_cases():
    def case(name, content, words):
        return Case("groups", name, "fabric.json", content, words)

    yield case("no-rate", without(GROUPS, "inter_gbps"), "inter_gbps")
    yield case("zero-rate", put(GROUPS, 0, "intra_gbps"), "intra_gbps")
    yield case("negative-delay", put(GROUPS, -1, "delay_ms"), "delay_ms")
    yield case("no-groups", put(GROUPS, [], "groups"), "")
    yield case("groups-number", put(GROUPS, 3, "groups"), "groups")
    yield case("zero-instances", put(GROUPS, 0, "groups", 0, "instances"), "instances")
    yield case("too-many", put(GROUPS, 20_000, "groups", 0, "instances"), "devices")
    yield case("broken-count", put(GROUPS, "2", "groups", 0, "gpus_per_instance"),
               "gpus_per_instance")


def map_cases():
    def case(name, content, words):
        return Case("evaluate", name, "map.json", content, words)

    yield case("short", [0, 1, 2], "rank")
    yield case("long", [0, 1, 2, 3, 4], "rank")
    yield case("twice", [0, 1, 1, 3], "rank 1")
    yield case("negative", [0, -2, 2, 3], "rank_map[1]")
    yield case("one-left-out", [0, -1, 2, 3], "rank")
    yield case("too-large", [0, 1, 2, 4], "rank 4")
    yield case("huge", [0, 1, 2, 10**30], "rank_map[3]")
    yield case("fraction", [0, 1, 2, 2.5], "rank_map[3]")
    yield case("null", [0, 1, 2, None], "rank_map[3]")
    yield case("text", ["0", 1, 2, 3], "rank_map[0]")
    yield case("nan", "[0, 1, 2, NaN]", "JSON")
    yield case("no-map", {"ranks": RANK_MAP}, "rank_map")
    yield case("empty", "", "ranks")
    yield case("words", "zero one two three", "zero")
    yield case("huge-word", "9" * 100_000, "entry 0")
    yield case("brackets", "[" * BRACKETS, "nested")
    yield case("not-utf8", b"0 1 2 \xff", "map.json")
    yield case("directory", DIRECTORY, "directory")
    yield case("absent", ABSENT, "cannot read")
    yield case("unreadable", UNREADABLE, "cannot read")


def plan_cases(command, plan):
    def case(name, content, words):
        return Case(command, name, "plan.json", content, words)

    yield from (case(*c) for c in unreadable_texts(plan, False))
    yield case("wrong-format", put(plan, "longhaul.fabric/1", "format"), "longhaul.plan/1")
    yield case("newer-format", put(plan, "longhaul.plan/2", "format"), "newer")
    yield case("no-format", without(plan, "format"), "format")
    yield case("no-rank-map", without(plan, "rank_map"), "rank_map")
    yield case("no-shape", without(plan, "shape"), "shape")
    yield case("no-permutation", put(plan, [0, 1, 1, 3], "rank_map"), "rank_map")
    yield case("short-map", put(plan, [0, 1, 2], "rank_map"), "rank_map")
    yield case("rank-out-of-range", put(plan, 4, "rank_map", 0), "rank_map")
    yield case("rank-negative", put(plan, -1, "rank_map", 0), "rank_map")
    yield case("rank-fraction", put(plan, 0.5, "rank_map", 0), "rank_map")
    yield case("rank-null", put(plan, None, "rank_map", 0), "rank_map")
    yield case("rank-text", put(plan, "0", "rank_map", 0), "rank_map")
    yield case("map-text", put(plan, "0123", "rank_map"), "rank_map")
    yield case("pp-zero", put(plan, 0, "shape", "pp"), "shape.pp")
    yield case("pp-huge", put(plan, 10**12, "shape", "pp"), "shape.pp")
    yield case("pp-text", put(plan, "2", "shape", "pp"), "shape.pp")
    yield case("no-dp", without(plan, "shape", "dp"), "dp")
    yield case("shape-number", put(plan, 4, "shape"), "shape")
    yield case("shape-and-map", put(plan, 3, "shape", "dp"), "rank_map")
    yield case("payload-negative", put(plan, -1, "workload", "c_pp_gb"), "c_pp_gb")
    yield case("payload-nan", raw_entry(plan, "NaN", "workload", "c_pp_gb"), "JSON")
    for key in ("c_pp_gb", "c_dp_gb", "c_pp_backward_gb"):
        yield case("payload-huge-" + key, put(plan, 1e308, "workload", key), key)
    yield case("nodes-huge", put(plan, 1e300, "bound_nodes"), "bound_nodes")
    yield case("score-of-another", put(plan, 2 * plan["score"], "score"), "data_parallel + pipeline")
    yield case("payload-null", put(plan, None, "workload", "c_dp_gb"), "c_dp_gb")
    yield case("messages-zero", put(plan, 0, "workload", "pp_messages"), "pp_messages")
    yield case("workload-list", put(plan, [1], "workload"), "workload")
    yield case("devices-number", put(plan, 4, "devices"), "devices")
    yield case("devices-numbers", put(plan, [1, 2, 3, 4], "devices"), "devices[0]")
    yield case("devices-short", put(plan, ["a", "b"], "devices"), "2 names")
    yield case("devices-twice", put(plan, ["a", "b", "a", "c"], "devices"), "devices[2]")
    if command in ("explain", "evaluate-plan"):
        yield Case(command, "fabric-absent", "plan.json",
                   put(plan, "no-such.json", "fabric", "path"), 'wants the fabric "no-such.json"')
        yield Case(command, "fabric-of-another", "plan.json",
                   put(plan, "0" * 64, "fabric", "sha256"), "SHA-256")


SLICE = {"floor": 1.0, "cap": 2.0, "covers": 0, "nodes": [1, 0, 2, -1, 1, 1, 1, 1, 2, 2, 1, -1]}
TREE = {"kind": "tree", "exact": True, "class_of_device": [0, 0, 1, 1],
        "columns": [[1, 1], [2, 0], [0, 2]], "slices": [SLICE]}


LEAVES = {"different": 2, "branches": [1, -1, -1, -1], "weights": [[0, 0.5, 1, 0.5], [0, 1], [1, 1]]}
DIFFERENT = {"kind": "different", "class_of_device": [0, 0, 1, 1], "numbers": [LEAVES]}
ELEMENTARY = {"kind": "elementary"}
SUM = {"kind": "sum", "compute": True, "exchange": False, "parts": [ELEMENTARY]}
LIMITS = {"kind": "limits", "limits": [1.5, 2], "parts": [ELEMENTARY, ELEMENTARY]}
CHOICES = {"kind": "choices", "class_of_device": [0, 0, 1, 1], "left_out": [[0, 0]],
           "parts": [ELEMENTARY]}


def nested_proof_cases(certificate, case):
    """Kinds of proofs beside trees: keys that miss, values that cannot be."""
    for proof in (DIFFERENT, SUM, LIMITS, CHOICES):
        whole = put(certificate, proof, "proof")
        for key in proof:
            if key in ("compute", "exchange"):
                yield case(f"{proof['kind']}-{key}-text", put(whole, "x", "proof", key), key)
                continue
            yield case(f"{proof['kind']}-no-{key}", without(whole, "proof", key), key)
            yield case(f"{proof['kind']}-{key}-null", put(whole, None, "proof", key), key)
    for name, value, words in (
            ("different", 1, "different"), ("different", 3, "different"),
            ("branches", [2, -1, -1, -1], "branches[0]"), ("branches", [-2], "branches[0]"),
            ("branches", [-1, -1], "2 leaves"), ("weights", [], "3 leaves"),
            ("weights", [[0], [0, 1], [1, 1]], "weights[0]"),
            ("weights", [[2, 1], [0, 1], [1, 1]], "weights[0]"),
            ("weights", [[0, 1.5], [0, 1], [1, 1]], "weights[0]"),
            ("weights", [[0, -0.5], [0, 1], [1, 1]], "weights[0]"),
            ("weights", ["x", [0, 1], [1, 1]], "weights[0]")):
        yield case(f"leaves-{name}-{json.dumps(value)[:24]}",
                   put(put(certificate, DIFFERENT, "proof"), value, "proof", "numbers", 0, name),
                   words)
    yield case("limit-negative", put(certificate, {**LIMITS, "limits": [-1, 2]}, "proof"), "limits[0]")
    yield case("part-of-no-kind", put(certificate, {**SUM, "parts": [{}]}, "proof"), "parts[0]")
    yield case("part-text", put(certificate, {**SUM, "parts": ["x"]}, "proof"), "parts[0]")
    deep = ELEMENTARY
    for _ in range(12):
        deep = {**SUM, "parts": [deep]}
    yield case("proofs-too-deep", put(certificate, deep, "proof"), "inside each other")
    yield case("left-out-text", put(certificate, {**CHOICES, "left_out": ["x"]}, "proof"), "left_out[0]")


def certificate_cases(certificate):
    """What no certificate may look like; claims that do not follow are in certificate_test.py."""
    tree = put(certificate, TREE, "proof")

    def case(name, content, words):
        return Case("certificate", name, "proof.json", content, words)

    yield from (case(*c) for c in unreadable_texts(certificate, False))
    yield case("wrong-format", put(tree, "longhaul.plan/1", "format"), "longhaul.certificate/1")
    yield case("newer-format", put(tree, "longhaul.certificate/2", "format"), "newer")
    for key in ("format", "fabric", "workload", "shape", "objective", "score", "bound", "optimal",
                "rank_map", "proof"):
        yield case("no-" + key, without(tree, key), key)
        yield case(key + "-null", put(tree, None, key), key)
        yield case(key + "-list", put(tree, [[]], key), key)
    yield case("no-hash", without(tree, "fabric", "sha256"), "sha256")
    yield case("other-objective", put(tree, "round-robin", "objective"), "additive")
    for name, value in (("exchange", "gossip"), ("schedule", "2f2b"), ("count_shared", 1),
                        ("forward_share", 2)):
        yield case("terms-" + name, put(tree, {name: value}, "terms"), "terms." + name)
    yield case("tp-zero", put(tree, 0, "shape", "tp"), "shape.tp")
    for key in ("score", "bound", "plan_bound"):
        yield case(key + "-negative", put(tree, -1, key), key)
        yield case(key + "-huge", put(tree, 1e300, key), key)
        yield case(key + "-nan", raw_entry(tree, "NaN", key), "JSON")
    yield case("pp-huge", put(tree, 10**12, "shape", "pp"), "shape.pp")
    yield case("dp-zero", put(tree, 0, "shape", "dp"), "shape.dp")
    yield case("rank-twice", put(tree, [0, 1, 1, 3], "rank_map"), "rank_map")
    yield case("rank-negative", put(tree, [0, 1, 2, -1], "rank_map"), "rank_map")
    yield case("short-map", put(tree, [0, 1, 2], "rank_map"), "rank_map")
    yield case("payload-negative", put(tree, -1, "workload", "c_pp_gb"), "c_pp_gb")
    for key in TREE:
        yield case("proof-no-" + key, without(tree, "proof", key), key)
        yield case("proof-" + key + "-null", put(tree, None, "proof", key), key)
    for name, value, words in (
            ("kind", "oracle", "oracle"), ("exact", 1, "exact"),
            ("class_of_device", [0, 0, 1], "4 devices"), ("class_of_device", [0, 0, 2, 2], "class 1"),
            ("class_of_device", [0, 0, 1, 16], "class_of_device[3]"),
            ("class_of_device", [0, 0, 1, -1], "class_of_device[3]"),
            ("class_of_device", [], "4 devices"), ("columns", [[1, 1, 0]], "columns[0]"),
            ("columns", [[1, 2]], "columns[0]"), ("columns", [[3, -1]], "columns[0]"),
            ("columns", [[10**20, 0]], "columns[0]"), ("columns", [], "nodes"),
            ("columns", [1, 1], "columns[0]"), ("slices", "none", "slices"),
            ("slices", [1], "slices[0]"), ("slices", [SLICE] * 10_001, "10001 slices")):
        yield case(f"proof-{name}-{json.dumps(value)[:24]}", put(tree, value, "proof", name), words)
    yield from nested_proof_cases(certificate, case)
    for key in SLICE:
        yield case("slice-no-" + key, without(tree, "proof", "slices", 0, key), key)
        yield case("slice-" + key + "-null", put(tree, None, "proof", "slices", 0, key), key)
    for name, value, words in (
            ("floor", -1, "floor"), ("floor", 3, "its cap is 2"), ("cap", 1e300, "cap"),
            ("covers", 2, "covers"), ("covers", -2, "covers"), ("nodes", [1, 0, 1], "four a node"),
            ("nodes", [2, 0, 1, 0], "nodes[0]"), ("nodes", [0, 0, 1, 0], "nodes[0]"),
            ("nodes", [1, 3, 1, 0], "nodes[1]"), ("nodes", [1, -1, 1, 0], "nodes[1]"),
            ("nodes", [1, 0, 3, 0], "nodes[2]"), ("nodes", [1, 0, 0, 0], "nodes[2]"),
            ("nodes", [1, 0, 0.5, 0], "nodes[2]"), ("nodes", [1, 0, 1e300, 0], "nodes[2]"),
            ("nodes", [1, 0, "1", 0], "nodes[2]"), ("nodes", [1, 0, 1, 2], "nodes[3]"),
            ("nodes", "none", "nodes")):
        yield case(f"slice-{name}-{json.dumps(value)[:24]}",
                   put(tree, value, "proof", "slices", 0, name), words)
    yield Case("certificate", "other-size", "proof.json",
               put(put(put(certificate, {"kind": "elementary"}, "proof"), 3, "shape", "dp"),
                   [0, 1, 2, 3, 4, 5], "rank_map"), "has 4 devices", "fabric.json")


def wan_cases():
    def case(name, content, words):
        return Case("emulate", name, "wan.toml", content, words)

    def change(name, old, new, words):
        return case(name, replaced(WAN, old, new), words)

    yield from (case(*c) for c in unreadable_texts(WAN, True))
    yield change("newer-format", "wan/1", "wan/2", "newer")
    yield change("wrong-format", "longhaul.wan/1", "longhaul.job/1", "longhaul.wan/1")
    yield change("topology", "longhaul.wan/1", "longhaul.topology/1", "unknown key")
    yield change("unknown-key", "delay_ms = 30", "dealy_ms = 30", "delay_ms")
    yield change("unknown-table", "[[link]]", "[[lnik]]", "link")
    yield change("negative-delay", "delay_ms = 30", "delay_ms = -30", "delay_ms")
    yield change("huge-delay", "delay_ms = 30", "delay_ms = 1e9", "delay_ms")
    yield change("nan-delay", "delay_ms = 30", "delay_ms = nan", "finite")
    yield change("text-delay", "delay_ms = 30", 'delay_ms = "30"', "delay_ms")
    yield change("loss-in-percent", "loss = 0.01", "loss = 1.5", "loss")
    yield change("zero-rate", "rate_mbps = 200", "rate_mbps = 0", "rate_mbps")
    yield change("queue-without-rate", "rate_mbps = 200, ", "", "rate_mbps")
    yield change("short-queue", "queue_kb = 100", "queue_kb = 1", "queue_kb")
    yield change("jitter-above-delay", "jitter_ms = 1", "jitter_ms = 2", "jitter_ms")
    yield change("shape-number", "{ rate_mbps = 200, queue_kb = 100 }", "200", "up")
    yield change("region-twice", '"west"\nhosts', '"east"\nhosts', "twice")
    yield change("host-twice", '"one", "two"', '"one", "one"', "twice")
    yield change("host-of-other-region", '"one", "two"', '"one", "east-1"', "twice")
    yield change("control", '"one"', '"control"', "control")
    yield change("bad-name", '"one"', '"../one"', "letters")
    yield change("long-name", '"one"', '"' + "x" * 100_000 + '"', "letters")
    yield change("number-of-hosts", "hosts = 2", "hosts = -2", "hosts")
    yield change("too-many-hosts", "hosts = 2", "hosts = 1000000000", "hosts")
    yield change("many-hosts", "hosts = 2", "hosts = 256", "258 hosts")
    yield change("unknown-region", '"east", "west"', '"east", "wset"', "unknown region")
    yield change("link-inside", '"east", "west"', '"east", "east"', "itself")
    yield change("three-ends", '"east", "west"', '"east", "west", "east"', "two regions")
    yield change("no-link", "[[link]]\nbetween", "[[resource]]\nname = \"r\"\n[not]\nbetween", "not")
    yield case("link-twice", WAN + '[[link]]\nfrom = "east"\nto = "west"\n', "exists already")
    yield change("between-and-from", '[[link]]', '[[link]]\nfrom = "east"', "given with between")
    yield case("one-direction", WAN.replace('between = ["east", "west"]', 'from = "east"\nto = "west"'),
               "no link")
    yield case("unknown-resource", WAN + '[[path]]\nfrom = "east"\nto = "one"\nthrough = ["x"]\n',
               "unknown resource")
    yield case("path-of-nobody", WAN + '[[path]]\nfrom = "north"\nto = "one"\nthrough = []\n',
               "unknown host")
    yield change("outside-sysctl", "[defaults]", '[sysctl]\n"kernel.panic" = 1\n[defaults]', "network")
    yield change("way-out-of-sysctl", "[defaults]", '[sysctl]\n"net/../kernel" = 1\n[defaults]',
                 "network")
    yield change("network", "[defaults]", 'network = "10.0.0.0"\n[defaults]', "network")
    yield change("small-mtu", "[defaults]", "mtu = 10\n[defaults]", "mtu")
    yield case("no-tables", 'format = "longhaul.wan/1"\n', "hosts")
    yield Case("emulate-fabric", "negative-delay", "fabric.json", put(FABRIC, -1, "alpha_ms", 0, 1),
               "alpha_ms")
    one = {"labels": ["a"], "alpha_ms": [[0]], "beta_gbps": [[0]]}
    yield Case("emulate-fabric", "one-host", "fabric.json", one, "1 hosts")


def topology_cases():
    def case(name, content, words):
        return Case("route-compile", name, "net.toml", content, words)

    def change(name, old, new, words):
        return case(name, replaced(TOPOLOGY, old, new), words)

    def policy(name, rest, words):
        return change(name, 'use = "ecmp"', rest, words)

    yield from (case(*c) for c in unreadable_texts(TOPOLOGY, True))
    yield change("newer-format", "topology/1", "topology/2", "newer")
    yield case("no-tables", 'format = "longhaul.topology/1"\n', "[[group]]")
    yield case("empty-group-behind-others", TOPOLOGY + "\n[[group]]\n", "name")
    yield case("nameless-group-behind-others", TOPOLOGY + '\n[[group]]\nmembers = ""\n', "name")
    yield change("unknown-key", "count = 2", "cuont = 2", "count")
    yield change("unknown-group", 'members = "rack"', 'members = "rcak"', "unknown group")
    yield change("unknown-group-of-site", 'group = "region"\n[[link]]', 'group = "nowhere"\n[[link]]',
                 "unknown group")
    yield change("zero-count", "count = 2", "count = 0", "line 13, column 9: group[1].count")
    yield change("negative-count", "count = 2", "count = -2", "count")
    yield change("half-count", "count = 2", "count = 2.5", "whole number")
    yield change("million-nodes", "count = 2", "count = 1000000", "at most 500000")
    yield change("huge-count", "count = 2", "count = 1e300", "count")
    yield change("many-links", "switches = 1\ngbps = 100\n[[site]]",
                 "switches = 400000\ngbps = 100\n[[site]]", "400000 ports up")
    yield change("cycle", 'endpoints = "host"', 'members = "region"', "contains itself")
    yield change("own-member", 'members = "rack"', 'members = "region"', "contains itself")
    yield change("negative-latency", "latency_ms = 30", "latency_ms = -30",
                 "line 26, column 14: link[0].latency_ms")
    yield change("negative-latency-inside", "latency_us = 1", "latency_us = -1", "latency_us")
    yield change("latency-twice", "latency_us = 1", "latency_us = 1\nlatency_ms = 1", "twice")
    yield change("no-latency", "latency_ms = 30\n", "", "latency_ms")
    yield change("nan", "latency_ms = 30", "latency_ms = nan", "finite")
    yield change("zero-rate", "gbps = 10\n", "gbps = 0\n", "gbps")
    yield change("no-rate", "gbps = 10\n", "", "gbps")
    yield change("pattern", 'pattern = "tree"\nswitches = 1\ngbps = 100\nlatency',
                 'pattern = "tee"\nswitches = 1\ngbps = 100\nlatency', "known: tree")
    yield change("digit", 'name = "rack"', 'name = "rack2"', "digit")
    yield change("slash", 'name = "east"', 'name = "ea/st"', "slash")
    yield change("group-twice", 'name = "region"', 'name = "rack"', "second group")
    yield change("site-twice", 'name = "west"', 'name = "east"', "second site")
    yield change("unknown-site", 'b = "west"', 'b = "wset"', "unknown site")
    yield change("link-to-itself", 'b = "west"', 'b = "east"', "itself")
    yield change("two-borders", "switches = 1\ngbps = 100\n[[site]]",
                 "switches = 2\ngbps = 100\n[[site]]", "one switch around it")
    yield change("members-and-endpoints", 'members = "rack"',
                 'members = "rack"\nendpoints = "host"', "both")
    yield change("too-few-ports", "count = 4", "count = 4\nports = 4", "needs 4 ports down and 1 up")
    yield change("odd-rails", 'count = 2\npattern = "tree"', 'count = 2\npattern = "ring"',
                 "unknown key")
    yield policy("unknown-use", 'use = "best"', "known: shortest")
    yield policy("rail-local", 'use = "rail-local"', "no rails")
    yield policy("avoid-all", 'use = "avoid"\navoid = [["east", "west"]]', "no path from east")
    yield policy("avoid-unknown", 'use = "avoid"\navoid = ["north"]', "unknown site")
    yield policy("avoid-no-link", 'use = "avoid"\navoid = [["east", "east/rack0/host0"]]', "no link")
    yield policy("via-unknown", 'use = "via"\nthrough = "north"', "unknown site")
    yield policy("via-nothing", 'use = "via"', "through")
    yield policy("disjoint", 'use = "k-disjoint"\npaths = 2', "only 1 path")
    yield policy("relay-unknown", 'use = "relay"\nthrough = "north"', "unknown group")
    yield change("policy-group", 'from = "east"', 'from = "east/rack7"', "unknown group")
    yield case("exception-node", TOPOLOGY + '[[exception]]\nlink = ["east", "nest"]\ndown = true\n',
               "unknown node")
    yield case("exception-nothing", TOPOLOGY + '[[exception]]\nlink = ["east", "west"]\n', "nothing")
    yield case("exception-one-end", TOPOLOGY + '[[exception]]\nlink = ["east"]\ndown = true\n',
               "two ends")
    yield case("dragonfly-inside",
               replaced(TOPOLOGY, 'count = 2\npattern = "tree"\nswitches = 1',
                        'count = 2\npattern = "dragonfly"\ncables_per_port = 1'), "whole network")
    yield Case("route-compile", "job", "net.toml", JOB, "this is longhaul.job/1")
    routes = {"format": "longhaul.routes/1", "sha256": "0" * 64, "topology": NET}
    yield Case("route-multicast", "job", "net.toml", JOB, "this is longhaul.job/1")
    yield Case("route-multicast", "absent", "net.toml", ABSENT, "cannot read")
    yield Case("route-multicast", "no-such-source", "net.toml",
               TOPOLOGY.replace("east", "north"), "no site, group or endpoint \"east\"")
    yield Case("route-check", "other-tables", "routes.json", routes, "compile the topology again")
    yield Case("route-check", "no-topology", "routes.json", without(routes, "topology"), "topology")
    yield Case("route-check", "newer-format", "routes.json",
               put(routes, "longhaul.routes/2", "format"), "newer")


def agents_cases():
    def case(name, content, words):
        return Case("measure-plan", name, "agents.toml", content, words)

    yield from (case(*c) for c in unreadable_texts(AGENTS, True))
    yield case("no-name", replaced(AGENTS, 'name = "one"\n', ""), "name")
    yield case("blank-in-name", replaced(AGENTS, '"one"', '"one two"'), "letters")
    yield case("hostile-address", replaced(AGENTS, '"10.0.0.1"', '"$(reboot)"'), "address")
    yield case("port-0", replaced(AGENTS, 'groups = ["up"]', "port = 0"), "port")
    yield case("same-name", replaced(AGENTS, '"two"', '"one"'), "twice")
    yield case("same-place", replaced(AGENTS, "10.0.0.2", "10.0.0.1"), "twice")
    yield case("empty-group", replaced(AGENTS, 'groups = ["up"]', "groups = []"), "up")
    yield case("unknown-key", replaced(AGENTS, "groups", "group"), "groups")
    yield case("one-host", AGENTS[:AGENTS.index("[[host]]\nname = \"two")], "two")
    yield case("newer-format", replaced(AGENTS, "hosts/1", "hosts/2"), "format")


def hosts_cases():
    def case(name, content, words):
        return Case("launch", name, "hosts.toml", content, words)

    yield from (case(*c) for c in unreadable_texts(HOSTS, True))
    yield case("no-hosts", 'format = "longhaul.hosts/1"\n', "host")
    yield case("host-number", 'host = 3\n', "host")
    yield case("no-name", replaced(HOSTS, 'name = "one"\n', ""), "name")
    yield case("bad-address", replaced(HOSTS, "10.0.0.1", "10.0.0.300"), "address")
    yield case("option-as-address", replaced(HOSTS, "10.0.0.1", "-oProxyCommand=x"), "address")
    yield case("fabric-devices-overlap", HOSTS.replace("devices = 2", "fabric_devices = [0, 1]"),
               "belongs to host[0]")
    yield case("empty-address", replaced(HOSTS, '"10.0.0.1"', '""'), "address")
    yield case("hostile-address", replaced(HOSTS, '"10.0.0.1"', '"$(reboot)"'), "address")
    yield case("name-twice", replaced(HOSTS, '"two"', '"one"'), "one")
    yield case("address-twice", replaced(HOSTS, "10.0.0.2", "10.0.0.1"), "10.0.0.1")
    yield case("name-number", replaced(HOSTS, '"one"', "1"), "name")
    yield case("hostile-name", replaced(HOSTS, '"one"', "'one; rm -rf /'"), "name")
    yield case("newline-in-name", replaced(HOSTS, '"one"', '"one\\ntwo"'), "name")
    yield case("empty-name", replaced(HOSTS, '"one"', '""'), "name")
    yield case("devices-zero", replaced(HOSTS, "devices = 2", "devices = 0"), "devices")
    yield case("devices-negative", replaced(HOSTS, "devices = 2", "devices = -2"), "devices")
    yield case("devices-fraction", replaced(HOSTS, "devices = 2", "devices = 1.5"), "devices")
    yield case("devices-text", replaced(HOSTS, "devices = 2", 'devices = "2"'), "devices")
    yield case("devices-huge", replaced(HOSTS, "devices = 2", "devices = 1000000000000"), "devices")
    yield case("devices-do-not-match", replaced(HOSTS, "devices = 2", "devices = 3"), "5")
    yield case("gpus-number", replaced(HOSTS, "devices = 2", "gpus = 2"), "gpus")
    yield case("gpu-twice", replaced(HOSTS, "devices = 2", "gpus = [1, 1]"), "twice")
    yield case("no-devices", replaced(HOSTS, "devices = 2\n", ""), "devices")
    yield case("unknown-key", replaced(HOSTS, "address", "adress"), "did you mean")
    yield case("newer-format", replaced(HOSTS, "hosts/1", "hosts/2"), "newer")
    yield case("wrong-format", replaced(HOSTS, "longhaul.hosts/1", "longhaul.job/1"),
               "longhaul.hosts/1")


def advise_cases():
    """What advise reads: a fabric, a job, a network of islands, and islands that do not agree."""
    yield from (case for case in fabric_cases("advise")
                if case.name.endswith(("/not-square", "/zero-beta", "/absent", "/truncated-60%")))
    yield from (case for case in job_cases("advise")
                if case.name.endswith(("/stages", "/absent", "/layers-nan", "/brackets")))
    yield Case("advise", "one-island", "fabric.json", put(FABRIC, ["a"] * 4, "labels"),
               "1 island by label")
    yield Case("advise-network", "absent", "islands.json", ABSENT, "")
    yield Case("advise-network", "a-job", "islands.json", JOB, "")
    yield Case("advise-network", "a-fabric", "islands.json", FABRIC, "longhaul.fabric")
    yield Case("advise-network", "negative", "islands.json",
               put(ISLANDS, -1, "links", 0, "latency_ms"), "latency_ms")
    yield Case("advise-network", "stranger", "islands.json", put(ISLANDS, "c", "links", 0, "b"),
               "c")
    yield Case("advise-network", "cut-off", "islands.json", put(ISLANDS, [], "links"), "")
    yield Case("advise-both", "other-names", "islands.json",
               put(put(ISLANDS, ["a", "c"], "nodes"), "c", "links", 0, "b"), "is no label")
    yield Case("advise-both", "one-more", "islands.json", put(ISLANDS, ["a"], "nodes"), "")


def job_cases(command):
    def case(name, content, words):
        return Case(command, name, "job.toml", content, words)

    def change(name, old, new, words):
        return case(name, replaced(JOB, old, new), words)

    yield from (case(*c) for c in unreadable_texts(JOB, True))
    yield change("no-layers", "layers = 4\n", "", "layers")
    yield change("layers-text", "layers = 4", 'layers = "4"', "a string")
    yield change("layers-zero", "layers = 4", "layers = 0", "found 0")
    yield change("layers-huge", "layers = 4", "layers = 9999999999999", "layers")
    yield change("layers-beyond-64-bit", "layers = 4", "layers = 99999999999999999999", "TOML")
    yield change("layers-nan", "layers = 4", "layers = nan", "not finite")
    yield change("batch-infinite", "global_batch = 24", "global_batch = inf", "not finite")
    yield change("batch-1e999", "global_batch = 24", "global_batch = 1e999", "TOML")
    yield change("batch-negative", "global_batch = 24", "global_batch = -24", "greater than 0")
    yield change("date", "layers = 4", "layers = 1979-05-27", "date")
    yield change("heads", "heads = 8", "heads = 7", "do not divide")
    yield change("stages", "pp = 2", "pp = 3", "do not divide")
    yield change("micro-batch", "global_batch = 24", "global_batch = 24\nmicro_batch = 25",
                 "more than")
    yield change("micro-batches", "global_batch = 24", "global_batch = 24\nmicro_batch = 1e-300",
                 "micro-batches")
    yield change("precision", '"fp16"', '"fp17"', "must be one of")
    yield change("unknown-key", "vocabulary = 100", "vocabulary = 100\nvocabularly = 1",
                 "did you mean")
    yield change("hostile-key", "vocabulary = 100", 'vocabulary = 100\n"\\u001b[31m\\n" = 1',
                 "unknown key")
    yield change("no-table", "[precision]\n", "", "precision")
    yield change("table-number", "[model]", "model = 3\n[messages]", "model")
    yield change("newer-format", "job/1", "job/2", "newer")
    yield change("wrong-format", "longhaul.job/1", "longhaul.hosts/1", "longhaul.job/1")
    yield change("stage-list", "pp = 2", "pp = 2\nstage_layers = [1, 2, 3]", "3 entries")


def flows_cases():
    def case(name, content, words):
        return Case("flows", name, "flows.toml", content, words)

    def change(name, old, new, words):
        return case(name, replaced(FLOWS, old, new), words)

    yield from (case(*c) for c in unreadable_texts(FLOWS, True))
    yield change("no-capacity", "gbps = 10\n", "", "gbps")
    yield change("capacity-zero", "gbps = 10", "gbps = 0", "found 0")
    yield change("capacity-nan", "gbps = 10", "gbps = nan", "not finite")
    yield change("negative-latency", "latency_ms = 20", "latency_ms = -20", "latency_ms")
    yield change("link-twice", 'name = "down"', 'name = "up"', "exists already")
    yield change("no-name", 'name = "down"\n', "", "its name")
    yield change("unknown-link", '["up", "down"]', '["up", "dwon"]', "no link \"dwon\"")
    yield change("unknown-route", 'route = "there"', 'route = "thre"', "no route \"thre\"")
    yield change("path-and-route", 'route = "there"', 'route = "there"\npath = ["up"]', "more than")
    yield change("no-path", 'route = "there"\n', "", "neither path nor route")
    yield change("path-number", '["up", "down"]', "[1, 2]", "a number")
    yield change("path-text", '["up", "down"]', '"up"', "a string")
    yield change("load-zero", '["up", "down"]', '["up", {link = "down", load = 0}]', "found 0")
    yield change("no-payload", "payload_gb = 1\n", "", "payload_gb")
    yield change("payload-negative", "payload_gb = 1", "payload_gb = -1", "payload_gb")
    yield change("payload-huge", "payload_gb = 1", "payload_gb = 1e300", "payload_gb")
    yield change("beyond-the-horizon", "payload_gb = 1", "payload_gb = 1e9", "53 days")
    yield change("weight-zero", "weight = 2", "weight = 0", "weight")
    yield change("cap-negative", "weight = 2", "cap_gbps = -2", "cap_gbps")
    yield change("cold-number", "weight = 2", "cold = 1", "a number")
    yield change("unknown-flow", 'after = ["a"]', 'after = ["c"]', "no flow \"c\"")
    yield change("itself", 'after = ["a"]', 'after = ["b"]', "circle")
    yield change("circle", "weight = 2", 'after_sent = ["b"]', "circle")
    yield change("flow-twice", 'name = "b"', 'name = "a"', "exists already")
    yield change("wait-for-nothing", "weight = 2", "wait_ms = 2", "waits for no other")
    yield change("unknown-key", "weight = 2", "wieght = 2", "did you mean")
    yield change("flows-table", "[[flow]]\nname = \"a\"", "[flow]\nname = \"a\"", "TOML")
    yield case("no-flows", FLOWS[: FLOWS.index("[[flow]]")], "flow")
    yield case("empty-list", 'link = []\nflow = []\n', "empty")
    yield change("newer-format", "flows/1", "flows/2", "newer")
    yield change("no-topology", 'route = "there"', 'from = "a"\nto = "b"', "need a topology")
    yield Case("flows-topology", "unknown-endpoint", "flows.toml",
               replaced(FLOWS, 'route = "there"', 'from = "nowhere"\nto = "b"'), "no endpoint")
    yield Case("flows-topology", "absent", "net.toml", ABSENT, "cannot read")
    yield Case("flows-topology", "job", "net.toml", JOB, "this is longhaul.job/1")


def import_cases():
    def case(name, content, words):
        return Case("measure-import", name, "iperf3.json", content, words)

    def xml(name, content, words):
        return Case("measure-import-xml", name, "platform.xml", content, words)

    yield from (case(*c) for c in unreadable_texts(dict(IPERF3, format="x"), False)
                if c[0] != "duplicate-key")  # real files of iperf3 have some
    yield case("text-output", "Connecting to host 10.0.0.2, port 5201\n", "--json")
    yield case("failed", {"error": "unable to connect"}, "unable to connect")
    yield case("no-end", without(IPERF3, "end"), "end")
    yield case("number-text", put(IPERF3, "nan", "end", "sum_received", "bytes"), "a string")
    yield case("no-time", put(IPERF3, 0, "end", "sum_received", "seconds"), "seconds")
    yield case("set-size", put(IPERF3, 10, "start", "test_start", "bytes"), "times no message")
    yield xml("absent", ABSENT, "")
    yield xml("directory", DIRECTORY, "")
    yield xml("empty", "", "")
    yield xml("not-utf8", b"<platform>\xff</platform>", "UTF-8")
    yield xml("truncated", PLATFORM[:200], "well-formed")
    yield xml("no-route", replaced(PLATFORM, '<link_ctn id="l"/>', '<link_ctn id="m"/>'), "no link")
    yield xml("other-root", "<html/>", "platform")
    yield xml("unit", replaced(PLATFORM, "1Gbps", "1 apple"), "bandwidth")


def other_format_cases():
    """Files of another longhaul format: the message says what they are and what is needed."""
    links = {"format": "longhaul.links/1", "hosts": []}
    raw = json.dumps({"record": "run", "format": "longhaul.raw/1", "run": "r"}) + "\n{}\n"
    yield Case("place", "links", "fabric.json", links, "measure fit --fabric")
    yield Case("place", "raw", "fabric.json", raw, "this is longhaul.raw/1")
    yield Case("explain", "fabric", "plan.json", FABRIC, "this is longhaul.fabric/1")
    yield Case("launch", "fabric", "plan.json", FABRIC, "place -o")
    yield Case("launch", "raw", "plan.json", raw, "measure run")
    yield Case("size", "hosts", "job.toml", HOSTS, "launch --hosts")
    yield Case("measure-plan", "hosts", "agents.toml", HOSTS, "this is longhaul.hosts/1")
    yield Case("flows", "job", "flows.toml", JOB, "this is longhaul.job/1")
    yield Case("emulate", "job", "wan.toml", JOB, "this is longhaul.job/1")
    yield Case("launch", "campaign", "hosts.toml", AGENTS, "hosts file of a measuring campaign")


def step_cases(plan):
    """Steps that cannot be replayed, and files of measured steps."""
    def case(name, content, words, named=None):
        return Case("validate", name, "steps.json", content, words, *([named] if named else []))

    yield from (case(*c) for c in unreadable_texts(STEPS, False))
    yield case("no-format", without(STEPS, "format"), "format")
    yield case("newer", put(STEPS, "longhaul.measured-steps/2", "format"), "format")
    yield case("no-steps", without(STEPS, "steps"), "steps")
    yield case("one-step", put(STEPS, STEPS["steps"][:1], "steps"), "two or more")
    yield case("steps-number", put(STEPS, 3, "steps"), "steps")
    yield case("step-number", put(STEPS, [3, 4], "steps"), "steps[0]")
    yield case("no-plan", put(STEPS, [{"seconds": [1]}, {"plan": "plan.json", "seconds": [1]}], "steps"), "plan")
    yield case("unknown-key", put(STEPS, 1, "steps", 0, "second"), "seconds")
    yield case("twice", put(STEPS, "a", "steps", 1, "name"), "twice")
    for name, seconds in (("zero", [0]), ("negative", [-1]), ("text", ["1"]), ("huge", [1e300]), ("none", []),
                          ("number", 1)):
        yield case("seconds-" + name, put(STEPS, seconds, "steps", 0, "seconds"), "seconds")
    yield case("plan-absent", put(STEPS, "no-such.json", "steps", 1, "plan"), "cannot read", "no-such.json")
    yield case("plan-is-a-fabric", put(STEPS, "fabric.json", "steps", 1, "plan"), "this is longhaul.fabric/1",
               "fabric.json")
    yield Case("simulate", "micro-batches-in-one-message", "plan.json",
               put(plan, 4, "workload", "microbatches"), "one message a micro-batch", "--schedule")
    yield Case("simulate", "too-many-messages", "plan.json",
               put(plan, 1_000_000_000, "workload", "pp_messages"), "tasks", "--microbatches")
    yield Case("simulate", "stage-of-ages", "plan.json",
               put(plan, [1, 1e18], "workload", "stage_seconds"), "53 days")
    yield Case("simulate", "messages-of-ages", "plan.json",
               put(put(plan, 5e9, "workload", "c_dp_gb"), 5e9, "workload", "c_pp_gb"), "at most 1e+09 GB")
    yield Case("simulate", "fabric-absent", "plan.json",
               put(plan, "no-such.json", "fabric", "path"), "wants the fabric")
    broken = dict(NET, exception=[{"link": ["host1", "switch0"], "down": True}])
    other = dict(NET, group=[dict(NET["group"][0], endpoints="machine")])
    for command in ("simulate-topology", "validate-topology"):
        yield Case(command, "topology-absent", "net.json", ABSENT, "cannot read")
        yield Case(command, "topology-job", "net.json", JOB, "this is longhaul.job/1")
        yield Case(command, "no-path", "net.json", broken, "no path from host")
        yield Case(command, "other-names", "net.json", other,
                   "no endpoint for device \"host0/0\" of the plan (4 of 4 have none)")
        yield Case(command, "nameless-devices", "fabric.json", FABRIC,
                   "no endpoint for device \"a#0\"", "net.json")


def matched_hosts_cases(plan):
    """Plans that name hosts, which the hosts file does not all know."""
    def named(*hosts):
        return dict(plan, device_hosts=[{"host": host, "local_rank": rank}
                                        for host in hosts for rank in (0, 1)])

    yield Case("launch", "host-unknown", "plan.json", named("one", "three"),
               "no host is the plan's \"three\"", "hosts.toml")
    yield Case("launch", "host-nameless", "plan.json",
               dict(plan, device_hosts=[{"host": "one"}, {}, {}, {}]), "device 1", "hosts.toml")
    yield Case("launch", "host-number", "plan.json",
               dict(plan, device_hosts=[{"host": 1}, {}, {}, {}]), "device_hosts[0].host")
    yield Case("launch", "hosts-too-few", "plan.json", dict(plan, device_hosts=[{"host": "one"}]),
               "device_hosts")


def all_cases(plan, certificate):
    yield from import_cases()
    yield from other_format_cases()
    yield from matched_hosts_cases(plan)
    yield from (case for case in fabric_cases("measure-export")
                if case.name.endswith(("/not-square", "/absent", "/zero-beta")))
    yield from fabric_cases("place")
    for name in ("not-square", "negative-alpha", "zero-beta", "directory", "absent", "brackets",
                 "truncated-60%"):
        yield from (case for case in fabric_cases("fabric") if case.name.endswith("/" + name))
        yield from (case for case in fabric_cases("evaluate") if case.name.endswith("/" + name))
        yield from (case for case in fabric_cases("measure-check")
                    if case.name.endswith("/" + name))
    yield from check_cases()
    yield from raw_cases()
    yield from shared_cases()
    yield from region_cases()
    yield from group_cases()
    yield from map_cases()
    yield from job_cases("size")
    yield from advise_cases()
    yield from flows_cases()
    yield from (case for case in job_cases("place-job")
                if case.name.endswith(("/stages", "/absent", "/layers-nan", "/brackets")))
    yield Case("place-job", "other-shape", "job.toml", replaced(JOB, "dp = 2", "dp = 3"),
               "pp 2 x dp 3", "fabric.json")
    yield from plan_cases("explain", plan)
    yield from plan_cases("launch", plan)
    yield from (case for case in plan_cases("simulate", plan) if "payload" in case.name or "map" in case.name)
    yield from step_cases(plan)
    yield from plan_cases("place-from", plan)
    for command in ("place-from", "place-robust", "place-phase"):
        for name in ("not-square", "negative-alpha", "directory", "absent", "truncated-60%"):
            yield from (case for case in fabric_cases(command) if case.name.endswith("/" + name))
    yield from (case for case in plan_cases("evaluate-plan", plan)
                if case.name.endswith(("/short-map", "/payload-null", "/fabric-absent",
                                       "/fabric-of-another", "/newer-format", "/score-of-another")))
    yield from certificate_cases(certificate)
    yield from hosts_cases()
    yield from agents_cases()
    yield from wan_cases()
    yield from topology_cases()

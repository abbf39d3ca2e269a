"""Malformed fabrics, measurements and what they are made from."""
from bad_input.base import (ABSENT, Case, DIRECTORY, put, raw_entry, replaced, truncated,
                            unreadable_texts, without)
from bad_input.good import AGENTS, FABRIC, GROUPS, IPERF3, PLATFORM, RAW, REGIONS


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
    for name, text in (("turned", "b\u202ec"), ("line-in-a", "b\nc"), ("coloured", "\x1b[31m")):
        yield case(name + "-label", put(FABRIC, ["a", "a", "b", text], "labels"), "cannot be shown")
        yield case(name + "-host", put(FABRIC, [{"host": text}] * 4, "devices"), "cannot be shown")
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
    yield case("pair-twice", put(REGIONS, [pair, dict(pair)], "pairs"), "twice")
    yield case("pair-both-ways", put(REGIONS, [pair, dict(pair, a="b", b="a")], "pairs"),
               "add directed = true")
    yield case("speed-of-each", put(REGIONS, [1, 1, 2, 2], "speed"), "entries of its devices")
    yield case("speed-lists", put(REGIONS, [[1, 2], 1], "speed"), "entries of its devices")
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

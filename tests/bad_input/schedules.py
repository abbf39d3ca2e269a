"""Malformed networks of islands, schedules, and words of the schedule commands."""
from bad_input.base import ABSENT, Case, put, typed_case, unreadable_texts, without
from bad_input.good import FABRIC, ISLANDS, JOB, PLATFORM, SCHEDULE, TOPOLOGY

LINK = ("links", 0)
CLIQUE = ("rounds", 0, "cliques", 0)
THREE = dict(ISLANDS, nodes=["a", "b", "c"])
HOSTILE = ("nan", "inf", "-1", "1e308", "1e999", "99999999999999999999", "", "1x", "0x")


def islands_cases(command):
    def case(name, content, words):
        return Case(command, name, "islands.json", content, words)

    yield from (case(*c) for c in unreadable_texts(ISLANDS, False))
    yield case("negative-latency", put(ISLANDS, -5, *LINK, "latency_ms"), "links[0].latency_ms")
    yield case("huge-latency", put(ISLANDS, 1e300, *LINK, "latency_ms"), "links[0].latency_ms")
    yield case("no-capacity", put(ISLANDS, 0, *LINK, "gbps"), "links[0].gbps")
    yield case("huge-capacity", put(ISLANDS, 1e300, *LINK, "gbps"), "links[0].gbps")
    yield case("text-latency", put(ISLANDS, "5", *LINK, "latency_ms"), "a string")
    yield case("negative-jitter", put(ISLANDS, -1, *LINK, "jitter_ms"), "links[0].jitter_ms")
    yield case("itself", put(ISLANDS, "a", *LINK, "b"), "itself")
    yield case("stranger", put(ISLANDS, "z", *LINK, "b"), "\"z\" is no node")
    yield case("link-twice", put(ISLANDS, ISLANDS["links"] * 2, "links"), "second link")
    yield case("links-number", put(ISLANDS, 3, "links"), "links")
    yield case("no-links", without(ISLANDS, "links"), "links")
    yield case("disconnected", put(THREE, ISLANDS["links"], "links"), "no path from \"a\" to \"c\"")
    yield case("city-twice", put(ISLANDS, ["a", "b", "a"], "nodes"), "listed twice")
    yield case("no-islands", put(ISLANDS, [], "nodes"), "no island")
    yield case("too-many", put(ISLANDS, [str(i) for i in range(65)], "nodes"), "at most 64")
    yield case("nameless", put(ISLANDS, ["a", ""], "nodes"), "empty name")
    yield case("number-for-a-name", put(ISLANDS, ["a", 3], "nodes"), "nodes[1]")
    for name, text in (("turned", "b\u202ec"), ("isolated", "b\u2066"), ("in-two-lines", "b\nc"),
                       ("coloured", "\x1b[31mb"), ("next-line", "b\x85")):
        yield case(name + "-name", put(ISLANDS, ["a", text], "nodes"), "cannot be shown")
    yield case("turned-transit", dict(ISLANDS, transit=["\u202et"]), "cannot be shown")
    yield case("turned-region", dict(ISLANDS, regions={"x\u202e": ["a"]}), "cannot be shown")
    yield case("turned-schedule", dict(ISLANDS, schedules={"x\u202e": [[["a", "b"]]]}),
               "cannot be shown")
    yield case("turned-network", dict(ISLANDS, name="\u2067n"), "cannot be shown")
    yield case("no-payload", without(ISLANDS, "payload_gb"), "payload_gb")
    yield case("payload-zero", put(ISLANDS, 0, "payload_gb"), "payload_gb")
    yield case("payload-huge", put(ISLANDS, 1e300, "payload_gb"), "payload_gb")
    yield case("access-zero", put(ISLANDS, 0, "egress_gbps"), "egress_gbps")
    yield case("memory-negative", dict(ISLANDS, memory_gb=-1), "memory_gb")
    yield case("memory-named-twice", dict(ISLANDS, memory_gb=1, fpga_mem_gb=1), "older name")
    yield case("unknown-key", dict(ISLANDS, node=["a"]), "did you mean")
    yield case("region-stranger", dict(ISLANDS, regions={"x": ["z"]}), "\"z\" is no island")
    yield case("schedule-stranger", dict(ISLANDS, schedules={"x": [[["a", "z"]]]}), "\"z\"")
    yield case("schedule-twice", dict(ISLANDS, schedules={"x": [[["a", "b"], ["a"]]]}), "schedules.x")
    yield case("newer-format", put(ISLANDS, "longhaul.islands/2", "format"), "newer")
    yield case("a-job", JOB, "this is longhaul.job/1")
    yield case("a-fabric", FABRIC, "this is longhaul.fabric/1")
    yield case("a-schedule", SCHEDULE, "this is longhaul.schedule/1")


def schedule_file_cases(command):
    """What the reader of schedules refuses, in whichever command reads one."""
    def case(name, content, words):
        return Case(command, name, "schedule.json", content, words)

    yield from (case(*c) for c in unreadable_texts(SCHEDULE, False)
                if c[0] not in ("array-at-the-top", "number-at-the-top"))
    yield case("pace", put(SCHEDULE, "slow", "pace"), "pace")
    yield case("no-rounds", put(SCHEDULE, [], "rounds"), "0 rounds")
    yield case("memory-negative", put(SCHEDULE, -1, "memory_gb"), "memory_gb")
    yield case("payload-zero", put(SCHEDULE, 0, "payload_gb"), "payload_gb")
    yield case("forgetting-zero", dict(SCHEDULE, forgetting=0), "forgetting")
    yield case("forgetting-more", dict(SCHEDULE, forgetting=1.5), "forgetting")
    yield case("short-hash", put(SCHEDULE, "12", "network", "sha256"), "64 lower-case")
    yield case("stranger", put(SCHEDULE, ["a", "z"], *CLIQUE, "members"), "\"z\" is no island")
    yield case("left-out", put(SCHEDULE, [{"members": ["a"]}], "rounds", 0, "cliques"),
               "\"b\" is in no clique")
    yield case("no-tree", put(SCHEDULE, [[], ["b>a"]], *CLIQUE, "trees"), "does not lead to \"b\"")
    yield case("no-link", put(SCHEDULE, [["a>z"], ["b>a"]], *CLIQUE, "trees"), "is no link")
    yield case("offsets", put(SCHEDULE, [0], *CLIQUE, "offset_ms"), "offset_ms")
    yield case("negative-offset", put(SCHEDULE, [-1, 0], *CLIQUE, "offset_ms"), "at least 0")
    yield case("sending-zero", put(SCHEDULE, 0, *CLIQUE, "sending_ms"), "sending_ms")
    yield case("weights", put(SCHEDULE, [[1, 1], [0, 1]], *CLIQUE, "weights"), "sums to 2")
    yield case("newer-format", put(SCHEDULE, "longhaul.schedule/2", "format"), "newer")
    yield case("a-fabric", FABRIC, "this is longhaul.fabric/1")
    yield case("a-network", ISLANDS, "this is longhaul.islands/1")


def rounds_cases(command):
    def case(name, content, words):
        return Case(command, name, "rounds.json", content, words)

    yield case("absent", ABSENT, "cannot read")
    yield case("no-rounds", {"round": []}, "rounds")
    yield case("empty", {"rounds": []}, "rounds")
    yield case("number", {"rounds": 3}, "rounds")
    yield case("flat", {"rounds": [["a", "b"]]}, "rounds[0]")
    yield case("stranger", {"rounds": [[["a", "z"]]]}, "\"z\"")
    yield case("twice", {"rounds": [[["a", "b"], ["b"]]]}, "rounds[0]")


def typed_cases():
    """Words on the command line: hostile numbers, names of nothing, files in each other's way."""
    for command, names in (
            ("schedule-score", ("--payload-gb", "--access-gbps", "--memory-gb", "--guard-ms",
                                "--forgetting")),
            ("schedule-optimise", ("--largest", "--max-period", "--effort", "--time-limit", "--seed",
                                   "--memory-gb")),
            ("schedule-simulate", ("--rounds-to-run", "--blocks", "--births", "--jitter-ms", "--loss",
                                   "--duplication", "--tries", "--patience-ms", "--grace-ms",
                                   "--seed", "--picture-rounds")),
            ("schedule-run", ("--recovery-ms", "--tries", "--loss"))):
        for name in names:
            for value in HOSTILE:
                yield typed_case(command, f"{name}={value}", [f"{name}={value}"], name)
    for name, value in (("--trees", "oak"), ("--sharing", "none"), ("--rounds", "never")):
        yield typed_case("schedule-score", name, [name, value], name)
    for name, value in (("--slots", "heap"), ("--missing", "none")):
        yield typed_case("schedule-simulate", name, [name, value], name)
    for kill in ("a", "@1", "z@1", "a@0", "a@9999", "a@1x"):
        yield typed_case("schedule-run", f"kill-{kill}", ["--kill", kill], "--kill", "ISLAND@ROUND")
    yield typed_case("schedule-optimise", "absent-folder", ["--picture-map", "none/x"], "none",
                     "none/x")
    yield typed_case("schedule-score", "written-over", ["--picture-map", "islands.json"],
                     "is read and would be overwritten", "islands.json")
    yield typed_case("schedule-score", "schedule-written-over", ["--picture-map", "rounds.json"],
                     "is read and would be overwritten", "rounds.json")
    yield typed_case("schedule-optimise", "written-twice",
                     ["--picture-map", "x.svg", "--picture-curves", "x.svg"], "written twice", "x.svg")
    for command in ("schedule-score", "schedule-optimise"):
        yield typed_case(command, "json-and-picture", ["--json", "--picture-map", "-"],
                         "standard output", "--json")
        yield typed_case(command, "two-pictures", ["--picture-map", "-", "--picture-curves", "-"],
                         "named twice", "-")
    yield from simulate_typed_cases()


def simulate_typed_cases():
    def case(name, typed, words, named=""):
        return typed_case("schedule-simulate", name, typed, words, named)

    for name, text, words in (
            ("none", "", "KIND:WHAT:FROM:TO"), ("short", "island:a:5", "KIND:WHAT:FROM:TO"),
            ("colons", ":::", "no kind"), ("kind", "city:a:0:5", "no kind \"city\""),
            ("island", "island:z:0:5", "\"z\" is no island"),
            ("link", "link:a>z:0:5", "\"a>z\" is no link"),
            ("both", "link:a<>z:0:5", "\"a>z\" is no link"),
            ("backwards", "island:a:5:4", "later ones"), ("nan", "island:a:nan:5", "later ones"),
            ("until-nan", "island:a:0:nan", "later ones"), ("endless", "island:a:end:end", "later ones"),
            ("huge", "island:a:0:1e308", "later ones"), ("text", "island:a:x:y", "later ones")):
        yield case("outage-" + name, ["--outage=" + text], words)
    for option in ("--join", "--leave"):
        for name, text, words in (
                ("nobody", "z@2", "\"z\" is no island"), ("nowhere", "a", "ISLAND@ROUND"),
                ("zero", "a@0", "from 1 to 4"), ("late", "a@5", "from 1 to 4"),
                ("text", "a@x", "from 1 to 4"), ("fraction", "a@1.5", "from 1 to 4"),
                ("huge", "a@99999999999999999999", "from 1 to 4"), ("negative", "a@-1", "from 1 to 4")):
            yield case(f"{option[2:]}-{name}", [f"{option}={text}"], words)
    yield case("leaves-twice", ["--leave", "a@2", "--leave", "a@3"], "--leave: a leaves twice")
    yield case("planned-anew", ["--trees", "flexible"], "says that itself", "schedule.json")
    yield case("payload-anew", ["--payload-gb", "2"], "says that itself", "schedule.json")
    yield case("picture-folder", ["--picture-timeline", "none/x.svg"], "none", "none/x.svg")
    yield case("picture-over-input", ["--picture-timeline", "schedule.json"],
               "is read and would be overwritten", "schedule.json")
    for command in ("schedule-simulate", "schedule-score-file"):
        yield Case(command, "other-network", "islands.json",
                   put(ISLANDS, 6, *LINK, "latency_ms"), "made for another network",
                   "schedule.json")
    yield case("json-and-picture", ["--json", "--picture-timeline", "-"], "standard output", "--json")


def schedule_cases():
    yield from islands_cases("schedule-optimise")
    for command in ("schedule-score", "schedule-simulate"):
        yield from (case for case in islands_cases(command) if case.name.endswith(
            ("/absent", "/truncated-60%", "/disconnected", "/city-twice", "/a-job", "/brackets")))
    yield from schedule_file_cases("schedule-simulate")
    yield from (case for case in schedule_file_cases("schedule-score-file") if case.name.endswith(
        ("/absent", "/stranger", "/no-tree", "/weights", "/a-fabric")))
    yield from rounds_cases("schedule-score")
    yield from rounds_cases("schedule-simulate-rounds")
    yield Case("schedule-topology", "absent", "net.toml", ABSENT, "cannot read")
    yield Case("schedule-topology", "xml", "net.toml", PLATFORM, "")
    yield Case("schedule-topology", "no-link", "net.toml",
               TOPOLOGY[:TOPOLOGY.index("[[link]]")], "")
    yield from typed_cases()

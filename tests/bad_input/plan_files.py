"""Malformed plans, rank maps, hosts files and measured steps."""
from bad_input.base import (ABSENT, BRACKETS, Case, DIRECTORY, UNREADABLE, put, raw_entry,
                            replaced, unreadable_texts, without)
from bad_input.good import FABRIC, HOSTS, JOB, NET, RANK_MAP, STEPS


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

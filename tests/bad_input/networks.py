"""Malformed wide-area networks, topologies and flows."""
from bad_input.base import ABSENT, Case, put, replaced, unreadable_texts, without
from bad_input.good import FABRIC, FLOWS, JOB, NET, TOPOLOGY, WAN


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
    yield change("turned", 'name = "east"', 'name = "ea\\u202est"', "turns text around")
    yield change("coloured", 'name = "east"', 'name = "\\u001b[31m"', "control")
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
    yield change("link-turned", 'name = "down"', 'name = "\\u202edown"', "cannot be shown")
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

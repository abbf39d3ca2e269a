"""Good files, one of each format. Every case changes one of them."""
import hashlib
import json

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
ROUNDS = {"rounds": [[["a", "b"]]]}
SCHEDULE = {
    "format": "longhaul.schedule/1",
    "network": {"name": "two", "sha256": hashlib.sha256(json.dumps(ISLANDS).encode()).hexdigest()},
    "pace": "uniform",
    "payload_gb": 1,
    "slot_elements": 4096,
    "memory_gb": 0,
    "rounds": [{"length_ms": 805, "cliques": [
        {"members": ["a", "b"], "sending_ms": 800, "time_ms": 805, "offset_ms": [0, 0],
         "trees": [["a>b"], ["b>a"]]}]}],
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

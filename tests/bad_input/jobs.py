"""Malformed jobs, what advise reads, and files of another format."""
import json

from bad_input.base import ABSENT, Case, put, replaced, truncated, unreadable_texts
from bad_input.fabric_files import fabric_cases
from bad_input.good import AGENTS, FABRIC, HOSTS, ISLANDS, JOB


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

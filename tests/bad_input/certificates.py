"""Malformed certificates."""
import json

from bad_input.base import Case, put, raw_entry, unreadable_texts, without

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
    larger = put(put(put(certificate, {"kind": "elementary"}, "proof"), 3, "shape", "dp"),
                 [0, 1, 2, 3, 4, 5], "rank_map")
    yield Case("certificate", "other-size", "proof.json", put(larger, 6, "fabric", "n"),
               "has 4 devices", "fabric.json")
    yield case("other-n", larger, "the rank map has 6 devices")

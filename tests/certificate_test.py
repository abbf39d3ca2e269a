"""Certificates from place to evaluate: what holds, and that nothing false passes.

Usage: certificate_test.py --binary LONGHAUL

Exit 0: the certificate holds. 1: what it claims does not follow, and the output says where. 2: it is
malformed. Known optima come from docs/mathematics/placement.md.
"""
import argparse
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TABLE2 = "fabrics/dtfm-table2-worldwide.json"
KNOWN = [  # fabric, c_pp, c_dp, optimum
    (TABLE2, 0.512, 0.65, 51.500424), (TABLE2, 0.512, 1.3, 62.201579),
    (TABLE2, 0.128, 0.65, 19.447381), ("fabrics/dtfm-regional.json", 0.512, 0.65, 37.084085),
    ("fabrics/dtfm-campuses.json", 0.512, 0.65, 16.999657),
    ("fabrics/dtfm-datacenter.json", 0.512, 0.65, 3.485440),
    ("fabrics/dtfm-spot.json", 0.471249, 0.65, 31.634148)]


class Tester:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.failures = self.count = 0

    def run(self, *words):
        return subprocess.run([self.binary, *map(str, words)], capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, SOURCE_DATE_EPOCH="0"))

    def expect(self, truth, what):
        self.count += 1
        if not truth:
            self.failures += 1
            print("FAILED " + what)

    def place(self, fabric, c_pp, c_dp, *more):
        path = self.folder / "made.json"
        done = self.run("place", "--fabric", fabric, "--pp", 8, "--dp", 8, "--c-pp", c_pp, "--c-dp",
                        c_dp, "--baseline-samples", 0, "--certificate", path, "-o",
                        self.folder / "plan.json", *more)
        self.expect(done.returncode == 0, f"place on {fabric}: {done.stderr}")
        return json.loads(path.read_text()), done

    def check(self, certificate, *more):
        path = self.folder / "checked.json"
        path.write_text(certificate if isinstance(certificate, str) else json.dumps(certificate))
        return self.run("evaluate", "--certificate", path, *more)


def sums_without_parts(test):
    """A proof of nothing is refused in words, too."""
    certificate, _ = test.place(TABLE2, 0.512, 0.65)
    certificate["proof"] = {"kind": "sum", "compute": False, "exchange": True, "parts": []}
    done = test.check(certificate)
    test.expect(done.returncode == 1 and "one part" in done.stdout, f"sum of nothing: {done}")


def known_answers(test):
    for fabric, c_pp, c_dp, optimum in KNOWN:
        certificate, _ = test.place(fabric, c_pp, c_dp)
        done = test.check(certificate, "--json")
        test.expect(done.returncode == 0, f"{fabric} {c_pp} {c_dp}: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        test.expect(answer["holds"] and answer["optimal"] and answer["gap"] == 0, f"{fabric}: {answer}")
        for key in ("score", "bound"):
            test.expect(abs(answer[key] - optimum) < 1e-6, f"{fabric}: {key} {answer[key]}")
        plan = json.loads((test.folder / "plan.json").read_text())
        test.expect(plan["rank_map"] == certificate["rank_map"], "the map is that of the plan")
        alone = test.run("evaluate", "--rank-map", test.folder / "plan.json", "--json")
        test.expect(abs(json.loads(alone.stdout)["score_mapped"] - optimum) < 1e-6,
                    f"a plan alone is scored: {alone.stdout}{alone.stderr}")


def tampering(test):
    good, _ = test.place(TABLE2, 0.512, 0.65)
    def bad(what, words, *path, value, more=(), code=1):
        changed = copy.deepcopy(good)
        at = changed
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        done = test.check(changed, *more)
        said = done.stdout + done.stderr
        test.expect(done.returncode == code and words in said,
                    f"{what}: exit {done.returncode}, no {words!r} in: {said}")

    bad("score", "the rank map scores 51.5004", "score", value=good["score"] + 1e-6)
    bad("bound raised", "above the score", "bound", value=good["bound"] + 1e-6)
    bad("bound lowered", "called optimal", "bound", value=good["bound"] - 1e-6)
    bad("hash", "fabric is another one", "fabric", "sha256", value="0" * 64)
    bad("devices", "fabric.n: found 65; the rank map has 64 devices", "fabric", "n", value=65, code=2)
    bad("plan bound", "plan's bound of 60.000000000 s is above the score", "plan_bound", value=60)
    bad("no fabric", "nor beside the certificate", "fabric", "path", value="nowhere.json", code=2)
    bad("payload", "the rank map scores", "workload", "c_dp_gb", value=0.66)
    ranks = list(good["rank_map"])
    ranks[0], ranks[63] = ranks[63], ranks[0]
    bad("map", "the rank map scores", "rank_map", value=ranks)
    classes = list(good["proof"]["class_of_device"])
    classes[0], classes[63] = classes[63], classes[0]
    bad("class", "exact class", "proof", "class_of_device", value=classes)
    merged = [min(k, 6) for k in good["proof"]["class_of_device"]]
    merged = [min(k, 6) for k in good["proof"]["class_of_device"]]
    bad("classes merged", "columns[0]", "proof", "class_of_device", value=merged, code=2)
    slices = good["proof"]["slices"]
    bad("no slices", "the slices end at", "proof", "slices", value=[])
    bad("first slice", "are in no slice", "proof", "slices", value=slices[1:])
    bad("last slice", "the slices end at", "proof", "slices", value=slices[:-1])
    bad("a hole", "are in no slice", "proof", "slices", 5, "floor",
        value=slices[5]["floor"] + 1e-6)
    bad("kind", "its proof gives", "proof", "kind", value="breaks")
    bad("compute", "the rank map scores", "workload", "stage_seconds", value=[1])
    bad("objective", "", "objective", value="pipelined", code=0)  # one message each: the same score
    bad("messages", "the rank map scores", "workload", "pp_messages", value=4)
    bad("exchange", "the rank map scores", "terms", value={"exchange": "ring"})
    for i, one in enumerate(slices[:-1]):  # the last one ends where the path alone suffices
        nodes = one["nodes"]
        if nodes:
            bad(f"no nodes in slice {i}", f"slice {i + 1} of", "proof", "slices", i, "nodes", value=[])
            bad(f"first node of slice {i} alone", "", "proof", "slices", i, "nodes", value=nodes[:4])
    for i in range(len(good["proof"]["columns"])):
        changed = copy.deepcopy(good)
        changed["proof"]["columns"].pop(i)
        done = test.check(changed)
        test.expect(done.returncode in (1, 2), f"column {i} dropped: {done.stdout}{done.stderr}")
    other = test.check(good, "--fabric", "fabrics/dtfm-regional.json")
    test.expect(other.returncode == 1 and "another" in other.stdout, f"other fabric: {other.stdout}")
    text = json.dumps(good)
    for share in (0.1, 0.5, 0.9, 0.999):
        done = test.check(text[:int(len(text) * share)])
        test.expect(done.returncode == 2 and not done.stdout, f"truncated: {done.stdout}")


def fuzzing(test):
    """Random entries replaced by hostile values: never a crash, and no claim is believed that is
    not the good one."""
    good, _ = test.place(TABLE2, 0.512, 0.65)
    dice = random.Random(7)
    values = [0, 1, -1, 2, 7, 8, 16, 1e9, -1e9, 0.5, 1e300, None, True, "x", [], {}]
    for i in range(250):
        changed = copy.deepcopy(good)
        at = changed
        for _ in range(20):
            key = dice.choice(list(at)) if isinstance(at, dict) else dice.randrange(len(at))
            if not isinstance(at[key], (dict, list)) or not at[key] or dice.random() < 0.1:
                break
            at = at[key]
        before, at[key] = at[key], dice.choice(values)
        done = test.check(changed)
        test.expect(done.returncode in (0, 1, 2), f"{i}: {key}={at[key]!r}: {done.stderr}")
        same = changed["bound"] == good["bound"] and changed["score"] == good["score"]
        test.expect(done.returncode != 0 or same, f"{i}: {key}={at[key]!r} for {before!r} passed")


SITES = ("--fabric", "examples/terms/sites.json", "--c-pp", 0.5, "--c-dp", 1)
WORLD = ("--fabric", TABLE2, "--c-pp", 0.512, "--c-dp", 0.65)
TERMS = [  # what the proof must be
    ("tables", *SITES, "--pp", 4, "--dp", 2, "--pp-messages", 8, "--layers",
     "examples/terms/layers.toml"),
    ("tables", *SITES, "--pp", 2, "--dp", 4, "--exchange", "ring"),
    ("crossing", *SITES, "--pp", 2, "--dp", 4, "--objective", "pipelined", "--pp-messages", 16),
    ("tree", *WORLD, "--pp", 8, "--dp", 8, "--exchange", "hierarchical"),
    ("sum", *WORLD, "--pp", 16, "--dp", 4, "--stage-seconds", 2),
    ("limits", *WORLD, "--pp", 8, "--dp", 8, "--objective", "pipelined", "--pp-messages", 16,
     "--stage-seconds", 8),
    ("choices", *WORLD, "--pp", 7, "--dp", 9, "--certificate-nodes", 20000),
    ("elementary", "--fabric", "fabrics/dtfm-spot.json", "--c-pp", 0.5, "--c-dp", 0.65, "--pp", 2,
     "--dp", 3, "--tp", 4)]


FEW = 10  # scored candidates: fewer than there are placements, so that these are not tried one by one


def terms(test):
    """Certificates under terms beyond links hold the bound of their plan, and nothing else."""
    dice = random.Random(11)
    values = [0, 1, -1, 2, 5, 1e9, 0.5, None, True, "x", [], {}]
    for kind, *words in TERMS:
        path, plan = test.folder / "terms.json", test.folder / "plan.json"
        done = test.run("place", *words, "--baseline-samples", 0, "--budget", FEW, "--proof-budget", 20000000,
                        "--certificate", path, "-o", plan)
        test.expect(done.returncode == 0 and not done.stderr, f"{kind}: {done.stderr}")
        good = json.loads(path.read_text())
        test.expect(good["proof"]["kind"] == kind, f"{kind}: it is {good['proof']['kind']}")
        bound = json.loads(plan.read_text())["bound"]
        test.expect(abs(good["bound"] - bound) <= 1e-9 * bound, f"{kind}: {good['bound']}, {bound}")
        done = test.check(good, "--json")
        test.expect(done.returncode == 0, f"{kind}: {done.stdout}{done.stderr}")
        raised = dict(good, bound=good["bound"] * (1 + 1e-6), optimal=False)
        test.expect(test.check(raised).returncode == 1, f"{kind}: a raised bound passed")
        for i in range(25):
            changed = copy.deepcopy(raised)
            at = changed["proof"]
            for _ in range(20):
                key = dice.choice(list(at)) if isinstance(at, dict) else dice.randrange(len(at))
                if not isinstance(at[key], (dict, list)) or not at[key] or dice.random() < 0.1:
                    break
                at = at[key]
            before, at[key] = at[key], dice.choice(values)
            done = test.check(changed)
            test.expect(done.returncode in (1, 2),
                        f"{kind} {i}: {key}={at[key]!r} for {before!r}: {done.stdout}{done.stderr}")


EVERY = [
    (*SITES, "--pp", 2, "--dp", 3, "--objective", "pipelined", "--pp-messages", 16, "--exchange", "ring"),
    (*SITES, "--pp", 3, "--dp", 2, "--objective", "pipelined", "--pp-messages", 16, "--exchange", "central"),
    (*SITES, "--pp", 3, "--dp", 2, "--exchange", "tree", "--stage-seconds", "1,2,1")]


def every(test):
    """Plans that were proved by trying every placement: the certificate says as much, and a wrong
    bound, count, class, kind or objective is refused."""
    for words in EVERY:
        path, plan = test.folder / "every.json", test.folder / "plan.json"
        done = test.run("place", *words, "--baseline-samples", 0, "--certificate", path, "-o", plan)
        test.expect(done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}")
        good, made = json.loads(path.read_text()), json.loads(plan.read_text())
        test.expect(made["bound_method"] == "every placement", f"{words}: {made['bound_method']}")
        test.expect(good["proof"]["kind"] == "every", f"{words}: it is {good['proof']['kind']}")
        test.expect(good["bound"] == made["bound"] and good["optimal"], f"{words}: {good['bound']}")
        done = test.check(good)
        test.expect(done.returncode == 0 and "the rank map is optimal" in done.stdout and
                    "not carried" not in done.stdout, f"{words}: {done.stdout}{done.stderr}")
        worse = good  # until a map is worse, under which a higher bound could be
        for seed in range(20):
            ranks = list(good["rank_map"])
            random.Random(seed).shuffle(ranks)
            (test.folder / "ranks").write_text(" ".join(map(str, ranks)))
            done = test.run("evaluate", "--rank-map", test.folder / "ranks", *words, "--json")
            score = json.loads(done.stdout)["score_mapped"]
            if score > good["score"] * 1.001:
                worse = dict(good, rank_map=ranks, score=score, optimal=False)
                break
        test.expect(worse["score"] > good["score"] * 1.001, f"{words}: {worse['score']} is no worse")
        test.expect(test.check(worse).returncode == 0, f"{words}: the bound holds of any map")

        def refused(what, words_of_it, proof=None, **claims):
            forged = dict(worse, **claims, proof=dict(good["proof"], **(proof or {})))
            found = test.check(forged)
            test.expect(found.returncode == 1 and words_of_it in found.stdout,
                        f"{words}: {what}: {found.stdout}{found.stderr}")

        refused("a raised bound", "its proof gives", bound=good["bound"] * (1 + 1e-6))
        refused("optimal", "its proof gives", bound=worse["score"], optimal=True)
        count = good["proof"]["placements"]
        for wrong in (1, count - 1, count + 1, 2 * count, 10**9):
            refused(f"{wrong} placements", "placements, not", proof={"placements": wrong})
        kinds = good["proof"]["class_of_device"]
        refused("one kind", "of one kind, but differ", proof={"class_of_device": [0] * len(kinds)})
        refused("devices missing", "it has kinds of", proof={"class_of_device": sorted(kinds)[:-1]})
        refused("another kind of proof", "its proof gives", proof={"kind": "elementary"})
        other = "additive" if good["objective"] == "pipelined" else "pipelined"
        changed = dict(good, objective=other, workload=dict(good["workload"], pp_messages=3))
        test.expect(test.check(changed).returncode == 1, f"{words}: under {other} it passed")
        for wrong in (0, -1, 1.5, 1e12, None, "7", [], True):
            done = test.check(dict(good, proof=dict(good["proof"], placements=wrong)))
            test.expect(done.returncode == 2, f"{words}: {wrong!r} placements: {done.stdout}")
        few = test.check(good, "--check-budget", 20)
        test.expect(few.returncode == 1 and "used up" in few.stdout, few.stdout)


def noisy_world(test):
    """Table 2 as matrices, every ordered pair of devices with noise of 10 % of its own."""
    path = test.folder / "world.json"
    test.run("fabric", TABLE2, "-o", path)
    world = json.loads(path.read_text())
    dice = random.Random(1)
    for key in ("alpha_ms", "beta_gbps"):
        world[key] = [[x and x * dice.uniform(0.9, 1.1) for x in row] for row in world[key]]
    return world


def drawn_regions(regions, devices):
    """More regions than exact classes are handled, with delays and rates of their own each way."""
    dice = random.Random(3)
    names = [f"region {i}" for i in range(regions)]
    counts = [1] * regions
    for _ in range(devices - regions):
        counts[dice.randrange(regions)] += 1
    where = [(dice.uniform(0, 10), dice.uniform(0, 4)) for _ in names]
    pairs = []
    for a, (x, y) in zip(names, where):
        for b, (u, v) in zip(names, where):
            if a != b:
                far = ((x - u) ** 2 + (y - v) ** 2) ** 0.5
                pairs.append({"a": a, "b": b, "delay_ms": 2 + 14 * far,
                              "bandwidth_gbps": dice.uniform(0.6, 1.4) * 4 / (0.6 + far)})
    return {"regions": names, "gpus_per_region": counts, "directed": True, "pairs": pairs,
            "intra_region": {"delay_ms": 0.5, "bandwidth_gbps": 10}}


def members(test):
    """Where devices all differ, a certificate holds the bound of its plan by default, too."""
    dice = random.Random(17)
    for name, fabric, pp, dp in (("noise", noisy_world(test), 8, 8),
                                 ("regions", drawn_regions(24, 128), 16, 8)):
        paths = [test.folder / f"{name}-{what}.json" for what in ("fabric", "plan", "proof")]
        paths[0].write_text(json.dumps(fabric))
        done = test.run("place", "--fabric", paths[0], "--pp", pp, "--dp", dp, "--c-pp", 0.512, "--c-dp",
                        0.65, "--baseline-samples", 0, "-o", paths[1], "--certificate", paths[2])
        test.expect(done.returncode == 0 and not done.stderr, f"{name}: {done.stderr}")
        good, plan = json.loads(paths[2].read_text()), json.loads(paths[1].read_text())
        test.expect("the members of" in plan["bound_method"], f"{name}: {plan['bound_method']}")
        test.expect(good["proof"].get("members"), f"{name}: {good['proof']['kind']}")
        test.expect(good["bound"] == plan["bound"], f"{name}: {good['bound']}, {plan['bound']}")
        said = f"bound        {plan['bound']:.6f} s"
        test.expect(said in done.stdout, f"{name}: no {said} in {done.stdout}")
        answer = test.check(good)
        test.expect(answer.returncode == 0 and said in answer.stdout and
                    "the members of" in answer.stdout and "not carried" not in answer.stdout,
                    f"{name}: {answer.stdout}{answer.stderr}")
        raised = dict(good, bound=good["bound"] * (1 + 1e-6))
        test.expect(test.check(raised).returncode == 1, f"{name}: a raised bound passed")
        for key, value in (("members", False), ("levels", [])):
            changed = copy.deepcopy(good)
            changed["proof"][key] = value
            test.expect(test.check(changed).returncode == 1, f"{name}: without {key} it passed")
        for i in range(40):
            changed = copy.deepcopy(raised)
            at = changed["proof"]
            key = dice.choice([key for key in at if at[key]])
            while isinstance(at[key], (dict, list)) and at[key]:
                at = at[key]
                key = dice.choice(list(at)) if isinstance(at, dict) else dice.randrange(len(at))
            before, at[key] = at[key], dice.choice([0, 1, -1, 2, 5, 1e9, 0.5, None, True, "x", [], {}])
            done = test.check(changed)
            test.expect(done.returncode in (1, 2),
                        f"{name} {i}: {key}={at[key]!r} for {before!r}: {done.stdout}{done.stderr}")


def time_limit(test):
    """A certificate has time of its own after that of the plan is up."""
    path, plan = test.folder / "late.json", test.folder / "plan.json"
    fabric = test.folder / "noise-fabric.json"  # of members
    for limit in (0.001, 3):
        done = test.run("place", "--fabric", fabric, "--pp", 8, "--dp", 8, "--c-pp", 0.512, "--c-dp",
                        0.65, "--baseline-samples", 0, "--time-limit", limit, "--certificate", path,
                        "-o", plan)
        test.expect(done.returncode == 0, f"within {limit} s: {done.stderr}")
        good, bound = json.loads(path.read_text()), json.loads(plan.read_text())["bound"]
        test.expect(limit < 1 or good["bound"] == bound, f"within {limit} s: {good['bound']}, {bound}")
        test.expect(test.check(good).returncode == 0, f"within {limit} s it does not hold")


def size_cap(test):
    certificate, done = test.place(TABLE2, 0.512, 0.65, "--certificate-nodes", 60)
    test.expect("the certificate holds a bound of" in done.stderr, f"warned: {done.stderr}")
    nodes = sum(len(one["nodes"]) for one in certificate["proof"].get("slices", []))
    test.expect(nodes <= 240, "the log is short")
    answer = test.check(certificate)
    test.expect(answer.returncode == 0 and "not carried" in answer.stdout, answer.stdout)
    test.expect("optimal" not in answer.stdout, answer.stdout)
    few = test.check(test.place(TABLE2, 0.512, 0.65)[0], "--check-budget", 100)
    test.expect(few.returncode == 1 and "used up" in few.stdout, few.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    with tempfile.TemporaryDirectory() as folder:
        test = Tester(parser.parse_args().binary.resolve(), pathlib.Path(folder))
        for part in (known_answers, sums_without_parts, tampering, fuzzing, terms, every, members, time_limit, size_cap):
            part(test)
    print(f"{test.count} checks, {test.failures} failures")
    return 1 if test.failures or test.count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())

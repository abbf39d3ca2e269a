#!/usr/bin/env python3
"""From the plan of place to the plans that are run: the best, others, and random maps.

    plans.py plan.json other-seed.json FOLDER NUMBER

writes FOLDER/best.json, other-seed.json, host-order.json, by-region.json, random-01.json, ... The second plan is one
that another seed of the search gave; it may be the same map.

A plan with another rank map is a plan without the figures that belonged to the old one.
"""
import json
import pathlib
import random
import sys

KEPT = ("format", "fabric", "workload", "shape", "objective", "terms", "rank_map", "devices", "device_hosts")


def with_map(plan, rank_map):
    return {**{key: plan[key] for key in KEPT if key in plan}, "rank_map": rank_map}


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text())
    other = json.loads(pathlib.Path(sys.argv[2]).read_text())
    folder, number = pathlib.Path(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    n, pp = len(plan["rank_map"]), plan["shape"]["pp"]
    by_region = [0] * n  # devices side by side share a stage
    for i in range(n):
        by_region[i] = i % (n // pp) * pp + i // (n // pp)
    maps = {"best": plan["rank_map"], "other-seed": other["rank_map"], "host-order": list(range(n)),
            "by-region": by_region}
    chance, seen = random.Random(2026), {tuple(m) for m in maps.values()}
    while len(maps) < number:
        ranks = list(range(n))
        chance.shuffle(ranks)
        if tuple(ranks) not in seen:
            seen.add(tuple(ranks))
            maps[f"random-{len(maps) - 3:02}"] = ranks
    for name, rank_map in list(maps.items())[:number]:
        (folder / f"{name}.json").write_text(json.dumps(with_map(plan, rank_map), indent=1) + "\n")
    print(" ".join(list(maps)[:number]))


if __name__ == "__main__":
    main()

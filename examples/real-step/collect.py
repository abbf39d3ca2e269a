#!/usr/bin/env python3
"""From what the ranks wrote to a file of measured steps, for longhaul validate.

    collect.py PLANS RESULTS -o measured-steps.json

RESULTS/NAME/rank-*.json belong to PLANS/NAME.json. A step ends when its last rank has updated its weights; the first
one warms up and does not count. Losses must be the same under every plan.
"""
import argparse
import json
import os
import pathlib
import sys


def steps_of(ranks):
    """Seconds between the ends of steps, all ranks together."""
    ends = [max(moments) for moments in zip(*(rank["ends"] for rank in ranks))]
    return [b - a for a, b in zip(ends, ends[1:])]


def losses_of(ranks):
    """Mean loss of each step over the replicas, which the last stage knows."""
    known = sorted((rank["replica"], rank["losses"]) for rank in ranks if rank["losses"][0] is not None)
    return [sum(column) / len(column) for column in zip(*(losses for _, losses in known))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plans", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    entries, losses = [], {}
    for plan in sorted(options.plans.glob("*.json")):
        ranks = [json.loads(path.read_text()) for path in sorted((options.results / plan.stem).glob("rank-*.json"))]
        if not ranks:
            continue
        relative = os.path.relpath(plan, options.output.resolve().parent)
        entries.append({"name": plan.stem, "plan": relative, "seconds": steps_of(ranks)})
        losses[plan.stem] = losses_of(ranks)
    document = {"format": "longhaul.measured-steps/1", "steps": entries}
    options.output.write_text(json.dumps(document, indent=1) + "\n")
    if len({tuple(values) for values in losses.values()}) > 1:
        for name, values in losses.items():
            print(name, *values, file=sys.stderr)
        sys.exit("the losses differ between placements: the placement changed the training")
    name, values = next(iter(losses.items()))
    print(f"losses, the same under {len(losses)} placements:", *(f"{loss:.6f}" for loss in values))


if __name__ == "__main__":
    main()

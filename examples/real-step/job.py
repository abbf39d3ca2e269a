#!/usr/bin/env python3
"""From what the ranks of a short training wrote to the options that describe the job, for longhaul place.

    job.py RESULTS --place       --pp, --dp, payloads and compute seconds of the stages
    job.py RESULTS --step        what simulate and validate need beyond the plan

RESULTS holds the rank-*.json of a training on one host. Compute seconds are core seconds of a rank: what a step takes
of a core, with what Python and Gloo take, but without waiting.
"""
import argparse
import json
import pathlib
import statistics


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=8)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--place", action="store_true")
    kind.add_argument("--step", action="store_true")
    options = parser.parse_args()
    ranks = [json.loads(path.read_text()) for path in options.results.glob("rank-*.json")]
    stages = [[rank for rank in ranks if rank["stage"] == s] for s in range(1 + max(r["stage"] for r in ranks))]
    first = ranks[0]

    def mean(members, name):
        return statistics.mean(rank["core_s"][name] for rank in members)

    if options.step:
        print("--update-seconds", f"{mean(ranks, 'update'):.6f}")
        return
    forward, backward = mean(ranks, "forward"), mean(ranks, "backward")
    print("--pp", len(stages), "--dp", options.devices // len(stages),
          "--c-pp", f"{1e-9 * first['message_bytes'] * first['messages']:g}", "--pp-messages", first["messages"],
          "--c-dp", f"{1e-9 * max(rank['gradient_bytes'] for rank in ranks):g}",
          "--stage-seconds", ",".join(f"{mean(members, 'pipeline'):.6f}" for members in stages),
          "--forward-share", f"{forward / (forward + backward):.4f}")


if __name__ == "__main__":
    main()

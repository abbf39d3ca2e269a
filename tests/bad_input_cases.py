"""All malformed files that bad_input_test.py runs."""
from bad_input.base import Case, replaced, truncated
from bad_input.certificates import certificate_cases
from bad_input.fabric_files import (agents_cases, check_cases, fabric_cases, group_cases,
                                    import_cases, raw_cases, region_cases, shared_cases)
from bad_input.good import JOB
from bad_input.jobs import advise_cases, job_cases, other_format_cases
from bad_input.networks import flows_cases, topology_cases, wan_cases
from bad_input.plan_files import hosts_cases, map_cases, matched_hosts_cases, plan_cases, step_cases
from bad_input.schedules import schedule_cases


def all_cases(plan, certificate):
    yield from import_cases()
    yield from other_format_cases()
    yield from matched_hosts_cases(plan)
    yield from (case for case in fabric_cases("measure-export")
                if case.name.endswith(("/not-square", "/absent", "/zero-beta")))
    yield from fabric_cases("place")
    for name in ("not-square", "negative-alpha", "zero-beta", "directory", "absent", "brackets",
                 "truncated-60%"):
        yield from (case for case in fabric_cases("fabric") if case.name.endswith("/" + name))
        yield from (case for case in fabric_cases("evaluate") if case.name.endswith("/" + name))
        yield from (case for case in fabric_cases("measure-check")
                    if case.name.endswith("/" + name))
    yield from check_cases()
    yield from raw_cases()
    yield from shared_cases()
    yield from region_cases()
    yield from group_cases()
    yield from map_cases()
    yield from job_cases("size")
    yield from advise_cases()
    yield from flows_cases()
    yield from (case for case in job_cases("place-job")
                if case.name.endswith(("/stages", "/absent", "/layers-nan", "/brackets")))
    yield Case("place-job", "other-shape", "job.toml", replaced(JOB, "dp = 2", "dp = 3"),
               "pp 2 x dp 3", "fabric.json")
    yield from plan_cases("explain", plan)
    yield from plan_cases("launch", plan)
    yield from (case for case in plan_cases("simulate", plan) if "payload" in case.name or "map" in case.name)
    yield from step_cases(plan)
    yield from plan_cases("place-from", plan)
    for command in ("place-from", "place-robust", "place-phase"):
        for name in ("not-square", "negative-alpha", "directory", "absent", "truncated-60%"):
            yield from (case for case in fabric_cases(command) if case.name.endswith("/" + name))
    yield from (case for case in plan_cases("evaluate-plan", plan)
                if case.name.endswith(("/short-map", "/payload-null", "/fabric-absent",
                                       "/fabric-of-another", "/newer-format", "/score-of-another")))
    yield from certificate_cases(certificate)
    yield from hosts_cases()
    yield from agents_cases()
    yield from wan_cases()
    yield from topology_cases()
    yield from schedule_cases()

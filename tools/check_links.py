#!/usr/bin/env python3
"""Checks that every relative link and every named path of the Markdown documents exists.

    tools/check_links.py ROOT

Links are [text](target) with a target inside the tree. Paths are `code` spans that begin with a
folder of the tree and have no placeholder (<, *, $) in them.
"""
import pathlib
import re
import sys

FOLDERS = ("src/", "apps/", "cmake/", "docs/", "fabrics/", "jobs/", "topologies/", "tests/", "tools/", "bench/", ".ci/")


def problems(root):
    skipped = {"build", ".git", ".cache"}
    for file in sorted(root.rglob("*.md")):
        if skipped & set(file.relative_to(root).parts):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            place = f"{file.relative_to(root)}:{number}"
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                path = target.partition("#")[0]
                if path and not re.match(r"\w+:", target) and not (file.parent / path).exists():
                    yield f"{place}: link to {target}, which does not exist"
            for path in re.findall(r"`([^`\s]+)`", line):
                if path.startswith(FOLDERS) and not re.search(r"[<>*${}…]", path) \
                        and not (root / path.partition(":")[0]).exists():
                    yield f"{place}: names {path}, which does not exist"


def main():
    found = list(problems(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    print("\n".join(found) or "documents: all links and paths exist")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

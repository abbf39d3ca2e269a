#!/usr/bin/env python3
"""Plants violations in a small tree and expects check_layering.py to find each of them."""
import contextlib
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_layering  # noqa: E402

CLEAN = {
    "ARCHITECTURE.md": "| floor | module | owns | may include |\n| --- | --- | --- | --- |\n"
                       "| 1 | `upper` | things | `core` |\n| 1 | `side` | more | `core` |\n"
                       "| 0 | `core` | basics | |\n",
    "src/longhaul/core/CMakeLists.txt": "longhaul_module(core\n  LINK tl::expected)\n",
    "src/longhaul/core/text.hpp": "#pragma once\n#include <string>\n",
    "src/longhaul/core/detail/inner.hpp": "#pragma once\n",
    "src/longhaul/core/json.cpp": "#include <nlohmann/json.hpp>\n",
    "src/longhaul/upper/CMakeLists.txt": "longhaul_module(upper DEPS core PRIVATE_LINK fmt::fmt)\n",
    "src/longhaul/upper/plan.cpp": '#include "longhaul/core/text.hpp"\n#include <fmt/format.h>\n'
                                   "// never calls exit(1) or std::cout\n"
                                   'const char* k = "exit(1) std::cout";\n'
                                   "double time(int step);\nint x = clocks.time(3);\n",
    "src/longhaul/upper/plan_test.cpp": "#include <fstream>\n#include <gtest/gtest.h>\n"
                                        "int main() { exit(0); }\n",
    "src/longhaul/upper/detail/test_support.hpp": "#include <fstream>\n",
    "src/longhaul/side/CMakeLists.txt": "longhaul_module(side DEPS core)\n",
    "apps/longhaul/main.cpp": "#include <cstdio>\n#include <CLI/CLI.hpp>\n#include <fmt/format.h>\n"
                              '#include "longhaul/upper/plan.hpp"\nint main() { exit(0); }\n',
}

# What is changed in the clean tree -> a part of the one problem that must be found.
PLANTED = [
    ("src/longhaul/upper/plan.cpp", '#include "longhaul/side/x.hpp"\n', "upper may not include side"),
    ("src/longhaul/upper/plan_test.cpp", '#include "longhaul/side/x.hpp"\n', "may not include side"),
    ("src/longhaul/upper/plan.cpp", '#include "longhaul/core/detail/inner.hpp"\n', "private"),
    ("src/longhaul/upper/plan.cpp", '#include "../core/text.hpp"\n', 'may not include "../core'),
    ("src/longhaul/upper/plan.cpp", '#include "longhaul/command.hpp"\n', "longhaul/command.hpp"),
    ("src/longhaul/upper/plan.cpp", "#include <nlohmann/json.hpp>\n", "nlohmann/json.hpp"),
    ("src/longhaul/upper/plan.cpp", "#include <toml++/toml.h>\n", "toml++"),
    ("src/longhaul/upper/plan.cpp", "#include <CLI/CLI.hpp>\n", "CLI/CLI.hpp"),
    ("src/longhaul/upper/plan.cpp", "#include <asio/ip/tcp.hpp>\n", "asio"),
    ("src/longhaul/upper/plan.cpp", "#include <gtest/gtest.h>\n", "gtest"),
    ("src/longhaul/core/text.hpp", "#include <nlohmann/json.hpp>\n", "core/text.hpp:1"),
    ("src/longhaul/core/text.hpp", "#include <fmt/format.h>\n", "fmt/format.h"),
    ("src/longhaul/upper/plan.cpp", "#include <iostream>\n", "<iostream>"),
    ("src/longhaul/upper/plan.cpp", "  #  include <fstream>\n", "<fstream>"),
    ("src/longhaul/upper/plan.cpp", "#include <cstdio>\n", "<cstdio>"),
    ("src/longhaul/core/detail/inner.hpp", "#include <fstream>\n", "<fstream>"),
    ("src/longhaul/upper/plan.cpp", "void f() { exit(1); }\n", "exit"),
    ("src/longhaul/upper/plan.cpp", "void f() { std::abort(); }\n", "abort"),
    ("src/longhaul/upper/plan.cpp", "auto f() { return std::getenv(k); }\n", "getenv"),
    ("src/longhaul/upper/plan.cpp", "auto f() { return time(nullptr); }\n", "time"),
    ("src/longhaul/upper/plan.cpp", "auto t = std::chrono::steady_clock::now();\n", "steady_clock"),
    ("src/longhaul/upper/plan.cpp", 'void f() { std::cout << "x"; }\n', "std::cout"),
    ("src/longhaul/upper/plan.cpp", 'void f() { fmt::print("x"); }\n', "fmt::print"),
    ("src/longhaul/upper/plan.cpp", "std::mt19937 generator;\n", "mt19937"),
    ("src/longhaul/upper/plan.cpp", "std::normal_distribution<> d;\n", "normal_distribution"),
]


def replace(file, old, new):
    return lambda tree: tree.update({file: tree[file].replace(old, new)})


# The same for changes of the build files and the table.
REWRITTEN = [
    (replace("src/longhaul/upper/CMakeLists.txt", "DEPS core", "DEPS core side"),
     "does not allow upper to use side"),
    (replace("src/longhaul/upper/CMakeLists.txt", "DEPS core", "DEPS core nothing"), "is no module"),
    (replace("src/longhaul/upper/CMakeLists.txt", "(upper", "(other"), "has no longhaul_module(upper"),
    (replace("ARCHITECTURE.md", "| 1 | `side` | more | `core` |\n", ""), "side has no row"),
    (replace("ARCHITECTURE.md", "| 0 |", "| 0 | `ghost` | none | |\n| 0 |"), "has a module ghost"),
    (replace("ARCHITECTURE.md", "| 0 |", "| 2 |"), "may not use core above it"),
]


@contextlib.contextmanager
def planted(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        yield folder


def problems(files):
    with planted(files) as folder:
        return check_layering.Checker(folder).run()


class CheckLayering(unittest.TestCase):
    def test_clean_tree_has_no_problem(self):
        self.assertEqual(problems(CLEAN), [])

    def test_every_planted_line_is_found(self):
        for file, line, expected in PLANTED:
            with self.subTest(file=file, line=line):
                found = problems({**CLEAN, file: line + CLEAN[file]})
                self.assertTrue(any(expected in text for text in found), found)
                self.assertTrue(all(text.startswith(f"{file}:1: ") for text in found), found)

    def test_every_planted_rule_is_found(self):
        for change, expected in REWRITTEN:
            tree = dict(CLEAN)
            change(tree)
            with self.subTest(expected=expected):
                self.assertIn(expected, "\n".join(problems(tree)))

    def test_cycle_is_found(self):
        tree = dict(CLEAN)
        tree["src/longhaul/side/CMakeLists.txt"] = "longhaul_module(side DEPS core upper)\n"
        tree["src/longhaul/upper/CMakeLists.txt"] = "longhaul_module(upper DEPS core side)\n"
        self.assertIn("cycle: ", "\n".join(problems(tree)))

    def test_line_numbers_survive_comments(self):
        text = "/* one\ntwo\n*/\nvoid f() { exit(1); }\n"
        found = problems({**CLEAN, "src/longhaul/upper/plan.cpp": text})
        self.assertEqual(found, ["src/longhaul/upper/plan.cpp:4: a library may not use exit"])


if __name__ == "__main__":
    unittest.main()

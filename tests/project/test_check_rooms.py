#!/usr/bin/env python3
"""The guard of the rooms sees what it is there to see: each case is a small tree with one include."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_rooms  # noqa: E402

TABLE = "# comment\nbase | |\nlinear | base | Eigen\ngauss | linear |\nmodel | base | toml++\ncli | gauss model | CLI\n"


def breaches(path, line):
    """Breaches in a tree whose only line of code is `line` in `path`."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "rooms.txt").write_text(TABLE)
        (root / "src" / "zwang").mkdir(parents=True)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("// one line above\n" + line + "\n")
        return check_rooms.check(root)[0]


class Rooms(unittest.TestCase):
    def test_a_room_may_include_what_it_stands_on_directly_or_not(self):
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/linear/mass.hpp"'), [])
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/base/number.hpp"'), [])
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/gauss/solve.hpp"'), [])
        self.assertEqual(breaches("cli/run.cpp", '#include "cli/table.hpp"'), [])

    def test_a_room_may_not_include_what_stands_on_it_or_beside_it(self):
        for room in ("gauss", "model"):
            found = breaches("src/zwang/linear/a.hpp", f'#include "zwang/{room}/a.hpp"')
            self.assertEqual(found, [f"src/zwang/linear/a.hpp:2: linear may not include {room}"])
        self.assertTrue(breaches("src/zwang/gauss/a.hpp", '#  include "zwang/model/a.hpp"'))

    def test_a_library_is_seen_by_its_room_alone(self):
        self.assertEqual(breaches("src/zwang/linear/a.cpp", "#include <Eigen/Dense>"), [])
        self.assertEqual(breaches("src/zwang/model/a.cpp", "#include <toml++/toml.h>"), [])
        self.assertTrue(breaches("src/zwang/gauss/a.cpp", "#include <Eigen/Dense>"))
        self.assertTrue(breaches("src/zwang/gauss/a.cpp", "#include <eigen3/Eigen/Dense>"))
        self.assertTrue(breaches("cli/a.cpp", "#include <toml++/toml.h>"))
        self.assertTrue(breaches("src/zwang/base/a.cpp", "#include <CLI/CLI.hpp>"))

    def test_short_paths_and_unknown_rooms_are_refused(self):
        self.assertTrue(breaches("src/zwang/gauss/a.cpp", '#include "solve.hpp"'))
        self.assertTrue(breaches("src/zwang/gauss/a.cpp", '#include "zwang/cellar/a.hpp"'))
        self.assertTrue(breaches("src/zwang/cellar/a.cpp", "#include <vector>"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The guard of the rooms sees what it is there to see: each case is a small tree with one include."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_rooms  # noqa: E402

PUBLIC = "<a.hpp> | base\n<b.hpp> | gauss\n"
TABLE = "# comment\nbase | |\nlinear | base | Eigen\ngauss | linear |\nmodel | base | toml++\ncli | gauss model | CLI\n"


def breaches(path, line, public=""):
    """Breaches in a tree whose only line of code is `line` in `path`."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "rooms.txt").write_text(TABLE + public)
        for name in re.findall("<(.*)>", public):
            (root / "include" / "zwang").mkdir(parents=True, exist_ok=True)
            (root / "include" / "zwang" / name).write_text("")
        (root / "src" / "zwang").mkdir(parents=True)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("// one line above\n" + line + "\n")
        return check_rooms.check(root)[0]


class Rooms(unittest.TestCase):
    def test_a_room_may_include_what_it_stands_on_directly_or_not(self):
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/linear/spaces.hpp"'), [])
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/base/number.hpp"'), [])
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/gauss/story.hpp"'), [])
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

    def test_a_public_header_goes_where_its_room_may(self):
        self.assertEqual(breaches("src/zwang/linear/a.cpp", '#include "zwang/a.hpp"', PUBLIC), [])
        self.assertEqual(breaches("src/zwang/gauss/a.cpp", '#include "zwang/b.hpp"', PUBLIC), [])
        self.assertTrue(breaches("src/zwang/linear/a.cpp", '#include "zwang/b.hpp"', PUBLIC))
        self.assertTrue(breaches("src/zwang/linear/a.cpp", '#include "zwang/c.hpp"', PUBLIC))

    def test_a_public_header_includes_the_standard_library_and_its_like(self):
        self.assertEqual(breaches("include/zwang/b.hpp", "#include <string_view>", PUBLIC), [])
        self.assertEqual(breaches("include/zwang/b.hpp", '#include "zwang/a.hpp"', PUBLIC), [])
        for line in ("#include <Eigen/Dense>", "#include <sqlite3.h>", '#include "zwang/gauss/story.hpp"', '#include "b.hpp"'):
            self.assertTrue(breaches("include/zwang/b.hpp", line, PUBLIC), line)
        self.assertTrue(breaches("include/zwang/a.hpp", '#include "zwang/b.hpp"', PUBLIC))

    def test_public_headers_and_their_list_agree(self):
        self.assertTrue(breaches("include/zwang/c.hpp", "", PUBLIC))
        self.assertTrue(breaches("src/zwang/base/a.cpp", "", "<d.hpp> | cellar\n"))


if __name__ == "__main__":
    unittest.main()

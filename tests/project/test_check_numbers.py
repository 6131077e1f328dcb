#!/usr/bin/env python3
"""The guard of the bare numbers sees what it is there to see."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_numbers  # noqa: E402


class Numbers(unittest.TestCase):
    def test_a_number_that_decides_is_seen_with_its_line(self):
        self.assertEqual(check_numbers.bare("void f() {\n  if (x < 1e-9 * size) return;\n}\n"), [2])
        self.assertEqual(check_numbers.bare("void f() {\n  y = 0;\n  z = g(x,\n        2.5e-13);\n}\n"), [4])
        self.assertEqual(check_numbers.bare("double f() { return x <= 1e-12 || y > 4e-15; }\n"), [1, 1])

    def test_named_constants_comments_and_texts_are_none(self):
        self.assertEqual(check_numbers.bare("constexpr double small = 1e-9;  // not 1e-8\n"), [])
        self.assertEqual(check_numbers.bare("inline constexpr double lengths[] = {1e-3, 1e-4};\n"), [])
        self.assertEqual(check_numbers.bare("constexpr Level levels[] = {\n    {1e-6, 1e-4, 9},\n    {1e-3, far, 5},\n};\n"), [])
        self.assertEqual(check_numbers.bare("const Level levels[] = {\n    {1e-6, 2},\n};\n"), [2])
        self.assertEqual(check_numbers.bare("struct S {\n  double zero = 1e-12;\n};\n"), [])
        self.assertEqual(check_numbers.bare('// below 1e-9\n/* 1e-8 */\nconst char* text = "1e-7";\n'), [])

    def test_large_numbers_are_none(self):
        self.assertEqual(check_numbers.bare("if (x > 1e300) return;\n"), [])


if __name__ == "__main__":
    unittest.main()

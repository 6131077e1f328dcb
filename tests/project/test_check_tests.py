#!/usr/bin/env python3
"""The guard of the tests' names sees what it is there to see."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_tests  # noqa: E402


class Names(unittest.TestCase):
    def test_a_sentence_is_a_name(self):
        self.assertEqual(check_tests.strange("TEST(Strings, a_slack_string_carries_no_force) {\n}\n"), [])
        self.assertEqual(check_tests.strange("TEST_F(Run, goes_on_in_2_parts) {\n}\n"), [])

    def test_other_names_are_told_with_their_lines(self):
        self.assertEqual(check_tests.strange("\nTEST(Strings, SlackOnesCarryNothing) {\n"), [(2, "Strings.SlackOnesCarryNothing")])
        self.assertEqual(check_tests.strange("TEST_P(strings, carry_nothing) {\n"), [(1, "strings.carry_nothing")])
        self.assertEqual(check_tests.strange("TEST(Strings,\n     carry__nothing) {\n"), [(1, "Strings.carry__nothing")])

    def test_a_verdict_that_is_forgotten_is_found(self):
        self.assertEqual(check_tests.forgotten("  EXPECT_TRUE(rc::check([] {}));\n  const bool found = rc::check([] {});\n"), [])
        self.assertEqual(check_tests.forgotten("TEST(A, b) {\n  rc::check(\"c\", [] {});\n}\n"), [2])


if __name__ == "__main__":
    unittest.main()

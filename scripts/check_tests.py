#!/usr/bin/env python3
"""Tests have one style of names: TEST(Noun, a_sentence_about_it). A suite is called in PascalCase, a test in snake_case. And they can fail: what
`rc::check` finds out is asserted, since it only prints and returns."""

import pathlib
import re
import sys

NAMES = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", re.M)
SUITE = re.compile(r"[A-Z][A-Za-z0-9]*")
TEST = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
FORGOTTEN = re.compile(r"^[ \t]*rc::check\(", re.M)


def strange(text):
    """Line numbers and names of the tests of a source that are called in another way."""
    found = []
    for one in NAMES.finditer(text):
        suite, test = one.groups()
        if not SUITE.fullmatch(suite) or not TEST.fullmatch(test):
            found.append((text[: one.start()].count("\n") + 1, f"{suite}.{test}"))
    return found


def forgotten(text):
    """Line numbers of random cases whose verdict is forgotten: statements that begin with rc::check."""
    return [text[: one.start()].count("\n") + 1 for one in FORGOTTEN.finditer(text)]


def check(root):
    """The places of all tests that are called in another way, or cannot fail."""
    breaches = []
    for path in sorted((root / "tests").rglob("*.[ch]pp")):
        name = path.relative_to(root).as_posix()
        breaches += [f"{name}:{line}: {test} is not called Noun.a_sentence_about_it" for line, test in strange(path.read_text())]
        breaches += [f"{name}:{line}: what rc::check says is forgotten: EXPECT_TRUE(rc::check(...))" for line in forgotten(path.read_text())]
    return breaches


def main():
    breaches = check(pathlib.Path(__file__).resolve().parents[1])
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())

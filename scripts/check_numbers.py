#!/usr/bin/env python3
"""No bare small number decides anything: each stands, with its reason, in its room's tolerances.hpp or as a named constant.

A bare number is a decimal with a negative exponent (1e-9) in code, outside of comments and strings, that is not the value of a `constexpr`,
an entry of a `constexpr` table, or a member's default.
"""

import pathlib
import re
import sys

NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)[eE]-\d+")
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
TABLE = re.compile(r"\bconstexpr\b[^;(){}=]*=\s*\{[^;()]*\};")
NAMED = re.compile(r"\bconstexpr\b[^;{]*(?:=|\{)[^;]*$|^\s*(?:double|float)\s+\w+\s*=\s*[\d.eE+-]+$")


def bare(text):
    """Line numbers of bare numbers in a source."""
    code = text
    for left_out in (TEXT, TABLE):
        code = left_out.sub(lambda found: "\n" * found.group().count("\n"), code)
    found = []
    line = 1
    for statement in re.split(r"(?<=;)|(?<=[{}]\n)", code):
        for number in NUMBER.finditer(statement):
            before = statement[: statement.find(";") if ";" in statement else None]
            if not NAMED.search(before.strip()):
                found.append(line + statement[: number.start()].count("\n"))
        line += statement.count("\n")
    return found


def check(root):
    """The places of all bare numbers."""
    breaches = []
    for folder in ("include", "src", "cli", "python"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.name != "tolerances.hpp":
                name = path.relative_to(root).as_posix()
                breaches += [f"{name}:{line}: a bare number" for line in bare(path.read_text())]
    return breaches


def main():
    breaches = check(pathlib.Path(__file__).resolve().parents[1])
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())

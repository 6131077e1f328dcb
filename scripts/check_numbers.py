#!/usr/bin/env python3
"""No bare small number decides anything: each stands, with its reason, in its room's tolerances.hpp or as a named constant.

A bare number is a decimal with a negative exponent (1e-9) in code, outside of comments and strings, that is not the value of a `constexpr`
or of a member's default. Rooms that still have some are listed below with how many: a list that may only become shorter.
"""

import pathlib
import re
import sys

# What is left, file by file. More than this is a breach; less must be written down here, so that it stays so.
LEFT = {
    "cli/analyze_integrability.cpp": 1,
    "cli/analyze_velocities.cpp": 1,
    "cli/compare.cpp": 1,
    "cli/explain.cpp": 1,
    "cli/recorded.cpp": 1,
    "cli/tables.cpp": 1,
    "cli/vary.cpp": 1,
    "src/zwang/analysis/curvature.cpp": 1,
    "src/zwang/analysis/equivalence.cpp": 2,
    "src/zwang/analysis/flag.cpp": 2,
    "src/zwang/analysis/fourier.cpp": 9,
    "src/zwang/analysis/integrability.cpp": 2,
    "src/zwang/analysis/integrals.cpp": 12,
    "src/zwang/analysis/leaf.cpp": 3,
    "src/zwang/analysis/measure.cpp": 8,
    "src/zwang/analysis/reversal.cpp": 3,
    "src/zwang/analysis/stability.cpp": 15,
    "src/zwang/analysis/tangent.cpp": 3,
    "src/zwang/analysis/velocities.cpp": 2,
    "src/zwang/analysis/wide.cpp": 1,
    "src/zwang/analysis/wide.hpp": 1,
    "src/zwang/analysis/with_integrals.cpp": 1,
    "src/zwang/report/channels.cpp": 1,
    "src/zwang/report/chart.cpp": 5,
    "src/zwang/report/figures.cpp": 7,
    "src/zwang/report/page.cpp": 11,
    "src/zwang/report/scene.cpp": 15,
    "src/zwang/report/surfaces.cpp": 9,
    "src/zwang/report/tracks.cpp": 8,
    "src/zwang/report/velocities.cpp": 1,
}

NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)[eE]-\d+")
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
NAMED = re.compile(r"\bconstexpr\b[^;{]*(?:=|\{)[^;]*$|^\s*(?:double|float)\s+\w+\s*=\s*[\d.eE+-]+$")


def bare(text):
    """Line numbers of bare numbers in a source."""
    code = TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)
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
    """(breaches, how many bare numbers there are by file)."""
    counts = {}
    places = {}
    for folder in ("src", "cli", "python"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.name == "tolerances.hpp":
                continue
            lines = bare(path.read_text())
            if lines:
                name = path.relative_to(root).as_posix()
                counts[name] = len(lines)
                places[name] = lines
    breaches = []
    for name, count in counts.items():
        if count > LEFT.get(name, 0):
            where = ", ".join(str(line) for line in places[name])
            breaches.append(f"{name}: {count} bare numbers, {LEFT.get(name, 0)} allowed (lines {where})")
    for name, count in LEFT.items():
        if counts.get(name, 0) < count:
            breaches.append(f"{name}: only {counts.get(name, 0)} bare numbers are left, write that down instead of {count}")
    return breaches, counts


def main():
    breaches, _ = check(pathlib.Path(__file__).resolve().parents[1])
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Write docs/reference/cpp.md from the comments of the public headers; with --check only compare.

The reference is what the headers say about themselves: each header with its lesson, each type and function with its comment and its
declaration as it stands, without what is private. A type or function without a comment is a mistake.
"""

import re
import sys

from generated_page import ROOT, write_or_compare

TARGET = ROOT / "docs" / "reference" / "cpp.md"
# In the order of a reader: what is used first comes first.
SECTIONS = [
    ("All of it", ["zwang"]),
    ("Models and instants", ["model", "system", "questions", "instant"]),
    ("Motions", ["motion", "trajectory", "stepper", "run_file"]),
    ("Analyses and reports", ["analyze", "analysis", "report"]),
    ("The nearest point", ["gauss", "matrix"]),
    ("Errors and version", ["error", "version"]),
]
NAME = re.compile(r"\b(?:class|struct|enum class|using)\s+(\w+)|(\w+)\s*\(|constexpr [^=]*?(\w+) =")


def prose(lines):
    """Lines of a comment as Markdown: indented ones as they are, the others as text; lists keep their lines."""
    result = []
    inside = False
    for line in lines:
        indented = line.startswith("  ") and not (result and result[-1].lstrip().startswith("- ")) and not inside_list(result)
        if indented and not inside:
            result += ["```text"]
            inside = True
        elif inside and line.strip() and not line.startswith("  "):
            while result and not result[-1]:
                result.pop()
            result += ["```", ""]
            inside = False
        result.append(line[2:] if indented else line)
    if inside:
        while result and not result[-1]:
            result.pop()
        result.append("```")
    # What is not code may hold what looks like HTML or a link.
    return "\n".join(escape(result)).strip()


def inside_list(lines):
    """Does the last paragraph belong to an item of a list?"""
    for line in reversed(lines):
        if not line.strip():
            return False
        if line.startswith("- "):
            return True
    return False


def escape(lines):
    """Brackets and angles outside of code are to be read, not followed."""
    result = []
    code = False
    for line in lines:
        if line.startswith("```"):
            code = not code
        elif not code:
            parts = line.split("`")
            parts[::2] = [re.sub(r"([\[\]<>])", r"\\\1", part) for part in parts[::2]]
            line = "`".join(parts)
        result.append(line)
    return result


def without_private(lines):
    """A class as far as it is public."""
    result = []
    shown = True
    for line in lines:
        if re.match(r"^ private:$", line):
            shown = False
            while result and not result[-1].strip():
                result.pop()
        elif re.match(r"^ public:$", line) or line.startswith("}"):
            shown = True
        if shown and line != " public:":
            result.append(line)
    return result


def declarations(text):
    """The entities of a header: namespace, comment, code; and the titles between them."""
    found = []
    namespace = []
    comment = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        opened = re.match(r"^namespace ([\w:]+) \{", line)
        if opened:
            # The library's own way in is nobody's business.
            if opened.group(1) == "face":
                while lines[index - 1] != "}":
                    index += 1
                continue
            namespace.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            namespace.pop()
        elif line.startswith("// --- "):
            found.append(("title", line[7:].strip(" -"), None))
        elif line.startswith("///"):
            comment.append(line[4:])
        elif not line.strip():
            comment = []
        elif namespace:
            # A declaration goes on until its brackets are closed and it has ended; those that follow without a gap belong to it.
            code = []
            index -= 1
            while index < len(lines) and lines[index].strip() and not lines[index].startswith(("///", "}  // namespace")):
                depth = 0
                while True:
                    code.append(lines[index])
                    depth += lines[index].count("{") + lines[index].count("(") - lines[index].count("}") - lines[index].count(")")
                    ended = depth == 0 and re.search(r"[;}]\s*(///.*)?$", lines[index])
                    index += 1
                    if ended:
                        break
            found.append((namespace[-1], comment, code))
            comment = []
    return found


def entity_name(code):
    """What a declaration declares."""
    for line in code:
        line = re.sub(r"\[\[\w+\]\]|^template.*$", "", line).strip()
        match = NAME.search(line)
        if match:
            return next(group for group in match.groups() if group)
    raise SystemExit(f"no name in\n" + "\n".join(code))


def page():
    """The whole page, and what lacks a comment."""
    lines = ["# The C++ library", "",
             "The public headers, as they describe themselves (made by `scripts/cpp_reference.py`). `#include <zwang/zwang.hpp>` is enough; the",
             "[tour](../cpp-tour.md) shows them at work, [how to use the library](../how-to/use-the-library.md) how to link. They include the standard",
             "library alone, and [what is promised between versions](versions.md) is promised of them.", ""]
    bare = []
    placed = [name for _, names in SECTIONS for name in names]
    there = sorted(path.stem for path in (ROOT / "include" / "zwang").glob("*.hpp"))
    if sorted(placed) != there:
        raise SystemExit(f"scripts/cpp_reference.py does not place {', '.join(sorted(set(there) ^ set(placed)))}")
    for title, names in SECTIONS:
        lines += [f"## {title}", ""]
        for name in names:
            text = (ROOT / "include" / "zwang" / f"{name}.hpp").read_text(encoding="utf-8")
            head, _, body = text.partition("#pragma once")
            lines += [f"### zwang/{name}.hpp", "", prose([line[4:] for line in head.splitlines()]), ""]
            for kind, comment, code in declarations(body):
                if kind == "title":
                    lines += [f"**{comment}**", ""]
                    continue
                called = entity_name(code)
                full = f"{kind}::{called}"
                if code[0].startswith("using "):
                    lines += [f"In `namespace {kind}` also: {', '.join('`' + line[6:-1] + '`' for line in code)}.", ""]
                    continue
                if not comment:
                    bare.append(f"include/zwang/{name}.hpp: {full} has no comment")
                shown = [re.sub(r"^\[\[nodiscard\]\] ", "", line) for line in without_private(code)]
                shown = [re.sub(r"^(\s+)\[\[nodiscard\]\] ", r"\1", line) for line in shown]
                lines += [f"#### {full}", "", prose(comment), "", "```cpp fragment", *shown, "```", ""]
    return "\n".join(lines).rstrip() + "\n", bare


def main():
    text, bare = page()
    for complaint in bare:
        print(complaint)
    if bare:
        return 1
    return write_or_compare(TARGET, text, "the headers")


if __name__ == "__main__":
    sys.exit(main())

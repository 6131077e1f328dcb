"""Write docs/reference/python.md from the docstrings of the package; with --check only compare.

The reference is what the code says about itself: classes, their fields and methods, functions, in the order of a reader.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

from generated_page import ROOT, write_or_compare

import zwang

TARGET = ROOT / "docs" / "reference" / "python.md"
SECTIONS: list[tuple[str, str, list[str]]] = [
    ("Models", "Read from files or texts; never changed.", ["load", "parse", "gallery", "Model", "State"]),
    ("Models built in code", "Points, coordinates, conditions and parameters as Python objects.", ["Draft", "Expression", "Condition"]),
    ("Functions for expressions", "Each gives an expression that is written into the model.",
     ["distance", "dot", "cross", "norm", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
      "sqrt", "sign", "step", "floor", "clip", "where", "greatest", "least", "sum_over", "index", "expression"]),
    ("Motions", "A run as a function of time.", ["Trajectory", "Derivative", "States", "Energy", "Events", "Columns", "IvpResult", "open_run", "resume"]),
    ("Motions in your hand", "For controllers and games.", ["Stepper"]),
    ("Many motions", "Over designs of parameters: [how to](../how-to/sweep.md).", ["sweep", "SweepTable"]),
    ("Analyses", "What can be found out about a system: `model.analyze`.", ["Analyses"]),
    ("Answers", "Fields are those of the [JSON answers](answers.md).",
     ["Answer", "Acceleration", "ExactAcceleration", "Explanation", "Impact", "Check", "Event", "Comparison", "Integrability", "Stability", "Measure",
      "Velocities", "Fourier", "Curvature", "Reversal", "EnergyRate", "Equations"]),
    ("Quantities by name", "Arrays and what their columns are called.", ["Quantities", "Record"]),
    ("Errors", "What goes wrong while a model is read.", ["Error"]),
]


def paragraphs(text: str) -> str:
    """A docstring as Markdown: examples fenced, prose as it is."""
    lines: list[str] = []
    inside = False
    for line in text.strip().splitlines():
        begins = line.startswith(">>>")
        if begins and not inside:
            lines.append("```text")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append("" if line == "<BLANKLINE>" else line)
    if inside:
        lines.append("```")
    return "\n".join(lines)


def signature(name: str, thing: Any) -> str:
    """As one would write it: annotations plainly, defaults as they are."""
    found = inspect.signature(thing)
    parts: list[str] = []
    star = False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        if mark == "**" and parameter.name == "refused":
            continue
        text = f"{mark}{parameter.name}"
        if parameter.annotation is not parameter.empty:
            text += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}"
        parts.append(text)
    gives = "" if inspect.isclass(thing) or found.return_annotation in (found.empty, "None") else f" -> {found.return_annotation}"
    return f"{name}({', '.join(parts)}){gives}"


def fields(owner: type) -> list[str]:
    """Annotated fields and the comments above them."""
    source = inspect.getsource(owner)
    found = []
    comment = ""
    for line in source.splitlines():
        match = re.match(r"^    ([a-z]\w*): ([^=]+)$", line)
        note = re.match(r"^    #: (.*)$", line)
        if note:
            comment = note.group(1)
        elif match and match.group(1) in getattr(owner, "__annotations__", {}):
            found.append(f"| `{match.group(1)}` | `{match.group(2).strip()}` | {comment} |".replace("  |", " |"))
            comment = ""
        else:
            comment = ""
    return found


def described(name: str) -> str:
    thing = getattr(zwang, name)
    documentation = paragraphs(inspect.getdoc(thing) or "")
    if not inspect.isclass(thing):
        return f"### `{signature(name, thing)}`\n\n{documentation}\n"
    constructor = "__init__" in vars(thing) and name in ("Draft", "Stepper")
    parts = [f"### `{signature(name, thing) if constructor else name}`", "", documentation, ""]
    rows = fields(thing)
    if rows:
        parts += ["| field | type | |", "|---|---|---|", *(row.replace(" | |", " | |") for row in rows), ""]
    for member, value in vars(thing).items():
        if member.startswith("_") and member not in ("__call__", "__getitem__") or name in ("Quantities", "Columns", "Events", "Record"):
            continue
        if name == "Answer" and member == "get":
            pass
        if isinstance(value, property):
            parts.append(f"- `.{member}`: {one_line(value)}")
        elif inspect.isfunction(value) and inspect.getdoc(value):
            call = {"__call__": f"{name.lower()}(t)", "__getitem__": f"{name.lower()}[begin:end]"}.get(member)
            parts.append(f"- `{call or '.' + signature(member, value)}`: {one_line(value)}")
    return "\n".join(parts).rstrip("\n") + "\n"


def one_line(thing: Any) -> str:
    text = inspect.getdoc(thing) or ""
    prose = re.split(r"\n\s*\n>>>|\n>>>", text)[0]
    return " ".join(prose.split())


def page() -> str:
    parts = ["# Python", "",
             "The package `zwang`, as its docstrings describe it (made by `scripts/python_reference.py`). The [tour](../python-tour.md) shows it",
             "at work; [how to use it](../how-to/use-python.md) says how to install it.", ""]
    for title, words, names in SECTIONS:
        parts += [f"## {title}", "", words, ""]
        for name in names:
            parts += [described(name)]
    parts += ["## The nearest point: `zwang.gauss`", "", paragraphs(inspect.getdoc(zwang.gauss) or "").replace("    minimise", "minimise"), "",
              f"### `{signature('gauss.solve', zwang.gauss.solve)}`", "", paragraphs(inspect.getdoc(zwang.gauss.solve) or ""), "",
              "### `gauss.Solution`", "", inspect.getdoc(zwang.gauss.Solution) or "", "", "| field | type | |", "|---|---|---|",
              *fields(zwang.gauss.Solution)]
    return "\n".join(parts).rstrip("\n") + "\n"


def main() -> int:
    text = page()
    listed = {name for _, _, names in SECTIONS for name in names}
    missing = [name for name in zwang.__all__ if name not in listed | {"gauss", "pi", "t", "__version__"}]
    if missing:
        print(f"scripts/python_reference.py does not place {', '.join(missing)}")
        return 1
    return write_or_compare(TARGET, text, "the docstrings")


if __name__ == "__main__":
    sys.exit(main())

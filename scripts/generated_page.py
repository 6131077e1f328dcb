"""Pages of the documentation that are made from the sources: written, or with --check compared with what stands there."""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_or_compare(target: pathlib.Path, text: str, source: str) -> int:
    """The exit code. `source`: whose word the page is, for the complaint."""
    if "--check" not in sys.argv[1:]:
        target.write_text(text, encoding="utf-8")
        return 0
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return 0
    print(f"{target.relative_to(ROOT)} is not what {source} say; scripts/{pathlib.Path(sys.argv[0]).name} writes it anew")
    return 1

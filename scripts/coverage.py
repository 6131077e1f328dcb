#!/usr/bin/env python3
"""Which lines and branches the tests reach, room by room.

Usage: coverage.py BUILD

BUILD was made with the preset `coverage` and its tests have run. Prints a table and writes it to BUILD/rooms.txt; BUILD/files.txt has the same for every file, with the
lines that nothing reached. A line counts once however often a template was made of it; ways that only an exception takes are no branches.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rooms():
    """In the order in which they stand on one another."""
    lines = (line.split("#")[0].split("|") for line in (ROOT / "rooms.txt").read_text(encoding="utf-8").splitlines())
    return [words[0].strip() for words in lines if len(words) == 3]


def room_of(path):
    """The room of a source, or nothing."""
    try:
        parts = pathlib.Path(os.path.normpath(path)).relative_to(ROOT).parts
    except ValueError:
        return None
    if parts[:2] == ("src", "zwang") and len(parts) > 3:
        return parts[2]
    if parts[0] == "include":
        return "headers"
    return "cli" if parts[0] == "cli" else None


class File:
    """What is known of one source."""

    def __init__(self):
        self.lines = collections.Counter()
        self.branches = collections.defaultdict(list)  # per line, how often each way was taken

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        ways = [way["count"] for way in line["branches"] if not way["throw"]]
        known = self.branches[number]
        known += [0] * (len(ways) - len(known))
        for place, count in enumerate(ways):
            known[place] += count

    def counts(self):
        """Lines reached, lines, branches taken, branches."""
        ways = [count for line in self.branches.values() for count in line]
        return (sum(count > 0 for count in self.lines.values()), len(self.lines), sum(count > 0 for count in ways), len(ways))

    def missed(self):
        """Lines that nothing reached, "12-15, 20"."""
        stretches = []
        for number in sorted(line for line, count in self.lines.items() if count == 0):
            if stretches and stretches[-1][1] == number - 1:
                stretches[-1][1] = number
            else:
                stretches.append([number, number])
        return ", ".join(str(begin) if begin == end else f"{begin}-{end}" for begin, end in stretches)


def told(notes):
    """What gcov says of one object; one that never ran is told too, with zeros."""
    result = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"gcov failed for {notes}: {result.stderr.decode(errors='replace')}")
    sources = []
    for text in result.stdout.decode().splitlines():
        answer = json.loads(text) if text.strip() else {"files": []}
        for one in answer["files"]:
            path = os.path.join(answer["current_working_directory"], one["file"])
            if room_of(path) is not None:
                sources.append((os.path.normpath(path), one["lines"]))
    return sources


def part(reached, all_of_them):
    """In percent."""
    return f"{100 * reached / all_of_them:6.1f}" if all_of_them else "     -"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    files = collections.defaultdict(File)
    objects = sorted(path for path in build.rglob("*.gcno") if "tests" not in path.relative_to(build).parts)
    if not objects:
        sys.exit(f"{build} was not built with the preset coverage")
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("JOBS", "2"))) as pool:
        for sources in pool.map(told, objects):
            for path, lines in sources:
                for line in lines:
                    files[path].add(line)

    totals = {}
    details = []
    for path, file in sorted(files.items()):
        counts = file.counts()
        room = room_of(path)
        totals[room] = tuple(map(sum, zip(totals.get(room, (0, 0, 0, 0)), counts)))
        details.append(f"{part(*counts[:2])} {part(*counts[2:])}  {os.path.relpath(path, ROOT)}: {file.missed() or 'all lines reached'}")
    totals["all"] = tuple(map(sum, zip(*totals.values())))
    table = [f"{'room':<12} {'lines':>7} {'reached':>8} {'%':>6} {'branches':>9} {'taken':>8} {'%':>6}"]
    for room in [*rooms(), "headers", "all"]:
        if room in totals:
            lines, of_lines, ways, of_ways = totals[room]
            table.append(f"{room:<12} {of_lines:>7} {lines:>8} {part(lines, of_lines)} {of_ways:>9} {ways:>8} {part(ways, of_ways)}")
    (build / "files.txt").write_text("\n".join(details) + "\n", encoding="utf-8")
    (build / "rooms.txt").write_text("\n".join(table) + "\n", encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()

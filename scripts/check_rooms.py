#!/usr/bin/env python3
"""Hold every #include to the order of the rooms in rooms.txt.

A file of a room may include "zwang/ROOM/..." only of its own room and of rooms it stands on, a library of the third column
only where that column grants it, and a public header "zwang/NAME.hpp" only if it may include the room for which that speaks. A
header NAME_impl.hpp is for its own room alone. A public header includes the standard library and such public headers, nothing else. Prints file:line for every include that breaks this; exit status 1 if any does.
"""

import pathlib
import re
import sys

STANDARD = re.compile(r"[a-z_]+")  # neither folder nor ending
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def read_table(path):
    """The rows of rooms.txt as (room, rooms it stands on, libraries it sees)."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith(("#", "<")):
            continue
        room, stands_on, sees = (cell.split() for cell in line.split("|"))
        rows.append((room[0], stands_on, sees))
    return rows


def read_public(path):
    """The public headers of rooms.txt: the room each speaks for, by name."""
    lines = (line.split("|") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("<"))
    return {name.strip()[1:-1]: room.strip() for name, room in lines}


def reachable(rows):
    """For every room the set of rooms it may include: itself and all it reaches."""
    result = {}
    for room, stands_on, _ in rows:
        result[room] = {room}
        for below in stands_on:
            if below not in result:
                raise SystemExit(f"rooms.txt: {room} stands on {below}, which is not a room above it in the table")
            result[room] |= result[below]
    return result


def library_of(target, libraries):
    """The guarded library an include belongs to, or None: <Eigen/Dense>, <toml++/toml.h>, <unsupported/Eigen/...>."""
    parts = target.split("/")
    for library in libraries:
        if library in parts[:2]:
            return library
    return None


def check(root):
    """All breaches below root, as lines of text, and the number of files looked at."""
    rows = read_table(root / "rooms.txt")
    may_include = reachable(rows)
    sees = {room: set(libraries) for room, _, libraries in rows}
    libraries = sorted(set().union(*sees.values()))
    breaches = []

    # Folders below src/zwang that the table does not know would escape every rule.
    for folder in sorted((root / "src" / "zwang").iterdir()):
        if folder.is_dir() and folder.name not in may_include:
            breaches.append(f"src/zwang/{folder.name}: this room is missing in rooms.txt")

    # The public headers and their list.
    public = read_public(root / "rooms.txt")
    folder = root / "include" / "zwang"
    there = {p.name: p for p in sorted(folder.rglob("*")) if p.is_file()} if folder.is_dir() else {}
    breaches += [f"include/zwang/{name}: this header is missing in rooms.txt" for name in there if name not in public]
    breaches += [f"rooms.txt: there is no include/zwang/{name}" for name in public if name not in there]
    breaches += [f"rooms.txt: {name} speaks for {room}, which is no room" for name, room in public.items() if room not in may_include]
    for name, path in there.items():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match or name not in public or public[name] not in may_include:
                continue
            bracket, target = match.groups()
            place = f"include/zwang/{path.name}:{number}"
            parts = target.split("/")
            if bracket == "<":
                if not STANDARD.fullmatch(target):
                    breaches.append(f"{place}: <{target}> is no header of the C++ standard library")
            elif parts[0] != "zwang" or len(parts) != 2 or parts[1] not in public:
                breaches.append(f'{place}: "{target}" is no public header')
            elif public[parts[1]] not in may_include[public[name]]:
                breaches.append(f"{place}: {name} speaks for {public[name]}, which may not include {public[parts[1]]}")

    files = 0
    for room in may_include:
        folder = root / room if (root / room).is_dir() else root / "src" / "zwang" / room
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp")):
            files += 1
            place = path.relative_to(root)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                bracket, target = match.groups()
                parts = target.split("/")
                library = library_of(target, libraries)
                if parts[0] == "zwang" and len(parts) == 2 and parts[1] in public:
                    if public[parts[1]] not in may_include[room]:
                        breaches.append(f"{place}:{number}: {room} may not include {parts[1]}, which speaks for {public[parts[1]]}")
                elif parts[0] == "zwang":
                    if len(parts) < 3 or parts[1] not in may_include:
                        breaches.append(f'{place}:{number}: "{target}" names no room')
                    elif parts[1] not in may_include[room]:
                        breaches.append(f"{place}:{number}: {room} may not include {parts[1]}")
                    elif parts[1] != room and parts[-1].endswith("_impl.hpp"):
                        breaches.append(f"{place}:{number}: {parts[-1]} is for {parts[1]} alone")
                elif bracket == '"' and parts[0] != room and not (folder.parent == root and (folder / target).is_file()):
                    breaches.append(f'{place}:{number}: write the whole path, "zwang/ROOM/FILE", instead of "{target}"')
                elif library and library not in sees[room]:
                    breaches.append(f"{place}:{number}: {room} may not include {library}")
    return breaches, files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    breaches, files = check(root)
    for breach in breaches:
        print(breach)
    print(f"{files} files, {len(breaches)} includes against the order of the rooms")
    return 1 if breaches or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

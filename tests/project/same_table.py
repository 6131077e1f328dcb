#!/usr/bin/env python3
"""One sweep, many ways: any number of threads, and of processes under mpirun, writes the same table; and its lines are what runs of their own answer.

Usage: same_table.py ZWANG [--mpirun]
"""

import argparse
import base64
import csv
import json
import math
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

MODEL = """gravity = [0, "-g"]

[parameters]
g = 10
h = 1
e = 0.9

[points.ball]
mass = 1
position = [0, "h"]
velocity = [1, 0]

[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
wall  = { condition = "ball.x <= 1", restitution = "e" }

[outputs]
height = "ball.y"

[simulation]
until = 2.5
"""
SWEEP = ["sweep", "ball.toml", "--over", "e=0.5,0.8,1.5", "--over", "h~normal(1,0.3)", "--over", "g~sobol(9,11)", "--count", "40", "--seed", "5",
         "--record", "ball.x", "--record", "height", "--record", "at(1.25, ball.y')", "--record", "count(impact floor)",
         "--record", "time(impact wall, 1)", "--csv", "--json"]


def made(command, folder, name):
    """The table, the bytes of its CSV file and the answer."""
    result = subprocess.run([*command, "--out", name], cwd=folder, check=True, capture_output=True, text=True)
    answer = json.loads(result.stdout)
    with sqlite3.connect(folder / answer["files"][0]) as base:
        cursor = base.execute("SELECT * FROM samples ORDER BY sample")
        names = [column[0] for column in cursor.description]
        return names, cursor.fetchall(), (folder / answer["files"][1]).read_bytes(), answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("zwang")
    parser.add_argument("--mpirun", action="store_true")
    options = parser.parse_args()
    zwang = str(pathlib.Path(options.zwang).resolve())
    if options.mpirun and shutil.which("mpirun") is None:
        print("skipped: there is no mpirun here")
        return 77
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "ball.toml").write_text(MODEL)
        names, lines, text, answer = made([zwang, *SWEEP, "--jobs", "1"], folder, "one")
        assert names == ["sample", "e", "h", "g", "status", "time", "steps", "events", "defect", "ball.x", "height", "at(1.25, ball.y')",
                         "count(impact floor)", "time(impact wall, 1)"], names
        assert answer["samples"] == len(lines) == 120 and answer["other"]["error"] == 40, answer
        assert answer["finished"] + sum(answer["other"].values()) == 120, answer

        # The CSV file says the same, to the bit.
        rows = list(csv.reader(text.decode().splitlines()))
        assert rows[0] == names
        for line, row in zip(lines, rows[1:]):
            for value, cell in zip(line, row):
                assert (cell == "" if value is None else cell == value if isinstance(value, str) else float(cell) == value), (line, row)

        if options.mpirun:
            ways = [["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), zwang, *SWEEP] for count in (1, 2, 5)]
        else:
            ways = [[zwang, *SWEEP, "--jobs", str(count)] for count in (2, 3, 7)]
        for number, way in enumerate(ways):
            other = made(way, folder, f"way{number}")
            assert other[:3] == (names, lines, text), f"{way[:6]} writes another table"

        # Looked at: the page holds the table, to the bit. (Where it was built without its script it holds figures.)
        page = subprocess.run([zwang, "view", "one/ball-sweep.sqlite", "--no-open"], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
        assert page == "one/ball-sweep.html", page
        shown = (folder / page).read_text()
        packed = re.search(r'id="zwang-data"[^>]*>([^<]*)<', shown)
        if packed is None:
            assert "<script" not in shown and "120 of 120" in shown
        else:
            data = zlib.decompress(base64.b64decode(packed.group(1)))
            size = struct.unpack_from("<I", data, 4)[0]
            told = json.loads(data[8 : 8 + size])
            assert told["total"] == told["done"] == 120, told
            of_page = {}
            for column in told["columns"]:
                where = column["values"]
                assert where["type"] == "f64" and where["count"] == 120, column
                of_page[column["name"]] = struct.unpack_from("<120d", data, 8 + size + where["at"])
            assert {"e", "h", "g", "time", "steps", "events", "defect", "ball.x"} <= set(of_page), sorted(of_page)
            for name, values in of_page.items():
                for line, value in zip(lines, values):
                    cell = line[names.index(name)]
                    assert math.isnan(value) if cell is None else value == cell, (name, value, cell)

        # Some samples against runs of their own.
        for line in [lines[0], lines[17], lines[59], lines[77]]:
            of = dict(zip(names, line))
            sets = [word for name in ("e", "h", "g") for word in ("--set", f"{name}={of[name]!r}")]
            result = subprocess.run([zwang, "run", "ball.toml", *sets, "--json", "--no-report", "--sample-at", "1.25", "--out", "run"], cwd=folder,
                                    capture_output=True, text=True, check=False)
            run = json.loads(result.stdout)
            assert run["status"] == of["status"] and run["final"]["time"] == of["time"] and run["steps"] == of["steps"], of
            assert run["defect"] == of["defect"] and len(run["events"]) == of["events"], of
            assert run["final"]["positions"]["ball"] == [of["ball.x"], of["height"]], of
            assert run["samples"][0]["velocities"]["ball"][1] == of["at(1.25, ball.y')"], of
            floor = [event for event in run["events"] if event["kind"] == "impact" and "floor" in event["constraints"]]
            wall = [event for event in run["events"] if event["kind"] == "impact" and "wall" in event["constraints"]]
            assert len(floor) == of["count(impact floor)"], of
            assert (wall[0]["time"] if wall else None) == of["time(impact wall, 1)"], of
    print("the tables are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draw a column of a sweep over two parameters of a grid, one pixel per sample, as a PNG.

  scripts/sweep_picture.py SWEEP.sqlite COLUMN PICTURE.png [--colours N] [--by-rank] [--status STATUS]

The first parameter of the sweep goes to the right, the second upwards. Colours are those of the sweep's page: dark blue for the least value over green to
yellow for the largest; what has no value, or ended in another status than the one asked for, is white. Needs nothing but Python.
"""

import argparse
import bisect
import math
import sqlite3
import struct
import zlib

STOPS = [(68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37)]


def colour(share):
    place = share * (len(STOPS) - 1)
    k = min(len(STOPS) - 2, int(place))
    return tuple(round(a + (b - a) * (place - k)) for a, b in zip(STOPS[k], STOPS[k + 1]))


def png(width, height, rows, palette):
    """One byte per pixel, an index into the palette."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + row for row in rows)
    colours = b"".join(bytes(one) for one in palette)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", colours)
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def read(file, column, status):
    """Samples in order, and the sizes of the grid: the second parameter varies fastest."""
    table = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    names = [line[1] for line in table.execute("PRAGMA table_info(samples)")]
    quoted = '"' + column.replace('"', '""') + '"'
    first = '"' + names[1].replace('"', '""') + '"'
    lines = table.execute(f"SELECT {quoted}, status FROM samples ORDER BY sample")
    values = [value if status in (None, ended) else None for value, ended in lines]
    across = table.execute(f"SELECT count(DISTINCT {first}) FROM samples").fetchone()[0]
    if len(values) % across != 0:
        raise SystemExit("the sweep is no grid of two parameters")
    return values, across, len(values) // across


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("sweep")
    options.add_argument("column")
    options.add_argument("picture")
    options.add_argument("--colours", type=int, default=255)
    options.add_argument("--by-rank", action="store_true", help="every colour for equally many samples")
    options.add_argument("--status", help="colour the samples alone that ended so")
    arguments = options.parse_args()
    values, width, height = read(arguments.sweep, arguments.column, arguments.status)
    known = sorted(value for value in values if value is not None)
    n = arguments.colours
    if arguments.by_rank:
        borders = [known[math.ceil((k + 1) * len(known) / n) - 1] for k in range(n)]
        index = lambda value: min(n - 1, bisect.bisect_left(borders, value))
    else:
        low, high = known[0], known[-1]
        index = lambda value: min(n - 1, int((value - low) / ((high - low) or 1) * n))
    pixels = [n if value is None else index(value) for value in values]
    rows = [bytes(pixels[x * height + y] for x in range(width)) for y in range(height - 1, -1, -1)]
    palette = [colour(k / max(1, n - 1)) for k in range(n)] + [(255, 255, 255)]
    with open(arguments.picture, "wb") as file:
        file.write(png(width, height, rows, palette))


if __name__ == "__main__":
    main()

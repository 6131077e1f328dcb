"""Escape times of the ball in gallery/stadium by rays and mirrors, held against a sweep.

  stadium_escapes.py SWEEP.sqlite [COUNT]    compares COUNT samples drawn from it (20000 if not given)

The sweep varies x0 and angle and records count(impact). A ray meets a side or a half circle, is mirrored there, and is out 0.1 above the gate. Throws that touch the
funnel outside the gate are left out. Nothing is shared with zwang, and nothing here is run by the tests.
"""

import math
import random
import sqlite3
import sys

GATE, HALF, OUT, UNTIL = 0.2, 1.0, 0.1, 10.0


def escape(x, angle):
    """When the ball is out (None: not in time) and how often it struck; or None for what is left out."""
    y, time, count = 0.0, 0.0, 0
    vx, vy = math.cos(angle), math.sin(angle)
    while True:
        way, wall = math.inf, None
        if vy != 0:
            side = math.copysign(1, vy)
            to_side = (side - y) / vy
            if to_side > 1e-12 and abs(x + vx * to_side) <= HALF:
                way, wall = to_side, side
        for centre in (HALF, -HALF):
            dx = x - centre
            b, c = dx * vx + y * vy, dx * dx + y * y - 1
            if b * b >= c:
                to_arc = -b + math.sqrt(b * b - c)
                if to_arc > 1e-9 and (x + vx * to_arc) * centre >= HALF and to_arc < way:
                    way, wall = to_arc, (centre,)
        if wall is None:
            return None
        if time + way > UNTIL:
            return None, count
        x, y, time = x + vx * way, y + vy * way, time + way
        if wall == 1 and abs(x) < GATE:
            last = OUT / vy
            if abs(x + vx * last) > GATE + 4 * OUT:
                return None
            return (time + last if time + last < UNTIL else None), count
        count += 1
        if isinstance(wall, tuple):
            nx, ny = x - wall[0], y
            along = 2 * (vx * nx + vy * ny) / (nx * nx + ny * ny)
            vx, vy = vx - along * nx, vy - along * ny
        else:
            vy = -vy


def main():
    table = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    total = table.execute("SELECT count(*) FROM samples").fetchone()[0]
    wanted = min(total, int(sys.argv[2]) if len(sys.argv) > 2 else 20000)
    compared = escaped = differ = 0
    worst = 0.0
    for sample in random.Random(1).sample(range(total), wanted):
        x0, angle, status, time, impacts = table.execute(
            'SELECT x0, angle, status, time, "count(impact)" FROM samples WHERE sample = ?', (sample,)).fetchone()
        own = escape(x0, angle)
        if own is None:
            continue
        compared += 1
        if (own[0] is not None) != (status == "stopped") or own[1] != impacts:
            differ += 1
            print(f"sample {sample}: {status} at {time} after {impacts} impacts, here {own}")
        elif own[0] is not None:
            escaped += 1
            worst = max(worst, abs(own[0] - time))
    print(f"{compared} compared, {escaped} of them out, {differ} differ, times by at most {worst:.2g}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

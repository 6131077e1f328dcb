#!/usr/bin/env python3
"""Chains of k rods and a bouncing ball: zwang beside heyoka's integrator of Taylor series, each at the loosest tolerance that meets the error.

    python3 benchmarks/heyoka_rods.py build/release/bin/zwang [--counts 1,4,16,64] [--error 1e-9] [--repeat 5]

Needs `pip install heyoka`. The rods have unit masses and lengths and swing from rest, 0.3 rad off the vertical. heyoka gets them twice: in Cartesian
coordinates, with the multipliers eliminated by hand (a tridiagonal system), and, up to four rods, in angles relative to the vertical, by Cramer's
rule or elimination of the mass matrix; the better one is told. The ball falls on a floor with restitution 0.9; heyoka meets it by a terminal event.
The truth is heyoka at its smallest tolerance. Times are of the processor, the shortest of some repetitions; zwang's are those of a sweep of equal samples on
one thread, which writes no motion down, divided by their number after the first, heyoka's without its compilation.
"""

from __future__ import annotations

import argparse
import csv
import math
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import heyoka as hy
import numpy as np

GRAVITY = 9.81
SLOPE = 0.3
UNTIL = {1: 400.0, 4: 100.0, 16: 20.0, 64: 4.0}
TOLERANCES = [10.0 ** (-k / 2) for k in range(12, 33)]


def rods_text(count: int, until: float) -> str:
    x, y = math.sin(SLOPE), -math.cos(SLOPE)
    links = f'link = {{ for = "i = 2..{count}", condition = "distance(a[i], a[i-1]) = 1" }}\n' if count > 1 else ""
    return (
        f"gravity = [0, {-GRAVITY}]\n[parameters]\nspare = 0\ntolerance = 1e-12\n[points.a]\ncount = {count}\nmass = 1\nposition = [\"i*{x!r}\", \"i*{y!r}\"]\n"
        f"[constraints]\nnail = \"distance(a[1], [0, 0]) = 1\"\n{links}[simulation]\nuntil = {until!r}\ntolerance = \"tolerance\"\nsamples = 2\n"
    )


def cartesian(count: int):
    """Equations and start: a_i = g - l_i d_i + l_(i+1) d_(i+1), the l by elimination of |d_i|'' = 0."""
    names = [hy.make_vars(*(f"{c}{i}" for c in "xyuv")) for i in range(count)]
    d = []
    w = []
    for i, (x, y, u, v) in enumerate(names):
        px, py, pu, pv = names[i - 1] if i else (0.0, 0.0, 0.0, 0.0)
        d.append((x - px, y - py))
        w.append((u - pu, v - pv))

    def dot(a, b):
        return a[0] * b[0] + a[1] * b[1]

    # Row i: (1 or 2) d_i.d_i l_i - d_i.d_(i-1) l_(i-1) - d_i.d_(i+1) l_(i+1) = w_i.w_i, with gravity in the first.
    diagonal = [dot(d[i], d[i]) * (2.0 if i else 1.0) for i in range(count)]
    beside = [-dot(d[i], d[i + 1]) for i in range(count - 1)]
    right = [dot(w[i], w[i]) for i in range(count)]
    right[0] = right[0] - GRAVITY * d[0][1]
    for i in range(1, count):
        factor = beside[i - 1] / diagonal[i - 1]
        diagonal[i] = diagonal[i] - factor * beside[i - 1]
        right[i] = right[i] - factor * right[i - 1]
    force = [None] * count
    force[-1] = right[-1] / diagonal[-1]
    for i in reversed(range(count - 1)):
        force[i] = (right[i] - beside[i] * force[i + 1]) / diagonal[i]
    system = []
    start = []
    for i, (x, y, u, v) in enumerate(names):
        ax, ay = -force[i] * d[i][0], -GRAVITY - force[i] * d[i][1]
        if i + 1 < count:
            ax, ay = ax + force[i + 1] * d[i + 1][0], ay + force[i + 1] * d[i + 1][1]
        system += [(x, u), (y, v), (u, ax), (v, ay)]
        start += [(i + 1) * math.sin(SLOPE), -(i + 1) * math.cos(SLOPE), 0.0, 0.0]
    return system, start, lambda state: np.array([state[-4], state[-3]])


def angles(count: int):
    """Equations and start in the rods' angles, the mass matrix eliminated."""
    q = hy.make_vars(*(f"q{i}" for i in range(count)), "unused")[:count]
    v = hy.make_vars(*(f"v{i}" for i in range(count)), "unused")[:count]
    matrix = [[float(count - max(i, j)) * hy.cos(q[i] - q[j]) if i != j else hy.expression(float(count - i)) for j in range(count)] for i in range(count)]
    right = []
    for i in range(count):
        one = -GRAVITY * (count - i) * hy.sin(q[i])
        for j in range(count):
            if i != j:
                one = one - float(count - max(i, j)) * hy.sin(q[i] - q[j]) * v[j] * v[j]
        right.append(one)
    for k in range(count):
        for i in range(k + 1, count):
            factor = matrix[i][k] / matrix[k][k]
            for j in range(k, count):
                matrix[i][j] = matrix[i][j] - factor * matrix[k][j]
            right[i] = right[i] - factor * right[k]
    turned = [None] * count
    for i in reversed(range(count)):
        rest = right[i]
        for j in range(i + 1, count):
            rest = rest - matrix[i][j] * turned[j]
        turned[i] = rest / matrix[i][i]
    system = [(q[i], v[i]) for i in range(count)] + [(v[i], turned[i]) for i in range(count)]
    return system, [SLOPE] * count + [0.0] * count, lambda state: np.array([np.sin(state[:count]).sum(), -np.cos(state[:count]).sum()])


class Heyoka:
    """One integrator for all tolerances would be one compilation for all: each tolerance has its own."""

    def __init__(self, form, tolerance: float):
        self.system, self.start, self.end_of = form
        self.integrator = hy.taylor_adaptive(self.system, self.start, tol=tolerance, compact_mode=len(self.start) > 64)

    def run(self, until: float, repeat: int) -> tuple[float, np.ndarray, int]:
        best = math.inf
        for _ in range(repeat):
            self.integrator.time = 0.0
            self.integrator.state[:] = self.start
            begin = time.process_time()
            steps = self.integrator.propagate_until(until)[3]
            best = min(best, time.process_time() - begin)
        return best, self.end_of(self.integrator.state), steps


class Zwang:
    """A model with a parameter `spare` that nothing depends on: as many equal samples as are wanted."""

    def __init__(self, command: str, text: str, folder: Path):
        self.command, self.folder = command, folder
        self.file = folder / "model.toml"
        self.file.write_text(text)

    def sweep(self, tolerance: float, until: float, record: list[str], samples: int) -> tuple[float, dict]:
        words = [self.command, "sweep", str(self.file), "--over", f"spare=0..1:{samples}" if samples > 1 else "spare=0", "--jobs", "1", "--quiet", "--csv"]
        words += ["--set", f"tolerance={tolerance!r}", "--until", repr(until), "--out", str(self.folder)]
        for one in record:
            words += ["--record", one]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(self.folder / "model-sweep.csv", encoding="utf-8") as file:
            row = next(csv.DictReader(file))
        if row["status"] != "finished":
            raise RuntimeError(f"zwang: {row['status']}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, row

    def run(self, tolerance: float, until: float, record: list[str], repeat: int) -> tuple[float, dict]:
        """Seconds of one motion, and a row of the table."""
        one = min(self.sweep(tolerance, until, record, 1)[0] for _ in range(repeat))
        samples = 1 + max(4, min(200, int(0.3 / max(one, 1e-3))))
        whole = [self.sweep(tolerance, until, record, samples) for _ in range(repeat)]
        return (min(found[0] for found in whole) - one) / (samples - 1), whole[0][1]


def loosest(tolerances, tried, error: float):
    """The cheapest of those that meet the error: (seconds, off, steps, tolerance)."""
    best = None
    for tolerance in tolerances:
        seconds, off, steps = tried(tolerance)
        if off <= error and (best is None or seconds < best[0]):
            best = (seconds, off, steps, tolerance)
        if best is not None and off < error / 1000:
            break
    return best


def rods(command: str, count: int, error: float, repeat: int, folder: Path) -> None:
    until = UNTIL.get(count, 4.0)
    forms = {"Cartesian": cartesian(count)}
    if count <= 4:
        forms["angles"] = angles(count)
    truths = {name: Heyoka(form, 1e-17).run(until, 1)[1] for name, form in forms.items()}
    truth = truths.get("angles", truths["Cartesian"])

    ours = Zwang(command, rods_text(count, until), folder)

    def try_zwang(tolerance):
        seconds, found = ours.run(tolerance, until, [f"a[{count}].x", f"a[{count}].y"], repeat)
        end = np.array([float(found[f"a[{count}].x"]), float(found[f"a[{count}].y"])])
        return seconds, float(np.max(np.abs(end - truth))), int(found["steps"])

    mine = loosest(TOLERANCES, try_zwang, error)
    line = f"{count:4d} rods, {until:g} s   zwang {mine[0] * 1e3:8.2f} ms ({mine[2]} steps, {mine[1]:.0e})"
    for name, form in forms.items():

        def try_heyoka(tolerance, form=form):
            seconds, end, steps = Heyoka(form, tolerance).run(until, repeat)
            return seconds, float(np.max(np.abs(end - truth))), steps

        theirs = loosest(TOLERANCES[2::2], try_heyoka, error)
        if theirs is None:
            line += f"   {name}: not met"
        else:
            line += f"   {name} {theirs[0] * 1e3:8.2f} ms ({theirs[2]} steps, {theirs[1]:.0e}), zwang / heyoka {mine[0] / theirs[0]:5.2f}"
    print(line, flush=True)


def ball(command: str, repeat: int, folder: Path) -> None:
    """A ball let fall from 1 with restitution 0.9, until its 60th bounce has passed; heyoka's event turns the speed round."""
    fall = math.sqrt(2 / GRAVITY)
    count = 60
    until = fall + 2 * fall * sum(0.9**k for k in range(1, count)) + fall * 0.9**count
    text = f"gravity = [0, {-GRAVITY}]\n[parameters]\nspare = 0\ntolerance = 1e-12\n[points.a]\nmass = 1\nposition = [0, 1]\n[constraints]\nfloor = {{ condition = \"a.y >= 0\", restitution = 0.9 }}\n[simulation]\nuntil = {until!r}\ntolerance = \"tolerance\"\nsamples = 2\n"
    ours = Zwang(command, text, folder)
    seconds, found = ours.run(1e-12, until, ["count(impact)"], repeat)
    bounces = int(found["count(impact)"])

    y, v = hy.make_vars("y", "v")

    def turn(integrator, _):
        integrator.state[1] = -0.9 * integrator.state[1]
        return True

    event = hy.t_event(y, callback=turn, direction=hy.event_direction.negative, cooldown=0.0)
    integrator = hy.taylor_adaptive([(y, v), (v, hy.expression(-GRAVITY))], [1.0, 0.0], t_events=[event])
    best = math.inf
    for _ in range(repeat):
        integrator.time = 0.0
        integrator.state[:] = [1.0, 0.0]
        begin = time.process_time()
        integrator.propagate_until(until)
        best = min(best, time.process_time() - begin)
    print(f"ball, {bounces} bounces   zwang {seconds / bounces * 1e6:.2f} us a bounce   heyoka {best / count * 1e6:.2f} us a bounce", flush=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("zwang")
    words.add_argument("--counts", default="1,4,16,64")
    words.add_argument("--error", type=float, default=1e-9)
    words.add_argument("--repeat", type=int, default=5)
    args = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for count in (int(word) for word in args.counts.split(",")):
            rods(args.zwang, count, args.error, args.repeat, Path(name))
        ball(args.zwang, args.repeat, Path(name))


if __name__ == "__main__":
    main()

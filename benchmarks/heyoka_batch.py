"""Ten thousand double pendulums over ten seconds: a sweep of zwang on one thread beside the batch integrator of heyoka on one thread.

    python3 benchmarks/heyoka_batch.py build/release/bin/zwang [--count 10000] [--turns 3]

Needs `pip install heyoka`. Both get the same starts (one angle on a grid) and the same equations in two angles; heyoka's tolerance is that of the
model, 1e-12, and its own default. Times are of the processor, medians of interleaved turns, without the compilation of heyoka's integrator and with all
that a sweep does: its starting, its models, its table. Errors are the largest difference of an angle at the end to heyoka at its default tolerance,
over those samples whose motion is not chaotic (a start moved by 1e-12 moves the end by less than 1e-9).
"""

import argparse
import csv
import pathlib
import resource
import subprocess
import tempfile
import time

import heyoka as hy
import numpy as np

MODEL = """[parameters]
a = 0.5
[coordinates.q1]
initial = "a"
velocity = 1
[coordinates.q2]
initial = 0
velocity = 2
[energy]
kinetic = "q1'^2 + q2'^2/2 + q1'*q2'*cos(q1 - q2)"
potential = "-20*cos(q1) - 10*cos(q2)"
[simulation]
until = 10
tolerance = 1e-12
"""


def equations():
    """The accelerations by Cramer's rule."""
    q1, q2, v1, v2 = hy.make_vars("q1", "q2", "v1", "v2")
    c, s = hy.cos(q1 - q2), hy.sin(q1 - q2)
    # [2 c; c 1] (v1', v2') = (-20 sin q1 - v2^2 s, -10 sin q2 + v1^2 s)
    f1 = -20.0 * hy.sin(q1) - v2 * v2 * s
    f2 = -10.0 * hy.sin(q2) + v1 * v1 * s
    d = 2.0 - c * c
    return [(q1, v1), (q2, v2), (v1, (f1 - c * f2) / d), (v2, (2.0 * f2 - c * f1) / d)]


class Heyoka:
    def __init__(self, tolerance=None, lanes=None):
        self.lanes = lanes or hy.recommended_simd_size()
        words = {} if tolerance is None else {"tol": tolerance}
        self.integrator = hy.taylor_adaptive_batch(equations(), np.zeros((4, self.lanes)), **words)

    def run(self, starts):
        ta, lanes = self.integrator, self.lanes
        out = np.empty((len(starts), 2))
        padded = np.concatenate([starts, np.repeat(starts[-1:], -len(starts) % lanes)])
        until = [10.0] * lanes
        for k in range(0, len(padded), lanes):
            ta.set_time(0.0)
            ta.state[0] = padded[k : k + lanes]
            ta.state[1] = 0.0
            ta.state[2] = 1.0
            ta.state[3] = 2.0
            ta.propagate_until(until)
            n = min(lanes, len(starts) - k)
            out[k : k + n] = ta.state[:2, :n].T
        return out


def zwang(command, folder, low, high, count):
    model = pathlib.Path(folder) / "pendulum.toml"
    model.write_text(MODEL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [command, "sweep", model, "--over", f"a={low}..{high}:{count}", "--record", "q1", "--record", "q2", "--jobs", "1"]
        + ["--out", folder, "--csv", "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with open(pathlib.Path(folder) / "pendulum-sweep.csv") as file:
        rows = list(csv.DictReader(file))
    return seconds, np.array([float(r["a"]) for r in rows]), np.array([[float(r["q1"]), float(r["q2"])] for r in rows])


def main():
    words = argparse.ArgumentParser()
    words.add_argument("zwang")
    words.add_argument("--count", type=int, default=10000)
    words.add_argument("--turns", type=int, default=3)
    args = words.parse_args()
    plain, same = Heyoka(), Heyoka(1e-12)
    took = {"zwang": [], "heyoka": [], "heyoka at 1e-12": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.turns):
            seconds, starts, ours = zwang(args.zwang, folder, 0.2, 1.2, args.count)
            took["zwang"].append(seconds)
            for name, integrator in (("heyoka", plain), ("heyoka at 1e-12", same)):
                begin = time.process_time()
                ends = integrator.run(starts)
                took[name].append(time.process_time() - begin)
                if integrator is plain:
                    theirs = ends
                else:
                    theirs_same = ends
        moved = plain.run(starts + 1e-12)
    calm = np.abs(moved - theirs).max(axis=1) < 1e-9
    print(f"{args.count} double pendulums over 10 s, one thread, lanes of {plain.lanes}; {calm.sum()} are calm")
    for name, times in took.items():
        error = {"zwang": ours, "heyoka": theirs, "heyoka at 1e-12": theirs_same}[name]
        off = np.abs(error - theirs)[calm].max() if calm.any() else float("nan")
        each = np.median(times) / args.count
        print(f"{name:16s} {each * 1e6:8.1f} us each, {each / (np.median(took['heyoka']) / args.count):5.2f} of heyoka, off by {off:.1e}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Pendulums of n bars on hinges in space, followed by zwang and by MuJoCo until both know the end to the same digits.

The bars hang on one another by hinges about y, each of length 1 and mass 1, and fall from rest, aslant. The truth is zwang's run at
the tolerance 1e-15, which MuJoCo's own runs approach with the fourth power of their step. MuJoCo (Runge-Kutta of fourth order) halves its
step until its end is as near to the truth as asked for; zwang takes that tolerance of a list which is so at the least cost. Times are those of the processor, the shortest of some repetitions,
zwang's without reading the model and writing the answer: those of a run of no length are taken away.

    python3 benchmarks/bars.py --zwang build/release/bin/zwang [--counts 1,4,16,64] [--error 1e-9] [--until 1]

Without the package `mujoco` only zwang's times are printed.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import tempfile
import time
from pathlib import Path

try:
    import mujoco
except ImportError:
    mujoco = None

SLOPE = 0.4  # of the bars at the start, below the horizontal
MOMENTS = (0.002, 1 / 12, 1 / 12)  # along the bar and across
GRAVITY = 10.0


def model_text(count: int, until: float) -> str:
    x, z = math.cos(SLOPE), -math.sin(SLOPE)
    return f"""gravity = [0, 0, {-GRAVITY}]
[bodies.bar]
count       = {count}
mass        = 1
inertia     = [{MOMENTS[0]!r}, {MOMENTS[1]!r}, {MOMENTS[2]!r}]
position    = ["(i - 1/2)*{x!r}", 0, "(i - 1/2)*{z!r}"]
orientation = {{ axis = [0, 1, 0], angle = {SLOPE!r} }}
[bodies.bar.marks]
start = [-0.5, 0, 0]
end   = [0.5, 0, 0]
[joints]
nail = {{ hinge = [[0, 0, 0], "bar[1].start"], axis = [0, 1, 0] }}
{'link = { for = "i = 1..' + str(count - 1) + '", hinge = ["bar[i].end", "bar[i+1].start"], axis = [0, 1, 0] }' if count > 1 else ''}
[simulation]
until = {until!r}
samples = 2
"""


def zwang_end(zwang: str, folder: Path, count: int, until: float, tolerance: float, repeat: int) -> tuple[float, list[float], int]:
    """Seconds, the place of the last bar's centre, steps."""
    file = folder / f"bars{count}.toml"
    file.write_text(model_text(count, until))

    def once(end: float) -> tuple[float, dict]:
        command = [zwang, "run", str(file), "--json", "--no-report", "--tolerance", repr(tolerance), "--until", repr(end), "--out", str(folder)]
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        end_use = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = end_use.ru_utime + end_use.ru_stime - begin.ru_utime - begin.ru_stime
        found = json.loads(answer.stdout)
        if found.get("status") != "finished":
            raise RuntimeError(f"zwang, {count} bars: {found.get('status', found)}")
        return seconds, found

    whole = [once(until) for _ in range(repeat)]
    empty = [once(1e-9) for _ in range(repeat)]
    seconds = min(one[0] for one in whole) - min(one[0] for one in empty)
    answer = whole[0][1]
    return seconds, answer["final"]["positions"][f"bar[{count}]"][:3], answer["steps"]


def mujoco_model(count: int, step: float) -> "mujoco.MjModel":
    inner = ""
    close = ""
    for k in range(count):
        at = "0 0 0" if k == 0 else "1 0 0"
        turn = f' euler="0 {SLOPE!r} 0"' if k == 0 else ""
        inner += f'<body pos="{at}"{turn}><joint type="hinge" axis="0 1 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="{MOMENTS[0]!r} {MOMENTS[1]!r} {MOMENTS[2]!r}"/>'
        close += "</body>"
    text = (
        f'<mujoco><compiler angle="radian"/><option timestep="{step!r}" gravity="0 0 {-GRAVITY}" integrator="RK4">'
        f'<flag contact="disable" constraint="disable"/></option><worldbody>{inner}{close}</worldbody></mujoco>'
    )
    return mujoco.MjModel.from_xml_string(text)


def mujoco_end(count: int, until: float, steps: int, repeat: int) -> tuple[float, list[float]]:
    model = mujoco_model(count, until / steps)
    best = math.inf
    for _ in range(repeat):
        data = mujoco.MjData(model)
        begin = time.process_time()
        mujoco.mj_step(model, data, steps)
        best = min(best, time.process_time() - begin)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return best, list(data.xipos[count])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--zwang", default="build/release/bin/zwang")
    parser.add_argument("--counts", default="1,4,16,64")
    parser.add_argument("--error", type=float, default=1e-9, help="of the last bar's centre, in lengths of a bar")
    parser.add_argument("--until", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print("bars  zwang s (steps, error)             mujoco s (steps, error)            mujoco / zwang")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in (int(word) for word in asked.counts.split(",")):
            _, truth, _ = zwang_end(asked.zwang, folder, count, asked.until, 1e-15, 1)
            seconds, steps, error = math.inf, 0, math.inf
            for tolerance in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14):
                spent, end, count_of_steps = zwang_end(asked.zwang, folder, count, asked.until, tolerance, asked.repeat)
                if math.dist(end, truth) <= asked.error and spent < seconds:
                    seconds, steps, error = spent, count_of_steps, math.dist(end, truth)
            line = f"{count:4d}  {seconds:.4f} ({steps}, {error:.1e})"
            if mujoco is None:
                print(line + "   (no package mujoco)")
                continue
            tries = 64
            while True:
                theirs, end = mujoco_end(count, asked.until, tries, asked.repeat)
                apart = math.dist(end, truth)
                if apart <= asked.error or tries > 10_000_000:
                    break
                tries *= 2
            print(f"{line:40s} {theirs:.4f} ({tries}, {apart:.1e})   {theirs / seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main()

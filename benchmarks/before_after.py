#!/usr/bin/env python3
"""What motions cost, beside an older zwang: instructions per model, after / before, in one run.

  benchmarks/before_after.py BEFORE AFTER [MODEL ...]        two commands `zwang`; make bench BEFORE=path does this

Counted are the instructions between an eighth of the time and all of it, so that reading the model and starting the program do not
count: by valgrind where it is installed, else by perf, else seconds of the processor (then noise of some per cent is to be
expected). GOAL is what a step proved over its whole length may cost, as a multiple of one that is not (docs/mathematics, section 10.8).
"""

import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ELEMENTARY, TRANSCENDENTAL = 1.3, 1.6  # GOAL
CHAIN = """gravity = [0, -9.81]
[parameters]
k = {}
[points.bead]
count = "k"
mass = 1
position = ["i*sin(0.3)", "-i*cos(0.3)"]
[constraints]
first = "norm(bead[1]) = 1"
"""
LINKS = """rod = { for = "i = 1..k-1", condition = "distance(bead[i], bead[i+1]) = 1" }
"""
STRING = """gravity = [0, -9.81]
[points.bob]
mass = 1
position = [0, -1]
velocity = ["sqrt({}*9.81)", 0]
[constraints]
string = {{ condition = "norm(bob) <= 1", restitution = 0.9 }}
"""
BALL = """gravity = [0, 0, -9.81]
[points.ball]
mass = 1
position = [0, 0, 1]
velocity = [1, 0, 0]
[constraints]
floor = { condition = "ball.z >= 0", restitution = 1 }
"""
BOX = """gravity = [0, -9.81]
[points.b]
mass = 1
position = [0.3, 1]
velocity = [1.3, 0]
[constraints]
floor = { condition = "b.y >= 0", restitution = 1 }
left = { condition = "b.x >= 0", restitution = 1 }
right = { condition = "b.x <= 1", restitution = 1 }
"""
ANGLES = """[energy]
potential = "-2*9.81*cos(a) - 9.81*cos(b)"
kinetic = "a'^2 + b'^2/2 + a'*b'*cos(a-b)"
[coordinates]
a = { initial = 0.7 }
b = { initial = 1.1 }
"""
FRICTION = """[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[coordinates]
x = { initial = 1, force = "-0.01*tanh(x'/0.3)+0.2*exp(-x^2)*cos(t)" }
"""
# name: (model, seconds of the motion, goal)
MODELS = {
    "ball on a floor": (BALL, 300, ELEMENTARY),
    "ball in a box": (BOX, 120, ELEMENTARY),
    "chain of 1 rod": (CHAIN.format(1), 120, ELEMENTARY),
    "chain of 3 rods": (CHAIN.format(3) + LINKS, 12, ELEMENTARY),
    "chain of 10 rods": (CHAIN.format(10) + LINKS, 6, ELEMENTARY),
    "chain of 40 rods": (CHAIN.format(40) + LINKS, 3, ELEMENTARY),
    "string pendulum, slack at times": (STRING.format(3.2), 60, ELEMENTARY),
    "string pendulum, taut": (STRING.format(5.5), 60, ELEMENTARY),
    "double pendulum in angles": (ANGLES, 40, TRANSCENDENTAL),
    "oscillator with tanh and exp": (FRICTION, 60, TRANSCENDENTAL),
}


def cost(command, model, until):
    """Instructions, or seconds where nothing counts them."""
    run = [str(pathlib.Path(command).resolve()), "run", str(model), "--json", "--no-report", "--until", f"{until:g}"]
    if shutil.which("valgrind"):
        counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *run]
        pattern = r"Collected : (\d+)"
    elif shutil.which("perf"):
        counted, pattern = ["perf", "stat", "-x,", "-e", "instructions:u", *run], r"^(\d+),"
    else:
        counted, pattern = run, None
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(counted, capture_output=True, text=True, cwd=model.parent)
    if '"status"' not in done.stdout:
        raise SystemExit(f"{command} does not run {model.name}:\n{done.stdout}{done.stderr}")
    if pattern is None:
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return int(re.search(pattern, done.stderr, re.MULTILINE)[1])


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    commands = [str(pathlib.Path(path).resolve()) for path in sys.argv[1:3]]
    print(f"{'':34}{'before':>10}{'after':>10}   ratio  goal   (millions)")
    with tempfile.TemporaryDirectory() as room:
        model = pathlib.Path(room) / "model.toml"
        for name, (text, until, goal) in MODELS.items():
            if sys.argv[3:] and name not in sys.argv[3:]:
                continue
            model.write_text(f"{text}[simulation]\nuntil = {until}\n")
            before, after = (cost(command, model, until) - cost(command, model, until / 8) for command in commands)
            print(f"{name:34}{before / 1e6:10.1f}{after / 1e6:10.1f}{after / before:8.2f}{goal:6.1f}", flush=True)


if __name__ == "__main__":
    main()

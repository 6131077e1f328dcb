#!/usr/bin/env python3
"""What derivatives by parameters cost, in motions: instructions, per model and number of parameters.

  benchmarks/derivatives_in_instructions.py BENCH [MODEL ...]        BENCH: the program bench_derivatives, or two of them with a comma between (before,after)

`along`: the derivatives along the motion over the motion itself and the number of parameters; at most GOAL is wanted (docs/mathematics, section 24.2). How the
model depends on its parameters, which costs the same however long the motion is, is left out. Counted by valgrind, so that nothing else on the machine shows.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

GOAL = 0.6
GALLERY = pathlib.Path(__file__).resolve().parent.parent / "gallery"
CASES = {
    "double-pendulum": "l1,g,m2,l2",
    "rods-2": "g,m,v",
    "rods-12": "g,m,v",
    "ball": "g,e,w",
    "string-pendulum": "g,L,k",
    "bars": "g,m,s",
    "gallery:noisy-pendulum": "g,L,c,start",
    "gallery:foucault-pendulum": "g,L,W,x",
    "gallery:lagrange-top": "g,m,l,A",
    "gallery:sleigh": "m,a,I",
    "gallery:rolling-coin": "m,R,I,k",
    "gallery:snakeboard": "m,l,J,swing",
    "gallery:bricard": "g,m,c",
    "gallery:linear-complex-gravity": "g,k,r,out",
    "gallery:three-magnets": "k,c,d2,x0",
    "gallery:swinging-atwood": "g,L,swing",
    "gallery:falling-chain": "g,L,h,side",
    "gallery:chain-meets-beam": "g,L,fall",
    "gallery:crane": "g,L,U,A",
    "gallery:whip": "L,A,W,taper",
    "gallery:bowl": "g,e",
    "gallery:secular-growth": "m,c,b,g",
}


def count(bench, model, parameters, stage):
    file = str(GALLERY / model.split(":")[1] / "model.toml") if model.startswith("gallery:") else model
    with tempfile.TemporaryDirectory() as room:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={room}/out", bench, "--once", file, ",".join(parameters), str(stage)],
            capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found and done.returncode == 0 else None




def main():
    programs = sys.argv[1].split(",")
    models = sys.argv[2:] or list(CASES)
    print(f"{'model':32} {'p':>2}" + "".join(f" {'motion':>12} {'along':>8}" for _ in programs))
    for model in models:
        names = CASES[model].split(",")
        alone = []
        for bench in programs:
            empty, motion = (count(bench, model, names[:1], stage) for stage in (0, 1))
            alone.append(None if motion is None else motion - empty)
        for p in (1, 2, 4):
            parameters = names[:p]
            if p > 1 and len(parameters) <= p // 2:
                continue
            line = f"{model:32} {len(parameters):2}"
            for bench, motion in zip(programs, alone):
                slopes, along = (count(bench, model, parameters, stage) for stage in (2, 3))
                if motion is None or along is None:
                    line += f" {'-':>12} {'-':>8}"
                    continue
                line += f" {motion:12} {(along - slopes) / motion / len(parameters):8.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()

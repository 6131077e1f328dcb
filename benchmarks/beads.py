#!/usr/bin/env python3
"""A hundred beads one on the other on a wire: MuJoCo's native step beside the one that bench_stepping measures.

Every bead is a sphere on a slide joint without friction; contacts are as stiff as the step allows, so that each bead touches the next ones alone.
Printed are microseconds of processor time per step of 1e-3 at rest, contacts, and how deep the deepest is entered, as a length; beads are 0.02 wide.

    python3 benchmarks/beads.py [--bench build/bench/bin/bench_stepping]

Without the package `mujoco` only the other one is run.
"""

from __future__ import annotations

import argparse
import subprocess
import time

try:
    import mujoco
except ImportError:
    mujoco = None

BEADS = 100
RADIUS = 0.01
STEPS = 2000


def model_text(solref: str) -> str:
    """Beads above a floor."""
    geom = f'mass="0.01" condim="1" solref="{solref}"'
    beads = "".join(
        f'<body pos="0 0 {RADIUS * (2 * k + 1)!r}"><joint type="slide" axis="0 0 1"/><geom type="sphere" size="{RADIUS}" {geom}/></body>'
        for k in range(BEADS)
    )
    return (
        '<mujoco><option timestep="1e-3" gravity="0 0 -9.81"/><worldbody>'
        f'<geom type="plane" size="1 1 .1" condim="1" solref="{solref}"/>{beads}</worldbody></mujoco>'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", help="the program bench_stepping, whose first case are the same beads")
    arguments = parser.parse_args()
    if mujoco is None:
        print("(no package mujoco)")
    else:
        for solref in ("0.002 1", "-1e6 -1e3"):
            model = mujoco.MjModel.from_xml_string(model_text(solref))
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, STEPS)
            start = time.process_time()
            mujoco.mj_step(model, data, STEPS)
            each = (time.process_time() - start) / STEPS
            deepest = max((-contact.dist for contact in data.contact), default=0.0)
            print(f"mujoco {mujoco.__version__}, solref {solref}: {1e6 * each:.1f} us per step, {data.ncon} contacts, entered by {deepest:.1e}")
    if arguments.bench:
        print(subprocess.run([arguments.bench, "0"], check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()

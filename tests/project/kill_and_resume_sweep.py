#!/usr/bin/env python3
"""Kill a sweep again and again (kill -9), resume it, and compare with the one that was left alone: every line must agree.

Usage: kill_and_resume_sweep.py ZWANG [--kills N] [--seed N] [--mpirun]

With --mpirun the processes are those of mpirun, and what is killed is one of them or mpirun itself, whichever the dice say.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

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
other = { condition = "ball.x >= 0", restitution = "e" }

[simulation]
until = 6
"""
SWEEP = ["sweep", "ball.toml", "--over", "e=0.7,0.8,0.9", "--over", "h~normal(1,0.1)", "--over", "g~sobol(9,11)", "--count", "1500",
         "--record", "ball.x", "--record", "max(ball.y)", "--record", "count(impact)", "--record", "time(impact wall, 2)", "--quiet"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"]


def lines(path):
    """The table."""
    with sqlite3.connect(path) as base:
        return base.execute("SELECT * FROM samples ORDER BY sample").fetchall()


def children(pid):
    """Processes that a process started."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("zwang")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpirun", action="store_true")
    options = parser.parse_args()
    if options.mpirun and shutil.which("mpirun") is None:
        print("skipped: there is no mpirun here")
        return 77
    zwang = str(pathlib.Path(options.zwang).resolve())
    start = MPIRUN if options.mpirun else []
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "ball.toml").write_text(MODEL)
        begin = time.monotonic()
        subprocess.run([zwang, *SWEEP, "--out", "whole", "--jobs", "1"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        whole_time = time.monotonic() - begin
        whole = lines(folder / "whole" / "ball-sweep.sqlite")
        file = folder / "out" / "ball-sweep.sqlite"
        kept = [0]
        kills = 0
        started = 0.5 if options.mpirun else 0  # until the processes of mpirun are at work
        while True:
            command = [*start, zwang, *SWEEP] if kept[-1] == 0 else [*start, zwang, "sweep", "--resume", str(file), "--quiet"]
            child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                if kills >= options.kills:
                    child.wait(timeout=900)
                else:
                    child.wait(timeout=dice.uniform(0.05, 0.25) * whole_time + started)
            except subprocess.TimeoutExpired:
                if kills >= options.kills:
                    raise
                kills += 1
                ranks = children(child.pid)
                victim = dice.choice([child.pid, *ranks]) if options.mpirun else child.pid
                os.kill(victim, signal.SIGKILL)
                try:
                    child.wait(timeout=600)
                finally:
                    # Processes of mpirun that survive it a little.
                    deadline = time.monotonic() + 300
                    while any(pathlib.Path(f"/proc/{rank}").exists() for rank in ranks) and time.monotonic() < deadline:
                        time.sleep(0.05)
            if not file.exists() or file.stat().st_size == 0:
                continue
            now = lines(file)
            if now != whole[: len(now)] or len(now) < kept[-1]:
                print(f"after {kills} kills the first {len(now)} lines are not those of the sweep left alone")
                return 1
            kept.append(len(now))
            if len(now) == len(whole) and kills == 0 < options.kills:
                # The machine has less to do than when the time was taken: once more, and sooner.
                whole_time, started, kept = whole_time / 2, started / 2, [0]
                shutil.rmtree(file.parent)
            elif len(now) == len(whole):
                break
        print(f"{kills} kills; samples kept: {kept}; the table is the one of the sweep left alone")
        if options.mpirun:
            return 0
        # A polite request keeps what is done and says how to go on.
        child = subprocess.Popen([zwang, *SWEEP, "--out", "polite"], cwd=folder, stdout=subprocess.PIPE, text=True)
        table = folder / "polite" / "ball-sweep.sqlite"
        while child.poll() is None and not (table.exists() and table.stat().st_size > 0):
            time.sleep(0.001)
        time.sleep(0.2 * whole_time)
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=600)[0]
        if child.returncode not in (0, 130) or (child.returncode == 130 and "--resume" not in told):
            print(f"an interrupted sweep ended with status {child.returncode} and said: {told}")
            return 1
        subprocess.run([zwang, "sweep", "--resume", "polite/ball-sweep.sqlite", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return 0 if lines(table) == whole else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Kill a run again and again (kill -9), resume it, and compare with the run that was left alone: every bit must agree.

Usage: kill_and_resume.py ZWANG [--kills N] [--seed N] [--seconds S]

Then as many kills again while tables, figures and the page of the finished run are written: the run stays as it is, and what has its final name is
whole. And two programs on one file: the second one is refused, takes another name or reads, and the first one's run is the one left alone.
"""

import argparse
import hashlib
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

MODEL = """title = "A ball in a box, a double pendulum beside it"
gravity = [0, -9.81]

[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [1, 0]

[points.p1]
mass = 1
position = [5, -1]
velocity = [2, 0]

[points.p2]
mass = 1
position = [5, -2]
velocity = [-1, 0]

[constraints]
floor = { condition = "ball.y >= 0", restitution = 1 }
left  = { condition = "ball.x >= 0", restitution = 1 }
right = { condition = "ball.x <= 1", restitution = 1 }
rod1  = "distance(p1, [5, 0]) = 1"
rod2  = "distance(p1, p2) = 1"

[outputs]
height = "ball.y"

[simulation]
samples = 1001
"""

TABLES = ["options", "variables", "rows", "pieces", "events", "event_rows", "samples", "outputs"]


def contents(path):
    """Everything a run file says, but for the time it took and how often it was kept."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        result = {table: base.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}
        cursor = base.execute("SELECT * FROM run")
        names = [column[0] for column in cursor.description]
        apart = ("seconds", "file", "count_checkpoints", "checksum")  # the sum is over all of them
        result["run"] = {name: value for name, value in zip(names, cursor.fetchone()) if name not in apart}
        result["checkpoint"] = base.execute("SELECT state FROM checkpoints ORDER BY number DESC LIMIT 1").fetchone()
    return result


def one(path, question):
    """The answer to a question that has one number; opened for writing, since the journal of a killed run is to be undone."""
    with sqlite3.connect(path) as base:
        return base.execute(question).fetchone()[0]


class Trial:
    def __init__(self, zwang, folder, until):
        self.zwang = zwang
        self.folder = folder
        self.until = until
        self.file = folder / "out" / "box.sqlite"

    def command(self, checkpoint):
        """A new run if nothing was kept yet, otherwise its continuation."""
        options = ["--quiet", "--checkpoint", str(checkpoint)]
        if self.file.exists() and self.file.stat().st_size > 0:
            return [self.zwang, "run", "--resume", self.file, *options]
        return [self.zwang, "run", "box.toml", "--until", repr(self.until), *options]

    def run_for(self, seconds, checkpoint):
        """Start or resume, then kill; gives whether it was still running."""
        with subprocess.Popen(self.command(checkpoint), cwd=self.folder, stdout=subprocess.DEVNULL) as child:
            time.sleep(seconds)
            running = child.poll() is None
            child.send_signal(signal.SIGKILL)
        return running

    def finish(self, checkpoint):
        result = subprocess.run(self.command(checkpoint), cwd=self.folder, text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0 or result.stdout.strip() != "finished":
            raise SystemExit(f"resuming ended with status {result.returncode}: {result.stdout}")


def kill_while_telling(trial, wanted, kills, draw):
    """Kills while tables, figures and page are made of a finished run; gives what went wrong."""
    words = [trial.zwang, "run", "--resume", trial.file, "--quiet", "--csv", "--svg"]
    folder = trial.file.parent

    def told():
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}

    begin = time.monotonic()
    subprocess.run(words, cwd=trial.folder, check=True, stdout=subprocess.DEVNULL)
    duration = time.monotonic() - begin
    whole = told()
    cut = 0
    for number in range(kills):
        for path in folder.iterdir():
            # Now and then an older file stands where the new one goes.
            if path != trial.file and draw.random() < 0.7:
                path.unlink()
        with subprocess.Popen(words, cwd=trial.folder, stdout=subprocess.DEVNULL) as child:
            time.sleep(draw.uniform(0.0, 1.1 * duration))
            cut += child.poll() is None
            child.send_signal(signal.SIGKILL)
        for name, content in told().items():
            if name != trial.file.name and not name.endswith(".part") and content != whole.get(name):
                return f"killed while telling ({number}): {name} is not what it should be"
    subprocess.run(words, cwd=trial.folder, check=True, stdout=subprocess.DEVNULL)
    if told() != whole:
        return f"after {kills} kills while telling: {sorted(told())} instead of {sorted(whole)}"
    for key, value in wanted.items():
        if contents(trial.file)[key] != value:
            return f"after {kills} kills while telling {key} differs"
    print(f"{kills} kills while telling, {cut} of them before the end: every file is whole, the run is the same")
    return ""


def two_at_once(trial, wanted):
    """Two programs on one file; gives what went wrong, nothing at all if they did not meet."""
    folder = trial.file.parent
    for path in folder.iterdir():
        path.unlink()
    with subprocess.Popen(trial.command(0.1), cwd=trial.folder, stdout=subprocess.DEVNULL) as first:
        while first.poll() is None and not (trial.file.exists() and trial.file.stat().st_size > 0):
            time.sleep(0.001)
        # It pauses, so that it cannot end meanwhile. If it has ended already, where the machine is busy, this is to be tried once more.
        first.send_signal(signal.SIGSTOP)
        if first.poll() is not None:
            return None if first.returncode == 0 else f"the first of two runs ended with status {first.returncode}"
        second = subprocess.run([trial.zwang, "run", "--resume", trial.file, "--quiet"], cwd=trial.folder, check=False,
                                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        third = subprocess.run([trial.zwang, "run", "box.toml", "--until", "1", "--quiet", "--no-report"],
                               cwd=trial.folder, check=False, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        first.send_signal(signal.SIGCONT)
        looked = subprocess.run([trial.zwang, "view", trial.file, "--no-open", "--out", "looked"], cwd=trial.folder,
                                check=False, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        if first.wait() != 0:
            return f"the first of two runs ended with status {first.returncode}"
    if second.returncode != 2 or "another run is writing this file" not in second.stderr:
        return f"a second program went on with a file that is being written: {second}"
    if looked.returncode != 0 and "holds no motion yet" not in looked.stderr:
        return f"a run that is being written cannot be looked at: {looked}"
    if third.returncode != 0 or not (folder / "box-2.sqlite").exists():
        return f"a second run of the same name: {third}, {sorted(folder.iterdir())}"
    for key, value in wanted.items():
        if contents(trial.file)[key] != value:
            return f"with a second program beside it {key} differs from the run left alone"
    print("two programs on one file: refused, beside it, read; the run is the one left alone")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zwang", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long the run takes when left alone")
    options = parser.parse_args()
    zwang = options.zwang.resolve()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "box.toml").write_text(MODEL)

        # How far does it get in the time wanted?
        probe = Trial(zwang, folder, 50.0)
        begin = time.monotonic()
        probe.finish(2)
        until = round(50.0 * options.seconds / (time.monotonic() - begin), 3)
        probe.file.unlink()

        # Left alone.
        alone = Trial(zwang, folder, until)
        alone.finish(2)
        wanted = contents(alone.file)
        alone.file.unlink()

        # Killed at random moments; work must not get lost for ever, so stretches are longer than the time between checkpoints.
        trial = Trial(zwang, folder, until)
        kills = 0
        begin = time.monotonic()
        while kills < options.kills:
            longest = 1.6 * options.seconds / options.kills
            running = trial.run_for(draw.uniform(0.0, longest), checkpoint=longest / 10)
            kills += 1
            if not running and kills < options.kills:
                trial.file.unlink()
        trial.finish(2)
        got = contents(trial.file)
        for key, value in wanted.items():
            if got[key] != value:
                print(f"after {kills} kills {key} differs from the run left alone")
                return 1
        left = sorted(path.name for path in trial.file.parent.iterdir())
        if left != ["box.html", "box.sqlite"]:
            print(f"files left behind: {left}")
            return 1
        print(f"{kills} kills in {time.monotonic() - begin:.1f} s, until t = {until}: {len(got['pieces'])} pieces, "
              f"{len(got['events'])} events and {len(got['samples'])} samples agree in every bit")

        wrong = kill_while_telling(trial, wanted, options.kills, draw)
        while not wrong and (wrong := two_at_once(trial, wanted)) is None:
            pass
        if wrong:
            print(wrong)
            return 1

        # With the checkpoints that everybody gets, no more than five seconds are lost.
        if options.kills >= 50:
            trial.file.unlink()
            trial.until = until * 100
            trial.run_for(8.0, checkpoint=2)
            kept = one(trial.file, "SELECT coalesce(seconds, 0) FROM run")
            print(f"killed after 8.0 s: {kept:.1f} s of work are kept")
            if kept < 3.0:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

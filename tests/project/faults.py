#!/usr/bin/env python3
"""The n-th allocation, write, flush, rename, removal fails: what the command says and what it leaves behind.

Usage: faults.py ZWANG SHIM [--every | --points N] [--only SCENE] [--jobs N]

For n = 1, 2, 3, ... until the command comes through (a sample of those n without --every), once with the n-th call alone and once with all
after it, the following must hold: no crash, no hang, status 5 with a sentence (or 0, and then the answer of the undisturbed command); every file
under its final name is the undisturbed one, byte for byte; no other file is left, unless removing was what failed; a run file is
absent or goes on to the bits of the undisturbed run; and the next try, with nothing in its way, gives the undisturbed files.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

MODEL = """title = "Ball and bob"
gravity = [0, "-g"]
[parameters]
g = 9
e = 0.8
[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [1, 0]
[points.bob]
mass = 2
position = [6, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
rod = "distance(bob, [5, 0]) = 1"
[outputs]
height = "ball.y"
[simulation]
until = 0.9
samples = 6
tolerance = 1e-8
"""

# Two laws that differ need a condition on velocities.
SKATE = """title = "Skate"
[coordinates.x]
initial = 0
velocity = 0.5
[coordinates.y]
initial = 0
[coordinates.w]
initial = 0
velocity = 1
[energy]
kinetic = "(x'^2 + y'^2 + w'^2)/2"
potential = "x/2"
[constraints]
blade = "x'*sin(w) = y'*cos(w)"
[simulation]
until = 0.4
samples = 3
"""

DATA = """t,height
0.1,0.65
0.3,0.3
0.5,0.2
0.8,0.45
"""

FILES = {"m.toml": MODEL, "n.toml": SKATE, "d.csv": DATA}
TABLES = ["options", "variables", "rows", "pieces", "events", "event_rows", "samples", "outputs"]
READS = 1000  # calls for each point, where all can fail in one go
LASTING = 300  # of each kind so many n at most are tried with all calls after them failing, too
PATIENCE = 600  # seconds after which a command hangs
KINDS = ["alloc", "write", "cut", "sync", "rename", "unlink", "open", "read"]


@dataclasses.dataclass
class Scene:
    name: str
    words: list  # of the command
    before: list = dataclasses.field(default_factory=list)  # words of the command that prepares the folder
    before_fails: str = ""  # a call that fails meanwhile
    runs: tuple = ()  # the run files and the files of sweeps
    again: list = dataclasses.field(default_factory=list)  # words that go on with one of them, which stands before these
    may_be_absent: bool = True  # the run files, afterwards
    loose: tuple = ()  # files that tell how long the run took: looked at, not compared
    most: int = 10**6  # failing calls of a kind that are tried, where the other scenes try them, too
    few: int = 10**6  # the same without --every


RUN = "out/m.sqlite"
READING = [["check", "m.toml"], ["check", "m.toml", "--json"], ["accelerate", "m.toml"],
           ["accelerate", "m.toml", "--exact"], ["explain", "m.toml"], ["impact", "m.toml"], ["equations", "m.toml"],
           ["analyze", "stability", "m.toml", "--find"],
           ["fit", "m.toml", "d.csv", "--free", "g", "--no-report", "--json"]]
TABLE = ["--over", "g=8,9", "--over", "e=0.5,0.8", "--record", "max(ball.y)", "--record", "count(impact)", "--quiet"]
SWEPT = ("out/m-g=8.sqlite", "out/m-g=9.sqlite")
FEW = 5
COMPARED = ("out/n-straightest.sqlite", "out/n-variational.sqlite")
WRITING = [
    Scene("run", ["run", "m.toml", "--quiet", "--no-report", "--csv", "--svg"], runs=(RUN,), again=["--csv", "--svg"]),
    Scene("resume", ["run", "--resume", RUN, "--until", "1.2", "--quiet", "--no-report", "--csv"],
          before=["run", "m.toml", "--quiet", "--no-report", "--csv"], runs=(RUN,), again=["--until", "1.2", "--csv"],
          may_be_absent=False),
    Scene("view", ["view", RUN, "--no-open"], before=["run", "m.toml", "--quiet", "--no-report"], runs=(RUN,), may_be_absent=False),
    Scene("report", ["run", "m.toml", "--quiet"], runs=(RUN,), loose=("out/m.html",), most=1000),
    Scene("sweep", ["run", "m.toml", "--vary", "g=8,9", "--quiet"], runs=SWEPT, loose=("out/m-g.html",), most=1000),
    Scene("table", ["sweep", "m.toml", *TABLE, "--jobs", "1", "--csv"], runs=("out/m-sweep.sqlite",), again=["--csv"], few=FEW),
    Scene("table-by-two", ["sweep", "m.toml", *TABLE, "--jobs", "2"], runs=("out/m-sweep.sqlite",), most=300, few=FEW),
    # The disk was full before the first samples were kept.
    Scene("table-resume", ["sweep", "--resume", "out/m-sweep.sqlite", "--quiet", "--jobs", "1", "--csv"],
          before=["sweep", "m.toml", *TABLE, "--jobs", "1"], before_fails="sync 1 on", runs=("out/m-sweep.sqlite",), again=["--csv"],
          may_be_absent=False, few=FEW),
    Scene("table-view", ["view", "out/m-sweep.sqlite", "--no-open"], before=["sweep", "m.toml", *TABLE], runs=("out/m-sweep.sqlite",),
          may_be_absent=False, most=1000, few=FEW),
    Scene("fit", ["fit", "m.toml", "d.csv", "--free", "g", "--quiet"], most=1000, few=FEW),
    Scene("compare", ["compare", "n.toml", "--quiet", "--no-report", "--csv"], runs=COMPARED, again=["--csv"], most=2000, few=FEW),
    Scene("compare-report", ["compare", "n.toml", "--quiet"], runs=COMPARED, loose=("out/n-laws.html",), most=1000, few=FEW),
    Scene("repair", ["check", "m.toml", "--repair", "--out", "out"]),
]


def is_sweep(path):
    return str(path).endswith("-sweep.sqlite")


def told(path):
    """All that a run file or the file of a sweep says, but for the time it took and how often it was kept."""
    sweep = is_sweep(path)
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as base:
        tables = ["options", "samples", "failures"] if sweep else TABLES
        parts = [base.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
        cursor = base.execute(f"SELECT * FROM {'sweep' if sweep else 'run'}")
        names = [column[0] for column in cursor.description]
        apart = ("seconds", "count_checkpoints", "chunks", "checksum")
        parts.append([value for name, value in zip(names, cursor.fetchone()) if name not in apart])
        if not sweep:
            parts.append(base.execute("SELECT state FROM checkpoints ORDER BY number DESC LIMIT 1").fetchone())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class Failure(Exception):
    pass


class Faults:
    def __init__(self, zwang, shim, folder):
        self.zwang, self.shim, self.folder = zwang, shim, folder

    def call(self, folder, words, orders=None, report=None, patience=PATIENCE):
        environment = dict(os.environ)
        if orders:
            environment.update(LD_PRELOAD=str(self.shim), ZWANG_FAULT=orders, ZWANG_FAULT_REPORT=str(report))
            if "--json" in words:
                environment.update(ZWANG_FAULT_BOTH="1")
        try:
            return subprocess.run([self.zwang, *words], cwd=folder, env=environment, capture_output=True, check=False,
                                  timeout=patience, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"it hangs: {late}") from None

    def plain(self, folder):
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text)
        return folder

    def fresh(self, name, scene=None):
        """A folder with the models, and with what the scene begins from."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        if not scene or not scene.before:
            return self.plain(folder)
        start = self.folder / f"{scene.name}-before"
        if not start.exists():
            self.plain(start)
            done = self.call(start, scene.before, scene.before_fails, self.folder / "before.report")
            if not scene.before_fails:
                self.must(done, "before")
            elif done.returncode != 5 or not all((start / run).exists() for run in scene.runs):
                raise Failure(f"before: {done}")
        shutil.copytree(start, folder)
        return folder

    def content(self, folder, name, scene):
        path = folder / name
        if name in scene.runs:
            return told(path)
        if name in scene.loose:
            if not path.read_text().rstrip().endswith("</html>"):
                raise Failure(f"{name} is not whole")
            return "whole"
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def names(self, folder):
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def bytes(self, folder):
        return {name: hashlib.sha256((folder / name).read_bytes()).digest() for name in self.names(folder)}

    def files(self, folder, scene):
        """Every file of the folder: what it says."""
        return {name: self.content(folder, name, scene) for name in self.names(folder)}

    def must(self, result, what):
        if result.returncode != 0:
            raise Failure(f"{what}: status {result.returncode}: {result.stderr.decode(errors='replace')}")

    def reads_alone(self, words, stride):
        """A command that writes nothing: every failing call in a child of its own."""
        folder = self.fresh("-".join(words).replace(".", "").replace("/", ""))
        undisturbed = self.call(folder, words)
        report = folder / "report"
        trials = 0
        for orders in ("alloc 1 each {}", "alloc 1 each {} on", "open 1 each 1", "read 1 each 1", "write 1 each 1"):
            report.unlink(missing_ok=True)
            result = self.call(folder, words, orders.format(stride), report, 3 * PATIENCE)
            if result.returncode != undisturbed.returncode or result.stdout != undisturbed.stdout:
                raise Failure(f"{words}: the shim disturbs it: {result}")
            for line in report.read_text().splitlines():
                number, status, size = map(int, line.split())
                if number < 0:
                    continue
                trials += 1
                if status == undisturbed.returncode:
                    # Some can do without it: then all is as it was.
                    one = self.call(folder, words, f"{orders.split()[0]} {number}", folder / "again")
                    if one.returncode == status and one.stdout == undisturbed.stdout:
                        continue
                if status != 5 or size < 10:
                    one = self.call(folder, words, f"{orders.split()[0]} {number}", folder / "again")
                    raise Failure(f"{words}: {orders.split()[0]} {number} fails: status {status}, {size} bytes of words: "
                                  f"{one.stderr.decode(errors='replace')}")
        return trials

    def one(self, scene, kind, number, on, wanted, place):
        """One failing call; false when the command made fewer of them."""
        folder = self.fresh(place, scene)
        before = self.files(folder, scene)
        bytes_before = self.bytes(folder)
        report = self.folder / f"{place}.report"
        report.unlink(missing_ok=True)
        result = self.call(folder, scene.words, f"{kind} {number}{' on' if on else ''}", report)
        words = result.stderr.decode(errors="replace")
        said = f"status {result.returncode}: {words!r}"
        if result.returncode < 0 or not report.exists():
            raise Failure(f"it crashed, {said}")
        account = report.read_text().split()
        # A library that may not throw where memory is missing ends the program at once, which keeps no account.
        if len(account) != 3 and (kind != "alloc" or result.returncode != 5):
            raise Failure(f"it ended without an account, {said}")
        failed = int(account[2]) if len(account) == 3 else 1
        if result.returncode not in (0, 5):
            raise Failure(said)
        if result.returncode == 5 and (len(words) < 10 or not words.endswith("\n") or "std::" in words):
            raise Failure(f"no sentence, {said}")
        if "damaged" in words and kind != "read":
            raise Failure(f"a file is called damaged that is not, {said}")

        # What is there is whole.
        left = self.names(folder)
        strange = [name for name in left if name not in wanted]
        if strange and kind != "unlink" and not (on and any(name.endswith("-journal") for name in strange)):
            raise Failure(f"left behind: {strange}, {said}")
        for name in left:
            if name in strange or name in scene.runs:
                continue
            if self.content(folder, name, scene) not in (wanted[name], before.get(name)):
                raise Failure(f"{name} is another one, {said}")
        if result.returncode == 0 and failed > 0 and left != sorted(wanted) and kind != "unlink":
            raise Failure(f"answered, but {sorted(set(wanted) - set(left))} are missing")

        # As if nothing had been tried: then there is nothing more to ask.
        if result.returncode == 5 and self.bytes(folder) == bytes_before:
            return failed > 0

        # A run goes on to the same bits, or is not there.
        for run in scene.runs:
            if not (folder / run).exists():
                if scene.may_be_absent:
                    continue
                raise Failure(f"the run file is gone, {said}")
            words = ["sweep", "--resume", run, "--quiet"] if is_sweep(run) else ["run", "--resume", run, "--quiet", "--no-report"]
            gone_on = self.call(folder, [*words, *scene.again])
            # A file that was begun in vain and could not be removed says so.
            if not (kind == "unlink" and on and b"start it anew" in gone_on.stderr):
                self.must(gone_on, f"going on, after {said}")
            elif not scene.may_be_absent:
                raise Failure(f"the run is gone, {said}")
            if gone_on.returncode == 0 and told(folder / run) != wanted[run]:
                raise Failure(f"the run goes on to other bits, after {said}")
        self.must(self.call(folder, scene.words), f"the next try, after {said}")
        if self.files(folder, scene) != wanted:
            raise Failure(f"the next try leaves other files, after {said}")
        return failed > 0

    def count(self, scene, kind):
        folder = self.fresh("count", scene)
        report = self.folder / "count.report"
        report.unlink(missing_ok=True)
        self.must(self.call(folder, scene.words, f"{kind} 0", report), "counting")
        return int(report.read_text().split()[1])

    def undisturbed(self, scene):
        folder = self.fresh("undisturbed", scene)
        self.must(self.call(folder, scene.words), "undisturbed")
        return self.files(folder, scene)


def numbers(count, points):
    """Which of so many calls fail: all, or some at the beginning, at the end and between."""
    if count <= points:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (points - 1)) for k in range(points)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zwang", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("--every", action="store_true", help="every n")
    parser.add_argument("--points", type=int, default=12, help="how many n of each kind without --every")
    parser.add_argument("--only", help="one scene")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    begin = time.monotonic()
    failures = []
    trials = 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where no flush waits for a disk
    with tempfile.TemporaryDirectory(prefix="zwang-faults-", dir=memory) as name, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as crew:
        faults = Faults(options.zwang.resolve(), options.shim.resolve(), pathlib.Path(name))
        waiting = []
        for words in READING:
            if options.only in (None, words[0]):
                stride = 1 if options.every else max(1, READS // options.points)
                waiting.append((" ".join(words), crew.submit(faults.reads_alone, words, stride)))
        for scene in WRITING:
            if options.only not in (None, scene.name):
                continue
            wanted = faults.undisturbed(scene)
            for kind in KINDS:
                count = faults.count(scene, kind)
                points = min(count, scene.most) if options.every else min(options.points, scene.few)
                some = numbers(count, min(points, LASTING))
                for number in sorted({*numbers(count, points), *some}):
                    for on in (False, True) if number in some else (False,):
                        place = f"{scene.name}-{kind}-{number}{'-on' if on else ''}"

                        def trial(scene=scene, kind=kind, number=number, on=on, wanted=wanted, place=place):
                            done = faults.one(scene, kind, number, on, wanted, place)
                            shutil.rmtree(faults.folder / place)
                            (faults.folder / f"{place}.report").unlink(missing_ok=True)
                            return 1 if done else 0

                        waiting.append((f"{scene.name}: {kind} {number}{' and on' if on else ''}", crew.submit(trial)))
        for what, future in waiting:
            try:
                trials += future.result()
            except Failure as failure:
                failures.append(what)
                print(f"{what}: {failure}", flush=True)
                if len(failures) > 40:
                    break
        for _, future in waiting:
            future.cancel()
    print(f"{trials} calls failed in {time.monotonic() - begin:.1f} s, {len(failures)} of them without the order wanted")
    return 1 if failures or trials == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

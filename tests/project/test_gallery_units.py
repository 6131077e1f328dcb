#!/usr/bin/env python3
"""The models of the gallery in other units: the same bits, scaled.

Each model is written with lengths, times and masses times powers of two, two and four, and run; every number of the answer must be that of a
first choice of units times the power of two that its dimension asks for, bit by bit, with the same steps and the same events.

Usage: test_gallery_units.py ZWANG [MODEL...]; ZWANG_SEED and ZWANG_COUNT choose other units than those of the test, and more of them.
"""

import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "scripts"))
import rescale_model  # noqa: E402

# Too long for a test.
LONG = {"sheared-net"}
SECONDS = 600
# What a smaller system shows as well: in other units no condition is one between two discs that the crowds know, so everything is one motion.
SMALLER = {"gas-of-discs": {"side": 5}, "gas-with-a-piston": {"side": 4}, "two-gases-mixing": {"side": 3, "hole": 0.6}}


class Run:
    """The answer of a run of a model in given units."""

    def __init__(self, zwang, folder, model, units):
        self.units = rescale_model.Units(model, *units)
        file = pathlib.Path(folder) / "model.toml"
        file.write_text(rescale_model.toml_of(rescale_model.rescaled(model, *units)))
        done = subprocess.run([zwang, "run", str(file), "--json", "--no-report", "--out", folder], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        self.answer = json.loads(done.stdout)
        self.velocity_conditions = set()
        self.flow = "flow" in model
        asked = subprocess.run([zwang, "check", str(file), "--json"], capture_output=True, text=True, timeout=SECONDS, check=False)
        for name, one in json.loads(asked.stdout).get("constraints", {}).items():
            if one["kind"].startswith("nonholonomic"):
                self.velocity_conditions.add(name)

    def numbers(self):
        """(place, number, exponent of two of its unit) of everything in the answer that is to scale."""
        u, answer = self.units, self.answer
        yield "status", answer.get("status", str(answer)[:80]), 0
        if "final" not in answer:
            return
        yield "steps", answer["steps"], 0
        yield from self.state("final", answer["final"])
        for k, event in enumerate(answer.get("events", [])):
            place = f"event {k}"
            yield place + " kind", event["kind"] + " " + " ".join(event["constraints"]), 0
            yield from self.state(place, event)
            for name, value in event.get("impulses", {}).items():
                yield f"{place} impulse {name}", value, u.energy + (0 if name in self.velocity_conditions else u.time)
        for key in ("initial", "work", "lost", "final"):
            if "energy" in answer:
                yield "energy " + key, answer["energy"][key], u.energy
        for name, value in answer["final"].get("outputs", {}).items():
            yield "output " + name, value, 0

    def state(self, place, state):
        u = self.units
        yield place + " time", state["time"], u.time
        for key, by in (("positions", 0), ("velocities", -u.time)):
            for name, value in state.get(key, {}).items():
                point = re.match(r"\w+", name).group() in u.points
                for i, x in enumerate(value if isinstance(value, list) else [value]):
                    yield f"{place} {key} {name} {i}", x, by + (u.length if point else 0)
        for name, value in state.get("multipliers", {}).items():
            if self.flow:
                yield f"{place} multiplier {name}", value, -u.time
                continue
            # What is implied by several conditions is an equation between lengths.
            per = u.length if name.startswith("implied") else u.time if name in self.velocity_conditions else 0
            yield f"{place} multiplier {name}", value, u.energy - per


def difference(first, second):
    """The first place at which two runs are not the same, or nothing."""
    a, b = list(first.numbers()), list(second.numbers())
    for (place, x, i), (other, y, j) in zip(a, b):
        if place != other:
            return f"{place} in one, {other} in the other"
        if isinstance(x, str) or isinstance(y, str):
            if x != y:
                return f"{place}: {x} and {y}"
        elif math.ldexp(x, -i) != math.ldexp(y, -j):
            return f"{place}: {math.ldexp(x, -i)!r} and {math.ldexp(y, -j)!r}"
    return "" if len(a) == len(b) else f"{len(a)} numbers and {len(b)}"


def main():
    zwang, names = sys.argv[1], sys.argv[2:]
    seed, count = os.environ.get("ZWANG_SEED", "1"), int(os.environ.get("ZWANG_COUNT", "1"))
    failures = 0
    tried = 0
    for path in sorted((SOURCE / "gallery").glob("*/model.toml")):
        name = path.parent.name
        chance = random.Random(f"{name} {seed}")
        units = [(chance.randint(-60, 60), chance.randint(-60, 60), chance.randint(-30, 30)) for _ in range(count)]
        if name not in names if names else name in LONG:
            continue
        model = tomllib.loads(path.read_text())
        for parameter, value in SMALLER.get(name, {}).items():
            assert parameter in model["parameters"], f"{name} has no {parameter}"
            model["parameters"][parameter] = value
        try:
            with tempfile.TemporaryDirectory() as folder:
                first = Run(zwang, folder, model, (1, 1, 1))
                found = [(one, difference(first, Run(zwang, folder, model, one))) for one in units]
        except rescale_model.Cannot as why:
            print(f"{name}: left out, it {why}")
            continue
        except subprocess.TimeoutExpired:
            print(f"{name}: takes more than {SECONDS} s")
            continue
        tried += 1
        wrong = [f"L 2^{one[0]}, T 2^{one[1]}, M 4^{one[2]}: {what}" for one, what in found if what]
        if wrong:
            failures += 1
            print(f"{name}: " + "; ".join(wrong))
    print(f"{tried} models, {failures} failures")
    return 1 if failures or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

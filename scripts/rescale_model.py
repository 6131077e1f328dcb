#!/usr/bin/env python3
"""The same model in other units: lengths times L, times times T, masses times M.

Wherever a formula names a point, a velocity or t, it gets what it would have been in the old units, a/L, a'*T/L, t/T, and what it gives is
brought into the new ones. With powers of two for L and T and powers of four for M nothing of this rounds. Generalized coordinates keep their
numbers, only their time changes; so energies, generalized forces and multipliers of conditions on positions scale with E = M L^2 / T^2.

Usage: rescale_model.py MODEL.toml LOG2_L LOG2_T LOG4_M
"""

import math
import re
import sys
import tomllib

KNOWN = {"title", "gravity", "parameters", "points", "coordinates", "energy", "constraints", "impulses", "seizures", "releases",
         "outputs", "simulation", "view", "flow", "free"}
KINDS = {"force", "position", "velocity", "mass", "count", "initial"}


class Cannot(Exception):
    """The model has something that this script does not know the units of."""


def power(exponent):
    return repr(math.ldexp(1.0, exponent))


class Units:
    def __init__(self, model, length, time, mass):
        self.length, self.time, self.mass = length, time, 2 * mass
        self.points = set(model.get("points", {}))
        self.coordinates = set(model.get("coordinates", {}))
        names = sorted(self.points | self.coordinates | {"t"}, key=len, reverse=True)
        self.name = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, names)) + r")(?![\w(])(\[[^\]]*\])?(\.[xyz]\b)?(')?")

    def of(self, formula):
        """A formula of the new variables with the values it had for the old ones."""
        def one(found):
            name, member, component, rate = found.groups()
            whole = found.group()
            if name == "t" and not (member or component or rate):
                return f"(t*{power(-self.time)})"
            if name in self.points:
                return f"({whole}*{power(self.time - self.length if rate else -self.length)})"
            return f"({whole}*{power(self.time)})" if rate else whole
        return self.name.sub(one, formula) if isinstance(formula, str) else formula

    def times(self, value, exponent):
        """A number, a formula or a list of them, times a power of two."""
        if isinstance(value, list):
            return [self.times(one, exponent) for one in value]
        if isinstance(value, str):
            return f"{power(exponent)}*({self.of(value)})"
        return math.ldexp(float(value), exponent)

    @property
    def energy(self):
        return self.mass + 2 * self.length - 2 * self.time


def rescaled(model, length, time, mass):
    unknown = set(model) - KNOWN
    if unknown:
        raise Cannot(f"has {', '.join(sorted(unknown))}")
    u = Units(model, length, time, mass)
    out = {}
    if "gravity" in model:
        out["gravity"] = u.times(model["gravity"], length - 2 * time)
    if "parameters" in model:
        out["parameters"] = model["parameters"]
    for kind, scales in (("points", {"mass": u.mass, "position": length, "velocity": length - time,
                                     "force": u.mass + length - 2 * time}),
                         ("coordinates", {"initial": 0, "velocity": -time, "force": u.energy})):
        for name, table in model.get(kind, {}).items():
            new = {}
            for key, value in table.items():
                if key == "count":
                    new[key] = value
                elif key in scales:
                    new[key] = u.times(value, scales[key])
                else:
                    raise Cannot(f"{name} has {key}")
            out.setdefault(kind, {})[name] = new
    if "energy" in model:
        out["energy"] = {key: u.times(value, u.energy) for key, value in model["energy"].items()}
    if "flow" in model:
        out["flow"] = {key: u.times(value, -time) for key, value in model["flow"].items()}
    if "free" in model:
        out["free"] = {"functions": [u.of(one) for one in model["free"]["functions"]]}
    for name, value in model.get("constraints", {}).items():
        if isinstance(value, dict):
            value = dict(value)
            value["condition"] = u.of(value["condition"])
            if "multiplier" in value:
                value["multiplier"] = u.times(value["multiplier"], u.energy)
        else:
            value = u.of(value)
        out.setdefault("constraints", {})[name] = value
    for one in model.get("impulses", []):
        one = dict(one)
        if "at" in one:
            one["at"] = u.times(one["at"], time)
        point = re.match(r"\w+", one["on"]).group() in u.points
        one["value"] = u.times(one["value"], u.mass + length - time if point else u.energy + time)
        out.setdefault("impulses", []).append(one)
    for key in ("seizures", "releases"):
        for one in model.get(key, []):
            one = dict(one)
            if "at" in one:
                one["at"] = u.times(one["at"], time)
            for formula in ("condition", "when"):
                if formula in one:
                    one[formula] = u.of(one[formula])
            out.setdefault(key, []).append(one)
    if "outputs" in model:
        out["outputs"] = {key: u.of(value) for key, value in model["outputs"].items()}
    for key, value in {"until": 10.0, **model.get("simulation", {})}.items():
        if key in ("start", "until", "step"):
            value = u.times(value, time)
        elif key == "stop":
            value = u.of(value)
        out.setdefault("simulation", {})[key] = value
    return out


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        value = value.replace("\n", " ")
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {text_of(one)}" for key, one in value.items()) + " }"
    return repr(value)


def toml_of(model):
    lines = []
    for key, value in model.items():
        if not isinstance(value, (dict, list)) or key == "gravity":
            lines.append(f"{key} = {text_of(value)}")
    for key, value in model.items():
        if key == "gravity" or not isinstance(value, (dict, list)):
            continue
        if isinstance(value, list):
            for one in value:
                lines.append(f"[[{key}]]")
                lines += [f"{name} = {text_of(entry)}" for name, entry in one.items()]
        elif key in ("points", "coordinates"):
            for name, table in value.items():
                lines.append(f"[{key}.{name}]")
                lines += [f"{inner} = {text_of(entry)}" for inner, entry in table.items()]
        else:
            lines.append(f"[{key}]")
            lines += [f"{name} = {text_of(entry)}" for name, entry in value.items()]
    return "\n".join(lines) + "\n"


def main():
    with open(sys.argv[1], "rb") as file:
        model = tomllib.load(file)
    sys.stdout.write(toml_of(rescaled(model, *map(int, sys.argv[2:5]))))


if __name__ == "__main__":
    main()

"""The first events of the gases of the gallery, by a slow way: at every event all pairs and walls are asked, with forty digits.

    python3 tests/gallery/reference/gases.py [MODEL]

prints `first_events` and energies as they stand in expected.json. Only what the models say is used here; discs are numbered as there.
"""

import json
import sys

from mpmath import cos, floor, inf, mp, mpf, nstr, sin, sqrt

mp.dps = 40


def first_root(a, b, c):
    """The first s > 0 with a s^2/2 + b s + c rising through zero from below."""
    if a == 0:
        return -c / b if b > 0 else inf
    under = b * b - 2 * a * c
    if under < 0:
        return inf
    roots = sorted([(-b - sqrt(under)) / a, (-b + sqrt(under)) / a])
    later = [s for s in roots if s > mpf(10) ** -30 and a * s + b > 0]
    return later[0] if later else inf


class Gas:
    """Points x, v, a with masses; conditions are (name, points, function of all x and v that gives the time, gradient)."""

    def __init__(self):
        self.mass, self.x, self.v, self.a, self.conditions = [], [], [], [], []
        self.struck = {}

    def add(self, mass, x, v, a=(0, 0)):
        self.mass.append(mpf(mass))
        self.x.append([mpf(k) for k in x])
        self.v.append([mpf(k) for k in v])
        self.a.append([mpf(k) for k in a])
        return len(self.mass) - 1

    def plane(self, name, normals, offset):
        """sum n.x + offset <= 0 over points {number: normal}."""
        def value(order):
            return sum(n[c] * order[i][c] for i, n in normals.items() for c in (0, 1))

        def time():
            return first_root(value(self.a), value(self.v), value(self.x) + offset)
        self.conditions.append((name, time, lambda: normals))

    def apart(self, name, i, j, least):
        """|x_i - x_j| >= least for points under the same acceleration, or a fixed place for the second."""
        fixed = not isinstance(j, int)

        def time():
            other = (j, (0, 0)) if fixed else (self.x[j], self.v[j])
            r = [self.x[i][c] - other[0][c] for c in (0, 1)]
            u = [self.v[i][c] - other[1][c] for c in (0, 1)]
            b = r[0] * u[0] + r[1] * u[1]
            if b >= 0:
                return inf
            square = u[0] ** 2 + u[1] ** 2
            under = b * b - square * (r[0] ** 2 + r[1] ** 2 - least ** 2)
            return (-b - sqrt(under)) / square if under > 0 else inf

        def normals():
            other = j if fixed else self.x[j]
            r = [self.x[i][c] - other[c] for c in (0, 1)]
            length = sqrt(r[0] ** 2 + r[1] ** 2)
            n = [-r[c] / length for c in (0, 1)]
            return {i: n} if fixed else {i: n, j: [-k for k in n]}
        self.conditions.append((name, time, normals))

    def gate(self, name, i, middle, half, height, hole):
        """|x - middle| >= half or |y - height| <= hole."""
        def at(s):
            return [self.x[i][c] + self.v[i][c] * s for c in (0, 1)]

        def time():
            # Times at which anything there changes, in order; the first after which nothing holds.
            x, v = self.x[i], self.v[i]
            times = [(middle - half - x[0]) / v[0], (middle + half - x[0]) / v[0],
                     (height - hole - x[1]) / v[1], (height + hole - x[1]) / v[1]]
            for k, s in sorted(enumerate(times), key=lambda pair: pair[1]):
                if s <= mpf(10) ** -30:
                    continue
                y = at(s + mpf(10) ** -25)
                if abs(y[0] - middle) < half and abs(y[1] - height) > hole:
                    sign = [1, -1, -1, 1][k]
                    self.struck[name] = [sign, 0] if k < 2 else [0, sign]
                    return s
            return inf
        self.conditions.append((name, time, lambda: {i: self.struck[name]}))

    def energy(self):
        return sum(m * (v[0] ** 2 + v[1] ** 2) / 2 - m * (a[0] * x[0] + a[1] * x[1])
                   for m, x, v, a in zip(self.mass, self.x, self.v, self.a))

    def run(self, events):
        out = []
        now = mpf(0)
        times = [time() for _, time, _ in self.conditions]
        while len(out) < events:
            k = min(range(len(times)), key=lambda one: times[one])
            s = times[k] - now
            now = times[k]
            for x, v, a in zip(self.x, self.v, self.a):
                for c in (0, 1):
                    x[c] += s * (v[c] + s * a[c] / 2)
                    v[c] += s * a[c]
            normals = self.conditions[k][2]()
            rate = sum(n[c] * self.v[i][c] for i, n in normals.items() for c in (0, 1))
            ease = sum((n[0] ** 2 + n[1] ** 2) / self.mass[i] for i, n in normals.items())
            impulse = 2 * rate / ease
            for i, n in normals.items():
                for c in (0, 1):
                    self.v[i][c] -= impulse * n[c] / self.mass[i]
            name = self.conditions[k][0]
            out.append({"time": nstr(now, 22), "kind": "impact", "constraints": [name],
                        "impulses": {name: nstr(impulse, 22)}})
            times = [now + time() for _, time, _ in self.conditions]
        return out


def lattice(i, side):
    return [i - mpf(1) / 2 - side * floor(mpf(i - 1) / side), floor(mpf(i - 1) / side) + mpf(1) / 2]


def gas_with_a_piston(events):
    side, d, mass, weight, height = 10, mpf(6) / 10, 30, 20, 10
    gas = Gas()
    n = side ** 2
    for i in range(1, n + 1):
        gas.add(1, lattice(i, side), [cos(7 * i * i), sin(7 * i * i)])
    piston = gas.add(mass, [mpf(side) / 2, height], [0, 0], [0, -mpf(weight) / mass])
    for i in range(n):
        for j in range(i + 1, n):
            gas.apart(f"apart[{i + 1},{j + 1}]", i, j, d)
        gas.plane(f"left[{i + 1}]", {i: [-1, 0]}, d / 2)
        gas.plane(f"right[{i + 1}]", {i: [1, 0]}, d / 2 - side)
        gas.plane(f"floor[{i + 1}]", {i: [0, -1]}, d / 2)
        gas.plane(f"lid[{i + 1}]", {i: [0, 1], piston: [0, -1]}, d / 2)
    return gas.energy(), gas.run(events)


def two_gases_mixing(events):
    side, d, hole, v = 8, mpf(1) / 2, mpf(1), mpf(2)
    gas = Gas()
    n = side ** 2
    for i in range(1, n + 1):
        gas.add(1, lattice(i, side), [v * cos(7 * i * i), v * sin(7 * i * i)])
    for i in range(1, n + 1):
        x = lattice(i, side)
        gas.add(4, [side + x[0], x[1]], [v / 2 * cos(5 * i * i + 1), v / 2 * sin(5 * i * i + 1)])
    for k, name in enumerate(("light", "heavy")):
        for i in range(n):
            own = k * n + i
            for j in range(i + 1, n):
                gas.apart(f"apart_{name}[{i + 1},{j + 1}]", own, k * n + j, d)
            for j in range(n if k == 0 else 0):
                gas.apart(f"apart[{i + 1},{j + 1}]", i, n + j, d)
            for sign in (-1, 1):
                gas.plane(f"across_{name}[{i + 1}]", {own: [sign, 0]}, -sign * mpf(side) - (side - d / 2))
                gas.plane(f"along_{name}[{i + 1}]", {own: [0, sign]}, -sign * mpf(side) / 2 - (side - d) / 2)
            gas.gate(f"wall_{name}[{i + 1}]", own, mpf(side), d / 2, mpf(side) / 2, hole)
            gas.apart(f"upper_{name}[{i + 1}]", own, [mpf(side), mpf(side) / 2 + hole], d / 2)
            gas.apart(f"lower_{name}[{i + 1}]", own, [mpf(side), mpf(side) / 2 - hole], d / 2)
    return gas.energy(), gas.run(events)


MODELS = {"gas-with-a-piston": gas_with_a_piston, "two-gases-mixing": two_gases_mixing}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or MODELS:
        energy, first = MODELS[wanted](30)
        print(json.dumps({wanted: {"energy": nstr(energy, 22), "first_events": first}}, indent=1), flush=True)

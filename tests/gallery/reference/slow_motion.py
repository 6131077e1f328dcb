"""A slow integrator for the numbers of the gallery that no closed form gives: sixty digits, nothing shared with zwang.

  M a = X - sum lambda grad f,   f = 0 for the conditions held,   all subsets tried until the signs are right

Between events the accelerations are integrated as an ordinary system by extrapolated midpoint steps (Gragg, Bulirsch and
Stoer) until two columns agree; an event is the root, over the length of the last step, of the multiplier or the condition
that changed its sign. Rows are drawn up by hand for each kind of condition. Needs mpmath; nothing of the project needs it.
"""

from itertools import combinations

from mpmath import cos, lu_solve, matrix, mp, mpf, sin, sqrt


def work_with(digits):
    """Digits carried, and what follows from them."""
    global CLOSE, SAME, ROOT, SOON
    mp.dps = digits
    CLOSE = mpf(10) ** -(digits * 8 // 15)  # what counts as touching
    SAME = mpf(10) ** -(digits * 19 // 30)  # when two columns agree
    ROOT = mpf(10) ** -(digits * 3 // 4)  # what is left of a quantity at its root
    SOON = mpf(10) ** -(digits * 17 // 60)  # shocks that come faster are carried to their limit


work_with(60)


class Linear:
    """c . q + c0 <= 0 (or = 0), with constant coefficients {index: c}."""

    def __init__(self, name, terms, constant=0, equation=False, restitution=0):
        self.name, self.terms, self.constant = name, {i: mpf(c) for i, c in terms.items()}, mpf(constant)
        self.equation, self.restitution = equation, mpf(restitution)

    def value(self, t, q):
        return sum(c * q[i] for i, c in self.terms.items()) + self.constant

    def row(self, t, q):
        return self.terms

    def rate(self, t, q, v):
        return sum(c * v[i] for i, c in self.terms.items())

    def curvature(self, t, q, v):
        return mpf(0)


class Distance:
    """sign * (sum of |ends| - length(t)): sign 1 for <= and =, -1 for >=; a leg is (point, point) or (point, anchor(t)).

    Points are given by their first index, an anchor by a function of t that returns position, velocity, acceleration;
    `length` likewise. With several legs their lengths add up, as of a string over pegs.
    """

    def __init__(self, name, legs, length, sign=1, equation=False, restitution=0):
        self.name, self.legs, self.sign = name, legs, sign
        self.length = length if callable(length) else lambda t: (mpf(length), mpf(0), mpf(0))
        self.equation, self.restitution = equation, mpf(restitution)

    def _leg(self, leg, t, q, v):
        a, b = leg
        if callable(b):
            p, pv, pa = b(t)
        else:
            p, pv, pa = [q[b], q[b + 1]], [v[b], v[b + 1]], [mpf(0), mpf(0)]
        d = [q[a + k] - p[k] for k in range(2)]
        w = [v[a + k] - pv[k] for k in range(2)]
        r = sqrt(d[0] ** 2 + d[1] ** 2)
        n = [d[k] / r for k in range(2)]
        along = n[0] * w[0] + n[1] * w[1]
        across = w[0] ** 2 + w[1] ** 2 - along**2
        return r, n, along, across / r - (n[0] * pa[0] + n[1] * pa[1])

    def value(self, t, q):
        zero = [mpf(0)] * len(q)
        return self.sign * (sum(self._leg(leg, t, q, zero)[0] for leg in self.legs) - self.length(t)[0])

    def row(self, t, q):
        zero = [mpf(0)] * len(q)
        row = {}
        for leg in self.legs:
            n = self._leg(leg, t, q, zero)[1]
            for k in range(2):
                row[leg[0] + k] = row.get(leg[0] + k, mpf(0)) + self.sign * n[k]
                if not callable(leg[1]):
                    row[leg[1] + k] = row.get(leg[1] + k, mpf(0)) - self.sign * n[k]
        return row

    def rate(self, t, q, v):
        return self.sign * (sum(self._leg(leg, t, q, v)[2] for leg in self.legs) - self.length(t)[1])

    def curvature(self, t, q, v):
        return self.sign * (sum(self._leg(leg, t, q, v)[3] for leg in self.legs) - self.length(t)[2])


class TurningLine:
    """x sin wt - y cos wt <= 0: the point is on the left of a line through the origin that turns with w."""

    def __init__(self, name, w):
        self.name, self.w, self.equation, self.restitution = name, mpf(w), False, mpf(0)

    def value(self, t, q):
        return q[0] * sin(self.w * t) - q[1] * cos(self.w * t)

    def row(self, t, q):
        return {0: sin(self.w * t), 1: -cos(self.w * t)}

    def rate(self, t, q, v):
        return self.value(t, v) + self.w * (q[0] * cos(self.w * t) + q[1] * sin(self.w * t))

    def curvature(self, t, q, v):
        w, c, s = self.w, cos(self.w * t), sin(self.w * t)
        return 2 * w * (v[0] * c + v[1] * s) - w * w * (q[0] * s - q[1] * c)


class Motion:
    """A system of masses under forces and conditions, carried from event to event."""

    def __init__(self, masses, forces, conditions, q, v, t=0, step=mpf(1) / 50):
        self.m, self.forces, self.conditions = [mpf(m) for m in masses], forces, conditions
        self.t, self.q, self.v = mpf(t), [mpf(x) for x in q], [mpf(x) for x in v]
        # A length that no event of a model written in short decimals meets exactly.
        self.step = self.longest_step = step * sqrt(mpf(2)) / mpf("1.42")
        self.held, self.events = [], []
        self.settle()

    # ------------------------------------------------------------------------------------------------ one instant

    def solve_rows(self, rows, right):
        """(rows M^-1 rows^T) x = right."""
        n = len(rows)
        if n == 0:
            return []
        gram = matrix(n, n)
        for i in range(n):
            for j in range(n):
                gram[i, j] = sum(c * rows[j][k] / self.m[k] for k, c in rows[i].items() if k in rows[j])
        return list(lu_solve(gram, matrix(right)))

    def accelerations(self, held, t, q, v):
        force = self.forces(t, q, v)
        free = [x / m for x, m in zip(force, self.m)]
        rows = [c.row(t, q) for c in held]
        right = [sum(g * free[k] for k, g in row.items()) + c.curvature(t, q, v) for c, row in zip(held, rows)]
        multipliers = self.solve_rows(rows, right)
        for row, value in zip(rows, multipliers):
            for k, g in row.items():
                free[k] -= value * g / self.m[k]
        return free, multipliers

    def second(self, c, a):
        return sum(g * a[k] for k, g in c.row(self.t, self.q).items()) + c.curvature(self.t, self.q, self.v)

    def touching(self):
        return [c for c in self.conditions if c.equation or abs(c.value(self.t, self.q)) < CLOSE]

    def settle(self, leaving=()):
        """The conditions that hold from here on: the set whose signs are all right."""
        effective = [
            c for c in self.touching()
            if c not in leaving and (c.equation or abs(c.rate(self.t, self.q, self.v)) < CLOSE)
        ]
        always = [c for c in effective if c.equation]
        choice = [c for c in effective if not c.equation]
        for size in range(len(choice) + 1):
            for some in combinations(choice, size):
                held = always + list(some)
                try:
                    a, multipliers = self.accelerations(held, self.t, self.q, self.v)
                except ZeroDivisionError:
                    continue
                good = all(x > -CLOSE for c, x in zip(held, multipliers) if not c.equation)
                good = good and all(self.second(c, a) < CLOSE for c in choice if c not in some)
                if good:
                    self.held = held
                    return
        raise ArithmeticError("no set has the right signs")

    def regulate(self, struck):
        """The shock over all touching conditions: nearest velocity, by trying all sets; restitution for a single one."""
        touching = self.touching()
        always = [c for c in touching if c.equation]
        choice = [c for c in touching if not c.equation]
        for size in range(len(choice) + 1):
            for some in combinations(choice, size):
                hit = always + list(some)
                rows = [c.row(self.t, self.q) for c in hit]
                factor = [1 + (c.restitution if c.rate(self.t, self.q, self.v) > CLOSE else 0) for c in hit]
                rates = [c.rate(self.t, self.q, self.v) for c in hit]
                try:
                    impulses = self.solve_rows(rows, [f * r for f, r in zip(factor, rates)])
                except ZeroDivisionError:
                    continue
                v = list(self.v)
                for row, value in zip(rows, impulses):
                    for k, g in row.items():
                        v[k] -= value * g / self.m[k]
                good = all(x > -CLOSE for c, x in zip(hit, impulses) if not c.equation)
                good = good and all(c.rate(self.t, self.q, v) < CLOSE for c in choice if c not in some)
                if good:
                    self.v = v
                    return {c.name: x for c, x in zip(hit, impulses) if abs(x) > CLOSE}
        raise ArithmeticError("no set has the right signs")

    # ------------------------------------------------------------------------------------------------ one step

    def after(self, h):
        """Position and velocity after the time h from here, with the same conditions held."""
        n = len(self.q)
        y0 = self.q + self.v

        def slope(t, y):
            return y[n:] + self.accelerations(self.held, t, y[:n], y[n:])[0]

        first = slope(self.t, y0)
        table = []
        for column in range(1, 40):
            pieces = 2 * column
            s = h / pieces
            before, y = y0, [a + s * b for a, b in zip(y0, first)]
            for piece in range(1, pieces):
                d = slope(self.t + piece * s, y)
                before, y = y, [a + 2 * s * b for a, b in zip(before, d)]
            d = slope(self.t + h, y)
            line = [[(a + b + s * c) / 2 for a, b, c in zip(y, before, d)]]
            for k in range(1, column):
                ratio = mpf(pieces) / (2 * (column - k))
                line.append([a + (a - b) / (ratio**2 - 1) for a, b in zip(line[k - 1], table[-1][k - 1])])
            if table and max(abs(a - b) for a, b in zip(line[-1], table[-1][-1])) < SAME:
                return line[-1][:n], line[-1][n:]
            table.append(line)
        raise ArithmeticError("the columns do not agree: take a smaller step")

    def watch(self, h):
        """What must stay below zero, after the time h: f of open conditions, -lambda of held inequalities."""
        q, v = self.after(h)
        t = self.t + h
        multipliers = self.accelerations(self.held, t, q, v)[1]
        result = {c.name: -x for c, x in zip(self.held, multipliers) if not c.equation}
        result.update({c.name: c.value(t, q) for c in self.conditions if c not in self.held})
        return q, v, result

    def root(self, name, low, flow, high, fhigh):
        """The length of step at which the watched quantity rises through zero (Illinois)."""
        for _ in range(200):
            middle = (low * fhigh - high * flow) / (fhigh - flow)
            f = self.watch(middle)[2][name]
            if abs(f) < ROOT or abs(high - low) < ROOT / 100000:
                return middle
            if f > 0:
                high, fhigh, flow = middle, f, flow / 2
            else:
                low, flow, fhigh = middle, f, fhigh / 2
        return middle

    def advance(self, until):
        """To the next event or to `until`; true if there was an event."""
        while self.t < until:
            h = min(self.step, until - self.t)
            q, v, watched = self.watch(h)
            found = None
            for name, value in watched.items():
                if value <= ROOT:
                    continue
                # The start of the step is on the right side, or at zero and about to leave it: look for a place inside.
                low = h / 2
                below = self.watch(low)[2][name]
                while below >= 0:
                    low /= 2
                    below = self.watch(low)[2][name]
                    if low < h / 2**40:
                        raise ArithmeticError(name + " is on the wrong side from the start")
                at = self.root(name, low, below, h, value)
                if found is None or at < found[0]:
                    found = (at, name)
            if found is None:
                self.t, self.q, self.v = self.t + h, q, v
                self.step = min(self.longest_step, self.step * 3 / 2)
                continue
            at, name = found
            q, v, watched = self.watch(at)
            self.t, self.q, self.v = self.t + at, q, v
            self.happen([c for c in self.conditions if abs(watched.get(c.name, mpf(1))) < CLOSE])
            return True
        return False

    def happen(self, due):
        """Deal with the conditions that came due: release or shock, then settle."""
        held = list(self.held)
        struck = [c for c in due if c not in held and c.rate(self.t, self.q, self.v) > CLOSE]
        if struck:
            impulses = self.regulate(struck)
            self.settle()
            self.record("impact", struck, impulses)
        else:
            self.settle(leaving=due)
            self.record("release", due, {})

    def record(self, kind, conditions, impulses):
        self.events.append({
            "time": self.t, "kind": kind, "constraints": [c.name for c in conditions], "impulses": impulses,
            "q": list(self.q), "v": list(self.v), "held": [c.name for c in self.held],
        })

    def carry_to_limit(self):
        """Shocks that come ever faster: the limit of their times and the state there."""
        # The pattern in which conditions are struck, and the limit of every period-th time by Aitken's formula.
        names = [e["constraints"] for e in self.events]
        times = [e["time"] for e in self.events]
        period = next(p for p in range(1, 9) if all(names[-i] == names[-i - p] for i in range(1, 2 * p + 1)))
        a, b, c = times[-1 - 2 * period], times[-1 - period], times[-1]
        limit = c - (c - b) ** 2 / (c - 2 * b + a)
        a, b, c = times[-2 - 2 * period], times[-2 - period], times[-2]
        check = c - (c - b) ** 2 / (c - 2 * b + a)
        assert abs(limit - check) < mpf(10) ** -20, (limit, check)
        closed = [c for c in self.conditions if c.equation or [c.name] in names[-period:] or c in self.held]
        struck = [c for c in closed if [c.name] in names[-period:]]

        # To that time with all of them held, onto them in position and in velocity.
        h = limit - self.t
        self.v = [a + h * b for a, b in zip(self.v, self.accelerations(closed, self.t, self.q, self.v)[0])]
        self.q = [a + h * b for a, b in zip(self.q, self.v)]
        self.t = limit
        for target, value in ((self.q, lambda c: c.value(self.t, self.q)), (self.q, lambda c: c.value(self.t, self.q)),
                              (self.v, lambda c: c.rate(self.t, self.q, self.v))):
            rows = [c.row(self.t, self.q) for c in closed]
            for row, move in zip(rows, self.solve_rows(rows, [value(c) for c in closed])):
                for k, g in row.items():
                    target[k] -= move * g / self.m[k]
        self.settle()
        self.step = self.longest_step / 8
        self.record("accumulation", struck, {})

    def run(self, until, show=True):
        until = mpf(until)
        while self.advance(until):
            # What comes next may come soon.
            last = self.events[-1]["time"] - self.events[-2]["time"] if len(self.events) > 1 else self.longest_step
            self.step = min(self.longest_step, last / 8)
            if last < SOON:
                self.carry_to_limit()
            if show:
                e = self.events[-1]
                print(mp.nstr(e["time"], 25), e["kind"], *e["constraints"],
                      {k: mp.nstr(x, 20) for k, x in e["impulses"].items()}, "held:", *e["held"], flush=True)
                print("    q", [mp.nstr(x, 22) for x in e["q"]])
                print("    v", [mp.nstr(x, 22) for x in e["v"]])
        if show:
            print(mp.nstr(self.t, 25), "final, held:", *[c.name for c in self.held],
                  [mp.nstr(x, 20) for x in self.accelerations(self.held, self.t, self.q, self.v)[1]])
            print("    q", [mp.nstr(x, 22) for x in self.q])
            print("    v", [mp.nstr(x, 22) for x in self.v], flush=True)
        return self

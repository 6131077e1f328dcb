"""The numbers of the gallery's motions under conditions between velocities: closed forms, the rest reduced by hand.

  motions_under_velocity_conditions.py [NAME...]    prints, for each model named (all if none), states with 22 digits

Closed forms: circle, cycloid, elliptic integrals, hyperbolic functions. Where there is none the equations of motion are
reduced by hand to as many unknowns as are free and integrated with forty digits by extrapolated midpoint steps (Gragg,
Bulirsch and Stoer). Multipliers come from the balance of forces. Nothing is shared with zwang, and nothing here is run
by the tests: the numbers stand in expected.json. Needs mpmath; nothing of the project needs it.
"""

import json
import sys

from mpmath import (asin, asinh, atan, atan2, cos, cosh, ellipe, ellipf, findroot, log, mp, mpf, pi, sech, sin, sqrt,
                    tan, tanh)

from expected_motions import text

mp.dps = 50
DIGITS = 32  # that two columns of the extrapolation must share

COS, SIN = mpf(3) / 5, mpf(4) / 5  # of the direction in which carts and skates start
START = atan2(4, 3)


def state(time, positions, velocities, multipliers=None, rho=None):
    result = {"time": text(time), "positions": text(positions), "velocities": text(velocities)}
    if multipliers is not None:
        result["multipliers"] = text(multipliers)
    if rho:
        result["rho"] = text(rho)
    return result


def integrated(slope, y, t, step=mpf(1) / 16):
    """y' = slope(t, y) from 0 to t, in equal parts of at most `step`, each extrapolated until two columns agree."""
    parts = max(1, int(t / step) + 1)
    big = mpf(t) / parts
    now = mpf(0)
    for _ in range(parts):
        table = []
        for row in range(1, 60):
            n = 2 * row
            h = big / n
            before, here = y, [a + h * b for a, b in zip(y, slope(now, y))]
            for i in range(1, n):
                rate = slope(now + i * h, here)
                before, here = here, [a + 2 * h * b for a, b in zip(before, rate)]
            rate = slope(now + big, here)
            line = [[(a + b + h * c) / 2 for a, b, c in zip(before, here, rate)]]
            for j, known in enumerate(table[-1] if table else []):
                factor = (mpf(row) / (row - 1 - j)) ** 2 - 1
                line.append([a + (a - b) / factor for a, b in zip(line[j], known)])
            table.append(line)
            if row > 1 and max(abs(a - b) / (1 + abs(a)) for a, b in zip(line[-1], table[-2][-1])) < mpf(10) ** -DIGITS:
                break
        else:
            raise ArithmeticError("the extrapolation does not settle")
        y = table[-1][-1]
        now += big
    return y


# ------------------------------------------------------------------------------------------------- cart and skate


class Pushed:
    """The straightest cart under a constant force: w' constant, v' = (X cos w + Y sin w) / M, everything elementary.

    `side` is 1 for the condition y' cos w - x' sin w = 0 and -1 for the same with the other sign.
    """

    def __init__(self, M, X, Y, speed, turn, side=1):
        self.M, self.X, self.Y, self.turn, self.side = mpf(M), mpf(X), mpf(Y), mpf(turn), side
        self.A = mpf(speed) - (self.X * SIN - self.Y * COS) / (self.M * self.turn)

    def at(self, t, name):
        M, X, Y, g, A = self.M, self.X, self.Y, self.turn, self.A
        w0, w = START, START + g * t
        v = A + (X * sin(w) - Y * cos(w)) / (M * g)

        def x(u):
            return A * sin(u) / g + (X * sin(u) ** 2 / 2 - Y * (u / 2 + sin(2 * u) / 4)) / (M * g * g)

        def y(u):
            return -A * cos(u) / g + (X * (u / 2 - sin(2 * u) / 4) - Y * sin(u) ** 2 / 2) / (M * g * g)

        push = self.side * (-X * sin(w) + Y * cos(w) - M * v * g)
        return state(t, {"x": x(w) - x(w0), "y": y(w) - y(w0), "w": w}, {"x": v * cos(w), "y": v * sin(w), "w": g},
                     {name: push})


class Free:
    """The variational cart without force (Maurer 1905, section 8): F(chi, k) is linear in the time."""

    def __init__(self, M, l, speed, turn, rho):
        self.M, self.l, self.turn = mpf(M), mpf(l), mpf(turn)
        M, l, v, g, rho = self.M, self.l, mpf(speed), self.turn, mpf(rho)
        self.a = sqrt(M * M * v * v + rho * rho)
        self.alpha = START + atan2(rho, M * v)
        self.square = self.a**2 / (M * M * (v * v + l * l * g * g))  # of the modulus k
        self.chi = START - self.alpha + pi / 2

    def at(self, t, name="edge"):
        M, l, a, m = self.M, self.l, self.a, self.square
        k = sqrt(m)
        if abs(m - 1) < mpf(10) ** -40:
            # chi creeps towards pi/2: F is the inverse Gudermannian.
            u = asinh(tan(self.chi)) + a * t / (l * M)
            chi = atan(2 * tanh(u / 2) / (1 - tanh(u / 2) ** 2))
            turn = a / (l * M) * cos(chi)
            along = l * (a * t / (l * M) - (sin(chi) - sin(self.chi)))
        elif m < 1:
            target = ellipf(self.chi, m) + a * t / (k * l * M)
            chi = findroot(lambda c: ellipf(c, m) - target, self.chi + a * t / (k * l * M) * sqrt(1 - m / 2), tol=1e-40)
            turn = a / (k * l * M) * sqrt(1 - m * sin(chi) ** 2)
            along = l / k * (a * t / (k * l * M) - (ellipe(chi, m) - ellipe(self.chi, m)))
        else:
            # sin(theta) = k sin(chi): theta goes round while chi swings, modulus 1/k.
            n = 1 / m
            start = asin(k * sin(self.chi))
            if self.turn < 0:
                start = pi - start
            target = ellipf(start, n) + a * t / (l * M)
            theta = findroot(lambda c: ellipf(c, n) - target, start + a * t / (l * M) * sqrt(1 - n / 2), tol=1e-40)
            chi = asin(sin(theta) / k)
            turn = a / (k * l * M) * cos(theta)
            along = l * (a * t / (l * M) - (ellipe(theta, n) - ellipe(start, n)))
        across = l * l * M / a * (turn - self.turn)
        w = chi + self.alpha - pi / 2
        v = a / M * sin(chi)
        c, s = cos(self.alpha), sin(self.alpha)
        return state(t, {"x": along * c - across * s, "y": along * s + across * c, "w": w},
                     {"x": v * cos(w), "y": v * sin(w), "w": turn}, {name: -M * turn * v}, {name: a * cos(chi)})


class PushedFree:
    """The variational cart under a constant force, in x, y, w, v, w', rho: no closed form.

    M v' = X cos w + Y sin w + rho w',  M l^2 w'' = -rho v,  rho' = Y cos w - X sin w - M v w'.
    """

    def __init__(self, M, l, X, Y, speed, turn, rho, side=1):
        self.M, self.l, self.X, self.Y, self.side = mpf(M), mpf(l), mpf(X), mpf(Y), side
        self.start = [mpf(0), mpf(0), START, mpf(speed), mpf(turn), side * mpf(rho)]

    def slope(self, t, y):
        M, X, Y = self.M, self.X, self.Y
        _, _, w, v, g, rho = y
        c, s = cos(w), sin(w)
        return [v * c, v * s, g, (X * c + Y * s + rho * g) / M, -rho * v / (M * self.l**2), Y * c - X * s - M * v * g]

    def at(self, t, name):
        y = integrated(self.slope, self.start, t)
        rate = self.slope(t, y)
        return state(t, {"x": y[0], "y": y[1], "w": y[2]}, {"x": rate[0], "y": rate[1], "w": y[4]},
                     {name: self.side * rate[5]}, {name: self.side * y[5]})


def apart(one, other, masses):
    """The distance in the metric of T, for a constant diagonal one."""
    def difference(q):
        return mpf(str(one["positions"][q])) - mpf(str(other["positions"][q]))

    return sqrt(sum(m * difference(q) ** 2 for q, m in masses.items()))


def run(at, until, samples, name):
    """Answers of a run with samples."""
    return {"status": "finished", "events": [], "final": at(until, name), "samples": [at(t, name) for t in samples]}


def cart():
    circle = Pushed(2, 0, 0, 5, 2)
    other = Free(2, "0.5", 5, 2, 0)
    exact = {"x": mpf(2), "y": mpf(2), "w": mpf(2) * mpf("0.25")}
    times = [pi * i / 4 for i in range(5)]
    return {"run --sample-at 1,2": run(circle.at, pi, [mpf(1), mpf(2)], "edge"),
            "compare --samples 5": {
                "straightest": {"final": circle.at(pi, "edge")}, "variational": {"final": other.at(pi)},
                "distance": [[text(t), text(apart(circle.at(t, "edge"), other.at(t), exact))] for t in times],
                "laws_agree": False}}


def cart_pushed():
    return {"run --sample-at 1,2": run(Pushed(2, 6, -8, 5, 2).at, pi, [mpf(1), mpf(2)], "edge")}


def cart_variational():
    answers = {}
    for more, rho, until, samples in (("", 1, mpf(5), (1, 3)), (" --set rho0=2 --until 1.5", 2, mpf("1.5"), ("0.5", 1)),
                                      (" --set rho0=4", 4, mpf(5), (1, 3))):
        motion = Free(2, "0.5", 1, 2, rho)
        slow = PushedFree(2, "0.5", 0, 0, 1, 2, rho)
        for t in (mpf(1), until):
            one, two = motion.at(t), slow.at(t, "edge")
            exact = {"x": 1, "y": 1, "w": 1}
            assert apart(one, two, exact) < mpf(10) ** -20, apart(one, two, exact)
            assert abs(mpf(str(one["rho"]["edge"])) - mpf(str(two["rho"]["edge"]))) < mpf(10) ** -20
        words = "run" + more + " --sample-at " + ",".join(str(s) for s in samples)
        answers[words] = run(motion.at, until, [mpf(s) for s in samples], "edge")
    return answers


def cart_pushed_variational():
    return {"run --sample-at 1,2": run(PushedFree(2, "0.5", 3, -4, 1, 2, 1).at, mpf(3), [mpf(1), mpf(2)], "edge")}


def skate():
    return {"run --sample-at 1,2": run(Pushed(2, 0, -10, 5, 2, -1).at, pi, [mpf(1), mpf(2)], "blade"),
            "run --set speed=1.5 --sample-at 1,2":
                run(Pushed(2, 0, -10, mpf(3) / 2, 2, -1).at, pi, [mpf(1), mpf(2)], "blade")}


def skate_variational():
    return {"run --sample-at 1": run(PushedFree(2, "0.5", 0, -10, 5, 2, 1, -1).at, mpf(2), [mpf(1)], "blade")}


# ------------------------------------------------------------------------------------------------- rolling


def rolling_coin():
    """The cart with M + I / R^2 in place of M along its way; it turns at the rate of its heading."""
    m, R, I, k, g = mpf(2), mpf(1), mpf(1), mpf(5), mpf(3)
    way = Pushed(m + I / R**2, m * k, 0, 2 * R, g)

    def at(t, name):
        plain = way.at(t, name)
        h = START + g * t
        v = way.A + m * k * sin(h) / (way.M * g)
        rate = m * k * cos(h) / way.M
        x, y = rate * cos(h) - v * g * sin(h), rate * sin(h) + v * g * cos(h)
        rolled = ((way.A * t) - m * k * (cos(h) - cos(START)) / (way.M * g * g)) / R
        return state(t, {"x": mpf(str(plain["positions"]["x"])), "y": mpf(str(plain["positions"]["y"])), "heading": h,
                         "roll": rolled},
                     {"x": v * cos(h), "y": v * sin(h), "heading": g, "roll": v / R},
                     {"along": m * k - m * x, "across": -m * y})

    return {"run --sample-at 1": run(at, 2 * pi / 3, [mpf(1)], "")}


def leaning_disc():
    """In the frame of heading, axle and rising radius (Routh): s the spin about the axle, u the lean, h the heading.

    (A + m R^2) u'' = m g R sin u - A h'^2 sin u cos u - (C + m R^2) s h' cos u,
    (C + m R^2) s' = m R^2 u' h' cos u,   A cos u h'' = 2 A u' h' sin u + C s u',   roll' = s + h' sin u.
    """
    m, R, g = mpf(2), mpf(1), mpf(10)
    A, C = m * R * R / 4, m * R * R / 2

    def slope(t, y):
        x, z, h, u, r, hh, uu, s = y
        c, n = cos(u), sin(u)
        lean = (m * g * R * n - A * hh**2 * n * c - (C + m * R * R) * s * hh * c) / (A + m * R * R)
        spin = m * R * R * uu * hh * c / (C + m * R * R)
        turn = (2 * A * uu * hh * n + C * s * uu) / (A * c)
        roll = s + hh * n
        return [R * roll * cos(h), R * roll * sin(h), hh, uu, roll, turn, lean, spin]

    def answer(kick, until, samples):
        begin = [mpf(0), mpf(0), mpf(0), atan2(3, 4), mpf(0), mpf(2), mpf(kick), mpf("2.3")]

        def at(t, name):
            y = integrated(slope, begin, t, mpf(1) / 8)
            x, z, h, u, r, hh, uu, s = y
            rate = slope(t, y)
            # The centre accelerates along heading, axle and radius; the ground pushes with m times the level part.
            e = R * (rate[7] - uu * hh * cos(u))
            n = R * (rate[6] + s * hh * cos(u))
            up = R * (s * hh * sin(u) - uu**2)
            left = n * cos(u) + up * sin(u)
            return state(t, {"x": x, "y": z, "heading": h, "lean": u, "roll": r},
                         {"x": rate[0], "y": rate[1], "heading": hh, "lean": uu, "roll": rate[4]},
                         {"along": -m * (e * cos(h) - left * sin(h)), "across": -m * (e * sin(h) + left * cos(h))})

        return run(at, until, samples, "")

    steady = answer(0, pi, [mpf(1)])
    # The closed form: a circle of radius 7/4 with the rate 2.
    assert abs(mpf(str(steady["samples"][0]["positions"]["x"])) - mpf(7) / 4 * sin(2)) < mpf(10) ** -20
    return {"run --sample-at 1,2": answer("0.5", mpf(3), [mpf(1), mpf(2)]),
            "run --set kick=0 --until pi --sample-at 1": steady}


def turntable():
    """v turns with the rate n = 2/7 Omega, the spin follows from rolling, the angles are integrated from the spin."""
    m, R, Omega, wz = mpf(2), mpf(1) / 2, mpf(7) / 2, mpf(2)
    n = 2 * Omega / 7
    x0, y0, vx0, vy0 = mpf(1), mpf(0), mpf(1) / 2, mpf(3) / 2

    def place(t):
        c, s = cos(n * t), sin(n * t)
        vx, vy = vx0 * c - vy0 * s, vx0 * s + vy0 * c
        return x0 + (vy - vy0) / n, y0 - (vx - vx0) / n, vx, vy

    def rates(t, angles):
        x, y, vx, vy = place(t)
        wx, wy = (Omega * x - vy) / R, (Omega * y + vx) / R
        f, u, _ = angles
        own = (wx * sin(f) - wy * cos(f)) / sin(u)
        return [wz - own * cos(u), wx * cos(f) + wy * sin(f), own]

    def at(t, name):
        x, y, vx, vy = place(t)
        angles = integrated(rates, [pi / 2, atan2(4, 3), mpf(0)], t)
        assert sin(angles[1]) > mpf(1) / 10
        rate = rates(t, angles)
        names = ("precession", "nutation", "spin")
        return state(t, {"x": x, "y": y, **dict(zip(names, angles))}, {"x": vx, "y": vy, **dict(zip(names, rate))},
                     {"x_rolls": m * n * vy, "y_rolls": -m * n * vx})

    # The variational motion: P = m v + rho, L' = w x L with L = I w + R (rho2, -rho1, 0).
    I = 2 * m * R * R / 5
    bulk = 1 + m * R * R / I

    def parts(y):
        x, z, p1, p2, l1, l2, l3 = y[:7]
        r1, r2 = (p1 + m * Omega * z - m * R * l2 / I) / bulk, (p2 + m * R * l1 / I - m * Omega * x) / bulk
        return r1, r2, [(l1 - R * r2) / I, (l2 + R * r1) / I, l3 / I]

    def slope(t, y):
        l1, l2, l3, f, u, _ = y[4:]
        r1, r2, w = parts(y)
        own = (w[0] * sin(f) - w[1] * cos(f)) / sin(u)
        return [(y[2] - r1) / m, (y[3] - r2) / m, -Omega * r2, Omega * r1,
                w[1] * l3 - w[2] * l2, w[2] * l1 - w[0] * l3, w[0] * l2 - w[1] * l1,
                w[2] - own * cos(u), w[0] * cos(f) + w[1] * sin(f), own]

    begin = [x0, y0, m * vx0, m * vy0, I * (Omega * x0 - vy0) / R, I * (Omega * y0 + vx0) / R, I * wz,
             pi / 2, atan2(4, 3), mpf(0)]

    def varied(t):
        y = integrated(slope, begin, t, mpf(1) / 32)
        r1, r2, _ = parts(y)
        rate = slope(t, y)
        names = ("precession", "nutation", "spin")
        return state(t, {"x": y[0], "y": y[1], **dict(zip(names, y[7:]))},
                     {"x": rate[0], "y": rate[1], **dict(zip(names, rate[7:]))}, None, {"x_rolls": r1, "y_rolls": r2})

    def chord(one, other):
        # T depends on the nutation: the metric is that at the straightest motion.
        d = {q: mpf(str(one["positions"][q])) - mpf(str(other["positions"][q])) for q in one["positions"]}
        mixed = 2 * d["precession"] * d["spin"] * cos(mpf(str(one["positions"]["nutation"])))
        return sqrt(m * (d["x"] ** 2 + d["y"] ** 2)
                    + I * (d["precession"] ** 2 + d["nutation"] ** 2 + d["spin"] ** 2 + mixed))

    pairs = [(at(mpf(t), ""), varied(mpf(t))) for t in ("0.25", "0.5")]
    return {"run --sample-at 1,2": run(at, 2 * pi, [mpf(1), mpf(2)], ""),
            "compare --until 0.5 --samples 3": {
                "straightest": {"final": pairs[1][0]}, "variational": {"final": pairs[1][1]},
                "distance": [[0, 0]] + [[one["time"], text(chord(one, other))] for one, other in pairs],
                "laws_agree": False}}


def sleigh():
    """v = 2 tanh u, w' = 2 sech u, w = 2 gd(u), u = t - log 3; the centre of mass lies 1/2 ahead of the blade."""
    m, a, I = mpf(1), mpf(1) / 2, mpf(3) / 4

    def way(u):
        gd = 2 * atan(tanh(u / 2))
        return [2 * (tanh(u) ** 2 - log(cosh(u))), 2 * (gd - sech(u) * tanh(u)), 2 * gd]

    def at(t, name):
        u = t - log(mpf(3))
        start, here = way(-log(mpf(3))), way(u)
        v, turn, w = 2 * tanh(u), 2 * sech(u), here[2]
        return state(t, {"x": here[0] - start[0], "y": here[1] - start[1], "w": w},
                     {"x": v * cos(w), "y": v * sin(w), "w": turn}, {name: m * v * turn * I / (I + m * a * a)})

    return {"run --sample-at 1,2": run(at, mpf(4), [mpf(1), mpf(2)], "blade")}


# ------------------------------------------------------------------------------------------------- two conditions, one


class Two:
    """z' = y x', u' = z y' with masses 1, 2, 1, 3 and V = (x^2 + y^2 + z^2 + u^2) / 8; each under either law.

    x'' (1 + y^2) = X + y (Z - [rho2 y'] - y' x') + [rho1 y'],
    y'' (2 + 3 z^2) = Y + z (U - 3 z' y') - [rho1 x'] + [rho2 z'],
    rho1' (or lambda1) = Z - [rho2 y'] - z'',   rho2' (or lambda2) = U - 3 u''.
    What is in brackets belongs to a condition under the variational law.
    """

    def __init__(self, first, second):
        self.first, self.second = first, second
        self.start = [mpf(0), mpf(1) / 2, mpf(1), mpf(0), mpf(1), mpf(-1) / 2, mpf(first or 0), mpf(second or 0)]

    def more(self, state):
        x, y, z, u, vx, vy, one, two = state
        one, two = one if self.first is not None else 0, two if self.second is not None else 0
        vz, vu = y * vx, z * vy
        X, Y, Z, U = -x / 4, -y / 4, -z / 4, -u / 4
        ax = (X + y * (Z - two * vy - vy * vx) + one * vy) / (1 + y**2)
        ay = (Y + z * (U - 3 * vz * vy) - one * vx + two * vz) / (2 + 3 * z**2)
        az, au = y * ax + vy * vx, z * ay + vz * vy
        return vz, vu, ax, ay, Z - two * vy - az, U - 3 * au

    def slope(self, t, state):
        vz, vu, ax, ay, one, two = self.more(state)
        return [state[4], state[5], vz, vu, ax, ay, one, two]

    def at(self, t, name=""):
        y = integrated(self.slope, self.start, t, mpf(1) / 4)
        vz, vu, ax, ay, one, two = self.more(y)
        rho = {}
        if self.first is not None:
            rho["first"] = y[6]
        if self.second is not None:
            rho["second"] = y[7]
        return state(t, dict(zip("xyzu", y[:4])), {"x": y[4], "y": y[5], "z": vz, "u": vu},
                     {"first": one, "second": two}, rho)


def mixed_first_variational():
    mixed = Two(mpf(1) / 2, None)
    still, moving = Two(None, None), Two(mpf(1) / 2, mpf(0))
    masses = {"x": 1, "y": 2, "z": 1, "u": 3}
    distance = [[t, text(apart(still.at(mpf(t)), moving.at(mpf(t)), masses))] for t in (2, 4)]
    return {"run --sample-at 1,2": run(mixed.at, mpf(4), [mpf(1), mpf(2)], ""),
            "compare --samples 3": {
                "straightest": {"final": still.at(mpf(4))}, "variational": {"final": moving.at(mpf(4))},
                "distance": [[0, 0]] + distance, "laws_agree": False}}


def mixed_second_variational():
    return {"run --sample-at 1,2": run(Two(None, mpf(-3) / 4).at, mpf(4), [mpf(1), mpf(2)], "")}


def holonomic_in_disguise():
    """On the surface z + x y = const: lambda = (2 x' y' - g) / (1 + x^2 + y^2), x'' = -lambda y, y'' = -lambda x."""
    g = mpf(1)

    def slope(t, y):
        x, yy, vx, vy, rho = y
        push = (2 * vx * vy - g) / (1 + x * x + yy * yy)
        return [vx, vy, -push * yy, -push * x, push]

    def at(t, name):
        y = integrated(slope, [mpf(1), mpf(1) / 2, mpf(-1), mpf(2), mpf(3) / 4], t, mpf(1) / 8)
        x, yy, vx, vy, rho = y
        return state(t, {"x": x, "y": yy, "z": mpf(1) / 2 - x * yy}, {"x": vx, "y": vy, "z": -x * vy - yy * vx},
                     {"surface": slope(t, y)[4]}, {"surface": rho})

    plain = at(mpf(2), "")
    without = {key: value for key, value in plain.items() if key != "rho"}
    return {"run --sample-at 1": run(at, mpf(2), [mpf(1)], ""),
            "compare --samples 5": {
                "straightest": {"final": without}, "variational": {"final": plain},
                "distance": [[t, 0] for t in (0, 0.5, 1, 1.5, 2)], "laws_agree": True}}


MODELS = {name.replace("_", "-"): value for name, value in list(globals().items()) if name in (
    "cart", "cart_pushed", "cart_variational", "cart_pushed_variational", "skate", "skate_variational", "rolling_coin",
    "leaning_disc", "turntable", "sleigh", "mixed_first_variational", "mixed_second_variational",
    "holonomic_in_disguise")}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or MODELS:
        print(json.dumps({wanted: MODELS[wanted]()}, indent=1), flush=True)

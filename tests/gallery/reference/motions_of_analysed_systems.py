"""The numbers of the gallery's motions beside `zwang analyze`: linear complex, two points, planimeter, fields, a body.

  motions_of_analysed_systems.py [NAME...]    prints, for each model named (all if none), states with 22 digits

Closed forms where there are some: elliptic helix, geodesics through the axis, Kepler's equation, elliptic integrals,
hyperbolic functions. The rest is reduced by hand to as many unknowns as are free and integrated with forty digits.
Nothing is shared with zwang, and nothing here is run by the tests: the numbers stand in expected.json. Needs mpmath.
"""

import json
import sys

from mpmath import cos, cosh, findroot, log, mp, mpf, pi, quad, sech, sin, sinh, sqrt, tanh

from expected_motions import text
from motions_under_velocity_conditions import integrated, run, state

mp.dps = 50


def single(position, velocity, time, multiplier, rho=None):
    """A state of one point a."""
    return state(time, {"a": position}, {"a": velocity}, multiplier, rho)


# ------------------------------------------------------------------------------------------------- linear complex


def linear_complex_gravity():
    """x'' = g k y / d, y'' = -g k x / d, z'' = -g r^2 / d, d = r^2 + k^2; lambda = -m g k / d."""
    g, k, m, r = mpf(10), mpf(2), mpf(2), mpf(3) / 2

    def slope(t, y):
        d = y[0] ** 2 + y[1] ** 2 + k * k
        return [y[3], y[4], y[5], g * k * y[1] / d, -g * k * y[0] / d, -g * (1 - k * k / d)]

    def at(t, name):
        y = integrated(slope, [r, mpf(0), mpf(0), mpf(1) / 2, mpf(1), r / k], t)
        assert abs(k * y[5] - y[0] * y[4] + y[1] * y[3]) < mpf(10) ** -28
        return single(y[:3], y[3:], t, {name: -m * g * k / (y[0] ** 2 + y[1] ** 2 + k * k)})

    return {"run --sample-at 1,2": run(at, mpf(5), [mpf(1), mpf(2)], "complex")}


def linear_complex_central():
    """An ellipse in projection, climbing uniformly."""
    def helix(A, B, k, w):
        def at(t, name):
            c, s = cos(w * t), sin(w * t)
            return single([A * c, B * s, A * B * w * t / k], [-A * w * s, B * w * c, A * B * w / k], t, {name: 0})

        return at

    answers = {"run --sample-at 1,2": run(helix(2, 1, mpf(2), 3), mpf(10), [mpf(1), mpf(2)], "complex"),
               "run --set B=2": run(helix(2, 2, mpf(2), 3), mpf(10), [], "complex")}
    del answers["run --set B=2"]["samples"]
    return answers


def linear_complex_geodesic():
    """x + i y = k sinh u e^(i u), z = k (sinh u cosh u - u) / 2, k (sinh u cosh u + u) / 2 = c t + const."""
    k, c, first = mpf(3) / 2, mpf(2), mpf(-1)

    def clock(u):
        return k * (sinh(u) * cosh(u) + u) / (2 * c)

    def place(u):
        return [k * sinh(u) * cos(u), k * sinh(u) * sin(u), k * (sinh(u) * cosh(u) - u) / 2]

    def speed(u):
        h = cosh(u) ** 2
        return [c * (cosh(u) * cos(u) - sinh(u) * sin(u)) / h, c * (cosh(u) * sin(u) + sinh(u) * cos(u)) / h,
                c * tanh(u) ** 2]

    def at(t, name):
        u = findroot(lambda s: clock(s) - clock(first) - t, first + t, tol=1e-45)
        rate = c / (k * cosh(u) ** 2)  # u'
        return single(place(u), speed(u), t, {name: -2 * rate * tanh(u) * c / (k * cosh(u) ** 2)},
                      {name: c / (k * cosh(u) ** 2)})

    until = k / c * (1 + sinh(mpf(2)) / 2)

    def straight(t):
        return [a + b * t for a, b in zip(place(first), speed(first))]

    def apart(t):
        geodesic = at(t, "complex")["positions"]["a"]
        return sqrt(sum((a - mpf(str(b))) ** 2 for a, b in zip(straight(t), geodesic)))

    distance = [[0, 0]] + [[text(t), text(apart(t))] for t in (until / 2, until)]
    return {"run --sample-at 1,2": run(at, until, [mpf(1), mpf(2)], "complex"),
            "compare --samples 3": {
                "straightest": {"final": single(straight(until), speed(first), until, {"complex": 0})},
                "variational": {"final": at(until, "complex")}, "distance": distance, "laws_agree": False}}


# ------------------------------------------------------------------------------------------------- two points


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def pursuit_of_two_points():
    """The second point is uniform, xi = x1 - x2 an ellipse about it: xi'' = -D xi / r^3, D = r xi'.v1."""
    x1, v1 = [mpf(2), mpf(0), mpf(0)], [mpf(0), mpf("1.2"), mpf("0.5")]
    v2 = [mpf("0.3"), mpf("-0.2"), mpf("0.4")]
    xi, rate = x1, [a - b for a, b in zip(v1, v2)]
    r0 = sqrt(dot(xi, xi))
    D = r0 * dot(rate, v1)
    big = 1 / (2 / r0 - dot(rate, rate) / D)
    n = sqrt(D / big**3)

    def answer(m):
        def at(t, name):
            # Kepler's equation from a start that is no apse, with E the eccentric anomaly passed since then.
            sine, cosine = dot(xi, rate) / sqrt(D * big), 1 - r0 / big
            E = findroot(lambda e: e - cosine * sin(e) + sine * (1 - cos(e)) - n * t, n * t, tol=1e-45)
            r = big * (1 - cosine * cos(E) + sine * sin(E))
            f, g = 1 - big / r0 * (1 - cos(E)), t - (E - sin(E)) / n
            ff, gg = -sqrt(D * big) / (r * r0) * sin(E), 1 - big / r * (1 - cos(E))
            now = [f * a + g * b for a, b in zip(xi, rate)]
            moving = [ff * a + gg * b for a, b in zip(xi, rate)]
            velocity = [a + b for a, b in zip(moving, v2)]
            assert abs(dot(now, velocity)) < mpf(10) ** -35 and abs(sqrt(dot(now, now)) - r) < mpf(10) ** -35
            assert abs(dot(velocity, velocity) - dot(v1, v1)) < mpf(10) ** -35
            other = [b * t for b in v2]
            return state(t, {"a": [a + b for a, b in zip(now, other)], "b": other}, {"a": velocity, "b": v2},
                         {name: m * D / r**3})

        return at

    year = 2 * pi / n
    whole = run(answer(1), mpf(20), [mpf(5), mpf(10)], "across")
    heavy = run(answer(7), mpf(20), [], "across")
    after = run(answer(1), year, [], "across")
    del heavy["samples"], after["samples"]
    return {"run --sample-at 5,10": whole, "run --set m=7": heavy, "run --until year": after}


# ------------------------------------------------------------------------------------------------- planimeter


def planimeter(c, b, W, until, samples):
    """m x'' = -c x - lambda y / (2 L), m y'' = -b y + lambda x / (2 L), z' = (x y' - y x') / (2 L), W z'' = -W g - lambda."""
    m, g, L, push = mpf(1), mpf(10), mpf(5) / 2, mpf(1) / 64

    def reaction(x, y):
        return -W * (g + (c - b) * x * y / (2 * L * m)) / (1 + W * (x * x + y * y) / (4 * L * L * m))

    def slope(t, y):
        force = reaction(y[0], y[1])
        return [y[3], y[4], (y[0] * y[4] - y[1] * y[3]) / (2 * L), (-c * y[0] - force * y[1] / (2 * L)) / m,
                (-b * y[1] + force * y[0] / (2 * L)) / m]

    cache = {}

    def at(t, name):
        done = max((u for u in cache if u <= t), default=None)
        begin = cache[done] if done is not None else [push, mpf(0), mpf(0), mpf(0), mpf(0)]
        y = cache[t] = integrated(slope, begin, t - (done or 0), mpf(1) / 4)
        return state(t, dict(zip("xyz", y)), {"x": y[3], "y": y[4], "z": slope(t, y)[2]}, {name: reaction(y[0], y[1])})

    states = [at(mpf(t), "area") for t in samples]
    return {"status": "finished", "events": [], "final": at(mpf(until), "area"), "samples": states}


def flutter_definite_form():
    return {"run --set push=1/64 --sample-at 5,10": planimeter(mpf(4), mpf(4), mpf(1) / 2, 20, (5, 10))}


def stable_indefinite_form():
    return {"run --set push=1/64 --sample-at 10,20": planimeter(mpf(4), mpf(-1), mpf(6) / 5, 40, (10, 20))}


def secular_growth():
    return {"run --set push=1/64 --sample-at 15,30": planimeter(mpf(1), mpf(3), mpf(1) / 2, 60, (15, 30))}


# ------------------------------------------------------------------------------------------------- fields and a body


def beltrami_field():
    """x'' = -lambda p with lambda = p'.v / |p|^2, p' the rate of p along the path."""
    A, B, C = mpf(2), mpf(1), mpf(3) / 2

    def field(q):
        x, y, z = q
        return [A * sin(z) + C * cos(y), B * sin(x) + A * cos(z), C * sin(y) + B * cos(x)]

    def reaction(y):
        q, v = y[:3], y[3:]
        rate = [A * cos(q[2]) * v[2] - C * sin(q[1]) * v[1], B * cos(q[0]) * v[0] - A * sin(q[2]) * v[2],
                C * cos(q[1]) * v[1] - B * sin(q[0]) * v[0]]
        p = field(q)
        return dot(rate, v) / dot(p, p), p

    def slope(t, y):
        force, p = reaction(y)
        return y[3:] + [-force * a for a in p]

    def at(t, name):
        y = integrated(slope, [mpf(0)] * 3 + [mpf(1), mpf(1), -(A + C) / B], t, mpf(1) / 16)
        force, p = reaction(y)
        assert abs(dot(p, y[3:])) < mpf(10) ** -28
        return {**single(y[:3], y[3:], t, {name: force}), "outputs": {"density": text(dot(p, p))}}

    return {"run --sample-at 1": run(at, mpf(3), [mpf(1)], "across")}


def density_beyond_jacobi():
    """y is uniform and x' sqrt(1 + y^4) = J constant: x and z are elliptic integrals."""
    J = sqrt(mpf(2))

    def at(t, name):
        y = -1 + t / 2
        cuts = [-1, 0, y] if y > 0 else [-1, y]
        x = quad(lambda s: 2 * J / sqrt(1 + s**4), cuts)
        z = quad(lambda s: -2 * J * s * s / sqrt(1 + s**4), cuts)
        speed = J / sqrt(1 + y**4)
        return single([x, y, z], [speed, mpf(1) / 2, -y * y * speed], t, {name: y * speed / (1 + y**4)})

    return {"run --sample-at 1,3": run(at, mpf(6), [mpf(1), mpf(3)], "slope")}


def suslov_body():
    """w1 = 3 sech u, w2 = 3 tanh u, u = t - log 3; the angles are integrated from them."""
    def turning(t):
        u = t - log(mpf(3))
        return 3 * sech(u), 3 * tanh(u)

    def slope(t, y):
        _, nutation, spin = y
        one, two = turning(t)
        precession = (one * sin(spin) + two * cos(spin)) / sin(nutation)
        return [precession, one * cos(spin) - two * sin(spin), -precession * cos(nutation)]

    def at(t, name):
        y = integrated(slope, [mpf(0), pi / 2, mpf(0)], t)
        names = ("precession", "nutation", "spin")
        one, two = turning(t)
        result = state(t, dict(zip(names, y)), dict(zip(names, slope(t, y))))
        result["outputs"] = text({"first": one, "second": two})
        return result

    return {"run --sample-at 1,2": run(at, mpf(3), [mpf(1), mpf(2)], "")}


MODELS = {name.replace("_", "-"): value for name, value in list(globals().items()) if name in (
    "linear_complex_gravity", "linear_complex_central", "linear_complex_geodesic", "pursuit_of_two_points",
    "flutter_definite_form", "stable_indefinite_form", "secular_growth", "beltrami_field", "density_beyond_jacobi",
    "suslov_body")}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or MODELS:
        print(json.dumps({wanted: MODELS[wanted]()}, indent=1), flush=True)

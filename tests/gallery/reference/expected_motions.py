"""The numbers of the gallery's motions: closed forms with fifty digits, the rest by slow_motion.

  expected_motions.py [NAME...]    prints, for each gallery model named (all if none), event times and states with 22 digits

The README of each model has the derivation. Nothing here is run by the tests: the numbers stand in expected.json.
"""

import json
import sys

from mpmath import (acos, asin, atan2, cos, cosh, findroot, floor, mp, mpf, nstr, pi, quad, sin, sinh, sqrt)

import slow_motion
from slow_motion import Distance, Linear, Motion, TurningLine


def fixed(x, y):
    """An anchor that does not move."""
    zero = [mpf(0), mpf(0)]
    return lambda t: ([mpf(x), mpf(y)], zero, zero)


def text(value):
    """A number with 22 digits as text, exact zero and short decimals as they are."""
    if isinstance(value, (list, tuple)):
        return [text(x) for x in value]
    if isinstance(value, dict):
        return {k: text(x) for k, x in value.items()}
    if isinstance(value, (str, int, bool)):
        return value
    if abs(value) < mpf(10) ** -25:
        return 0
    short = nstr(value, 12, strip_zeros=True)
    if abs(mpf(short) - value) < mpf(10) ** -25 * (1 + abs(value)):
        return int(mpf(short)) if mpf(short) == floor(mpf(short)) else float(short)
    return nstr(value, 22, strip_zeros=False)


def event(time, kind, constraints, positions=None, velocities=None, impulses=None):
    result = {"time": text(time), "kind": kind, "constraints": constraints}
    for key, value in (("impulses", impulses), ("positions", positions), ("velocities", velocities)):
        if value is not None:
            result[key] = text(value)
    return result


def final(time, positions, velocities, multipliers=None):
    result = {"time": text(time), "positions": text(positions), "velocities": text(velocities)}
    if multipliers is not None:
        result["multipliers"] = text(multipliers)
    return result


def fallen(u, more):
    """cos u - cos(u + more) without cancellation."""
    return 2 * sin(u + more / 2) * sin(more / 2)


def told(motion, names):
    """Events and final state of a slow motion of plane points, in the words of the answer."""
    def bodies(values):
        return {name: [values[2 * i], values[2 * i + 1]] for i, name in enumerate(names)}

    events = [event(e["time"], e["kind"], e["constraints"], bodies(e["q"]), bodies(e["v"]), e["impulses"] or None)
              for e in motion.events]
    multipliers = motion.accelerations(motion.held, motion.t, motion.q, motion.v)[1]
    return {"status": "finished", "events": events,
            "final": final(motion.t, bodies(motion.q), bodies(motion.v),
                           {c.name: x for c, x in zip(motion.held, multipliers)})}


# ------------------------------------------------------------------------------------------------- closed forms


def bead_on_sphere():
    """x = r sin u, z = r cos u, u'^2 = k^2 + 2 g (cos u0 - cos u) / r; the push is zero at r u'^2 = g cos u."""
    answers = {}
    g, r = mpf(10), mpf(1)
    for words, x0, kick in (("run", mpf(0), mpf("0.1")), ("run --set x0=0.6 --set kick=0", mpf("0.6"), mpf(0))):
        u0 = asin(x0 / r)
        z0 = r * cos(u0)
        u1 = acos((2 * z0 + kick**2 / g) / (3 * r))
        # The square root vanishes at a start from rest: substitute u = u0 + s^2.
        t1 = quad(lambda s: 2 * s / sqrt((kick / r) ** 2 + 2 * g / r * fallen(u0, s * s)),
                  [0, sqrt(u1 - u0) / 4, sqrt(u1 - u0)])
        speed = sqrt(g * r * cos(u1))
        p, v = [r * sin(u1), r * cos(u1)], [speed * cos(u1), -speed * sin(u1)]
        fall = (v[1] + sqrt(v[1] ** 2 + 2 * g * (p[1] + r))) / g
        t2 = t1 + fall
        p2, v2 = [p[0] + v[0] * fall, -r], [v[0], mpf(0)]
        down = -(v[1] - g * fall)
        until = mpf(2)
        answers[words] = {
            "status": "finished",
            "events": [event(t1, "release", ["sphere"], {"bead": p}, {"bead": v}),
                       event(t2, "impact", ["floor"], {"bead": p2}, {"bead": v2}, {"floor": down})],
            "final": final(until, {"bead": [p2[0] + v2[0] * (until - t2), -r]}, {"bead": v2}, {"floor": g}),
        }
    return answers


def string_pendulum():
    """Angles from the upward vertical, clockwise. Slack at cos = c with v^2 = g L c, taut again at -3 times the angle."""
    g, L = mpf(10), mpf(1)
    c = mpf("0.9")
    angle, rate, way, t = pi, -sqrt(mpf("4.7") * g / L), -1, mpf(0)  # at the lowest point, moving to the right and up
    events = []
    while True:
        # Along the circle, from `angle` in the direction `way`, to where the tension vanishes on the way up.
        energy = rate**2 / 2 + g / L * cos(angle)
        c = mpf(2) / 3 * energy * L / g
        if c <= 0:
            break
        target = -way * acos(c)
        while (target - angle) * way <= 0:
            target += 2 * pi * way
        points = [angle + (target - angle) * k / 8 for k in range(9)]
        t += quad(lambda u: 1 / sqrt(2 * (energy - g / L * cos(u))), points) * way
        angle, rate = target, way * sqrt(g / L * c)

        def here(u, w):
            return {"bob": [L * sin(u), L * cos(u)]}, {"bob": [L * w * cos(u), -L * w * sin(u)]}

        p, v = here(angle, rate)
        events.append(event(t, "release", ["string"], p, v))
        # Free flight until the string is taut again.
        th = acos(c)
        t += 4 * sqrt(L / g) * sin(th) * sqrt(c)
        side = -way
        angle = side * (-3 * th)
        while angle > pi:
            angle -= 2 * pi
        while angle <= -pi:
            angle += 2 * pi
        rate = -side * sqrt(g / L * c) * (2 * cos(2 * th) - cos(4 * th))
        vx, vz = -side * L * sqrt(g / L * c) * c, -3 * sqrt(1 - c * c) * L * sqrt(g / L * c)
        p, v = here(angle, rate)
        outward = vx * sin(angle) + vz * cos(angle)
        events.append(event(t, "impact", ["string"], p, v, {"string": outward}))
        way = 1 if rate > 0 else -1
    # From here on it swings below the anchor; the last speed fixes everything.
    lost = mpf("4.7") / 2 * g * L - g * L - energy * L * L
    return {"run": {"status": "finished", "events": events, "energy": {"lost": text(lost), "defect": 0}}}


def ladder():
    """The angle u from the wall: 25 u'^2 / 2 = 10 (4 - 5 cos u) along the wall, then with the sideways momentum kept."""
    u0, u1 = acos(mpf(4) / 5), acos(mpf(8) / 15)
    t1 = quad(lambda s: 2 * s / sqrt(4 * fallen(u0, s * s)), [0, sqrt(u1 - u0)])
    rate = sqrt(mpf(4) / 5 * (4 - mpf(8) / 3))
    foot = 5 * cos(u1) * rate
    drift = foot / 2

    def speed(u):
        return sqrt((10 * (4 - 5 * cos(u)) - drift**2) / (mpf(25) / 4 * (1 + sin(u) ** 2)))

    t2 = t1 + quad(lambda u: 1 / speed(u), [u1, (u1 + pi / 2) / 2, pi / 2])
    x1 = mpf(5) / 2 * sin(u1) + drift * (t2 - t1)
    hit = 5 * speed(pi / 2)
    until = mpf(2)
    x2 = x1 + drift * (until - t2)
    flat = {"top": [drift, 0], "foot": [drift, 0]}
    half = mpf(5) / 2
    return {"run": {
        "status": "finished",
        "events": [
            event(t1, "release", ["wall"], {"top": [0, mpf(8) / 3], "foot": [5 * sin(u1), 0]},
                  {"top": [0, -5 * sin(u1) * rate], "foot": [foot, 0]}),
            event(t2, "impact", ["ground"], {"top": [x1 - half, 0], "foot": [x1 + half, 0]}, flat, {"ground": hit})],
        "final": final(until, {"top": [x2 - half, 0], "foot": [x2 + half, 0]}, flat,
                       {"rod": 0, "floor": 10, "ground": 10})}}


def turning_rod():
    """r'' = w^2 r - g sin wt on the rod, push = m (2 w r' + g cos wt); then a parabola until the rod strikes again."""
    g, w, r0 = mpf(10), mpf(2), mpf(1)
    b = g / (2 * w * w)

    def r(t):
        return r0 * cosh(w * t) + b * (sin(w * t) - sinh(w * t))

    def rr(t):
        return w * (r0 * sinh(w * t) + b * (cos(w * t) - cosh(w * t)))

    t1 = findroot(lambda t: 2 * w * rr(t) + g * cos(w * t), 0.6)
    p = [r(t1) * cos(w * t1), r(t1) * sin(w * t1)]
    v = [rr(t1) * cos(w * t1) - w * r(t1) * sin(w * t1), rr(t1) * sin(w * t1) + w * r(t1) * cos(w * t1)]
    slow = Motion([1, 1], lambda t, q, v: [mpf(0), -g], [TurningLine("rod", w)], [r0, 0], [0, w * r0])
    slow.run(mpf(5) / 2, show=False)
    assert abs(slow.events[0]["time"] - t1) < mpf(10) ** -25
    assert max(abs(a - b) for a, b in zip(slow.events[0]["q"] + slow.events[0]["v"], p + v)) < mpf(10) ** -25
    return {"run": told(slow, ["bead"])}


def ratchet():
    """2 w'' = 3 cos t - load while the wheel turns."""
    load = mpf(1)
    c = acos(load / 3)
    start, stop, events, w = mpf(0), None, [], mpf(0)

    def turned(t):
        return (3 * (cos(start) - cos(t)) - load * (t * t - start * start) / 2
                + (load * start - 3 * sin(start)) * (t - start)) / 2

    for guess in ("2.3", "8.6", "14.9"):
        stop = findroot(lambda t: 3 * (sin(t) - sin(start)) - load * (t - start), mpf(guess))
        w += turned(stop)
        events.append(event(stop, "contact", ["pawl"], {"w": w}, {"w": 0}))
        start = 2 * pi * (len(events) // 2 + 1) - c
        events.append(event(start, "release", ["pawl"], {"w": w}, {"w": 0}))
    return {"run --set load=1 --until 18": {"status": "finished", "events": events}}


def thrown_pair():
    """The centre of mass falls freely; the string is taut at 1/5 and turns with 12/5 from then on."""
    ma, mb, g, L = mpf(3), mpf(1), mpf(10), mpf(5)
    slow = Motion([ma, ma, mb, mb], lambda t, q, v: [mpf(0), -g * ma, mpf(0), -g * mb],
                  [Distance("string", [(2, 0)], L), Linear("floor_a", {1: -1}), Linear("floor_b", {3: -1})],
                  [0, 2, 3, 2], [3, 7, 3, 27], step=mpf(1) / 20)
    slow.run(3, show=False)
    turn = mpf(12) / 5
    phi = lambda t: atan2(4, 3) + turn * (t - mpf(1) / 5)
    height = lambda t: 2 + 12 * t - 5 * t * t - L / 4 * sin(phi(t))
    first = [e for e in slow.events if e["time"] > 1][0]
    print("closed form of the first landing", nstr(findroot(height, first["time"]), 25), file=sys.stderr)
    return {"run": told(slow, ["a", "b"])}


def swinging_cradle():
    """Five equal balls, each on its own spring: between shocks every displacement is a sine, a shock swaps two speeds."""
    n, k, gap, pull, until = 5, mpf(2), mpf(1) / 64, mpf(1), mpf("3.5")
    y = [[-pull, mpf(0)]] + [[mpf(0), mpf(0)] for _ in range(n - 1)]  # displacement and velocity of each ball
    t, events = mpf(0), []

    def later(state, s):
        x, v = state
        return [x * cos(k * s) + v / k * sin(k * s), v * cos(k * s) - k * x * sin(k * s)]

    while True:
        # y_i - y_{i+1} = gap: a sine of amplitude R reaches the gap while rising.
        best = None
        for i in range(n - 1):
            x, v = y[i][0] - y[i + 1][0], y[i][1] - y[i + 1][1]
            R = sqrt(x * x + (v / k) ** 2)
            if R <= gap:
                assert R < gap * (1 - mpf(10) ** -6)
                continue
            phase = atan2(v / k, x)  # x(s) = R cos(k s - phase), rising before its maximum at phase
            s = (phase - acos(gap / R)) / k
            while s <= mpf(10) ** -30:
                s += 2 * pi / k
            if best is None or s < best[0]:
                best = (s, i)
        s, i = best
        if t + s > until:
            y = [later(state, until - t) for state in y]
            break
        t += s
        y = [later(state, s) for state in y]
        impulse = y[i][1] - y[i + 1][1]
        y[i][1], y[i + 1][1] = y[i + 1][1], y[i][1]
        events.append(event(t, "impact", [f"touch[{i + 1}]"], None,
                            {f"ball[{j + 1}]": [y[j][1], mpf(0)] for j in range(n)}, {f"touch[{i + 1}]": impulse}))
    names = [f"ball[{j + 1}]" for j in range(n)]
    return {"run": {"status": "finished", "events": events, "energy": {"initial": 2, "lost": 0, "final": 2, "defect": 0},
                    "final": final(until, {m: [(j + 1) * (1 + gap) + y[j][0], mpf(0)] for j, m in enumerate(names)},
                                   {m: [y[j][1], mpf(0)] for j, m in enumerate(names)})}}


def hard_balls():
    """Straight flights; each next shock is the least root of a linear or quadratic equation."""
    n, width, height, d, until = 6, mpf(8), mpf(6), mpf(1), mpf(3)
    q = [[mpf(a) for a in p] for p in ((1, 1), (3, "1.25"), ("5.5", 1), ("1.5", 4), ("3.75", "3.5"), (6, "4.25"))]
    v = [[mpf(a) for a in p] for p in ((3, 1), (-1, 2), (-2, "1.5"), (2, -1), ("0.5", -3), (-3, "-0.5"))]
    t, events = mpf(0), []
    while True:
        best = None
        for i in range(n):
            for k, side in ((0, width), (1, height)):
                if v[i][k] < 0:
                    found = ((d / 2 - q[i][k]) / v[i][k], ("left", "bottom")[k], i, k)
                elif v[i][k] > 0:
                    found = ((side - d / 2 - q[i][k]) / v[i][k], ("right", "top")[k], i, k)
                else:
                    continue
                if best is None or found[0] < best[0]:
                    best = found
            for j in range(i + 1, n):
                e = [q[j][k] - q[i][k] for k in range(2)]
                w = [v[j][k] - v[i][k] for k in range(2)]
                b = e[0] * w[0] + e[1] * w[1]
                c = e[0] ** 2 + e[1] ** 2 - d * d
                a = w[0] ** 2 + w[1] ** 2
                disc = b * b - a * c
                if b < 0 and disc > 0:
                    found = ((-b - sqrt(disc)) / a, "apart", i, j)
                    if best is None or found[0] < best[0]:
                        best = found
        s, kind, i, j = best
        if t + s > until:
            q = [[x + w * (until - t) for x, w in zip(a, b)] for a, b in zip(q, v)]
            break
        t += s
        q = [[x + w * s for x, w in zip(a, b)] for a, b in zip(q, v)]
        if kind == "apart":
            name = f"apart[{i + 1},{j + 1}]"
            e = [q[j][k] - q[i][k] for k in range(2)]
            impulse = -(e[0] * (v[j][0] - v[i][0]) + e[1] * (v[j][1] - v[i][1])) / d
            for k in range(2):
                v[i][k] -= impulse * e[k] / d
                v[j][k] += impulse * e[k] / d
            moved = [i, j]
        else:
            name = f"{kind}[{i + 1}]"
            impulse = 2 * abs(v[i][j])
            v[i][j] = -v[i][j]
            moved = [i]
        events.append(event(t, "impact", [name], {f"ball[{m + 1}]": q[m] for m in moved},
                            {f"ball[{m + 1}]": v[m] for m in moved}, {name: impulse}))
    energy = sum(a * a + b * b for a, b in v) / 2
    names = [f"ball[{m + 1}]" for m in range(n)]
    return {"run": {"status": "finished", "events": events,
                    "energy": {"initial": text(energy), "work": 0, "lost": 0, "final": text(energy), "defect": 0},
                    "final": final(until, dict(zip(names, q)), dict(zip(names, v)))}}


# ------------------------------------------------------------------------------------------------- slow motions


def few(motion, names, first):
    """The same with the first events only, and from the accumulation on."""
    answer = told(motion, names)
    events = answer.pop("events")
    last = next(i for i, e in enumerate(events) if e["kind"] == "accumulation")
    return {"status": "finished", "first_events": events[:first], "last_events": events[last:], **answer}


def double_string_pendulum():
    """The swinging one: shocks that come ever faster in no constant ratio."""
    g = mpf(10)
    slow = Motion([3, 3, 1, 1], lambda t, q, v: [mpf(0), -3 * g, mpf(0), 20 - g],
                  [Distance("string", [(0, fixed(0, 0))], 5), Distance("tie", [(2, 0)], 3)],
                  [0, -5, 0, "-3.25"], [1, 0, 0, 0], step=mpf(1) / 50)
    slow.run(2, show=False)
    return {"run --set swing=1 --until 2": few(slow, ["weight", "balloon"], 8)}


def chain_meets_beam():
    """Five beads, four links and a beam: jerks, an accumulation, releases."""
    slow_motion.work_with(44)
    names = [f"bead[{i}]" for i in range(1, 6)]
    links = [Distance(f"link[{i}]", [(2 * i, 2 * i - 2)], 5) for i in range(1, 5)]
    g = mpf("8.6")
    slow = Motion([1] * 10, lambda t, q, v: [mpf(0), -g] * 5, [Linear("beam", {5: -1})] + links,
                  [x for i in range(-2, 3) for x in (3 * i, -4 * i)], [mpf(0), mpf("-4.3")] * 5, step=mpf(1) / 30)
    shock = slow.regulate([slow.conditions[0]])
    slow.settle()
    slow.record("impact", [slow.conditions[0]], shock)
    slow.run(3, show=False)
    slow_motion.work_with(60)
    answer = few(slow, names, 5)
    return {"run --until 3": answer}


def falling_chain():
    """The slanting one, with three beads."""
    g = mpf(10)
    links = [Distance("top", [(0, fixed(0, 0))], 6), Distance("link[2]", [(2, 0)], 6), Distance("link[3]", [(4, 2)], 6)]
    slow = Motion([1] * 6, lambda t, q, v: [mpf(0), -g] * 3, links, [1, -1, 2, -2, 3, -3], [0] * 6, step=mpf(1) / 20)
    slow.run(3, show=False)
    return {"run --set n=3 --set side=1 --until 3": told(slow, ["bead[1]", "bead[2]", "bead[3]"])}


def crane():
    """Hook at 2 t + 5 t^2 / 2, rope 5 - t."""
    hook = lambda t: ([2 * t + 5 * t * t / 2, mpf(0)], [2 + 5 * t, mpf(0)], [mpf(5), mpf(0)])
    rope = lambda t: (5 - t, mpf(-1), mpf(0))
    slow = Motion([3, 3], lambda t, q, v: [mpf(0), mpf(-30)], [Distance("rope", [(0, hook)], rope)],
                  [3, -4], ["5.4", "3.8"], step=mpf(1) / 50)
    slow.run(4, show=False)
    return {"run": told(slow, ["load"])}


MODELS = {name.replace("_", "-"): value for name, value in list(globals().items()) if name in (
    "bead_on_sphere", "string_pendulum", "ladder", "turning_rod", "ratchet", "thrown_pair", "swinging_cradle", "hard_balls",
    "double_string_pendulum", "falling_chain", "crane", "chain_meets_beam")}

if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        print(json.dumps({name: MODELS[name]()}, indent=1), flush=True)

"""The numbers of the gallery's models that are there to be looked at: dominoes, a snakeboard, a bead curtain and others.

  motions_worth_seeing.py [NAME...]    prints, for each model named (all if none), event times and states with 22 digits

Closed forms and quadratures throughout; the README of each model has the derivation. Nothing is shared with zwang, and
nothing here is run by the tests: the numbers stand in expected.json. Needs mpmath.
"""

import json
import sys

from mpmath import asin, cos, ellipk, findroot, mp, mpf, odefun, pi, quad, sin, sqrt, tan

from expected_motions import event, text

mp.dps = 50


def domino_row():
    """The first falls like a pendulum, w'^2 = 1 + 3 g (1 - cos w)/h, and shares its velocity with the second."""
    g, h, d, n = mpf(10), mpf(1), mpf(6) / 10, 16
    angle = asin(d / h)
    rate = lambda w: sqrt(1 + 3 * g * (1 - cos(w)) / h)
    time = quad(lambda w: 1 / rate(w), [0, angle])
    v = rate(angle)
    positions = {f"w[{i}]": mpf(0) for i in range(1, n + 1)}
    velocities = dict(positions)
    positions["w[1]"] = angle
    velocities["w[1]"] = velocities["w[2]"] = v / 2
    impulse = h * h / 3 * (v / 2) / (h * cos(angle))
    return {"run": {"status": "finished", "tolerance": 1e-11, "event_counts": {"impact": n},
                    "first_events": [event(time, "impact", ["face[1]"], positions, velocities, {"face[1]": impulse})],
                    "energy": {"initial": text(h * h / 6 + n * g * h / 2), "work": 0}}}


def foucault_pendulum():
    """From outside a plane pendulum, let go at rest; after half a swing and a whole one it rests again."""
    g, L, W, x, z = mpf(10), mpf(5), mpf(1) / 4, mpf(3), mpf(-4)
    period = 4 * sqrt(L / g) * ellipk((1 + z / L) / 2)
    samples = []
    times = [period / 2, period, 5 * period]
    for k, t in ((mpf(1) / 2, times[0]), (1, times[1]), (5, times[2])):
        side = -x if k < 1 else x
        a = W * t
        samples.append({"time": text(mpf(float(t))), "positions": {"bob": text([side * cos(a), -side * sin(a), z])},
                        "velocities": {"bob": text([-W * side * sin(a), -W * side * cos(a), mpf(0)])}})
    listed = ",".join(repr(float(t)) for t in times)
    return {f"run --sample-at {listed}": {"status": "finished", "tolerance": 1e-11, "events": [], "samples": samples,
                                           "energy": {"initial": -40, "work": 0, "lost": 0}}}


def bowl():
    """Two parabolas: down to (-1, 1/2), and on to (-1/13, 1/338)."""
    root = sqrt(mpf(10))
    first = event(root / 5, "impact", ["bowl"], {"ball": [mpf(-1), mpf(1) / 2]}, {"ball": [3 * root / 2, -root / 2]},
                  {"bowl": 3 * root / 2})
    first["lost"] = 7.5
    # At x = -1/13 the normal is (x, -1), f' = x vx - vy.
    s = 4 * root / 65
    x, vx, vy = mpf(-1) / 13, 3 * root / 2, -root / 2 - 10 * s
    impulse = mpf(3) / 2 * (x * vx - vy) / (x * x + 1)
    second = event(root / 5 + s, "impact", ["bowl"], {"ball": [x, x * x / 2]}, {"ball": [vx - impulse * x, vy + impulse]},
                   {"bowl": impulse})
    return {"run": {"status": "finished", "tolerance": 1e-11, "first_events": [first, second],
                    "event_counts": {"accumulation": 1}, "energy": {"initial": 25, "work": 0}}}


def bead_curtain():
    """The ball meets bead [4,5] from below: it lifts the three beads under it too, and frees the thread above."""
    g, s, r, M, m = mpf(10), mpf(3) / 10, mpf(35) / 100, mpf(2), mpf(1) / 10
    x = lambda t: -2 + 6 * t
    z = lambda t: mpf(-16) / 10 + mpf(14) / 10 * t - g * t * t / 2
    height = -5 * s
    time = findroot(lambda t: x(t) ** 2 + (z(t) - height) ** 2 - r * r, mpf(0.277))
    n = [-x(time) / r, (height - z(time)) / r]
    assert n[1] > 0
    v = [mpf(6), mpf(14) / 10 - g * time]
    closing = v[0] * n[0] + v[1] * n[1]
    impulse = closing / (1 / M + n[0] ** 2 / m + n[1] ** 2 / (4 * m))
    up = impulse * n[1] / (4 * m)
    velocities = {"ball": [v[0] - impulse * n[0] / M, mpf(0), v[1] - impulse * n[1] / M],
                  "bead[4,4]": [mpf(0), mpf(0), mpf(0)], "bead[4,5]": [impulse * n[0] / m, mpf(0), up],
                  "bead[4,8]": [mpf(0), mpf(0), up]}
    impulses = {"apart[4,5]": impulse, "thread[4,6]": 3 * m * up, "thread[4,7]": 2 * m * up, "thread[4,8]": m * up}
    return {"run": {"status": "finished", "tolerance": 1e-11,
                    "first_events": [event(time, "impact", ["apart[4,5]"], None, velocities, impulses)],
                    "energy": {"work": 0}}}


def snakeboard():
    """u = v sec(steering): u' = (j a / (m l)) sin t sin(b sin t); heading' = v tan(steering) / l."""
    mp.dps = 30
    a, b, j = mpf(1), mpf(6) / 10, mpf(1) / 2
    steering = lambda t: b * sin(t)

    def slope(t, y):
        u, heading = y[0], y[1]
        v = u * cos(steering(t))
        return [j * a * sin(t) * sin(steering(t)), v * tan(steering(t)), v * cos(heading), v * sin(heading)]

    solution = odefun(slope, 0, [mpf(0)] * 4, tol=mpf(10) ** -24)
    samples = []
    for t in (mpf(3), 2 * pi):
        u, heading, x, y = solution(t)
        v = u * cos(steering(t))
        samples.append({"time": text(t) if t == 3 else text(mpf(float(t))),
                        "positions": text({"x": x, "y": y, "heading": heading, "rider": a * sin(t)}),
                        "velocities": text({"x": v * cos(heading), "y": v * sin(heading), "heading": v * tan(steering(t)),
                                            "rider": a * cos(t)})})
    mp.dps = 50
    return {f"run --sample-at 3,{float(2 * pi)!r}": {"status": "finished", "tolerance": 1e-10, "events": [],
                                                    "samples": samples}}


MODELS = {"domino-row": domino_row, "foucault-pendulum": foucault_pendulum, "bowl": bowl, "bead-curtain": bead_curtain,
          "snakeboard": snakeboard}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or MODELS:
        print(json.dumps({wanted: MODELS[wanted]()}, indent=1), flush=True)

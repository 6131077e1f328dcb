"""The numbers of the gallery's rigid bodies: tops, coins, boxes and balls that touch.

  motions_of_rigid_bodies.py [NAME...]    prints, for each model named (all if none), what its expected.json holds of it

Euler's equations with a quaternion, or the one or two coordinates that are left, integrated by Taylor's series (mpmath's odefun), quadratures and closed
forms. Nothing is shared with zwang, and nothing here is run by the tests. Needs mpmath.
"""

import json
import sys

from mpmath import asin, cos, ellipfun, ellipk, findroot, mp, mpf, odefun, pi, quad, sin, sqrt

from expected_motions import text

mp.dps = 25


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turned(e, v):
    w, u = e[0], e[1:]
    c = cross(u, v)
    d = cross(u, c)
    return [v[k] + 2 * (w * c[k] + d[k]) for k in range(3)]


def turning(moments, spin, torque, until):
    """Quaternion and spin in the body's axes after a time; torque(e) in the body's axes."""

    def rates(_, y):
        e, o = y[:4], y[4:]
        n = torque(e)
        de = [-(e[1] * o[0] + e[2] * o[1] + e[3] * o[2]) / 2]
        de += [(e[0] * o[k] + cross(e[1:], o)[k]) / 2 for k in range(3)]
        io = [moments[k] * o[k] for k in range(3)]
        gyro = cross(o, io)
        return de + [(n[k] - gyro[k]) / moments[k] for k in range(3)]

    y = odefun(rates, 0, [mpf(1), mpf(0), mpf(0), mpf(0), *spin])(until)
    return y[:4], y[4:]


def dzhanibekov_nut():
    e, o = turning([mpf(1), mpf(2), mpf(3)], [mpf(1) / 100, mpf(2), mpf(0)], lambda e: [0, 0, 0], 20)
    return {"positions": {"nut": [2, 0, 0, *e]}, "velocities": {"nut": [mpf(1) / 10, 0, 0, *turned(e, o)]}}


def kovalevskaya_top():
    half = mpf(1) / 2

    def torque(e):
        up = turned([e[0], -e[1], -e[2], -e[3]], [0, 0, 1])
        return cross([half, 0, 0], [-9 * x for x in up])

    e, o = turning([mpf(2), mpf(2), mpf(1)], [half, mpf(3) / 10, mpf(1)], torque, 5)
    place = turned(e, [half, 0, 0])
    spin = turned(e, o)
    return {"positions": {"top": [*place, *e]}, "velocities": {"top": [*cross(spin, place), *spin]}}


def double_pendulum_of_bars():
    def rates(_, y):
        a, b, u, v = y
        c, s = cos(a - b), sin(a - b)
        # 4/3 a'' + 1/2 c b'' = -1/2 s b'^2 - 3/2 g cos a;  1/2 c a'' + 1/3 b'' = 1/2 s a'^2 - 1/2 g cos b
        p = -s * v * v / 2 - 15 * cos(a)
        q = s * u * u / 2 - 5 * cos(b)
        det = mpf(4) / 9 - c * c / 4
        return [u, v, (p / 3 - c * q / 2) / det, (4 * q / 3 - c * p / 2) / det]

    a, b, u, v = odefun(rates, 0, [mpf(0), pi / 2, mpf(0), mpf(0)])(3)
    x, y = cos(a) / 2, sin(a) / 2
    return {
        "positions": {"upper": [x, y, a], "lower": [2 * x + cos(b) / 2, 2 * y + sin(b) / 2, b]},
        "velocities": {"upper": [-u * y, u * x, u], "lower": [-2 * u * y - v * sin(b) / 2, 2 * u * x + v * cos(b) / 2, v]},
    }


def lagrange_top():
    l, a, w = mpf(1) / 2, pi / 3, 2
    t = 10
    m, g, big, c = 1, 10, mpf(3) / 10, mpf(1) / 10
    n = (m * g * l + (big + m * l * l) * w * w * cos(a)) / (c * w)
    x, y, z = l * sin(a) * cos(w * t), l * sin(a) * sin(w * t), l * cos(a)
    along = n - w * cos(a)
    spin = [along * sin(a) * cos(w * t), along * sin(a) * sin(w * t), along * cos(a) + w]
    return {
        "positions": {"top": [x, y, z, None, None, None, None]},
        "velocities": {"top": [-w * y, w * x, 0, *spin]},
        "multipliers": {"socket": {"force": [-m * w * w * x, -m * w * w * y, m * g]}},
    }


def box_on_its_corner():
    axis = [mpf(1), mpf(2), mpf(1) / 2]
    size = sqrt(sum(x * x for x in axis))
    e = [cos(mpf(7) / 20), *(x / size * sin(mpf(7) / 20) for x in axis)]
    corner = [mpf(2) / 10, mpf(-15) / 100, mpf(-1) / 10]
    r = turned(e, corner)
    h = 1 + r[2]
    g = mpf("9.81")
    mass = 500 * mpf("0.024")
    sides = [mpf(4) / 10, mpf(3) / 10, mpf(2) / 10]
    inertia = [mass * (sides[(k + 1) % 3] ** 2 + sides[(k + 2) % 3] ** 2) / 12 for k in range(3)]
    own = turned([e[0], -e[1], -e[2], -e[3]], cross(r, [0, 0, 1]))
    speed = sqrt(2 * g * h)
    impulse = mpf("1.3") * speed / (1 / mass + sum(own[k] ** 2 / inertia[k] for k in range(3)))
    return {"time": sqrt(2 * h / g), "impulse": impulse}


def domino_boxes():
    g, h, b, d = 10, mpf(1), mpf(2) / 10, mpf(6) / 10
    moment = (h * h + b * b) / 3
    rate = lambda w: sqrt(1 + g * (h - h * cos(w) - b * sin(w)) / moment)
    angle = asin((d - b) / h)
    v = rate(angle)
    return {"time": quad(lambda w: 1 / rate(w), [0, angle]), "spin": -v / 2, "impulse": moment * v / 2 / (h * cos(angle)), "angle": -angle}


def cradle_of_balls():
    g, length, r, gap = 10, 1, mpf(1) / 10, mpf(1) / 100
    far = 2 * r + gap
    a = findroot(lambda x: (length * sin(x) - far) ** 2 + (1 - cos(x)) ** 2 - 4 * r * r, gap)
    w = sqrt(2 * g * (cos(a) - cos(1)))
    time = quad(lambda x: 1 / sqrt(2 * g * (cos(x) - cos(1))), [-1, -mpf(1) / 2, a])
    n = [(far - sin(a)) / (2 * r), -(1 - cos(a)) / (2 * r)]
    t1 = n[0] * cos(a) + n[1] * sin(a)
    t2 = n[0]
    impulse = 2 * w * t1 / (t1 * t1 + t2 * t2)
    return {"time": time, "impulse": impulse, "second": impulse * t2, "first": [(w - impulse * t1) * cos(a), 0, (w - impulse * t1) * sin(a)]}


def smooth_coin():
    radius, h, g, a0, big = mpf(1) / 2, mpf(1) / 10, 10, mpf(8) / 10, 3
    c = radius * radius / 2
    across = (3 * radius * radius + h * h) / 12
    n = big * cos(a0)
    momentum = across * big * sin(a0) ** 2 + c * n * cos(a0)
    z = lambda a: radius * sin(a) + h / 2 * cos(a)
    slope = lambda a: radius * cos(a) - h / 2 * sin(a)

    def rates(_, y):
        a, u = y
        p = (momentum - c * n * cos(a)) / (across * sin(a))
        # of p^2 / 2 A with p / A = precession sin a
        force = p * (c * n * sin(a) / (across * sin(a)) - p * cos(a) / sin(a)) * across
        left = slope(a) ** 2 + across
        return [u, (-force - g * slope(a) + slope(a) * z(a) * u * u) / left]

    a, u = odefun(rates, 0, [a0, mpf(0)])(1)
    precession = (momentum - c * n * cos(a)) / (across * sin(a) ** 2)
    return {"lean": a, "height": z(a), "rate": slope(a) * u, "spin": sqrt(u * u + (precession * sin(a)) ** 2 + n * n), "upward": precession * sin(a) ** 2 + n * cos(a)}


def disc_in_a_drum():
    k = mpf(1) / 2
    u = ellipk(k) - sqrt(mpf(10))
    sine = sqrt(k) * ellipfun("sn", u, m=k)
    a = 2 * asin(sine)
    w = -2 * sqrt(k) * ellipfun("cn", u, m=k) * sqrt(mpf(10))
    return {"positions": [sin(a), -cos(a), 0], "velocities": [w * cos(a), w * sin(a), 0], "wall": 30 * cos(a)}


def rocking_box():
    a = mpf(1) / 2
    moment = (1 + mpf(36) / 100) / 12
    y = lambda w: sin(w) / 2 + mpf(3) / 10 * cos(w)
    slope = lambda w: cos(w) / 2 - mpf(3) / 10 * sin(w)
    # w = a - s^2 takes the root out of the beginning; (y(a) - y(w)) / s^2 without a difference of equals.
    fall = lambda s: cos(a - s * s / 2) * sin(s * s / 2) - mpf(6) / 10 * sin(a - s * s / 2) * sin(s * s / 2)
    time = quad(lambda s: 2 * s * sqrt((slope(a - s * s) ** 2 + moment) / (20 * fall(s))), [0, sqrt(a) / 2, sqrt(a)])
    return {"time": time, "lost": 10 * (y(a) - mpf(3) / 10)}


def written(value):
    """As text, with what is not expected left open."""
    if isinstance(value, dict):
        return {k: written(x) for k, x in value.items()}
    if isinstance(value, list):
        return [written(x) for x in value]
    return None if value is None else text(value)


MODELS = [dzhanibekov_nut, kovalevskaya_top, double_pendulum_of_bars, lagrange_top, box_on_its_corner, domino_boxes, cradle_of_balls, smooth_coin,
          disc_in_a_drum, rocking_box]

if __name__ == "__main__":
    for one in MODELS:
        if not sys.argv[1:] or one.__name__ in sys.argv[1:]:
            print(json.dumps({one.__name__: written(one())}))

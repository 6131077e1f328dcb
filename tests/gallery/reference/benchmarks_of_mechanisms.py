"""The numbers of the gallery's mechanisms from the IFToMM library of benchmark problems, each from the coordinate that is left.

  benchmarks_of_mechanisms.py [NAME...]    prints, for each model named (all if none), what stands in expected.json

A pendulum and the row of four-bars are elliptic functions of the time; Bricard's mechanism has the closed loop equation
cos(p/2) cos(q/2) = 1/2 for its alternating angles p, q, so that one angle about the middle of that curve is left, and T and V
are Fourier series of it; the governor is integrated by Gauss's collocation with two lengths of step, the
squeezer in the angle of its crank. Nothing is shared with zwang, and nothing here is run by the tests. Needs mpmath, numpy and scipy.
"""

import json
import sys

import numpy as np
from mpmath import asin, cos, ellipfun, ellipk, findroot, mp, mpf, pi, sin, sqrt
from scipy.integrate import solve_ivp

mp.dps = 40


def text(x, digits=20):
    return mp.nstr(x, digits)


def pendulum():
    """sin(w/2) = sin(w0/2) cd(sqrt(g/l) t, k), w0 = -pi/2 from the lowest position."""
    g = mpf("9.81")
    k2 = mpf(1) / 2
    t = mpf(10) * sqrt(g)
    cd = ellipfun("cd", t, m=k2)
    half = asin(-sqrt(k2) * cd)
    w = 2 * half
    # w'^2 = 2 g cos w; its sign from the derivative of cd: -(1 - k^2) sn / dn^2.
    rate = -sqrt(k2) * -(1 - k2) * ellipfun("sn", t, m=k2) / ellipfun("dn", t, m=k2) ** 2 * sqrt(g) * 2 / cos(half)
    return {"bob": [sin(w), -cos(w)], "velocity": [rate * cos(w), rate * sin(w)], "rod": g * cos(w) + rate**2}


def four_bar(N, until=mpf(10)):
    """All cranks turn as one: w'^2 = W^2 + 2 k (1 - cos w) from the top, k = g (3N + 1)/2 / ((4N + 1)/3)."""
    g = mpf("9.81")
    k = g * (mpf(N + 1) / 2 + N) / (mpf(N + 1) / 3 + N)
    W = mpf(1)
    # With u = (w - pi)/2: u'^2 = (W^2 + 4 k)/4 (1 - m sin^2 u), m = 4 k / (W^2 + 4 k): u = am(s t - K).
    m = 4 * k / (W**2 + 4 * k)
    s = sqrt(W**2 + 4 * k) / 2
    K = ellipk(m)
    z = s * until - K
    # The amplitude, beyond a quarter period.
    turns = mp.floor((z + K) / (2 * K))
    rest = z - 2 * K * turns
    u = asin(ellipfun("sn", rest, m=m)) + pi * turns
    w = pi + 2 * u
    rate = 2 * s * ellipfun("dn", z, m=m)
    return {"first": [sin(w), cos(w)], "velocity": [rate * cos(w), -rate * sin(w)]}


# ---------------------------------------------------------------------------------------------------- Bricard


def turned(axis, angle, v):
    """Rodrigues."""
    dot = sum(a * b for a, b in zip(axis, v))
    cross = [axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2], axis[0] * v[1] - axis[1] * v[0]]
    return [v[i] * cos(angle) + cross[i] * sin(angle) + axis[i] * dot * (1 - cos(angle)) for i in range(3)]


def angles(psi):
    """The alternating angles, both pi/2 at psi = pi/4."""
    c, s = cos(psi), sin(psi)
    r = findroot(lambda r: cos(r * c / 2) * cos(r * s / 2) - mpf(1) / 2, mpf("2.2"))
    return r * c, r * s


def loop(p, q):
    """Hinges and their directions from the fixed side on, and how far the loop is from closed.

    At every hinge the next rod is the last one turned about it; the next hinge's direction is carried along.
    """
    place = [mpf(0)] * 3
    turns = [p, q, p, q, p, q]
    # At the start: directions of rods and hinges of the cube, all turns 90 degrees of their own sign.
    rods = [[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, -1]]
    hinges = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    # The frame of the rod before: (rod, hinge at its end) of the start, and what it is now.
    def frame(a, b):
        c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        return [a, b, c]
    places, directions = [], []
    old = frame([mpf(x) for x in rods[5]], [mpf(x) for x in hinges[0]])
    now = old
    for k in range(6):
        places.append(place)
        directions.append(now[1])
        # Of the start: the next rod and the next hinge in the frame old, turned back by the start's angle.
        before = [mpf(x) for x in rods[k - 1]]
        axis = [mpf(x) for x in hinges[k]]
        after = [mpf(x) for x in rods[k]]
        following = [mpf(x) for x in hinges[(k + 1) % 6]]
        cross = [axis[1] * before[2] - axis[2] * before[1], axis[2] * before[0] - axis[0] * before[2], axis[0] * before[1] - axis[1] * before[0]]
        sign = sum(a * b for a, b in zip(cross, after))  # +-1: a quarter turn this way
        change = sign * (turns[k] - pi / 2)
        def express(v):
            return [sum(v[i] * old[j][i] for i in range(3)) for j in range(3)]
        def put(coefficients):
            return [sum(coefficients[j] * now[j][i] for j in range(3)) for i in range(3)]
        rod = turned(now[1], change, put(express(after)))
        nxt = turned(now[1], change, put(express(following)))
        place = [place[i] + rod[i] for i in range(3)]
        old = frame(after, following)
        now = frame(rod, nxt)
    gap = max(abs(place[i]) for i in range(3)) + max(abs(now[0][i] - [0, 0, -1][i]) for i in range(3)) + max(abs(now[1][i] - [0, 1, 0][i]) for i in range(3))
    return places, directions, gap


def bricard(until=10.0, nodes=256):
    """T = A(psi) psi'^2 / 2 and V(psi) as Fourier series; psi from rest at pi/4."""
    m, g, c = 1.0, 9.81, 0.1
    table = []
    worst = mpf(0)
    for k in range(nodes):
        p, q = angles(2 * pi * k / nodes)
        places, directions, gap = loop(p, q)
        worst = max(worst, gap)
        table.append([[float(x) for x in v] for v in places + directions])
    print("the loop is closed to", mp.nstr(worst, 3), file=sys.stderr)
    table = np.array(table)                           # nodes x 12 x 3
    waves = np.fft.fft(table, axis=0) / nodes
    number = np.fft.fftfreq(nodes, 1 / nodes)
    print("last waves", np.abs(waves[nodes // 2 - 4 : nodes // 2 + 4]).max(), file=sys.stderr)
    waves[np.abs(waves) < 1e-17] = 0

    def at(psi):
        e = np.exp(1j * number * psi)
        value = np.real(np.tensordot(e, waves, axes=(0, 0)))
        first = np.real(np.tensordot(1j * number * e, waves, axes=(0, 0)))
        second = np.real(np.tensordot(-(number**2) * e, waves, axes=(0, 0)))
        return value, first, second

    def sums(psi):
        x, d, dd = at(psi)
        P, U = d[:6], d[6:]
        PP, UU = dd[:6], dd[6:]
        A = dA = dV = 0.0
        for k in range(5):
            a, b, aa, bb = P[k], P[k + 1], PP[k], PP[k + 1]
            A += m / 3 * (a @ a + a @ b + b @ b) + m * c * c / 12 * (U[k] @ U[k] + U[k + 1] @ U[k + 1])
            dA += m / 3 * (2 * a @ aa + a @ bb + aa @ b + 2 * b @ bb) + m * c * c / 6 * (U[k] @ UU[k] + U[k + 1] @ UU[k + 1])
            dV += m * g / 2 * (a[1] + b[1])
        return A, dA, dV

    def rhs(t, y):
        A, dA, dV = sums(y[0])
        return np.array([y[1], -(dA * y[1] ** 2 / 2 + dV) / A])

    # The angle at which the cube stands: psi = pi/4.
    answers = []
    for tolerance in (3e-14, 1e-12):
        run = solve_ivp(rhs, (0, until), [np.pi / 4, 0.0], method="DOP853", rtol=tolerance, atol=1e-15)
        psi, rate = run.y[:, -1]
        x, d, _ = at(psi)
        answers.append((x[1:5], d[1:5] * rate, psi, rate))
    print("two tolerances differ by", np.abs(answers[0][0] - answers[1][0]).max(), np.abs(answers[0][1] - answers[1][1]).max(), file=sys.stderr)
    A, dA, dV = sums(np.pi / 4)
    start = at(np.pi / 4)[1] * (-dV / A)
    return {"positions": {f"p{k + 1}": list(answers[0][0][k]) for k in range(4)}, "velocities": {f"p{k + 1}": list(answers[0][1][k]) for k in range(4)},
            "accelerations at the start": {f"p{k}": list(start[k]) for k in range(1, 5)}}


# ---------------------------------------------------------------------------------------------------- the governor


def governor(until=10.0):
    g, K, C, d0, h, ball, rod, sled = 9.81, 8e5, 4e4, 0.5, 0.05, 5.0, 0.3, 3.0
    Jt, Ja = rod / 12 * (1 + 1e-4), rod / 12 * 2e-4
    J = Ja + sled / 12 * 0.02
    # Both arms alike: a and s are left; the shaft has the momentum L = I(a) w'.
    I = lambda a: J + 2 * (ball * (h + np.cos(a)) ** 2 + rod * (h + np.cos(a) / 2) ** 2 + Jt * np.cos(a) ** 2 + Ja * np.sin(a) ** 2)
    dI = lambda a: 2 * (-2 * ball * (h + np.cos(a)) * np.sin(a) - rod * (h + np.cos(a) / 2) * np.sin(a) + (Ja - Jt) * np.sin(2 * a))
    L = I(np.pi / 6) * 2 * np.pi
    B = 2 * (ball + rod / 4 + Jt)

    def rhs(y):
        w, a, s, va, vs = y
        z = 1 - s
        d = np.sqrt(0.25 + z * z - z * np.sin(a))
        da, ds = -z * np.cos(a) / (2 * d), -(z - np.sin(a) / 2) / d
        pull = K * (d - d0) + C * (da * va + ds * vs)
        turn = L / I(a)
        return np.array([turn, va, vs, (dI(a) / 2 * turn**2 + 2 * (ball + rod / 2) * g * np.cos(a) - 2 * pull * da) / B, -g - 2 * pull * ds / sled])

    def jacobian(y):
        out = np.zeros((5, 5))
        # Central differences suffice for Newton's direction.
        for i in range(5):
            step = 1e-6 * max(1.0, abs(y[i]))
            e = np.zeros(5)
            e[i] = step
            out[:, i] = (rhs(y + e) - rhs(y - e)) / (2 * step)
        return out

    # Gauss's collocation with four points, order 8.
    n = 4
    x, _ = np.polynomial.legendre.leggauss(n)
    c = (x + 1) / 2
    V = np.vander(c, n, increasing=True)
    Q = np.array([[c[i] ** (j + 1) / (j + 1) for j in range(n)] for i in range(n)])
    A = Q @ np.linalg.inv(V)
    b = np.array([1 / (j + 1) for j in range(n)]) @ np.linalg.inv(V)

    def run(lengths):
        y = np.array([0.0, np.pi / 6, 0.5, 0.0, 0.0])
        for h_, count in lengths:
            k = np.tile(rhs(y), (n, 1))
            for _ in range(count):
                Jm = jacobian(y)
                N = np.linalg.inv(np.eye(5 * n) - h_ * np.kron(A, Jm))
                for _ in range(30):
                    F = np.array([rhs(y + h_ * (A[i] @ k)) for i in range(n)])
                    change = (N @ (F - k).ravel()).reshape(n, 5)
                    k = k + change
                    if np.abs(change).max() < 1e-11:
                        break
                y = y + h_ * (b @ k)
        return y

    # The stiff beginning lasts some 1e-3 s and is gone over in finer steps.
    def schedule(factor):
        out = []
        t = 0.0
        h_ = 1e-6 / factor
        while h_ < 1e-3 / factor:
            out.append((h_, 64))
            t += 64 * h_
            h_ *= 2
        last = int(round((until - t) / (1e-3 / factor)))
        out.append(((until - t) / last, last))
        return out

    one, two = run(schedule(1)), run(schedule(2))
    print("two lengths of step differ by", np.abs(one - two).max(), file=sys.stderr)
    w, a, s, va, vs = two
    return {"w": w, "a": a, "b": a, "s": s, "velocities": {"w": L / I(a), "a": va, "s": vs}}


# ---------------------------------------------------------------------------------------------------- Andrews


def squeezer(until=0.03):
    """One coordinate is left, the crank's angle: the six others by Newton from the loops, T = A(be) be'^2 / 2 with A from their rates.

    be'' A + A' be'^2 / 2 + V' = motor; A' by the second derivatives of the loops along the motion.
    """
    m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
    I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    xa, ya, xb, yb, xc, yc, c0, l0 = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072, 4530.0, 0.07785
    d, da, e, ea, rr, ra, ss, sa, sb, sc, sd = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
    ta, tb, u, ua, ub, zf, zt, fa, motor = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421, 0.033
    sin, cos = np.sin, np.cos

    def loops(q):
        be, th, ga, ph, de, om, ep = q
        x, y = rr * cos(be) - d * cos(be + th), rr * sin(be) - d * sin(be + th)
        return np.array([x - ss * sin(ga) - xb, y + ss * cos(ga) - yb, x - e * sin(ph + de) - zt * cos(de) - xa,
                         y + e * cos(ph + de) - zt * sin(de) - ya, x - zf * cos(om + ep) - u * sin(ep) - xa, y - zf * sin(om + ep) + u * cos(ep) - ya])

    def rows(q):
        be, th, ga, ph, de, om, ep = q
        G = np.zeros((6, 7))
        for k in (0, 2, 4):
            G[k, 0], G[k, 1] = -rr * sin(be) + d * sin(be + th), d * sin(be + th)
            G[k + 1, 0], G[k + 1, 1] = rr * cos(be) - d * cos(be + th), -d * cos(be + th)
        G[0, 2], G[1, 2] = -ss * cos(ga), -ss * sin(ga)
        G[2, 3], G[3, 3] = -e * cos(ph + de), -e * sin(ph + de)
        G[2, 4], G[3, 4] = -e * cos(ph + de) + zt * sin(de), -e * sin(ph + de) - zt * cos(de)
        G[4, 5], G[5, 5] = zf * sin(om + ep), -zf * cos(om + ep)
        G[4, 6], G[5, 6] = zf * sin(om + ep) - u * cos(ep), -zf * cos(om + ep) - u * sin(ep)
        return G

    def bend(q, v):
        be, th, ga, ph, de, om, ep = q
        w = v[0] + v[1]
        x, y = -rr * cos(be) * v[0] ** 2 + d * cos(be + th) * w**2, -rr * sin(be) * v[0] ** 2 + d * sin(be + th) * w**2
        p, o = (v[3] + v[4]) ** 2, (v[5] + v[6]) ** 2
        return np.array([x + ss * sin(ga) * v[2] ** 2, y - ss * cos(ga) * v[2] ** 2, x + e * sin(ph + de) * p + zt * cos(de) * v[4] ** 2,
                         y - e * cos(ph + de) * p + zt * sin(de) * v[4] ** 2, x + zf * cos(om + ep) * o + u * sin(ep) * v[6] ** 2,
                         y + zf * sin(om + ep) * o - u * cos(ep) * v[6] ** 2])

    def mass(q):
        th, ph, om = q[1], q[3], q[5]
        M = np.zeros((7, 7))
        M[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * cos(th) + da**2) + I1 + I2
        M[0, 1] = M[1, 0] = m2 * (da**2 - da * rr * cos(th)) + I2
        M[1, 1] = m2 * da**2 + I2
        M[2, 2] = m3 * (sa**2 + sb**2) + I3
        M[3, 3] = m4 * (e - ea) ** 2 + I4
        M[3, 4] = M[4, 3] = m4 * ((e - ea) ** 2 + zt * (e - ea) * sin(ph)) + I4
        M[4, 4] = m4 * (zt**2 + 2 * zt * (e - ea) * sin(ph) + (e - ea) ** 2) + m5 * (ta**2 + tb**2) + I4 + I5
        M[5, 5] = m6 * (zf - fa) ** 2 + I6
        M[5, 6] = M[6, 5] = m6 * ((zf - fa) ** 2 - u * (zf - fa) * sin(om)) + I6
        M[6, 6] = m6 * ((zf - fa) ** 2 - 2 * u * (zf - fa) * sin(om) + u**2) + m7 * (ua**2 + ub**2) + I6 + I7
        return M

    def force(q, v):
        """X - (M' v - dT/dq) - dV/dq."""
        be, th, ga, ph, de, om, ep = q
        x, y = sd * cos(ga) + sc * sin(ga) + xb - xc, sd * sin(ga) - sc * cos(ga) + yb - yc
        far = np.hypot(x, y)
        F = -c0 * (far - l0) / far
        return np.array([motor - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(th), m2 * da * rr * v[0] ** 2 * sin(th),
                         F * x * (sc * cos(ga) - sd * sin(ga)) + F * y * (sd * cos(ga) + sc * sin(ga)), m4 * zt * (e - ea) * v[4] ** 2 * cos(ph),
                         -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * cos(ph), -m6 * u * (zf - fa) * v[6] ** 2 * cos(om),
                         m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * cos(om)])

    guess = np.array([-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119])

    def rest(be):
        """All angles of the crank's, from the last ones found."""
        q = guess.copy()
        steps = max(1, int(abs(be - q[0]) / 0.05))
        for target in np.linspace(q[0], be, steps + 1)[1:] if steps > 1 else [be]:
            q[0] = target
            for _ in range(20):
                change = np.linalg.solve(rows(q)[:, 1:], loops(q))
                q[1:] -= change
                if np.abs(change).max() < 1e-15:
                    break
        guess[:] = q
        return q

    def along(q, rate):
        G = rows(q)
        t = np.concatenate([[1.0], -np.linalg.solve(G[:, 1:], G[:, 0])])
        v = t * rate
        a0 = np.concatenate([[0.0], -np.linalg.solve(G[:, 1:], bend(q, v))])
        M = mass(q)
        return t, v, a0, t @ (force(q, v) - M @ a0) / (t @ M @ t)

    def rhs(t, y):
        q = rest(y[0])
        return np.array([y[1], along(q, y[1])[3]])

    answers = []
    for tolerance in (3e-14, 1e-12):
        guess[:] = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119]
        start = along(rest(guess[0]), 0.0)[3]
        run = solve_ivp(rhs, (0, until), [guess[0], 0.0], method="DOP853", rtol=tolerance, atol=1e-14)
        q = rest(run.y[0, -1])
        answers.append(np.concatenate([q, along(q, run.y[1, -1])[1]]))
    print("two tolerances differ by", np.abs(answers[0] - answers[1]).max(), file=sys.stderr)
    names = ["be", "th", "ga", "ph", "de", "om", "ep"]
    return {"acceleration of be at the start": start, "positions": dict(zip(names, answers[0][:7])), "velocities": dict(zip(names, answers[0][7:]))}


def shown(value):
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shown(inner) for inner in value]
    return text(value) if isinstance(value, mpf) else float(value)


ALL = {
    "pendulum-in-cartesian": pendulum,
    "n-four-bar": lambda: {f"N = {N}": four_bar(N) for N in (1, 2, 5, 40)},
    "bricard": lambda: {f"t = {until}": bricard(until) for until in (1.0, 10.0)},
    "flyball-governor": governor,
    "andrews-squeezer": squeezer,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        print(json.dumps({name: shown(ALL[name]())}, indent=2))

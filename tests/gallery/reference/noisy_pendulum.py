"""The readings of gallery/noisy-pendulum, and what least squares makes of them.

  noisy_pendulum.py           prints what expected.json holds: the motion with the values of the model, and the fit
  noisy_pendulum.py --data    prints data.csv: the pendulum with L = 1.35, c = 0.12, read 64 times with an error of 0.02

phi'' = -(g/L) sin phi - c phi' and its derivatives by L and c, by Taylor series of order 40 in decimals of 50 digits, from reading to reading; Gauss's and
Newton's steps until they stand still. Nothing is shared with zwang, and nothing here is run by the tests. Needs nothing but Python.
"""

import json
import pathlib
import random
import sys
from decimal import Decimal as D
from decimal import getcontext

getcontext().prec = 50
ORDER = 40
G = D("9.81")
STEP = D("0.125")
READINGS = 64
DATA = pathlib.Path(__file__).resolve().parents[3] / "gallery" / "noisy-pendulum" / "data.csv"


def sin_cos(x):
    """By their series."""
    term, sine, cosine, k = D(1), D(0), D(0), 0
    while abs(term) > D(10) ** -55:
        cosine, sine = cosine + term, sine + term * x / (k + 1)
        term, k = -term * x * x / ((k + 1) * (k + 2)), k + 2
    return sine, cosine


def step(state, L, c, h):
    """State: phi, w, and both by L and by c; after a time h."""
    phi, w, a, b, p, q = ([value] for value in state)
    sine, cosine = ([value] for value in sin_cos(phi[0]))
    for k in range(ORDER):
        product = lambda one, other: sum(one[j] * other[k - j] for j in range(k + 1))
        by_angle = [product(cosine, one) for one in (a, p)]
        now = {"w": w[k], "b": b[k], "q": q[k], "sine": sine[k]}
        phi.append(now["w"] / (k + 1))
        w.append((-G / L * now["sine"] - c * now["w"]) / (k + 1))
        a.append(now["b"] / (k + 1))
        b.append((-G / L * by_angle[0] + G / L**2 * now["sine"] - c * now["b"]) / (k + 1))
        p.append(now["q"] / (k + 1))
        q.append((-G / L * by_angle[1] - c * now["q"] - now["w"]) / (k + 1))
        slope = [(j + 1) * phi[j + 1] for j in range(k + 1)]
        sine.append(sum(slope[j] * cosine[k - j] for j in range(k + 1)) / (k + 1))
        cosine.append(-sum(slope[j] * sine[k - j] for j in range(k + 1)) / (k + 1))
    return [sum(value * h**k for k, value in enumerate(series)) for series in (phi, w, a, b, p, q)]


def motion(L, c):
    """States at all readings."""
    state = [D(1), D(0), D(0), D(0), D(0), D(0)]
    out = []
    for _ in range(READINGS):
        state = step(state, L, c, STEP)
        out.append(state)
    return out


def data():
    draw = random.Random(1785)
    lines = ["# a pendulum let go at rest at the angle 1; seconds, radians", "t,angle"]
    for k, state in enumerate(motion(D("1.35"), D("0.12"))):
        lines.append(f"{float(STEP * (k + 1))},{float(state[0]) + draw.gauss(0, 0.02):.4f}")
    return "\n".join(lines) + "\n"


def fit():
    read = [D(line.split(",")[1]) for line in DATA.read_text().splitlines()[2:]]
    L, c = D("1.2"), D("0.05")
    for _ in range(30):
        states = motion(L, c)
        left = [state[0] - value for state, value in zip(states, read)]
        ll = sum(s[2] * s[2] for s in states)
        lc = sum(s[2] * s[4] for s in states)
        cc = sum(s[4] * s[4] for s in states)
        l0 = sum(s[2] * r for s, r in zip(states, left))
        c0 = sum(s[4] * r for s, r in zip(states, left))
        det = ll * cc - lc * lc
        dL, dc = (-cc * l0 + lc * c0) / det, (lc * l0 - ll * c0) / det
        L, c = L + dL, c + dc
        if abs(dL) + abs(dc) < D(10) ** -30:
            break
    square = sum(r * r for r in left)
    variance = square / (READINGS - 2)
    text = lambda value: f"{value:.22g}"
    return {
        "tolerance": 1e-9,
        "status": "fitted",
        "parameters": {"L": {"value": text(L), "deviation": text((variance * cc / det).sqrt())},
                       "c": {"value": text(c), "deviation": text((variance * ll / det).sqrt())}},
        "residual": text(square.sqrt()),
        "values": READINGS,
        "covariance": [[text(variance * cc / det), text(-variance * lc / det)], [text(-variance * lc / det), text(variance * ll / det)]],
    }


def run():
    L = D("1.2")
    phi, w = motion(L, D("0.05"))[-1][:2]
    sine, cosine = sin_cos(phi)
    text = lambda value: f"{value:.22g}"
    return {"tolerance": 1e-11, "status": "finished",
            "final": {"time": 8, "positions": {"bob": [text(L * sine), text(-L * cosine)]}, "velocities": {"bob": [text(L * w * cosine), text(L * w * sine)]}}}


if __name__ == "__main__":
    if "--data" in sys.argv:
        print(data(), end="")
    else:
        print(json.dumps({"run": run(), "fit gallery:noisy-pendulum --free L,c": fit()}, indent=1))

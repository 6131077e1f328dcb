"""How fast the package is: beside the same loops in C++, and beside scipy at equal error. All ratios are of one run.

    build/python-venv/bin/python python/benchmarks/speed.py

The C++ loops are timed inside the module, so that both sides have the same compiler, flags and machine. For scipy the
equations are written by hand (angles of the rods, one linear system) and vectorised; DOP853 with events. Its tolerance
is the bluntest at which its error is no larger than ours.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import zwang
from zwang import _zwang


def best(call: Callable[[], Any], repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The shortest time of several."""
    shortest = math.inf
    for _ in range(repeats):
        begin = clock()
        call()
        shortest = min(shortest, clock() - begin)
    return shortest


def used(call: Callable[[], Any], repeats: int) -> float:
    """The least time of the processor: other programs on the machine do not count."""
    return best(call, repeats, time.process_time)


def chain(k: int, until: float = 5.0) -> zwang.Model:
    """k rods in the plane, hanging from the origin, let go at a right angle to the first."""
    i = zwang.index("i")
    draft = zwang.Draft(gravity=[0, -9.81])
    bead = draft.points("bead", count=k, mass=1, position=[i, 0])
    draft.constrain("first", zwang.norm(bead[1]) == 1)
    if k > 1:
        draft.constrain("rod", zwang.distance(bead[i], bead[i + 1]) == 1, over=[(i, 1, k - 1)])
    draft.simulation(until=until)
    return draft.compile()


def chain_by_hand(k: int) -> tuple[Callable[[float, np.ndarray], np.ndarray], np.ndarray]:
    """The same in angles from the vertical: sum_j w_ij cos(a_i - a_j) a_j'' = -sum_j w_ij sin(a_i - a_j) a_j'^2 - g w_ii sin a_i."""
    number = np.arange(k)
    weight = (k - np.maximum(number[:, None], number[None, :])).astype(float)
    own = 9.81 * np.diag(weight)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        angle, rate = y[:k], y[k:]
        apart = angle[:, None] - angle[None, :]
        second = np.linalg.solve(weight * np.cos(apart), -(weight * np.sin(apart)) @ rate**2 - own * np.sin(angle))
        return np.concatenate([rate, second])

    return rates, np.concatenate([np.full(k, math.pi / 2), np.zeros(k)])


def places(angles: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cumsum(np.sin(angles)), -np.cumsum(np.cos(angles))])


def against_cpp() -> bool:
    good = True
    print("beside C++ (microseconds per call)")
    print(f"  {'accelerate':34} {'C++':>8} {'Python':>8} {'more':>8}   into an array, more")
    models = {"pendulum on a string": zwang.load("gallery:string-pendulum"), "double pendulum": zwang.load("gallery:double-pendulum"),
              "Newton's cradle": zwang.load("gallery:newtons-cradle"), "chain of 20 rods": chain(20)}
    for name, model in models.items():
        calls = 300
        state = model.initial
        q, v, t, out = state.position, state.velocity, state.time, np.empty_like(state.position)
        native = min(_zwang.accelerate_seconds(model._core, calls) for _ in range(100))

        def answers(model: zwang.Model = model, state: zwang.State = state) -> None:
            for _ in range(calls):
                model.accelerate(state)

        def numbers(model: zwang.Model = model) -> None:
            for _ in range(calls):
                model.accelerations(q, v, t, out)

        answer, number = best(answers, 100) / calls, best(numbers, 100) / calls if model.accelerate().status == "determined" else math.nan
        print(f"  {name:34} {native * 1e6:8.2f} {answer * 1e6:8.2f} {(answer - native) * 1e6:8.2f}   {(number - native) * 1e6:8.2f}")
        good &= answer - native < 3e-6
    print(f"\n  {'':34} {'C++':>10} {'Python':>10} {'ratio':>7}")
    for name, model in {"run, double pendulum to t = 20": zwang.load("gallery:double-pendulum", until=20),
                        "run, chain of 4 rods to t = 5": chain(4), "run, chain of 20 rods to t = 2": chain(20, 2.0)}.items():
        pairs = [(_zwang.run_seconds(model._core, 1), best(model.run, 1)) for _ in range(40)]
        native, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        print(f"  {name:34} {native * 1e3:7.3f} ms {ours * 1e3:7.3f} ms {ours / native:7.3f}")
        good &= ours / native < 1.05
    model = chain(4)
    run = model.run()
    times = np.linspace(0, 5, 2_000)
    pairs = [(_zwang.states_seconds(model._core, 2_000), best(lambda: run._run.states(times), 1)) for _ in range(200)]
    native, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    print(f"  {'2000 states of a chain of 4 rods':34} {native * 1e3:7.3f} ms {ours * 1e3:7.3f} ms {ours / native:7.3f}")
    good &= ours / native < 1.05
    return good


def against_scipy() -> bool:
    good = True
    print("\nbeside scipy.integrate.solve_ivp, DOP853, at equal error")
    print(f"  {'':34} {'scipy':>10} {'error':>8} {'zwang':>10} {'error':>8} {'faster':>8}")
    for k in (1, 2, 3, 4):
        model = chain(k)
        truth = model.run(tolerance=1e-15)(5.0).position.reshape(k, 2)
        rates, start = chain_by_hand(k)
        found = []
        for tolerance in (1e-12, 1e-11, 1e-10, 1e-9):
            run = model.run(tolerance=tolerance)
            found.append((np.abs(run(5.0).position.reshape(k, 2) - truth).max(), tolerance))
        # The bluntest of scipy's tolerances that is as good as ours at 1e-12, or its sharpest.
        for tolerance in (1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 3e-14):
            solution = solve_ivp(rates, (0, 5), start, method="DOP853", rtol=tolerance, atol=tolerance)
            error = np.abs(places(solution.y[:k, -1]) - truth).max()
            if error <= found[0][0]:
                break
        # Ours at the bluntest tolerance that is still as good as scipy's result.
        ours = max((one for one in found if one[0] <= max(error, found[0][0])), key=lambda one: one[1])
        theirs_seconds = used(lambda: solve_ivp(rates, (0, 5), start, method="DOP853", rtol=tolerance, atol=tolerance), 3)
        ours_seconds = used(lambda: model.run(tolerance=ours[1]), 15)
        ratio = theirs_seconds / ours_seconds
        print(f"  {f'chain of {k} rods to t = 5':34} {theirs_seconds * 1e3:7.2f} ms {error:8.1e} {ours_seconds * 1e3:7.3f} ms {ours[0]:8.1e} {ratio:7.0f}x")
        good &= ratio >= 100

    # A ball with restitution 0.9: 20 bounces.
    ball = zwang.parse("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 0]\n[constraints]\n"
                       'floor = { condition = "a.y >= 0", restitution = 0.9 }\n[simulation]\nuntil = 7.5\n')
    fall = math.sqrt(2 / 9.81)
    speed, instant, bounces = 9.81 * fall, fall, 0
    while instant + 2 * 0.9 * speed / 9.81 < 7.5:
        speed *= 0.9
        instant += 2 * speed / 9.81
        bounces += 1
    rest = 7.5 - instant
    height = 0.9 * speed * rest - 9.81 * rest**2 / 2

    def floor(_: float, y: np.ndarray) -> float:
        return float(y[1])

    floor.terminal = True  # type: ignore[attr-defined]
    floor.direction = -1  # type: ignore[attr-defined]
    field = np.array([0.0, 0.0, 0.0, -9.81])

    def flight(_: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[2], y[3], field[2], field[3]])

    def theirs(tolerance: float) -> float:
        t, y = 0.0, np.array([0.0, 1.0, 1.0, 0.0])
        while t < 7.5:
            solution = solve_ivp(flight, (t, 7.5), y, method="DOP853", rtol=tolerance, atol=tolerance, events=floor, dense_output=True)
            t, y = float(solution.t[-1]), solution.y[:, -1].copy()
            if solution.status == 1:
                y[1], y[3] = 0.0, -0.9 * y[3]
        return float(y[1])

    error = abs(theirs(1e-12) - height)
    ours_error = abs(ball.run()(7.5).positions["a"][1] - height)
    theirs_seconds, ours_seconds = used(lambda: theirs(1e-12), 3), used(ball.run, 15)
    ratio = theirs_seconds / ours_seconds
    print(f"  {f'ball, {bounces + 1} bounces to t = 7.5':34} {theirs_seconds * 1e3:7.2f} ms {error:8.1e} {ours_seconds * 1e3:7.3f} ms {ours_error:8.1e} {ratio:7.0f}x")
    return good and ratio >= 100


if __name__ == "__main__":
    native = against_cpp()
    foreign = against_scipy()
    print(f"\nbeside C++: {'within' if native else 'NOT within'} 3 microseconds and 5 %; beside scipy: {'at least' if foreign else 'NOT'} 100x everywhere")
    sys.exit(0)

"""A program whose types a checker must understand: it uses every part of the package once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import zwang


def build() -> zwang.Model:
    draft = zwang.Draft("typed", gravity=[0, 0, "-g"])
    g, L = draft.parameters(g=9.81, L=1.0)
    a = draft.point("a", mass=1.0, position=[0, 0, -L], velocity=[1, 0, 0], force=[-g * a_velocity("a"), 0, 0])
    draft.constrain("string", zwang.distance(a, [0, 0, 0]) <= L)
    draft.constrain("rail", a.velocity.y == 0)
    draft.output("speed", zwang.norm(a.velocity))
    draft.simulation(until=1.0)
    model: zwang.Model = draft.compile()
    return model


def a_velocity(name: str) -> zwang.Expression:
    return zwang.Expression(f"{name}.x'")


def ask(model: zwang.Model) -> dict[str, float]:
    state: zwang.State = model.state(0.0, {"a": [0, 0, -1]}, {"a": [1.0, 0, 0]})
    answer: zwang.Acceleration = model.accelerate(state)
    text: str = answer.status
    z: float = answer.constraint
    fractions: zwang.ExactAcceleration = model.accelerate(exact=True)
    whole: Fraction = fractions.constraint
    accelerations: NDArray[np.float64] = answer.array
    role: str = answer.constraints["string"].role
    shock: zwang.Impact = model.impact(state, blows={"a": [0, 0, 1]})
    explained: str = str(model.explain())
    stable: bool = model.analyze.stability(find=True).equilibrium
    assert whole >= 0
    assert text and explained and role and shock.status and accelerations.shape == (3,)
    return {"z": z, "stable": float(stable)}


def follow(model: zwang.Model) -> NDArray[np.float64]:
    run: zwang.Trajectory = model.run(until=0.5, progress=lambda time, steps, events: None)
    for event in run.events:
        time: float = event.time
        kinds: list[str] = event.constraints
        assert time >= 0 and kinds is not None
    states: zwang.States = run(np.linspace(0, 0.5, 5))
    tension: NDArray[np.float64] = states.multipliers["string"]
    stretch: zwang.Trajectory = run[0.1:0.2]
    shaped: zwang.IvpResult = stretch.solve_ivp()
    total: NDArray[np.float64] = run.energy.total
    assert shaped.success and total.size and stretch.t.size
    stepper = zwang.Stepper(model)
    happened: list[zwang.Event] = stepper.advance(0.25)
    stepper.set(L=1.0)
    assert isinstance(happened, list)
    solution: zwang.gauss.Solution = zwang.gauss.solve(np.ones(2), None, None, np.ones((1, 2)), [0.0], [1.0, 1.0])
    assert solution.status == "solved"
    return tension


def main() -> None:
    model = build()
    ask(model)
    follow(model)
    try:
        zwang.parse("nonsense")
    except zwang.Error as error:
        line: int | None = error.line
        assert line is not None


if __name__ == "__main__":
    main()

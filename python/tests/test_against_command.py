"""Every answer against the command line: the same keys, the same bits."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, Command, same
from hypothesis import given, settings
from hypothesis import strategies as st

import zwang

def place(name: str) -> str:
    """The file of a model of the gallery, for both sides."""
    return str(ROOT / "gallery" / name / "model.toml")


LARGE = {"sheared-net", "spring-net", "falling-chain"}
NAMES = [name for name in zwang.gallery() if name not in LARGE]
# Every so many of them; all with ZWANG_SOAK in the environment (`make soak`).
SOAK = bool(os.environ.get("ZWANG_SOAK"))
ANALYSES = ["integrability", "stability", "measure", "velocities", "fourier", "curvature", "reversal", "energy"]


def asked(call: Any) -> Any:
    """An answer, or an error as the command writes it."""
    try:
        answer = call()
    except zwang.Error as error:
        entry = {"file": error.file}
        if error.line is not None:
            entry |= {"line": error.line, "column": error.column}
        return {"error": entry | {"message": error.message}}
    return answer.to_dict()


@pytest.mark.parametrize("name", NAMES if SOAK else NAMES[::3])
def test_questions_at_an_instant(name: str, command: Command) -> None:
    model = zwang.load(place(name))
    if model.is_flow:
        same(model.check().to_dict(), command.ask("check", place(name)))
        with pytest.raises(zwang.Error, match="first-order system"):
            model.accelerate()
        return
    for word in ("check", "accelerate", "explain", "impact"):
        same(asked(getattr(model, word)), command.ask(word, place(name)))
    # The story is told once, by the library.
    assert str(model.explain()) + "\n" == command.raw("explain", place(name)).stdout


@pytest.mark.parametrize("name", NAMES if SOAK else NAMES[1::15])
def test_analyses(name: str, command: Command) -> None:
    model = zwang.load(place(name))
    if model.is_flow:
        return
    for word in ANALYSES:
        same(asked(getattr(model.analyze, word)), command.ask("analyze", word, place(name), "--until", "1")
             if word != "reversal" else command.ask("analyze", word, place(name)))


@pytest.mark.parametrize("name", NAMES if SOAK else NAMES[2::10])
def test_runs_in_memory_and_in_files(name: str, command: Command, tmp_path: pathlib.Path) -> None:
    model = zwang.load(place(name))
    start = model.initial.time
    until = start + 0.7
    instants = [start, start + 0.3, start + 0.45]
    wanted = command.ask("run", place(name), "--until", repr(until), "--sample-at", ",".join(map(repr, instants)), "--out", "x")
    wanted.pop("files")
    runs = [model.run(until, sample_at=instants), model.run(until, sample_at=instants, out=tmp_path / "run.sqlite"),
            zwang.open_run(tmp_path / "run.sqlite")]
    for run in runs[:2]:
        answer = dict(run.to_dict())
        answer.pop("files")
        same(answer, wanted)
    # The file of the command and that of the module hold the same motion.
    theirs = zwang.open_run(next((tmp_path / "x").glob("*.sqlite")))
    times = np.linspace(start, theirs.end, 57)
    known = theirs(times)
    for run in runs:
        states = run(times)
        np.testing.assert_array_equal(states.position, known.position)
        np.testing.assert_array_equal(states.velocity, known.velocity)
        # A family at a time: crowds have thousands of rows.
        for name in {row.split("[")[0].split(".")[0] for row in model.conditions}:
            np.testing.assert_array_equal(states.multipliers[name], known.multipliers[name])


@pytest.mark.parametrize("name", ["skate", "cart", "rolling-coin"])
def test_comparisons(name: str, command: Command) -> None:
    if name not in NAMES:
        pytest.skip("no such model")
    wanted = command.ask("compare", place(name), "--until", "1", "--samples", "21")
    answer = zwang.load(place(name), until=1, samples=21).compare()
    got = answer.to_dict()
    for side in ("straightest", "variational"):
        wanted[side].pop("files")
        got[side].pop("files")
    same(got, wanted)
    assert answer.straightest.end == answer.variational.end == 1
    np.testing.assert_array_equal(answer.distance[:, 0], answer.straightest.t)


@pytest.mark.parametrize("format", ["text", "latex", "cpp", "python"])
def test_equations(format: str, command: Command) -> None:
    model = zwang.load(place("double-pendulum"))
    written = model.equations(format)
    assert str(written) == command.raw("equations", place("double-pendulum"), "--format", format).stdout
    same(written.to_dict(), command.ask("equations", place("double-pendulum"), "--format", format))


coordinates = st.integers(-4, 4).map(lambda value: value / 4)


@st.composite
def systems(draw: st.DrawFn) -> zwang.Draft:
    """A few points in the plane, tied and walled in, thrown about."""
    count = draw(st.integers(1, 4))
    draft = zwang.Draft(gravity=[0, draw(st.sampled_from([0, -9.81, "-g"]))])
    (g,) = draft.parameters(g=draw(st.floats(0.5, 10)))
    points = []
    places: list[tuple[float, float]] = []
    for number in range(count):
        place = (number + draw(coordinates) / 4, draw(coordinates))
        places.append(place)
        force = draw(st.sampled_from([None, "spring", "drag"]))
        name = f"p{number}"
        point = zwang.expressions.Point(name)
        forces = {None: None, "spring": [-2 * point.x, -g * point.y], "drag": [-point.velocity.x / 2, 0]}[force]
        points.append(draft.point(name, mass=draw(st.floats(0.1, 10)), position=list(place),
                                  velocity=[draw(coordinates), draw(coordinates)], force=forces))
    for number in range(count - 1):
        gap = float(np.hypot(places[number + 1][0] - places[number][0], places[number + 1][1] - places[number][1]))
        slack = draw(st.sampled_from([0.0, 0.5]))
        tie = zwang.distance(points[number], points[number + 1])
        if draw(st.booleans()):
            draft.constrain(f"tie{number}", tie <= gap + slack, restitution=draw(st.sampled_from([None, 0, 0.5])))
        else:
            draft.constrain(f"stay{number}", tie >= gap - slack / 4)
    lowest = min(place[1] for place in places)
    for number, point in enumerate(points):
        if draw(st.booleans()):
            draft.constrain(f"floor{number}", point.y >= lowest - draw(st.sampled_from([0.0, 1.0])))
    draft.simulation(until=draw(st.floats(0.1, 0.5)), samples=9)
    return draft


@settings(max_examples=250 if SOAK else 12)
@given(systems())
def test_random_systems(command: Command, draft: zwang.Draft) -> None:
    text = str(draft)
    model = draft.compile("standard input")
    for word in ("check", "accelerate", "impact", "explain"):
        same(getattr(model, word)().to_dict(), command.ask(word, "-", text=text))
    got = dict(model.run().to_dict())
    wanted = command.ask("run", "-", "--out", "x", text=text)
    got.pop("files")
    wanted.pop("files")
    same(got, wanted)
    assert json.loads(model.run().json)["status"] == wanted["status"]

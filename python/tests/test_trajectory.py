"""Trajectories: closed forms, slices, files, the shapes that other packages like."""

from __future__ import annotations

import math
import pathlib
import pickle
import sqlite3
import sys

import numpy as np
import pytest
from conftest import PENDULUM
from hypothesis import given
from hypothesis import strategies as st

import zwang

BALL = """\
gravity = [0, -1]
[points.a]
mass = 2
position = [0, 0.5]
velocity = [1, 0]
[constraints]
floor = { condition = "a.y >= 0", restitution = 0.5 }
[outputs]
double = "2*a.y"
[simulation]
until = 2.5
samples = 26
"""
RUN = zwang.parse(BALL).run()


def height(t: np.ndarray) -> np.ndarray:
    """Falls from 1/2, strikes at t = 1 with speed 1, leaves with 1/2, strikes again at 2."""
    first, second = t, t - 1
    third = t - 2
    return np.where(t < 1, 0.5 - first**2 / 2, np.where(t < 2, second / 2 - second**2 / 2, third / 4 - third**2 / 2))


@given(st.lists(st.floats(0, 2.4), min_size=1, max_size=20))
def test_any_times_in_any_order(times: list[float]) -> None:
    t = np.array(times)
    states = RUN(t)
    np.testing.assert_allclose(states.positions["a"][:, 1], height(t), atol=1e-12)
    np.testing.assert_allclose(states.positions["a"][:, 0], t, atol=1e-12)
    np.testing.assert_allclose(states.outputs["double"], 2 * height(t), atol=1e-12)
    for index, time in enumerate(times):
        np.testing.assert_array_equal(RUN(time).position, states.position[index])
        np.testing.assert_array_equal(RUN(time).velocity, states.velocity[index])


def test_the_state_at_an_event_is_the_one_after_it() -> None:
    assert [event.kind for event in RUN.events[:2]] == ["impact", "impact"]
    time = RUN.events[0].time
    assert math.isclose(time, 1, abs_tol=1e-12)
    assert math.isclose(RUN(time).velocities["a"][1], 0.5, abs_tol=1e-12)
    assert math.isclose(RUN(1.0).velocities["a"][1], 0.5, abs_tol=1e-12)
    assert math.isclose(RUN(time - 1e-9).velocities["a"][1], -1, abs_tol=1e-8)
    np.testing.assert_array_equal(RUN(time).velocities["a"], RUN.events[0].velocities["a"])


def test_its_own_instants() -> None:
    assert len(RUN) == 26 and RUN.t[0] == 0 and RUN.t[-1] == 2.5
    np.testing.assert_array_equal(RUN.positions["a"], RUN(RUN.t).positions["a"])
    assert RUN.status == "finished" and RUN.steps > 0 and RUN.end == 2.5 and RUN.start == 0
    np.testing.assert_array_equal(RUN.final.positions["a"], RUN(2.5).positions["a"])
    assert RUN.pieces[0] == 0 and RUN.pieces[-1] == 2.5 and (np.diff(RUN.pieces) > 0).all()


def test_energy_is_an_account_and_a_curve() -> None:
    energy = RUN.energy
    assert math.isclose(energy.initial + energy.work - energy.lost + energy.defect, energy.final, abs_tol=1e-12)
    np.testing.assert_allclose(energy.total[RUN.t < 0.99], energy.initial, atol=1e-12)
    np.testing.assert_allclose(energy.kinetic, (RUN.velocities["a"] ** 2).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(energy.potential, 2 * RUN.positions["a"][:, 1], atol=1e-12)


def test_multipliers_are_nan_where_there_are_none() -> None:
    run = zwang.parse(PENDULUM).run(until=0.3)
    speed = np.linalg.norm(run.velocities["a"], axis=1)
    weight = -9.81 * run.positions["a"][:, 2]
    np.testing.assert_allclose(run.multipliers["string"], speed**2 + weight, rtol=1e-10)
    assert np.isnan(RUN(0.5).multipliers["floor"])
    with pytest.raises(KeyError):
        RUN.multipliers["ceiling"]


def test_times_outside_are_refused() -> None:
    for wrong in (-0.1, 2.6, [0.5, 3.0], math.nan, [0.1, math.nan]):
        with pytest.raises(ValueError, match="outside"):
            RUN(wrong)
    with pytest.raises(ValueError):
        RUN(np.zeros((2, 2)))
    with pytest.raises((TypeError, ValueError)):
        RUN("noon")
    assert len(RUN([])) == 0 and RUN([]).position.shape == (0, 2)


@given(st.floats(0, 2.5), st.floats(0, 2.5))
def test_a_stretch_is_the_same_motion(one: float, other: float) -> None:
    begin, end = sorted((one, other))
    part = RUN[begin:end]
    times = np.linspace(begin, end, 7)
    # (What is nearer to the end than 1e-12 (1 + |t|) is the end.)
    np.testing.assert_allclose(part(times).position, RUN(times).position, rtol=0, atol=1e-11)
    inside = times[times < end - 1e-11]
    np.testing.assert_array_equal(part(inside).position, RUN(inside).position)
    assert len(part.events) == sum(begin <= event.time <= end for event in RUN.events)
    assert part.start == begin and part.end == end
    with pytest.raises(ValueError):
        part(end + 0.1)


def test_stretches_that_do_not_exist() -> None:
    with pytest.raises(ValueError):
        RUN[1.0:3.0]
    with pytest.raises(ValueError):
        RUN[2.0:1.0]
    with pytest.raises(TypeError):
        RUN[1]  # type: ignore[index]
    with pytest.raises(TypeError):
        RUN[0:1:2]


def test_a_run_file_is_read_piece_by_piece(tmp_path: pathlib.Path) -> None:
    model = zwang.load("gallery:double-pendulum")
    file = tmp_path / "folder" / "long.sqlite"
    run = model.run(until=60.0, out=file)
    assert run.files == [str(file)]
    memory = model.run(until=60.0)
    opened, twice = zwang.open_run(file), zwang.open_run(str(file))
    times = np.linspace(0, 60, 401)
    for other in (run, opened, twice):
        np.testing.assert_array_equal(other(times).position, memory(times).position)
        np.testing.assert_array_equal(other[20.0:21.0](20.5).position, memory(20.5).position)
    assert opened[20.0:21.0]._run.pieces < opened._run.pieces / 10
    assert opened.to_dict()["final"] == memory.to_dict()["final"]
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM samples").fetchone()[0] == len(memory.t)


def test_a_run_in_memory_can_be_kept(tmp_path: pathlib.Path) -> None:
    name = RUN.save(tmp_path / "ball.sqlite")
    opened = zwang.open_run(name)
    np.testing.assert_array_equal(opened.position, RUN.position)
    assert opened.to_dict() | {"files": []} == RUN.to_dict()
    longer = zwang.resume(name, until=2.75)
    assert longer.end == 2.75
    np.testing.assert_array_equal(longer(2.75).position, zwang.parse(BALL).run(2.75)(2.75).position)
    with pytest.raises(ValueError, match="already"):
        opened.save(tmp_path / "again.sqlite")


def test_files_that_are_no_runs(tmp_path: pathlib.Path) -> None:
    with pytest.raises(zwang.Error, match="no such run file"):
        zwang.open_run(tmp_path / "nothing.sqlite")
    (tmp_path / "text").write_text("x" * 500)
    with pytest.raises(zwang.Error, match="no run of zwang"):
        zwang.open_run(tmp_path / "text")
    (tmp_path / "empty").touch()
    with pytest.raises(zwang.Error, match="empty"):
        zwang.open_run(tmp_path / "empty")
    with pytest.raises(zwang.Error, match="folder|directory"):
        zwang.parse(BALL).run(out=tmp_path / "text" / "x.sqlite")


def test_a_run_from_another_state_in_memory_and_in_a_file(tmp_path: pathlib.Path) -> None:
    model = zwang.parse(BALL)
    state = {"time": 0.25, "positions": {"a": [0.1, 2.0]}, "velocities": {"a": [0.0, 1.0]}}
    memory, kept = model.run(1.0, state=state), model.run(1.0, state=state, out=tmp_path / "x.sqlite")
    times = np.linspace(0.25, 1, 11)
    np.testing.assert_array_equal(memory(times).position, kept(times).position)
    np.testing.assert_allclose(memory(times).positions["a"][:, 1], 2 + (times - 0.25) - (times - 0.25) ** 2 / 2, atol=1e-12)
    # What was reached is where the next begins.
    onward = model.run(2.0, state=memory.final)
    np.testing.assert_allclose(onward(1.5).position, model.run(2.0, state=state)(1.5).position, atol=1e-12)


def test_progress_is_told_and_may_end_the_run() -> None:
    model = zwang.load("gallery:double-pendulum")
    told: list[tuple[float, int, int]] = []
    model.run(until=300.0, progress=lambda *now: told.append(now))
    assert told and told[-1][0] == 300 and all(one[0] <= other[0] for one, other in zip(told, told[1:]))
    ended = model.run(until=1e6, progress=lambda time, steps, events: False)
    assert ended.status == "interrupted" and 0 < ended.end < 1e6
    with pytest.raises(ZeroDivisionError):
        model.run(until=1e6, progress=lambda time, steps, events: 1 / 0)
    with pytest.raises(TypeError):
        model.run(until=1.0, progress=3)  # type: ignore[arg-type]


def test_an_end_before_the_beginning_is_refused() -> None:
    for wrong in (0.0, -1.0):
        with pytest.raises(zwang.Error, match="would end before"):
            zwang.parse(BALL).run(wrong)
    with pytest.raises(ValueError, match="until: nan is not finite"):
        zwang.parse(BALL).run(math.nan)


def test_an_end_that_never_comes_and_a_single_sample_are_refused(tmp_path: pathlib.Path) -> None:
    model = zwang.parse(PENDULUM)
    with pytest.raises(ValueError, match="until: inf is not finite"):
        model.run(until=math.inf)
    with pytest.raises(ValueError, match="until: inf is not finite"):
        model.run(until=math.inf, out=tmp_path / "never.sqlite")
    # As the command: the two ends at least.
    for samples in (-1, 0, 1):
        with pytest.raises(ValueError, match="at least 2"):
            model.run(until=1.0, samples=samples)
    assert len(model.run(until=1.0, samples=2).t) == 2


def test_the_shape_of_solve_ivp() -> None:
    from scipy.integrate import solve_ivp
    wire = zwang.parse("[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[simulation]\nuntil = 3\n")
    theirs = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 3), [1.0, 0.0], rtol=1e-10, atol=1e-12, dense_output=True, t_eval=np.linspace(0, 3, 31))
    ours = wire.run().solve_ivp(t_eval=np.linspace(0, 3, 31))
    assert ours.y.shape == theirs.y.shape and ours.t.shape == theirs.t.shape
    np.testing.assert_allclose(ours.y, theirs.y, atol=1e-8)
    np.testing.assert_allclose(ours.sol(1.5), theirs.sol(1.5), atol=1e-8)
    np.testing.assert_allclose(ours.sol([1.5, 2.0]), theirs.sol([1.5, 2.0]), atol=1e-8)
    assert (ours.status, ours.success) == (0, True) and ours.message and ours.nfev > 0
    ball = RUN.solve_ivp()
    np.testing.assert_allclose(ball.t_events[0], [1.0, 2.0, 2.5][: len(ball.t_events[0])], atol=1e-9)
    assert ball.y_events[0].shape == (len(ball.t_events[0]), 4)
    stopped = zwang.parse(BALL + 'stop = "a.y <= 0.25"\n').run().solve_ivp()
    assert stopped.status == 1 and stopped.success


def test_tables_for_pandas() -> None:
    frame = RUN.to_pandas()
    assert list(frame.columns) == ["time", "a.x", "a.y", "a.x'", "a.y'", "lambda floor", "double"]
    np.testing.assert_array_equal(frame["a.y"], RUN.positions["a"][:, 1])
    assert len(RUN([0.5, 1.5]).to_pandas()) == 2 and len(RUN(0.5).to_pandas()) == 1
    variational = zwang.load("gallery:skate-variational").run(until=0.5).to_pandas()
    assert any(name.startswith("rho ") for name in variational.columns)


def test_pictures() -> None:
    axes = RUN.plot("a", "double", "floor")
    assert len(axes.get_lines()) >= 4
    assert RUN.plot(ax=axes) is axes
    with pytest.raises(KeyError):
        RUN.plot("nobody")


def test_the_animated_report() -> None:
    page = RUN.html()
    assert page.lstrip().lower().startswith("<!doctype html") and len(page) > 1000
    shown = RUN._repr_html_()
    assert shown.startswith("<iframe") and "srcdoc" in shown


@pytest.mark.parametrize(("package", "call"), [("pandas", "to_pandas"), ("matplotlib", "plot")])
def test_packages_that_are_not_there_are_named(package: str, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, package, None)  # type: ignore[arg-type]
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(RUN, call)()
    assert RUN(0.5).position.shape == (2,)


def test_answers_show_themselves() -> None:
    assert "finished" in repr(RUN) and "instants" in repr(RUN([0.1, 0.2]))
    answer = zwang.parse(BALL).accelerate()
    assert "status: determined" in repr(answer) and "<table>" in answer._repr_html_()
    assert "status" in answer and "solutions" not in answer and answer.get("solutions") is None
    with pytest.raises(AttributeError, match="determined"):
        answer.solutions
    assert "accelerations" in dir(answer)
    assert "binding" in str(zwang.parse(PENDULUM).explain())


def test_runs_in_files_are_pickled_by_name_and_others_say_why_not(tmp_path: pathlib.Path) -> None:
    model = zwang.load("gallery:bouncing-ball")
    kept = model.run(until=1.0, out=tmp_path / "ball.sqlite")
    again = pickle.loads(pickle.dumps(kept))
    assert again.steps == kept.steps
    assert again.position.tobytes() == kept.position.tobytes()
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(model.run(until=1.0))

"""Motions in the caller's hand."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from conftest import PENDULUM
from hypothesis import given
from hypothesis import strategies as st

import zwang

FALL = """\
gravity = [0, -1]
[parameters]
wind = 0
[points.a]
mass = 1
position = [0, 0.5]
velocity = [0, 0]
force = ["wind", 0]
[constraints]
floor = { condition = "a.y >= 0", restitution = 1 }
[simulation]
until = 10
"""


@given(st.lists(st.floats(0.0, 0.7), min_size=1, max_size=20))
def test_steps_are_those_of_an_uninterrupted_run(steps: list[float]) -> None:
    model = zwang.load("gallery:double-string-pendulum", until=20.0)
    whole = model.run()
    stepper = zwang.Stepper(model)
    time = 0.0
    for step in steps:
        time += step
        stepper.advance(time, through_events=True)
        assert stepper.time == time
        np.testing.assert_array_equal(stepper.position, whole(time).position)
        np.testing.assert_array_equal(stepper.velocity, whole(time).velocity)


def test_events_come_one_instant_after_the_other() -> None:
    model = zwang.load("gallery:bouncing-ball")
    whole = model.run()
    stepper = zwang.Stepper(model)
    for expected in list(whole.events)[:5]:
        events = stepper.advance()
        assert [event.to_dict() for event in events] == [
            event.to_dict() for event in whole.events if event.time == expected.time]
        assert stepper.time == expected.time


def test_blows_and_parameters_change_what_follows() -> None:
    stepper = zwang.Stepper(zwang.parse(FALL))
    assert stepper.advance(0.5) == []
    assert math.isclose(stepper.state.positions["a"][1], 0.375)
    events = stepper.blow("a", [0, 0.5])
    assert events[0].kind == "blow"
    np.testing.assert_allclose(stepper.velocity, [0, 0], atol=1e-15)
    stepper.set(wind=2.0)
    assert stepper.model.parameters["wind"] == 2.0
    stepper.advance(1.0)
    np.testing.assert_allclose(stepper.position, [0.25, 0.25], atol=1e-14)
    assert [event.kind for event in stepper.advance()] == ["impact"]
    assert math.isclose(stepper.time, 0.5 + math.sqrt(0.75), rel_tol=1e-12)


def test_a_blow_against_the_floor_is_answered_by_it() -> None:
    rest = zwang.parse(FALL.replace("[0, 0.5]", "[0, 0]").replace("restitution = 1", "restitution = 0"))
    stepper = zwang.Stepper(rest)
    stepper.advance(0.5)
    events = stepper.blow("a", [1.0, -3.0])
    assert {event.kind for event in events} >= {"blow"}
    np.testing.assert_allclose(stepper.velocity, [1, 0], atol=1e-14)
    assert any(math.isclose(event.impulses.get("floor", 0), 3.0) for event in events)


def test_what_the_model_says_of_blows_happens_once() -> None:
    text = FALL + '[[impulses]]\nat = 0.25\non = "a"\nvalue = [1, 0]\n'
    stepper = zwang.Stepper(zwang.parse(text))
    assert [event.kind for event in stepper.advance()] == ["blow"]
    stepper.set(wind=0.0)
    np.testing.assert_allclose(stepper.velocity[0], 1.0)
    stepper.advance(0.5)
    np.testing.assert_allclose(stepper.position[0], 0.25)


def test_a_controller_holds_a_ball_up() -> None:
    stepper = zwang.Stepper(zwang.parse(FALL))
    for k in range(1, 60):
        stepper.advance(k * 0.1, through_events=True)
        position, velocity = stepper.position, stepper.velocity
        if velocity[1] < -0.3:
            stepper.blow("a", [0, 0.3 - velocity[1]])
        stepper.set(wind=float(-2 * position[0] - velocity[0] + 1))
    assert stepper.status == "going" and 0 < stepper.position[1] < 2 and abs(stepper.position[0] - 0.5) < 0.2


def test_the_end_of_a_motion_stays() -> None:
    stepper = zwang.Stepper(zwang.parse(FALL + 'stop = "a.y <= 0.25"\n'))
    stepper.advance(5.0)
    assert stepper.status == "stopped" and stepper.time < 1
    stepper.advance(6.0)
    assert stepper.status == "stopped" and stepper.time < 1


def test_wrong_steps_are_refused() -> None:
    stepper = zwang.Stepper(zwang.parse(FALL))
    stepper.advance(0.5)
    with pytest.raises(ValueError, match="back"):
        stepper.advance(0.25)
    with pytest.raises(ValueError):
        stepper.advance(math.nan)
    with pytest.raises(KeyError):
        stepper.blow("b", [1, 0])
    with pytest.raises(ValueError):
        stepper.blow("a", [1, 0, 0])
    with pytest.raises(zwang.Error):
        stepper.set(storm=1)
    with pytest.raises(TypeError, match="Stepper"):
        stepper.blow("a", lambda: 1)
    assert stepper.time == 0.5 and "going" in repr(stepper)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_blow_that_is_not_finite_is_refused_and_changes_nothing(number: float) -> None:
    model = zwang.parse(FALL)
    stepper = zwang.Stepper(model)
    stepper.advance(0.5)
    before = stepper.velocity
    with pytest.raises(ValueError, match="the blow on a is not finite"):
        stepper.blow("a", [0, number])
    with pytest.raises(ValueError, match="the blow on a is not finite"):
        model.impact(blows={"a": [number, 0]})
    assert (stepper.velocity == before).all() and stepper.status == "going"


def test_it_goes_on_beyond_the_model_s_own_end() -> None:
    stepper = zwang.Stepper(zwang.parse(FALL.replace("until = 10", "until = 0.25")))
    assert stepper.advance() == [] and stepper.time == 0.25 and stepper.status == "going"
    assert [event.kind for event in stepper.advance(5.0)] == ["impact"]
    assert math.isclose(stepper.time, 1.0, rel_tol=1e-12)
    with pytest.raises(ValueError, match="own run ended"):
        stepper.advance()
    stepper.advance(50.0, through_events=True)
    # The bounce has period 2 and is highest at even times.
    assert stepper.time == 50.0 and math.isclose(stepper.position[1], 0.5, abs_tol=1e-9)


def test_it_starts_where_it_is_told() -> None:
    stepper = zwang.Stepper(zwang.parse(PENDULUM), {"time": 1.0, "positions": {"a": [1, 0, 0]}, "velocities": {"a": [0, 0, 0]}})
    stepper.advance(1.25)
    assert stepper.time == 1.25 and stepper.state.positions["a"][2] < 0


def test_a_copy_goes_on_to_the_same_bits_by_itself() -> None:
    ball = zwang.Stepper(zwang.parse(FALL))
    ball.advance(2.5)
    ball.advance(2.5, through_events=True)
    other = ball.copy()
    other.advance(7.3, through_events=True)
    assert ball.time == 2.5
    ball.advance(7.3, through_events=True)
    assert ball.position.tobytes() == other.position.tobytes()
    assert ball.velocity.tobytes() == other.velocity.tobytes()
    # One that is struck leaves the other alone.
    branch = copy.deepcopy(ball)
    branch.blow("a", [0.0, 1.0])
    branch.advance(8.0, through_events=True)
    ball.advance(8.0, through_events=True)
    assert ball.position[1] != branch.position[1]


def test_a_copy_of_a_motion_that_has_ended_has_ended() -> None:
    text = FALL.replace("until = 10", 'until = 10\nstop = "a.y >= 0.6 or t >= 2"')
    ball = zwang.Stepper(zwang.parse(text))
    ball.advance(10.0, through_events=True)
    assert ball.status == "stopped"
    assert ball.copy().status == "stopped"
    assert ball.copy().time == ball.time


def test_reset_begins_again_and_a_state_can_be_set() -> None:
    model = zwang.parse(FALL)
    ball = zwang.Stepper(model)
    first = [event.time for event in ball.advance(3.0)]
    ball.advance(3.0, through_events=True)
    ball.reset()
    assert ball.time == 0
    assert [event.time for event in ball.advance(3.0)] == first
    state = model.state(time=4.0)
    state.positions["a"] = [7.0, 2.0]
    ball.state = state
    assert ball.time == 4.0
    ball.advance(5.0)
    assert ball.position.tolist() == [7.0, 1.5]
    ball.reset(state)
    ball.advance(5.0)
    assert ball.position.tolist() == [7.0, 1.5]


def test_a_stepper_says_why_it_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="pickle its model and state"):
        pickle.dumps(zwang.Stepper(zwang.parse(FALL)))

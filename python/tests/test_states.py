"""States: objects, dicts, arrays of every wrong kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import PENDULUM
from hypothesis import given
from hypothesis import strategies as st

import zwang

MODEL = zwang.parse(PENDULUM)
numbers = st.floats(-1e3, 1e3)


@given(st.lists(numbers, min_size=3, max_size=3), st.lists(numbers, min_size=3, max_size=3), st.floats(-10, 10))
def test_a_state_is_the_same_as_object_dict_or_arrays(q: list[float], v: list[float], time: float) -> None:
    made = MODEL.state(time, {"a": q}, {"a": v})
    routes = [made, {"time": time, "positions": {"a": q}, "velocities": {"a": v}}, MODEL.state(time, np.array(q), v),
              made.to_dict(), made.copy(), MODEL.state(time, made.positions, made.velocities)]
    texts = {MODEL.accelerate(route).json for route in routes}
    assert len(texts) == 1


def test_what_is_not_given_is_as_the_model_starts() -> None:
    assert MODEL.accelerate({}).json == MODEL.accelerate().json
    assert MODEL.accelerate({"velocities": {"a": [0, 0, 0]}}).accelerations["a"][2] == 0
    state = MODEL.initial
    state.velocities["a"] = [0, 0, 0]
    assert MODEL.initial.velocities["a"][0] == 2, "a state is the caller's own"
    assert MODEL.accelerate(state).accelerations["a"][2] == 0


@pytest.mark.parametrize("wrong", [
    {"positions": {"b": [0, 0, 0]}}, {"position": {"a": [0, 0, 0]}}, {"positions": {"a": [0, 0]}}, {"positions": [0, 0]},
    {"positions": {"a": [0, 0, float("nan")]}}, {"velocities": {"a": [0, 0, float("inf")]}}, {"positions": {"a": "here"}},
    {"positions": {"a": [[0, 0], [0, 0]]}}, {"positions": np.zeros((3, 1))}, {"positions": np.zeros(4)}, {"time": float("nan")},
    {"positions": np.array([1 + 2j, 0, 0])}, {"positions": lambda t: t}, {"time": "now"}, {"rho": {"nobody": 1.0}},
])
def test_wrong_states_are_refused_with_a_word(wrong: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)) as caught:
        MODEL.accelerate(wrong)
    assert str(caught.value)


@pytest.mark.parametrize("wrong", [3.0, "state", [1, 2, 3], np.zeros(6)])
def test_a_state_is_not_just_anything(wrong: Any) -> None:
    with pytest.raises(TypeError, match="state is"):
        MODEL.accelerate(wrong)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, np.bool_])
def test_every_kind_of_number_will_do(dtype: Any) -> None:
    q, v = np.array([0, 0, 1]).astype(dtype), np.array([1, 0, 0]).astype(dtype)
    expected = MODEL.accelerate({"positions": {"a": [0, 0, 1]}, "velocities": {"a": [1, 0, 0]}}).json
    assert MODEL.accelerate(MODEL.state(0.0, q, v)).json == expected
    np.testing.assert_array_equal(MODEL.accelerations(q.astype(float), v.astype(float)), MODEL.accelerate(MODEL.state(0.0, q, v)).array)


def test_arrays_that_are_not_in_one_row_will_do() -> None:
    wide = np.zeros(12)[::4]
    assert not wide.flags.c_contiguous
    assert MODEL.accelerate(MODEL.state(0.0, np.array([0, 9, 0, 9, -1, 9.0])[::2], wide)).status == "determined"
    q = np.zeros((3, 2))[:, 0]
    q[2] = -1
    np.testing.assert_allclose(MODEL.accelerations(q, np.zeros((3, 2))[:, 1]), 0, atol=1e-15)


def test_accelerations_fill_an_array_of_the_caller() -> None:
    q, v, out = np.array([0, 0, -1.0]), np.array([2.0, 0, 0]), np.empty(3)
    assert MODEL.accelerations(q, v, out=out) is out
    np.testing.assert_allclose(out, [0, 0, 4])
    for bad in (np.empty(2), np.empty(3, dtype=np.float32), np.empty((3, 1)), np.empty(6)[::2]):
        with pytest.raises((TypeError, ValueError)):
            MODEL.accelerations(q, v, out=bad)
    with pytest.raises(ArithmeticError, match="inadmissible"):
        MODEL.accelerations(np.array([0, 0, -2.0]), v)
    for bad_state in (np.zeros(2), np.zeros(4), np.array([np.nan, 0, 0])):
        with pytest.raises((TypeError, ValueError)):
            MODEL.accelerations(bad_state, v)


@given(st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=2, max_size=8))
def test_an_answer_does_not_depend_on_those_before(states: list[tuple[float, float, float, float]]) -> None:
    # Slack, taut, broken, singular in one row, through one model; each against a model of its own.
    for x, z, u, w in [(0, -1, 2, 0), *states, (0, -2, 0, 0), (0, 0, 0, 0), (0, -1, 0, -3), (0, -1, 2, 0)]:
        state = {"positions": {"a": [x, 0, z]}, "velocities": {"a": [u, 0, w]}}
        assert MODEL.accelerate(state).json == zwang.parse(PENDULUM).accelerate(state).json


def test_accelerations_are_shown_not_copied() -> None:
    answer = MODEL.accelerate()
    assert answer.array.base is not None and not answer.array.flags.owndata
    with pytest.raises(ValueError):
        answer.array[0] = 1
    assert np.shares_memory(answer.accelerations["a"], answer.array)
    run = MODEL.run(until=0.5)
    assert np.shares_memory(run.positions["a"], run.position)


def test_families_have_their_own_axes() -> None:
    model = zwang.load("gallery:sheared-net")
    family = next(iter(model._layout.bodies.values()))
    state = model.initial
    whole = state.positions[family.name]
    assert whole.shape == (*family.counts, family.dimension)
    member = f"{family.name}[2,3]"
    np.testing.assert_array_equal(state.positions[member], whole[1, 2])
    state.positions[family.name] = whole + 1
    np.testing.assert_array_equal(state.positions[member], model.initial.positions[member] + 1)
    answer = model.accelerate()
    plain = answer.to_dict()["reaction"]
    np.testing.assert_array_equal(answer.reaction[family.name][1, 2], plain[member])
    with pytest.raises(KeyError):
        state.positions[f"{family.name}[99,1]"]
    assert member in state.positions and "nobody" not in state.positions

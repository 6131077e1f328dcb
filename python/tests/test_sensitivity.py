"""Derivatives of a run by parameters."""

import math

import numpy as np
import pytest

import zwang

THROW = """
gravity = [0, "-g"]
[parameters]
g = 10
v = 4
n = 1
[points.a]
mass = 1
position = [0, 0]
velocity = [1, "v"]
[points.b]
count = "n"
mass = 1
position = [5, 5]
[outputs]
y = "a.y*v"
[simulation]
until = 1
"""


def test_the_closed_form() -> None:
    model = zwang.parse(THROW)
    run = model.run(sensitivity=["v", "g"], sample_at=[0.25])
    assert run.sensitivity.v.positions.a[1] == pytest.approx(1, abs=1e-14)
    assert run.sensitivity["g"].velocities.a[1] == pytest.approx(-1, abs=1e-14)
    assert run.samples[0].sensitivity.g.positions.a[1] == pytest.approx(-0.25 ** 2 / 2, abs=1e-15)
    times = np.array([0.9, 0.1, 0.5])
    slopes = run.derivative("v", times)
    assert slopes.why == ""
    np.testing.assert_allclose(slopes.position[:, 1], times, atol=1e-14)
    np.testing.assert_allclose(slopes.outputs["y"], 4 * times + (4 * times - 5 * times ** 2), atol=1e-13)
    assert run.derivative("v", 0.5).velocity.shape == (4,)


def test_any_run_can_be_asked(tmp_path) -> None:
    run = zwang.load("gallery:bouncing-ball").run(until=1.0, out=tmp_path / "ball.sqlite")
    # 4 e behind the first bounce
    assert run.derivative("e", 0.1).velocity[2] == pytest.approx(4, abs=1e-12)
    with pytest.raises(AttributeError, match="sensitivity="):
        run.sensitivity  # noqa: B018
    again = zwang.open_run(tmp_path / "ball.sqlite")
    assert again.derivative("e", 0.1).velocity[2] == pytest.approx(4, abs=1e-12)


def test_what_cannot_be_differentiated() -> None:
    model = zwang.parse(THROW)
    with pytest.raises(zwang.Error, match="whole number"):
        model.run().derivative("n", 0.5)
    with pytest.raises(zwang.Error, match="no parameter"):
        model.run().derivative("w", 0.5)
    with pytest.raises(ValueError, match="outside of the run"):
        model.run().derivative("v", 2.0)
    with pytest.raises(ValueError, match="state="):
        model.run(sensitivity=["v"], state=model.initial)
    with pytest.raises(TypeError, match="names of parameters"):
        model.run(sensitivity=[3])
    graze = zwang.parse(THROW + '[constraints]\nroof = "a.y <= 0.8"\n').run()
    slopes = graze.derivative("v", [0.2, 0.6])
    assert "grazed" in slopes.why
    assert math.isnan(slopes.position[1, 1]) and slopes.position[0, 1] == pytest.approx(0.2, abs=1e-14)


def test_the_command_says_the_same(command) -> None:
    answer = command.ask("run", "gallery:bowl", "--sensitivity", "e,g", "--sample-at", "0.7", "--no-report")
    run = zwang.load("gallery:bowl").run(sensitivity=["e", "g"], sample_at=[0.7]).to_dict()
    assert run["sensitivity"] == answer["sensitivity"]
    assert run["samples"] == answer["samples"]
    assert [event["time_sensitivity"] for event in run["events"]] == [event["time_sensitivity"] for event in answer["events"]]

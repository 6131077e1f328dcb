"""Accelerations in fractions: the answers of the command, as numbers of the standard library."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from conftest import ROOT, Command

import zwang

SWING = """
gravity = [0, "-g"]
[parameters]
g = 9.81
[points.bob]
mass = 0.1
position = [0.6, -0.8]
velocity = [0.8, 0.6]
[constraints]
string = "distance(bob, [0, 0]) <= 1"
square = "dot(bob, bob) <= 1"
wall = "distance(bob, [2, 2]) >= 1"
"""
BEADS = """
gravity = [0, -10]
[points.bead]
count = 3
mass = 1
position = ["i", 0]
[constraints]
floor = { condition = "3*bead[i].y >= 0", for = "i = 1..3" }
"""


def leaves(value: Any) -> list[Any]:
    """All entries of an answer's part."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list) else [value]


def test_numbers_are_fractions_and_fulfil_the_equations_of_motion_exactly() -> None:
    answer = zwang.parse(SWING).accelerate(exact=True)
    assert answer.status == "determined" and not answer.regular and not answer.multipliers_unique
    assert answer.accelerations["bob"] == [Fraction(-3318, 625), Fraction(-6829, 2500)]
    assert answer.multipliers == {"string": Fraction(553, 625), "square": 0}
    assert answer.redundant["square"] == {"string": 2}
    assert answer.constraints["wall"].value == "1 - sqrt(49/5)" and "rate" not in answer.constraints["wall"]
    for name in ("accelerations", "free", "multipliers", "reactions", "reaction", "certificate"):
        assert all(isinstance(leaf, Fraction) for leaf in leaves(answer[name])), name
    assert isinstance(answer.constraint, Fraction) and isinstance(answer.time, Fraction)
    for k in range(2):
        change = answer.accelerations["bob"][k] - answer.free["bob"][k]
        assert Fraction(1, 10) * change == answer.reaction["bob"][k] == answer.reactions["string"]["bob"][k]
    assert set(leaves(answer.certificate)) == {0}
    with pytest.raises(AttributeError, match="has no 'farkas'"):
        print(answer.farkas)


def test_families_by_name_stay_fractions() -> None:
    answer = zwang.parse(BEADS).accelerate(exact=True)
    assert answer.multipliers["floor"].tolist() == [Fraction(10, 3)] * 3
    assert all(isinstance(one, Fraction) for one in answer.multipliers["floor"])
    assert answer.accelerations["bead"].shape == (3, 2)
    assert answer.accelerations["bead"].dtype == object


def test_a_state_means_the_digits_it_is_written_with() -> None:
    model = zwang.parse(SWING).with_parameters(g=3.7)
    answer = model.accelerate(model.state(2.5, {"bob": [0.28, -0.96]}, {"bob": [0.96, 0.28]}), exact=True)
    assert answer.time == Fraction(5, 2)
    assert answer.free["bob"] == [0, Fraction(-37, 10)]
    assert answer.constraints["string"].role == "binding" and answer.constraints["string"].value == 0
    # As if it had been typed, also where only a part of it is given.
    assert model.accelerate({"velocities": {"bob": [0.4, 0.3]}}, exact=True).multipliers["string"] == (
        Fraction(1, 10) * (Fraction(37, 10) * Fraction(8, 10) + Fraction(1, 4)))
    outside = model.accelerate({"positions": {"bob": [0.6, -0.8000000000000002]}}, exact=True)
    assert outside.status == "inadmissible"
    assert outside.violations["square"] == Fraction(6, 10)**2 + Fraction("0.8000000000000002")**2 - 1
    assert isinstance(outside.violations["string"], str) and "sqrt" in outside.violations["string"]
    with pytest.raises(ValueError, match="rho"):
        model.accelerate(model.state(rho={"string": 1.0}), exact=True)


def test_a_jam_is_proved_and_what_is_irrational_is_refused_with_its_place() -> None:
    jam = zwang.load("gallery:jam").accelerate(exact=True)
    assert jam.status == "jammed" and all(isinstance(y, Fraction) and y > 0 for y in jam.farkas.values())
    assert "accelerations" not in jam
    root = zwang.parse(SWING.replace("0.6, -0.8", "1, 2").replace("<= 1", "<= cos(1)"))
    with pytest.raises(zwang.Error, match=r"in exact arithmetic .*cos\(1\)") as error:
        root.accelerate(exact=True)
    assert error.value.line == 10


@pytest.mark.parametrize("name", zwang.gallery())
def test_answers_are_those_of_the_command(name: str, command: Command) -> None:
    file = str(ROOT / "gallery" / name / "model.toml")
    model = zwang.load(file)
    told = command.ask("accelerate", file, "--exact")
    if model.is_flow:
        assert "first-order system" in told["error"]["message"]
        with pytest.raises(zwang.Error, match="first-order system"):
            model.accelerate(exact=True)
        return
    try:
        answer = model.accelerate(exact=True)
    except zwang.Error as error:
        assert told["error"]["message"] == error.message
        assert (told["error"].get("line"), told["error"].get("column")) == (error.line, error.column)
        return
    assert answer.to_dict() == told
    assert str(answer) + "\n" == command.raw("accelerate", file, "--exact").stdout

"""Rigid bodies, joints and springs from Python: drafts, arrays by name, blows."""

import numpy as np
import pytest

import zwang


@pytest.fixture
def box() -> zwang.Model:
    draft = zwang.Draft("A box", gravity=[0, 0, -10])
    draft.body("box", mass=2, inertia=[1, 2, 4], position=[0, 0, 1], spin=[0.1, 0.2, 0.3], velocity=[1, 0, 0],
               orientation={"axis": [0, 0, 1], "angle": "pi/2"}, marks={"tip": [1, 0, 0]})
    draft.simulation(until=1, samples=11)
    return draft.compile()


def test_positions_have_seven_numbers_and_velocities_six(box: zwang.Model) -> None:
    state = box.initial
    assert state.positions["box"] == pytest.approx([0, 0, 1, np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert state.velocities["box"] == pytest.approx([1, 0, 0, 0.1, 0.2, 0.3])
    run = box.run()
    assert run.positions["box"].shape == (11, 7)
    assert run.velocities["box"].shape == (11, 6)
    assert run.velocities["box"][-1, 2] == pytest.approx(-10)


def test_a_spin_that_is_assigned_is_the_spin(box: zwang.Model) -> None:
    state = box.initial
    state.velocities["box"] = [0, 0, 0, 3, 2, 1]
    assert state.velocities["box"] == pytest.approx([0, 0, 0, 3, 2, 1])
    assert box.state(velocities={"box": [1, 2, 3, 4, 5, 6]}).velocities["box"] == pytest.approx([1, 2, 3, 4, 5, 6])
    with pytest.raises(ValueError, match="6 numbers are needed"):
        state.velocities["box"] = [1, 2, 3]


def test_accelerations_and_blows_are_force_and_torque(box: zwang.Model) -> None:
    state = box.state(velocities={"box": [0, 0, 0, 0, 0, 0]})
    assert box.accelerate(state).accelerations["box"] == pytest.approx([0, 0, -10, 0, 0, 0])
    # The body's x and y axes lie along y and -x: moments 2 and 1 about x and y of the fixed frame.
    after = box.impact(state, blows={"box": [2, 0, 0, 4, 3, 8]}).velocities["box"]
    assert after == pytest.approx([1, 0, 0, 2, 3, 2])


def test_joints_and_springs_of_a_draft_are_those_of_the_model_file() -> None:
    draft = zwang.Draft(gravity=[0, -10])
    bar = draft.body("bar", mass=1, shape={"rod": 1}, position=[0.5, 0], marks={"end": [-0.5, 0]})
    draft.joint("pin", "hinge", [0, 0], bar.mark("end"), limits=[-1, 1])
    draft.spring("s", on="pin", stiffness=30)
    draft.output("w", bar.spin)
    model = draft.compile()
    # (m l^2 / 3) w' = -m g l / 2
    answer = model.accelerate()
    assert answer.accelerations["bar"][2] == pytest.approx(-15)
    assert answer.reactions["pin"]["torque"] == pytest.approx(0, abs=1e-12)
    assert model.run(until=0.1).status == "finished"


def test_contacts_of_a_draft_are_those_of_the_model_file() -> None:
    draft = zwang.Draft(gravity=[0, -10])
    draft.body("box", mass=2, shape={"box": [1, 0.5]}, position=[0, 0.25])
    draft.body("disc", mass=1, shape={"disc": 0.2}, position=[0, 0.7])
    draft.contact("floor", "box", plane={"normal": [0, 1]})
    draft.contact("on", "box", "disc", restitution=0.5)
    answer = draft.compile().accelerate()
    assert answer.multipliers["floor[1]"] + answer.multipliers["floor[2]"] == pytest.approx(30)
    assert answer.multipliers["on[3]"] == pytest.approx(10)


def test_a_draft_keeps_the_second_partner_inside_of_the_first() -> None:
    draft = zwang.Draft(gravity=[0, -10])
    draft.body("drum", mass=5, shape={"disc": 1}, position=[0, 0])
    draft.body("disc", mass=1, shape={"disc": 0.2}, position=[0, -0.8])
    draft.joint("axle", "hinge", [0, 0], "drum")
    draft.contact("wall", "drum", "disc", inside=True)
    assert draft.compile().accelerate().multipliers["wall"] == pytest.approx(10)

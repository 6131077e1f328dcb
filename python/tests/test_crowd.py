"""Crowds from Python: in memory and in files, the same bits, the names of the written model."""

import numpy as np
import pytest

import zwang

GAS = """
[parameters]
side = 7
n = "side^2"
[points.b]
count = "n"
mass = 1
position = ["1.6*(i - 0.5 - side*floor((i - 1)/side))", "1.6*(floor((i - 1)/side) + 0.5)"]
velocity = ["sin(7*i*i)", "cos(11*i*i + 3)"]
[constraints]
apart = { for = "i = 1..n, j = i+1..n", condition = "distance(b[i], b[j]) >= 1", restitution = 1 }
left  = { for = "i = 1..n", condition = "b[i].x >= 0", restitution = 1 }
right = { for = "i = 1..n", condition = "b[i].x <= 1.6*side", restitution = 1 }
low   = { for = "i = 1..n", condition = "b[i].y >= 0", restitution = 1 }
high  = { for = "i = 1..n", condition = "b[i].y <= 1.6*side", restitution = 1 }
[simulation]
until = 4
samples = 41
"""


@pytest.fixture(scope="module")
def gas():
    return zwang.parse(GAS)


def test_a_gas_in_memory_and_in_a_file_has_the_same_bits(gas, tmp_path):
    memory = gas.run()
    kept = gas.run(out=tmp_path / "gas.sqlite")
    assert memory.status == kept.status == "finished"
    times = np.linspace(0, 4, 37)
    assert np.array_equal(memory(times).position, kept(times).position)
    assert [event.time for event in memory.events] == [event.time for event in kept.events]
    assert [event.constraints for event in memory.events] == [event.constraints for event in kept.events]


def test_events_of_a_gas_name_pairs_and_tell_impulses(gas):
    run = gas.run()
    names = {name for event in run.events for name in event.constraints}
    assert any(name.startswith("apart[") for name in names)
    assert any(name.startswith("low[") for name in names)
    assert all(value > 0 for event in run.events for value in event.impulses.values())


def test_no_two_discs_come_nearer_than_they_may(gas):
    places = gas.run()(np.linspace(0, 4, 81)).position.reshape(81, 49, 2)
    apart = np.linalg.norm(places[:, :, None, :] - places[:, None, :, :], axis=3)
    apart[:, np.arange(49), np.arange(49)] = 2
    assert apart.min() > 1 - 1e-12


def test_a_saved_gas_goes_on(gas, tmp_path):
    path = gas.run().save(tmp_path / "saved.sqlite")
    later = zwang.resume(path, until=5)
    whole = gas.replace(until=5).run(out=tmp_path / "whole.sqlite")
    assert np.array_equal(later(5.0).position, whole(5.0).position)


def test_a_gas_begins_at_another_state_if_asked(gas):
    first = gas.run(until=2)
    second = gas.run(until=4, state=first.final)
    straight = gas.run(until=4)
    assert second.start == 2
    assert np.allclose(second(3.0).position, straight(3.0).position, atol=1e-6)

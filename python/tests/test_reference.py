"""The reference problems of the papers, built with Python objects and asked through Python."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import zwang

PROBLEMS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "oracles" / "reference.json").read_text(encoding="utf-8"))


def chosen(letters: str) -> list[Any]:
    return [pytest.param(entry, id=entry["id"]) for entry in PROBLEMS if entry["id"][0] in letters]


def number(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) and "/" in value else float(value)


def numbers(expected: dict[str, Any], key: str) -> np.ndarray:
    return np.array([number(entry) for entry in expected.get(key + "_exact", expected.get(key))])


def renamed(expression: str, names: list[str]) -> str:
    """Velocities are written v_x in the problems and x' here."""
    return re.sub(r"\bv_(\w+)\b", lambda match: match.group(1) + "'" if match.group(1) in names else match.group(), expression)


def draft_of(system: dict[str, Any], *, position: list[str] | None = None) -> zwang.Draft:
    """Every coordinate a generalized one, T = sum m/2 x'^2."""
    draft = zwang.Draft()
    names: list[str] = system["coords"]
    for name, value in system.get("params", {}).items():
        draft.parameter(name, value)
    state = system.get("state", {})
    q = position or state.get("q") or ["0"] * len(names)
    v = state.get("v", ["0"] * len(names))
    forces = system.get("forces", ["0"] * len(names))
    masses = system.get("masses", ["1"] * len(names))
    kinetic: zwang.Expression | None = None
    for name, place, rate, force, mass in zip(names, q, v, forces, masses):
        coordinate = draft.coordinate(name, initial=place, velocity=rate, force=renamed(force, names) if force != "0" else None)
        part = zwang.expression(f"({mass})/2") * coordinate.velocity ** 2
        kinetic = part if kinetic is None else kinetic + part
    assert kinetic is not None
    force_function = system.get("force_function_U", system.get("potential_U"))
    potential = f"-({force_function})" if force_function is not None else None
    draft.energy(kinetic=kinetic, potential=potential)
    for constraint in system.get("constraints", []):
        left = zwang.expression(renamed(constraint["expr"], names))
        condition = {"=0": left == 0, "<=0": left <= 0, ">=0": left >= 0}[constraint["sense"]]
        draft.constrain(constraint["name"], condition, law=constraint.get("law"), multiplier=constraint.get("rho"))
    for index, row in enumerate(system.get("pfaffian_forms", []), 1):
        form = " + ".join(f"({entry})*{name}'" for entry, name in zip(row, names))
        draft.constrain(f"form{index}", zwang.expression(form) == 0)
    for name, value in zip(names, system.get("external_impulse", [])):
        if number(value) != 0:
            draft.impulse(name, value)
    if "t" in state and number(state["t"]) != 0:
        draft.simulation(start=state["t"])
    if "t_end" in system:
        draft.simulation(until=system["t_end"])
    return draft


def under_its_laws(system: dict[str, Any]) -> dict[str, Any]:
    """Conditions under the variational law, all or those named, with their rho at the start."""
    every = system.get("problem", "").startswith(("A (", "variational"))
    state = system["state"]
    rho = state.get("rho", state.get("lambda", "0"))
    constraints = []
    for entry in system["constraints"]:
        if every or entry["name"] in system.get("variational_constraints", []):
            own = rho["rho" + entry["name"][-1]] if isinstance(rho, dict) else rho
            entry = entry | {"law": "variational", "rho": own}
        constraints.append(entry)
    return system | {"constraints": constraints}


def array(quantities: Any, names: list[str]) -> np.ndarray:
    return np.array([quantities[name] for name in names])


@pytest.mark.parametrize("problem", chosen("A"))
def test_accelerations(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    answer = draft_of(system).compile().accelerate()
    if not expected.get("feasible", True):
        assert answer.status == "jammed" and answer.farkas
        return
    assert answer.status == "determined"
    tolerance = expected["tol"]
    wanted = numbers(expected, "accelerations")
    np.testing.assert_allclose(array(answer.accelerations, system["coords"]), wanted, rtol=0, atol=tolerance * max(1, np.abs(wanted).max()))
    if expected.get("multipliers_unique", True):
        for name, value in expected.get("multipliers_exact", expected.get("multipliers", {})).items():
            assert abs(answer.multipliers.get(name, 0.0) - number(value)) <= 10 * tolerance * max(1, abs(number(value))), name
    if "constraint_Z" in expected:
        assert np.isclose(answer.constraint, number(expected["constraint_Z"]), rtol=1e-10, atol=1e-10)
    assert max(answer.certificate.values()) < 1e-12


@pytest.mark.parametrize("problem", chosen("I"))
def test_shocks(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    model = draft_of(system).compile()
    answer = model.impact()
    wanted = numbers(expected, "v_after")
    scale = 10 * expected["tol"] * max(1, np.abs(wanted).max())
    np.testing.assert_allclose(array(answer.velocities, system["coords"]), wanted, rtol=0, atol=scale)
    # The same blow from outside the model.
    bare = draft_of({key: value for key, value in system.items() if key != "external_impulse"}).compile()
    blows = {name: number(value) for name, value in zip(system["coords"], system.get("external_impulse", []))}
    np.testing.assert_allclose(array(bare.impact(blows=blows).velocities, system["coords"]), wanted, rtol=0, atol=scale)


@pytest.mark.parametrize("problem", chosen("S"))
def test_singular_positions(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    if "minimisers" not in expected:
        pytest.skip("asks something else")
    answer = draft_of(system).compile().accelerate()
    wanted = {tuple(round(number(entry), 9) for entry in one) for one in expected.get("minimisers_exact", expected["minimisers"])}
    if answer.status == "determined":
        found = {tuple(np.round(array(answer.accelerations, system["coords"]), 9) + 0.0)}
    else:
        assert answer.status == "ambiguous"
        found = {tuple(np.round(array(one.accelerations, system["coords"]), 9) + 0.0) for one in answer.solutions}
    if expected.get("n_minimisers") not in ("continuum", None) and isinstance(expected["n_minimisers"], int):
        assert found == wanted


@pytest.mark.parametrize("problem", chosen("MKL"))
def test_motions(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    samples = [entry for entry in expected.get("samples", []) if entry["t"][0].isdigit()]
    if "masses" not in system or not samples:
        pytest.skip("asks something else")
    model = draft_of(under_its_laws(system)).compile()
    end = max(number(entry["t"]) for entry in samples)
    run = model.run(until=max(end, number(system.get("t_end", end))))
    for entry in samples:
        q = entry.get("q") or [entry[name] for name in system["coords"]]
        v = entry.get("v") or [entry["v_" + name] for name in system["coords"]]
        states = run(number(entry["t"]))
        for got, wanted in ((states.position, q), (states.velocity, v)):
            exact = np.array([number(one) for one in wanted])
            np.testing.assert_allclose(got, exact, rtol=0, atol=3e-9 * max(1, np.abs(exact).max()))
    wanted_events = expected.get("events", [])
    for entry in wanted_events:
        kinds = {"release": ("release",), "shock": ("impact", "blow", "seizure"), "contact": ("contact",)}.get(entry["kind"])
        if kinds is None:
            continue
        near = [event for event in run.events if event.kind in kinds and abs(event.time - number(entry["t"])) < 1e-8]
        assert near, entry["t"]
        for name, value in (entry.get("impulses") or {}).items():
            assert np.isclose(sum(event.impulses.get(name, 0.0) for event in near[:1]), number(value), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("problem", chosen("Q"))
def test_stability(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    if "lambda_squared_roots" not in expected:
        pytest.skip("asks something else")
    answer = draft_of(system, position=system.get("equilibrium")).compile().analyze.stability()
    assert answer.equilibrium
    wanted = sorted((round(number(re_), 8), round(number(im), 8)) for re_, im in expected["lambda_squared_roots"])
    found = sorted((round(float(re_), 8), round(float(im), 8)) for re_, im in answer.eigenvalues)
    np.testing.assert_allclose(found, wanted, atol=2e-8)
    if "oscillation_stable" in expected:
        assert answer.stable is expected["oscillation_stable"]
    if "quadratic_form_8_on_constraint_space" in expected:
        assert answer.form == expected["quadratic_form_8_on_constraint_space"]


@pytest.mark.parametrize("problem", chosen("P"))
def test_integrability(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    if "t" in system["coords"]:
        pytest.skip("the time counts as a coordinate: another way to write it")
    answer = draft_of(system, position=system.get("point")).compile().analyze.integrability()
    assert answer.integrable == expected["integrable_combinations"]
    assert answer.complete == expected["complete"]
    if "growth_vector" in expected:
        assert list(dict.fromkeys(expected["growth_vector"])) == answer.growth


@pytest.mark.parametrize("problem", chosen("F"))
def test_what_fourier_allows(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    model = draft_of(system).compile()
    answer = model.analyze.fourier()
    np.testing.assert_allclose(array(answer.gauss, system["coords"]), numbers(expected, "gauss_accelerations"), atol=1e-12)
    assert answer.unbounded == expected["fourier_set_unbounded"] and answer.unique == expected["fourier_unique"]
    for entry in expected.get("membership", []):
        asked = {name: number(value) for name, value in zip(system["coords"], entry["a"])}
        assert model.analyze.fourier(member=asked).member == entry["in_fourier_set"]


@pytest.mark.parametrize("problem", chosen("J"))
def test_measures(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    sample = expected["divergence_samples"][0]
    model = draft_of(system | {"state": {"t": "0", "q": sample["q"], "v": sample["v"]}}).compile()
    answer = model.analyze.measure()
    assert answer.exists == expected["multiplier_of_x_exists"]
    for entry in expected["divergence_samples"]:
        at = {"positions": dict(zip(system["coords"], map(number, entry["q"]))), "velocities": dict(zip(system["coords"], map(number, entry["v"])))}
        assert np.isclose(model.analyze.measure(at).divergence, number(entry["divergence"]), atol=1e-10)


@pytest.mark.parametrize("problem", chosen("C"))
def test_conjugate_velocities(problem: dict[str, Any]) -> None:
    system, expected = problem["system"], problem["expected"]
    names: list[str] = system["coords"]
    known = {name: number(value) for name, value in system["position"].items()}
    draft = zwang.Draft()
    draft.parameters(**{name: value for name, value in known.items() if name not in names})
    moving = [draft.coordinate(name, initial=known.get(name, 0)) for name in names]
    kinetic = " + ".join(f"({entry})*{one.velocity}*{other.velocity}/2" for one, row in zip(moving, system["T_matrix"])
                         for other, entry in zip(moving, row))
    draft.energy(kinetic=kinetic)
    for index, row in enumerate(system["constraint_rows"], 1):
        draft.constrain(f"row{index}", " + ".join(f"({entry})*{one.velocity}" for entry, one in zip(row, moving)) + " = 0")
    model = draft.compile()
    for sample in expected["samples"]:
        answer = model.analyze.velocities({"velocities": dict(zip(names, map(number, sample["v"])))})
        wanted = np.array([[eval(entry, {}, known) for entry in row] for row in expected["conjugate_rows_rref"]], dtype=float)
        np.testing.assert_allclose(answer.conjugate, wanted, atol=1e-12)
        kinds = {"total": "T", "conjugate": "T_I", "dependent": "T_II"}
        for key, word in kinds.items():
            assert np.isclose(answer.kinetic[key], number(sample[word]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(array(answer.projected, names), [number(entry) for entry in sample["projected_velocity"]], atol=1e-12)


@pytest.mark.parametrize("problem", [entry for entry in chosen("K") if "equivalent" in entry.values[0]["expected"]])
def test_whether_the_laws_agree(problem: dict[str, Any]) -> None:
    if "**" in problem["system"]["constraints"][0]["expr"]:
        with pytest.raises(zwang.Error, match="linearly"):
            draft_of(problem["system"]).compile()
        return
    model = draft_of(problem["system"], position=["0.3", "0.7", "0.2", "0.4", "0.6"][: len(problem["system"]["coords"])]).compile()
    assert model.analyze.integrability().laws_agree == problem["expected"]["equivalent"]

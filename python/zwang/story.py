"""The answer of `explain` as a text that is read from top to bottom."""

from __future__ import annotations

from typing import Any


def _number(value: float) -> str:
    return f"{value:.6g}"


def _quantity(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(_number(item) for item in value) + ")"
    return _number(value)


def _listed(names: list[str]) -> str:
    if len(names) <= 1:
        return "".join(names) or "none"
    return ", ".join(names[:-1]) + " and " + names[-1]


def _tell_trials(trials: list[dict[str, Any]], rate: str, word: str) -> list[str]:
    lines = []
    for number, trial in enumerate(trials, 1):
        held = _listed(trial["equations"])
        verdict = []
        if trial["negative"]:
            verdict.append(f"the {word} of {_listed(trial['negative'])} would be negative")
        if trial["violated"]:
            verdict.append(f"{rate} of {_listed(trial['violated'])} would be positive")
        lines.append(f"  try {number}: hold {held}: " + ("; ".join(verdict) + "." if verdict else "all signs are right."))
    return lines


def _tell_state(answer: dict[str, Any]) -> list[str]:
    lines = ["The conditions at this state"]
    for name, entry in answer.get("constraints", {}).items():
        value = f"f = {_number(entry['value'])}, " if "value" in entry else ""
        lines.append(f"  {name} ({entry['kind']}): {value}f' = {_number(entry['rate'])}: {entry['role']}")
    if "violations" in answer:
        lines += [f"  {name} is broken by {_number(value)}" for name, value in answer["violations"].items()]
    if answer.get("trials"):
        lines += ["", "Which of them hold as equations?", *_tell_trials(answer["trials"], "f''", "multiplier")]
    for name, decision in answer.get("decisions", {}).items():
        lines.append(f"  {name}: derivative {decision['derivative']} decides: it {'stays' if decision['stays'] else 'goes'}")
    if "accelerations" in answer:
        lines += ["", "The accelerations"]
        for name, value in answer["accelerations"].items():
            lines.append(f"  {name}: {_quantity(value)}, free {_quantity(answer['free'][name])}")
        for name, value in answer.get("multipliers", {}).items():
            lines.append(f"  multiplier of {name}: {_number(value)}")
        lines.append(f"  constraint Z = {_number(answer['constraint'])}")
    if "solutions" in answer:
        lines += ["", f"{len(answer['solutions'])} accelerations of least constraint ({answer['family']})"]
        for entry in answer["solutions"]:
            lines.append("  " + ", ".join(f"{name}: {_quantity(value)}" for name, value in entry["accelerations"].items()))
    if "farkas" in answer:
        lines += ["", "No acceleration is admissible: these parts of the conditions contradict each other",
                  *(f"  {name}: {_number(value)}" for name, value in answer["farkas"].items())]
    if "expansion" in answer:
        lines += ["", answer["expansion"]]
    return lines


def _tell_shock(shock: dict[str, Any]) -> list[str]:
    lines = ["", "A shock comes first"]
    lines += _tell_trials(shock.get("trials", []), "f'", "impulse")
    for name, value in shock.get("velocities", {}).items():
        lines.append(f"  {name}: velocity {_quantity(shock['before'][name])} before, {_quantity(value)} after")
    for name, value in shock.get("impulses", {}).items():
        lines.append(f"  impulse of {name}: {_number(value)} ({shock['roles'][name]})")
    if "energy" in shock:
        lines.append(f"  energy lost: {_number(shock['energy']['lost'])}")
    return lines


def tell(answer: dict[str, Any]) -> str:
    """The whole story."""
    lines = [f"{answer['model']}   t = {_number(answer['time'])}   {answer['status']}", "", *_tell_state(answer)]
    if "impact" in answer:
        lines += _tell_shock(answer["impact"])
    if "after" in answer:
        lines += ["", "After the shock", *_tell_state(answer["after"])]
    return "\n".join(lines)

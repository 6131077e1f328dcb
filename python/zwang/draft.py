"""Models built in code: points, coordinates, conditions and parameters, written down as the TOML that `parse` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zwang.expressions import (Condition, CoordinateFamily, Expression, ExpressionLike, Moving, Point, PointFamily,
                               RigidBody, _expression, number_text)

if TYPE_CHECKING:
    from zwang.model import Model


_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def _name(name: str, what: str) -> str:
    """The name, if the model's expressions could use it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a {what}: a name begins with a letter and goes on with letters, digits and _, such as a or left_wheel")
    return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any, what: str = "") -> str:
    """A value as TOML: numbers plainly, expressions in quotes, vectors as arrays, dicts as inline tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(item, what)}" for key, item in value.items()) + " }"
    if isinstance(value, (Expression, Condition)):
        return _quoted(str(value))
    if isinstance(value, str):
        return _quoted(value)
    if callable(value):
        from zwang.model import _no_callable
        raise TypeError(_no_callable(what or "this value"))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item, what) for item in value) + "]"
    return number_text(value)


class Draft:
    """A model while it is written. `str(draft)` is its TOML text, `draft.compile()` the model.

    >>> import zwang
    >>> draft = zwang.Draft("A weight on a string", gravity=[0, 0, "-g"])
    >>> g, L = draft.parameters(g=9.81, L=1.0)
    >>> a = draft.point("a", mass=1.0, position=[0, 0, -L], velocity=[2, 0, 0])
    >>> draft.constrain("string", zwang.norm(a) <= L)
    >>> draft.simulation(until=2)
    >>> print(draft)
    title = "A weight on a string"
    gravity = [0, 0, "-g"]
    <BLANKLINE>
    [parameters]
    g = 9.81
    L = 1
    <BLANKLINE>
    [points.a]
    mass = 1
    position = [0, 0, "-L"]
    velocity = [2, 0, 0]
    <BLANKLINE>
    [constraints]
    string = "norm(a) <= L"
    <BLANKLINE>
    [simulation]
    until = 2
    <BLANKLINE>
    >>> float(draft.compile().accelerate().accelerations["a"][2])
    4.0
    """

    def __init__(self, title: str | None = None, *, gravity: Sequence[ExpressionLike] | None = None) -> None:
        self._title = title
        self._gravity = None if gravity is None else _value(gravity, "gravity")
        self._parameters: dict[str, str] = {}
        self._bodies: dict[tuple[str, str], dict[str, str]] = {}
        self._energy: dict[str, str] = {}
        self._flow: dict[str, str] = {}
        self._free: list[str] = []
        self._constraints: dict[str, str] = {}
        self._joints: dict[str, str] = {}
        self._springs: dict[str, str] = {}
        self._contacts: dict[str, str] = {}
        self._impulses: list[dict[str, str]] = []
        self._seizures: list[dict[str, str]] = []
        self._releases: list[dict[str, str]] = []
        self._outputs: dict[str, str] = {}
        self._simulation: dict[str, str] = {}
        self._more: list[str] = []

    # Names.

    def parameter(self, name: str, value: ExpressionLike) -> Expression:
        """A parameter: a number, a vector, or an expression of other parameters."""
        self._parameters[_name(name, "parameter")] = _value(value, name)
        return Expression(name)

    def parameters(self, **values: ExpressionLike) -> tuple[Expression, ...]:
        """Several parameters at once, in the order they are written in."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def _add(self, sort: str, name: str, entries: Mapping[str, Any], more: Mapping[str, Any]) -> None:
        _name(name, {"points": "point", "bodies": "body", "coordinates": "coordinate"}[sort])
        if any(known == name for _, known in self._bodies):
            raise ValueError(f"there is a point, body or coordinate {name!r} already")
        table = {key: _value(value, f"{key} of {name}") for key, value in {**entries, **more}.items() if value is not None}
        self._bodies[sort, name] = table

    def point(self, name: str, *, mass: ExpressionLike, position: ExpressionLike, velocity: ExpressionLike | None = None,
              force: ExpressionLike | None = None, **more: Any) -> Point:
        """A material point with two or three components."""
        self._add("points", name, {"mass": mass, "position": position, "velocity": velocity, "force": force}, more)
        return Point(name)

    def points(self, name: str, *, count: ExpressionLike, mass: ExpressionLike, position: ExpressionLike,
               velocity: ExpressionLike | None = None, force: ExpressionLike | None = None, **more: Any) -> PointFamily:
        """A family of points, `count` or `[rows, columns]` of them; `i` (and `j`) is the index in its expressions."""
        self._add("points", name,
                  {"count": count, "mass": mass, "position": position, "velocity": velocity, "force": force}, more)
        return PointFamily(name)

    def coordinate(self, name: str, *, initial: ExpressionLike, velocity: ExpressionLike | None = None,
                   force: ExpressionLike | None = None, **more: Any) -> Moving:
        """A generalized coordinate."""
        self._add("coordinates", name, {"initial": initial, "velocity": velocity, "force": force}, more)
        return Moving(name)

    def coordinates(self, name: str, *, count: ExpressionLike, initial: ExpressionLike,
                    velocity: ExpressionLike | None = None, force: ExpressionLike | None = None,
                    **more: Any) -> CoordinateFamily:
        """A family of generalized coordinates."""
        self._add("coordinates", name, {"count": count, "initial": initial, "velocity": velocity, "force": force}, more)
        return CoordinateFamily(name)

    def body(self, name: str, *, position: ExpressionLike, marks: Mapping[str, ExpressionLike] | None = None,
             **more: Any) -> RigidBody:
        """A rigid body: `mass` or `density`, `inertia` or `shape`, `orientation`, `velocity`, `spin`, `force`, `torque`, `count`
        as in the model file; dicts stand for inline tables.

        >>> import zwang
        >>> draft = zwang.Draft()
        >>> box = draft.body("box", mass=2, shape={"box": [1, 0.5, 0.2]}, position=[0, 0, 1], marks={"corner": [0.5, 0.25, -0.1]})
        >>> draft.constrain("floor", box.mark("corner").z >= 0)
        >>> len(draft.compile().variables)
        7
        """
        for one in marks or ():
            _name(one, "mark")
        self._add("bodies", name, {"position": position, "marks": marks or None}, more)
        return RigidBody(name, marks or ())

    def joint(self, name: str, kind: str, first: ExpressionLike, second: ExpressionLike | None = None, **more: Any) -> None:
        """A joint of a kind between two partners: marks, bodies, points, fixed places; `rolling` has one. `axis`, `axes`, `limits`,
        `drive`, `zero`, `restitution`, `on`, `ratio` as in the model file; `each` stands for `for`."""
        def end(value: ExpressionLike) -> Any:
            return str(value) if isinstance(value, Expression) else value

        if "each" in more:
            more["for"] = more.pop("each")
        self._joints[name] = _value({kind: end(first) if second is None else [end(first), end(second)], **more}, name)

    def spring(self, name: str, first: ExpressionLike | None = None, second: ExpressionLike | None = None, **more: Any) -> None:
        """A spring between two ends, or `on` a hinge or slider: `stiffness`, `damping`, `length`, `only`, `angle`, `travel` as in the model
        file; `each` stands for `for`."""
        if "each" in more:
            more["for"] = more.pop("each")
        ends = {} if first is None else {"between": [first, second]}
        self._springs[name] = _value({**ends, **more}, name)

    def contact(self, name: str, first: ExpressionLike, second: ExpressionLike | None = None, **more: Any) -> None:
        """Two partners that do not enter each other, or with `plane` one that stays in a half-space: `inside`, `restitution` as in the model
        file; `each` stands for `for`.

        >>> import zwang
        >>> draft = zwang.Draft(gravity=[0, 0, -9.81])
        >>> ball = draft.body("ball", mass=1, shape={"ball": 0.1}, position=[0, 0, 1])
        >>> draft.contact("floor", ball, plane={"normal": [0, 0, 1]}, restitution=0.5)
        >>> draft.compile().run(until=1).status
        'finished'
        """
        def partner(value: ExpressionLike) -> Any:
            return str(value) if isinstance(value, Expression) else value

        if "each" in more:
            more["for"] = more.pop("each")
        inside = bool(more.pop("inside", False))
        who = {"body": partner(first)} if second is None else {"between": [partner(first), partner(second)]}
        text = _value({**who, **more}, name)
        self._contacts[name] = text.removesuffix(" }") + ", inside = true }" if inside else text

    # What they obey.

    def energy(self, *, kinetic: ExpressionLike | None = None, potential: ExpressionLike | None = None) -> None:
        """The kinetic energy of the coordinates, and the potential of all."""
        for key, value in (("kinetic", kinetic), ("potential", potential)):
            if value is not None:
                self._energy[key] = _quoted(str(_expression(value)))

    def constrain(self, name: str, condition: Condition | str, *, over: Sequence[tuple[Any, Any, Any]] | None = None,
                  law: str | None = None, restitution: ExpressionLike | None = None,
                  multiplier: ExpressionLike | None = None) -> None:
        """A condition, made with ==, <= or >= or written as text. `over` lists the indices of a family: [(i, 1, 99)]."""
        if isinstance(condition, bool):
            raise TypeError(f"{name}: this comparison was already decided by Python; compare expressions, such as a.x <= 0")
        if not isinstance(condition, (Condition, str)):
            if callable(condition):
                raise TypeError(f"{name}: a Python function is no condition; write it with the names of the model, "
                                "such as distance(a, b) <= L")
            raise TypeError(f"{name}: a condition is made with ==, <= or >=, or written as text")
        entries: dict[str, str] = {}
        if over is not None:
            ranges = (f"{letter} = {_expression(first)}..{_expression(last)}" for letter, first, last in over)
            entries["for"] = _quoted(", ".join(ranges))
        entries["condition"] = _quoted(str(condition))
        if law is not None:
            entries["law"] = _quoted(law)
        if restitution is not None:
            entries["restitution"] = _value(restitution)
        if multiplier is not None:
            entries["multiplier"] = _value(multiplier)
        if len(entries) == 1:
            self._constraints[name] = entries["condition"]
        else:
            self._constraints[name] = "{ " + ", ".join(f"{key} = {text}" for key, text in entries.items()) + " }"

    def impulse(self, on: Expression | str, value: ExpressionLike, *, at: ExpressionLike | None = None) -> None:
        """A blow from outside: mass times velocity, at a time (default: the start)."""
        entry = {"on": _quoted(str(on)), "value": _value(value, f"the blow on {on}")}
        if at is not None:
            entry["at"] = _value(at)
        self._impulses.append(entry)

    def seize(self, name: str, condition: Condition | str, *, at: ExpressionLike | None = None) -> None:
        """An equation that is imposed suddenly at a time (default: the start) and from then on."""
        entry = {"name": _quoted(name), "condition": _quoted(str(condition))}
        if at is not None:
            entry["at"] = _value(at)
        self._seizures.append(entry)

    def release(self, name: str, *, at: ExpressionLike | None = None, when: Condition | str | None = None) -> None:
        """Lets a condition, joint, contact or spring go: at a time, or when a comparison becomes true."""
        entry = {"constraint": _quoted(name)}
        if at is not None:
            entry["at"] = _value(at)
        if when is not None:
            entry["when"] = _quoted(str(when))
        self._releases.append(entry)

    def flow(self, **rates: ExpressionLike) -> None:
        """A first-order system: the rates of the coordinates."""
        for name, rate in rates.items():
            self._flow[name] = _value(rate, f"the rate of {name}") if not isinstance(rate, Expression) else _quoted(str(rate))

    def free(self, *functions: ExpressionLike) -> None:
        """The functions whose rates keep their free form in a flow under conditions."""
        self._free += [_quoted(str(_expression(function))) for function in functions]

    def output(self, name: str, value: ExpressionLike) -> None:
        """An expression to be recorded."""
        self._outputs[name] = _quoted(str(_expression(value)))

    def simulation(self, *, start: ExpressionLike | None = None, until: ExpressionLike | None = None,
                   tolerance: ExpressionLike | None = None, samples: ExpressionLike | None = None,
                   stop: Condition | str | None = None, touch: ExpressionLike | None = None) -> None:
        """How long and how exactly, and when to stop."""
        given = {"start": start, "until": until, "tolerance": tolerance, "samples": samples, "stop": stop, "touch": touch}
        for key, value in given.items():
            if value is not None:
                self._simulation[key] = _value(value, key)

    def toml(self, text: str) -> None:
        """Further TOML, as it is: tables that have no method here."""
        self._more.append(text.strip("\n"))

    # What it becomes.

    def __str__(self) -> str:
        parts: list[str] = []

        def table(heading: str, entries: Mapping[str, str]) -> None:
            if entries:
                parts.append("\n".join([heading, *(f"{key} = {value}" for key, value in entries.items())]))

        top = {}
        if self._title is not None:
            top["title"] = _quoted(self._title)
        if self._gravity is not None:
            top["gravity"] = self._gravity
        if top:
            parts.append("\n".join(f"{key} = {value}" for key, value in top.items()))
        table("[parameters]", self._parameters)
        for (sort, name), entries in self._bodies.items():
            table(f"[{sort}.{name}]", entries)
        table("[energy]", self._energy)
        table("[flow]", self._flow)
        if self._free:
            table("[free]", {"functions": "[" + ", ".join(self._free) + "]"})
        table("[constraints]", self._constraints)
        table("[joints]", self._joints)
        table("[springs]", self._springs)
        table("[contacts]", self._contacts)
        for entry in self._impulses:
            table("[[impulses]]", entry)
        for entry in self._seizures:
            table("[[seizures]]", entry)
        for entry in self._releases:
            table("[[releases]]", entry)
        table("[outputs]", self._outputs)
        table("[simulation]", self._simulation)
        return "\n\n".join([*parts, *self._more]) + "\n"

    def __repr__(self) -> str:
        return f"<zwang.Draft {self._title or ''!r}: {len(self._bodies)} bodies, {len(self._constraints)} conditions>"

    def compile(self, file: str = "draft") -> Model:
        """The model; mistakes are errors that point into `str(draft)`."""
        from zwang.model import parse
        return parse(str(self), file)

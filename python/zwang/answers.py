"""What comes back from a question: objects whose fields are those of the JSON answers.

A field that does not apply to an answer is not there: asking for it raises AttributeError with a sentence, `"name" in
answer` tells. `answer.to_dict()` is the plain JSON object, `answer.json` its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from zwang._lazy import LazyModule
from zwang.quantities import Layout, Quantities, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from zwang import _zwang
    from zwang.trajectory import Trajectory
else:
    np = LazyModule("numpy")

#: keys whose numbers are whole
_WHOLE = frozenset({
    "steps", "variables", "derivative", "conditions", "integrable", "points", "agreeing", "nearby_points", "multiplicity",
    "independent", "freedom", "zero_modes", "rank", "reachable", "rank_at_state", "rounds", "holonomic", "count",
    "derived", "growth",
})
#: keys of objects whose own keys are names of the model
_NAMED = frozenset({
    "accelerations", "free", "multipliers", "rho", "reactions", "reaction", "constraints", "before", "velocities", "changes",
    "impulses", "roles", "positions", "violations", "farkas", "outputs", "gauss", "projected", "decisions",
})


def _converted(value: Any, key: str = "") -> Any:
    """JSON values as Python likes them: lists of numbers as arrays, objects with attributes."""
    if isinstance(value, dict):
        return Record({name: _converted(item, "" if key in _NAMED else name) for name, item in value.items()})
    if isinstance(value, list):
        if value and key not in _WHOLE and all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in value):
            return np.array(value, dtype=np.float64)
        if value and all(isinstance(item, list) for item in value):
            inner = [_converted(item, key) for item in value]
            same = all(isinstance(item, np.ndarray) and item.shape == inner[0].shape for item in inner)
            return np.array(inner) if same else inner
        return [_converted(item, key) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and key not in _WHOLE:
        return float(value)
    return value


#: keys of exact answers whose texts are numbers
_EXACT = frozenset({
    "time", "accelerations", "free", "multipliers", "rho", "reactions", "reaction", "constraint", "certificate", "violations",
    "farkas", "redundant", "value", "rate", "second",
})
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


def _fractions(value: Any) -> Any:
    """Texts as the fractions they are; a number with a root in it stays a text."""
    if isinstance(value, dict):
        return Record({name: _fractions(item) for name, item in value.items()})
    if isinstance(value, list):
        return [_fractions(item) for item in value]
    return Fraction(value) if isinstance(value, str) and _FRACTION.fullmatch(value) else value


def _plain(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_plain(item)}" for name, item in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(_plain(item) for item in value) + "]"
    return str(value)


class Answer:
    """An answer with the fields of its JSON."""

    #: the version that answered
    zwang: str
    #: title of the model, or its file
    model: str

    # Filled when they are first asked for.
    _text: str | None = None
    _data: Record | None = None
    _raw: dict[str, Any] | None = None

    def __init__(self, source: str | dict[str, Any]) -> None:
        if isinstance(source, str):
            self._text = source
        else:
            self._raw = source

    @property
    def json(self) -> str:
        """The answer as the text that the command prints with --json."""
        if self._text is None:
            self._text = json.dumps(self._raw, indent=2) + "\n"
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The answer as a plain object: numbers, texts, lists, dicts. Do not change it."""
        if self._raw is None:
            self._raw = json.loads(self.json)
        return self._raw

    @property
    def _fields(self) -> Record:
        if self._data is None:
            self._data = _converted(self.to_dict())
        assert self._data is not None
        return self._data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        fields = self._fields
        if name in fields:
            return fields[name]
        status = fields.get("status")
        reason = f" with status {status!r}" if status is not None else ""
        raise AttributeError(f"this answer{reason} has no {name!r}; it has {', '.join(fields)}")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def get(self, name: str, otherwise: Any = None) -> Any:
        """A field, or something else where it does not apply."""
        return getattr(self, name, otherwise)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._fields})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}:"]
        for name, value in self.to_dict().items():
            text = _plain(value)
            lines.append(f"  {name}: {text if len(text) <= 100 else text[:97] + '...'}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html
        rows = []
        for name, value in self.to_dict().items():
            text = _plain(value)
            rows.append(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>"
                        f"{html.escape(text if len(text) <= 400 else text[:397] + '...')}</td></tr>")
        return "<table>" + "".join(rows) + "</table>"


class Acceleration(Answer):
    """The true accelerations at a state (`model.accelerate`)."""

    time: float
    #: "determined", "ambiguous", "impact", "inadmissible", "jammed" or "undecided"
    status: str
    #: are the gradients of all equations and effective inequalities independent?
    regular: bool
    #: by point or coordinate
    accelerations: Quantities
    #: what they would be without conditions
    free: Quantities
    #: lambda of every equation and every effective inequality; rho' of a variational condition
    multipliers: Record
    #: of variational conditions
    rho: Record
    multipliers_unique: bool
    #: forces of each condition on each body
    reactions: Record
    #: their total
    reaction: Record
    #: per condition: kind, value, rate, second, role
    constraints: Record
    #: Gauss's Z
    constraint: float
    #: scaled residuals: primal, dual, complementarity, stationarity, and the duality gap
    certificate: Record
    solutions: list[Record]
    family: str
    violations: Record
    farkas: Record
    expansion: str

    _core: _zwang.Moment | None
    _layout: Layout | None
    _array: NDArray[np.float64] | None

    def __init__(self, core: _zwang.Moment, layout: Layout) -> None:
        self._core = core
        self._layout = layout
        self._array = None

    def __reduce__(self) -> Any:
        return (_acceleration_again, (self.json, np.array(self.array)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._core is None or self._layout is None:
            return super().__getattr__(name)
        # The numbers themselves need no detour over the text.
        if name == "status":
            return self._core.status
        turning = any(body.turns for body in self._layout.bodies.values())
        if name in ("accelerations", "free") and self._core.status == "determined" and not turning:
            return Quantities(self._layout, getattr(self._core, name))
        return super().__getattr__(name)

    @property
    def json(self) -> str:
        """The answer as the text that the command prints with --json."""
        if self._text is None:
            assert self._core is not None
            self._text = self._core.json()
        return self._text

    @property
    def array(self) -> NDArray[np.float64]:
        """The accelerations as one array over the coordinates, without a copy; empty unless determined."""
        if self._array is None:
            assert self._core is not None
            self._array = self._core.accelerations
        return self._array


def _acceleration_again(text: str, array: NDArray[np.float64]) -> Acceleration:
    """An answer that was pickled: its text and its numbers, without the engine behind it."""
    answer = Acceleration.__new__(Acceleration)
    answer._core = None
    answer._layout = None
    answer._text = text
    answer._array = array
    return answer


class ExactAcceleration(Answer):
    """The true accelerations in exact arithmetic (`model.accelerate(exact=True)`); `str` gives the tables of the command.

    Numbers are `fractions.Fraction`, those of a point in a list; `to_dict` has them as texts, "-981/100".
    """

    exact: bool
    time: Fraction
    #: "determined", "impact", "inadmissible", "jammed" or "undecided"
    status: str
    #: are the gradients of all equations and effective inequalities independent?
    regular: bool
    #: by point or coordinate
    accelerations: Record
    #: what they would be without conditions
    free: Record
    #: lambda of every equation and every effective inequality; rho' of a variational condition
    multipliers: Record
    #: of variational conditions
    rho: Record
    multipliers_unique: bool
    #: forces of each condition on each body
    reactions: Record
    #: their total
    reaction: Record
    #: per condition: kind, value, rate, second, role; an irrational value is a text, "1 - sqrt(2)"
    constraints: Record
    #: Gauss's Z
    constraint: Fraction
    #: zeros: checked, not measured
    certificate: Record
    #: conditions whose gradient is a combination of others, with its factors
    redundant: Record
    #: what is broken and by how much; an irrational amount is a text
    violations: Record
    #: the proof of a jam: with these factors the conditions add up to one without accelerations that is broken
    farkas: Record
    #: why nothing is decided
    expansion: str

    def __init__(self, source: str, story: str) -> None:
        super().__init__(source)
        self._story = story.rstrip("\n")

    @property
    def _fields(self) -> Record:
        if self._data is None:
            fields = Record({name: _fractions(item) if name in _EXACT else item for name, item in self.to_dict().items()})
            fields["constraints"] = Record({
                name: Record({key: _fractions(item) if key in _EXACT else item for key, item in one.items()})
                for name, one in fields["constraints"].items()})
            self._data = fields
        return self._data

    def __str__(self) -> str:
        return self._story


class Explanation(Acceleration):
    """The accelerations told step by step (`model.explain`); `str` gives the story."""

    trials: list[Record]
    impact: Record
    after: Record

    def __init__(self, source: str, story: str) -> None:
        Answer.__init__(self, source)
        self._story = story.rstrip("\n")

    def __getattr__(self, name: str) -> Any:
        return Answer.__getattr__(self, name)

    @property
    def json(self) -> str:
        """The answer as the text that the command prints with --json."""
        assert self._text is not None
        return self._text

    def __str__(self) -> str:
        return self._story


class Impact(Answer):
    """The velocities after a shock (`model.impact`)."""

    time: float
    #: "regulated", "not needed", "ambiguous", "inadmissible", "jammed", "refused" or "gave up"
    status: str
    #: when ambiguous: the velocities of each
    solutions: list[Record]
    before: Record
    velocities: Record
    changes: Record
    impulses: Record
    impulses_unique: bool
    roles: Record
    #: before, blow, work, lost, after
    energy: Record
    certificate: Record
    violations: Record
    farkas: Record
    restitution: str


class Check(Answer):
    """Is the state admissible, what is each condition, is the position regular (`model.check`)."""

    time: float
    status: str
    regular: bool
    variables: int
    constraints: Record
    violations: Record
    #: with repair=True: succeeded, position_change, velocity_change, positions, velocities
    repair: Record


class Event(Answer):
    """Something that happened in a run."""

    time: float
    #: "impact", "release", "contact", "graze", "blow", "seizure", "singular" or "accumulation"
    kind: str
    #: what triggered it
    constraints: list[str]
    impulses: Record
    #: after it
    positions: Record
    velocities: Record
    #: energy lost in the shock
    lost: float
    note: str

    def __repr__(self) -> str:
        return f"Event({self.kind} at t = {self.time:.10g}: {', '.join(self.constraints)})"


class Comparison(Answer):
    """The motion under both laws (`model.compare`)."""

    #: the two motions
    straightest: Trajectory
    variational: Trajectory
    #: rows of time and distance
    distance: NDArray[np.float64]
    largest: Record
    laws_agree: bool
    equivalence: Record

    def __init__(self, source: str, straightest: Trajectory, variational: Trajectory) -> None:
        super().__init__(source)
        self.straightest = straightest
        self.variational = variational


class Integrability(Answer):
    """How many combinations of the conditions integrate, and to what (`model.analyze.integrability`)."""

    conditions: int
    integrable: int
    complete: bool
    integrals: list[str]
    derived: list[int]
    growth: list[int]
    columns: list[str]
    on_leaf: Record
    laws_agree: bool


class Stability(Answer):
    """Equilibrium, small oscillations, stable or not (`model.analyze.stability`)."""

    equilibrium: bool
    multipliers: Record
    #: rows of real and imaginary part of lambda squared
    eigenvalues: NDArray[np.float64]
    #: instead, where forces are odd in the velocities
    exponents: NDArray[np.float64]
    stable: bool
    growth_rate: float
    form: str
    form_agrees: bool
    #: "full", or "first order" where no theorem reaches beyond the linear problem
    sense: str
    #: functions that turn at the equilibrium: then there is no linear problem
    corners: list[str]
    why: str


class Measure(Answer):
    """Does the motion preserve a measure, and with which density (`model.analyze.measure`)."""

    exists: bool
    density: str
    jacobi: bool
    divergence: float


class Velocities(Answer):
    """Conjugate velocity parameters and the kinetic energy split in them (`model.analyze.velocities`)."""

    columns: list[str]
    dependent: NDArray[np.float64]
    conjugate: NDArray[np.float64]
    kinetic: Record
    projected: Record


class Fourier(Answer):
    """What the principle of d'Alembert and Fourier alone would allow (`model.analyze.fourier`)."""

    gauss: Record
    vertices: list[Record]
    unbounded: bool
    unique: bool
    member: bool


class Curvature(Answer):
    """Radius of curvature and torsion of the path of every point (`model.analyze.curvature`): by the point's name."""


class Reversal(Answer):
    """Run forth, turned round, run back (`model.analyze.reversal`)."""

    reversible: bool
    expected: bool
    distance: float
    duration: float
    reasons: list[str]


class EnergyRate(Answer):
    """What changes the energy at the state (`model.analyze.energy`)."""


class Equations(Answer):
    """The differential equations of motion (`model.equations`); `str` gives them as they were asked for."""

    #: how they are written: the whole text
    text: str

    _KIND: ClassVar[str] = "equations"

    def __init__(self, source: str, text: str) -> None:
        super().__init__(source)
        self.text = text

    def __str__(self) -> str:
        return self.text

"""Models: read from files or texts, asked questions."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar, Union, overload

from zwang import _zwang
from zwang._lazy import LazyModule
from zwang.answers import (Acceleration, Answer, Check, Comparison, Curvature, EnergyRate, Equations, ExactAcceleration,
                           Explanation, Fourier, Impact, Integrability, Measure, Reversal, Stability, Velocities)
from zwang.errors import Error, MissingFile
from zwang.quantities import Layout, Quantities
from zwang.trajectory import Trajectory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from zwang.live import LivePage
else:
    np = LazyModule("numpy")

#: a number, or an expression of the parameters
Value = Union[float, str]
#: called with time, steps and events so far; False ends the run
Progress = Callable[[float, int, int], object]


Function = TypeVar("Function", bound=Callable[..., Any])


def _names(names: Iterable[str] | None) -> list[str]:
    """A list of names, of which a single one may stand alone."""
    if names is None:
        return []
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"sensitivity: names of parameters are expected, not {name!r}")
    return listed


def _explains_arguments(function: Function) -> Function:
    """Named arguments that the function does not have are refused with a sentence; checkers of types see the function as it is."""
    known = [name for name in inspect.signature(function).parameters if name != "self"]

    @functools.wraps(function)
    def explained(*arguments: Any, **named: Any) -> Any:
        for name, value in named.items():
            if name in known:
                continue
            if callable(value):
                raise TypeError(_no_callable(name))
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f": it takes {', '.join(known)}"
            raise TypeError(f"{function.__name__}() has no argument {name!r}{hint}")
        return function(*arguments, **named)

    return explained  # type: ignore[return-value]


def _text_of(value: Any) -> str:
    """A value as an expression that reads back to the same number."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if callable(value):
        raise TypeError("a parameter is a number, a vector or an expression in quotes, not a function")
    if isinstance(value, (int, float)) or getattr(value, "ndim", None) == 0:
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"a finite number is needed, not {number}")
        return repr(number)
    return "[" + ", ".join(_text_of(item) for item in value) + "]"


def _named_text(name: str, value: Any) -> str:
    try:
        return _text_of(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _whole(name: str, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: a whole number is needed, not {value!r}") from None


def _encodable(text: Any) -> None:
    """A sentence for what is no text that a file could hold."""
    if not isinstance(text, str):
        raise TypeError(f"a text is needed, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ValueError(f"line {line} has half of a surrogate pair, {text[error.start]!r}, which is no character") from None


def _row_of_numbers(name: str, given: Any) -> NDArray[np.float64]:
    numbers = np.ascontiguousarray(given, dtype=np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"{name}: one row of numbers is needed, not an array of shape {numbers.shape}")
    return numbers


class State:
    """Positions and velocities at a time.

    >>> import zwang
    >>> model = zwang.load("gallery:bouncing-ball")
    >>> state = model.state(time=1.0)
    >>> state.positions["ball"][-1] = 2.0
    >>> float(state.position[-1])
    2.0
    """

    __slots__ = ("_layout", "position", "rho", "time", "velocity")

    #: the instant
    time: float
    #: all coordinates, in the order of the model
    position: NDArray[np.float64]
    #: their rates
    velocity: NDArray[np.float64]
    #: per row, for conditions under the variational law; None: what the model starts with
    rho: NDArray[np.float64] | None

    def __init__(self, layout: Layout, time: float, position: NDArray[np.float64], velocity: NDArray[np.float64],
                 rho: NDArray[np.float64] | None = None) -> None:
        self._layout = layout
        self.time = time
        self.position = position
        self.velocity = velocity
        self.rho = rho

    @property
    def positions(self) -> Quantities:
        """Positions by name; what is assigned changes the state."""
        return Quantities(self._layout, self.position)

    @property
    def velocities(self) -> Quantities:
        """Velocities by name; what is assigned changes the state."""
        return Quantities(self._layout, self.velocity, self.position)

    def copy(self) -> State:
        """A state of its own."""
        return State(self._layout, self.time, self.position.copy(), self.velocity.copy(),
                     None if self.rho is None else self.rho.copy())

    def to_dict(self) -> dict[str, Any]:
        """The state as plain numbers and lists."""
        def plain(values: Quantities) -> dict[str, Any]:
            return {name: value if isinstance(value, float) else value.tolist() for name, value in values.items()}
        return {"time": self.time, "positions": plain(self.positions), "velocities": plain(self.velocities)}

    def __repr__(self) -> str:
        return f"State(time={self.time}, positions={self.positions}, velocities={self.velocities})"


#: a state, or a plain dict with "time", "positions", "velocities"; what is missing is as the model starts
StateLike = Union[State, Mapping[str, Any]]


class Model:
    """A system, compiled and never changed again. Made by `load`, `parse` or `Draft.compile`.

    `str(model)` is its text; `zwang.parse(str(model))` gives the same model.

    >>> import zwang
    >>> model = zwang.load("gallery:string-pendulum")
    >>> model.accelerate().status
    'determined'
    """

    __slots__ = ("__weakref__", "_analyses", "_core", "_initial", "_layout", "_set", "_settings", "_written")

    def __init__(self, text: str, file: str = "model", *, set: Mapping[str, Any] | None = None, at: Value | None = None,
                 until: Value | None = None, tolerance: Value | None = None, samples: Value | None = None) -> None:
        self._set = {name: _named_text(name, value) for name, value in (set or {}).items()}
        whole = samples if samples is None or isinstance(samples, str) else repr(_whole("samples", samples))
        self._settings = (_named_text("at", at), _named_text("until", until), _named_text("tolerance", tolerance), _text_of(whole))
        try:
            self._core = _zwang.Model(text, file, list(self._set.items()), *self._settings)
        except Error as error:
            # What the command has as options are arguments here.
            if not error.file.startswith("--"):
                raise
            name = error.file[2:].removeprefix("set ")
            raise Error(error.message, name, error.line, error.column, str(error).replace(error.file, name, 1)) from None
        except TypeError:
            for part in (text, file, *self._set.values(), *self._settings):
                _encodable(part)
            raise
        self._layout = Layout(self._core)
        self._initial: State | None = None
        self._analyses: Analyses | None = None
        self._written: str | None = None

    # What it is.

    @property
    def text(self) -> str:
        """The text it was read from."""
        return self._core.text

    @property
    def file(self) -> str:
        """Where it was read from."""
        return self._core.file

    @property
    def title(self) -> str:
        """Its title, or an empty text."""
        return self._core.title

    def __str__(self) -> str:
        """The TOML text; parameters and settings that were given from outside are written into it."""
        if self._written is None:
            self._written = self._core.text_with_overrides() if self._set or any(self._settings) else self._core.text
        return self._written

    def __repr__(self) -> str:
        what = "first-order system" if self._core.flow else "system"
        conditions = len(self._core.conditions)
        return (f"<zwang.Model {self.title or self.file!r}: {what} of {self._core.variables} coordinates"
                f" under {conditions} condition{'' if conditions == 1 else 's'}>")

    def _repr_html_(self) -> str:
        import html
        return f"<b>{html.escape(self.title or self.file)}</b><pre>{html.escape(str(self))}</pre>"

    def live(self) -> LivePage:
        """A page in which the model can be changed and its motion follows, shown in a notebook or saved as one file."""
        from zwang.live import LivePage
        return LivePage(str(self), os.path.splitext(os.path.basename(self.file.split(":")[-1]))[0] or "model")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Callable[[str, str], Model], tuple[str, str]]:
        return (parse, (str(self), self.file))

    @property
    def parameters(self) -> dict[str, float | NDArray[np.float64]]:
        """The parameters and their values."""
        return self._core.parameters

    @property
    def bodies(self) -> list[str]:
        """Names of the points and coordinates; members of families one by one."""
        return list(self._layout.names)

    @property
    def variables(self) -> list[str]:
        """Names of the scalar coordinates, in the order of the arrays: "a.x", "w"."""
        return self._core.variable_names

    @property
    def constraints(self) -> dict[str, str]:
        """The conditions as they were written."""
        return {entry[0]: entry[1] for entry in self._core.conditions}

    @property
    def conditions(self) -> list[str]:
        """Names of the scalar conditions: "string", "link[3]", "hook.x"."""
        return self._core.row_names

    @property
    def outputs(self) -> list[str]:
        """Names of the expressions that are recorded."""
        return self._core.output_names

    @property
    def is_flow(self) -> bool:
        """Is it a first-order system?"""
        return self._core.flow

    def with_parameters(self, **values: Any) -> Model:
        """The same model with other values of some parameters.

        >>> import zwang
        >>> zwang.load("gallery:string-pendulum").with_parameters(L=2.0).parameters["L"]
        2.0
        """
        return self.replace(set=values)

    def replace(self, *, set: Mapping[str, Any] | None = None, at: Value | None = None, until: Value | None = None,
                tolerance: Value | None = None, samples: Value | None = None) -> Model:
        """The same model with other parameters, another start, end, tolerance or number of samples."""
        merged: dict[str, Any] = {**self._set, **(set or {})}
        old = self._settings
        return Model(self.text, self.file, set=merged, at=at if at is not None else old[0] or None,
                     until=until if until is not None else old[1] or None,
                     tolerance=tolerance if tolerance is not None else old[2] or None,
                     samples=samples if samples is not None else old[3] or None)

    # States.

    @property
    def initial(self) -> State:
        """The state it starts with."""
        return State(self._layout, self._core.start, self._core.initial_position, self._core.initial_velocity)

    def state(self, time: float | None = None, positions: Mapping[str, Any] | ArrayLike | None = None,
              velocities: Mapping[str, Any] | ArrayLike | None = None, rho: Mapping[str, float] | None = None) -> State:
        """A state: what is not given is as the model starts. Positions and velocities are dicts by name, or arrays over
        all coordinates."""
        result = self.initial
        if time is not None:
            result.time = float(time)
        if positions is not None:
            result.position = self._numbers(positions, result.position, "positions")
        if velocities is not None:
            result.velocity = self._numbers(velocities, result.velocity, "velocities", result.position)
        if rho is not None:
            rows = self._core.row_names
            result.rho = np.zeros(len(rows))
            for name, value in rho.items():
                if name not in rows:
                    raise KeyError(f"there is no condition {name!r}")
                result.rho[rows.index(name)] = value
        return result

    def _numbers(self, given: Any, start: NDArray[np.float64], what: str,
                 places: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        if isinstance(given, Quantities):
            given = given.array
        if isinstance(given, Mapping):
            result = start.copy()
            view = Quantities(self._layout, result, places)
            for name, value in given.items():
                view[name] = value
            return result
        if callable(given):
            raise TypeError(f"{what}: a dict by name or an array over all coordinates is needed, not a function")
        if np.iscomplexobj(given):
            raise TypeError(f"{what}: real numbers are needed")
        numbers = np.array(given, dtype=np.float64, order="C")
        if numbers.shape != start.shape:
            raise ValueError(f"{what}: an array of shape {start.shape} is needed, one number per coordinate, "
                             f"and one of shape {numbers.shape} is given")
        return numbers

    def _taken(self, state: StateLike) -> State:
        if isinstance(state, State):
            return state
        if not isinstance(state, Mapping):
            raise TypeError("a state is a zwang.State or a dict with 'time', 'positions', 'velocities'")
        unknown = [key for key in state if key not in ("time", "positions", "velocities", "rho", "multipliers", "outputs")]
        if unknown:
            raise KeyError(f"a state has 'time', 'positions' and 'velocities'; {unknown[0]!r} means nothing here")
        return self.state(state.get("time"), state.get("positions"), state.get("velocities"), state.get("rho"))

    def _arguments(self, state: StateLike | None) -> tuple[float | None, Any, Any, Any]:
        if state is None:
            return (None, None, None, None)
        taken = self._taken(state)
        return (taken.time, taken.position, taken.velocity, taken.rho)

    def _at(self, state: StateLike | None, until: float | None = None) -> _zwang.Model:
        if state is None and until is None:
            return self._core
        return self._core.begun_at(*self._arguments(state), until)

    def _written_at(self, state: StateLike | None) -> _zwang.Model:
        """The model whose text begins at a state: there its numbers are digits, not doubles."""
        if state is None:
            return self._core
        taken = self._taken(state)
        if taken.rho is not None:
            raise ValueError("rho: in exact arithmetic it is the one that the model starts with")
        start, *others = self._settings
        if taken.time != self._core.start:
            start = _text_of(taken.time)
        text = self._core.text_with_start(taken.position, taken.velocity)
        return _zwang.Model(text, self.file, list(self._set.items()), start, *others)

    # Questions.

    def check(self, state: StateLike | None = None, *, repair: bool = False) -> Check:
        """Is the state admissible, what kind is each condition, is the position regular? With `repair` an approximate state is
        brought onto the conditions."""
        return Check(_zwang.check(self._core, *self._arguments(state), repair))

    @overload
    def accelerate(self, state: StateLike | None = None, *, exact: Literal[False] = False) -> Acceleration: ...
    @overload
    def accelerate(self, state: StateLike | None = None, *, exact: Literal[True]) -> ExactAcceleration: ...
    def accelerate(self, state: StateLike | None = None, *, exact: bool = False) -> Acceleration | ExactAcceleration:
        """The true accelerations at a state, multipliers, the role of each condition, a certificate.

        With `exact` all of it is computed in fractions and every verdict proved; numbers mean what is written, 0.1 is 1/10,
        also in a state. What is irrational and needed raises Error with its place.

        >>> import zwang
        >>> answer = zwang.load("gallery:string-pendulum").accelerate()
        >>> answer.constraints["string"].role
        'binding'
        >>> zwang.load("gallery:jam").accelerate(exact=True).status
        'jammed'
        """
        if exact:
            return ExactAcceleration(*_zwang.accelerate_exactly(self._written_at(state)))
        if state is None:
            return Acceleration(_zwang.accelerate(self._core, None, None, None, None), self._layout)
        taken = state if isinstance(state, State) else self._taken(state)
        return Acceleration(_zwang.accelerate(self._core, taken.time, taken.position, taken.velocity, taken.rho),
                            self._layout)

    def accelerations(self, position: NDArray[np.float64], velocity: NDArray[np.float64], time: float = 0.0,
                      out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The accelerations as numbers alone, for loops: arrays in, array out. `out` is filled where one is given."""
        result = np.empty(self._core.variables) if out is None else out
        try:
            status = _zwang.accelerate_into(self._core, time, position, velocity, result)
        except TypeError:
            # Rarely: lists, other kinds of numbers.
            plain = isinstance(result, np.ndarray) and result.dtype == np.float64 and result.flags.c_contiguous and result.flags.writeable
            if not plain:
                raise TypeError("out: an array of float64 is needed that is contiguous and can be written") from None
            status = _zwang.accelerate_into(self._core, float(time), _row_of_numbers("position", position),
                                            _row_of_numbers("velocity", velocity), result)
        if status != "determined":
            raise ArithmeticError(f"the accelerations are not determined at this state: {status}")
        return result

    def explain(self, state: StateLike | None = None) -> Explanation:
        """The accelerations told step by step: `print(model.explain())`."""
        return Explanation(*_zwang.explain(self._core, *self._arguments(state)))

    def impact(self, state: StateLike | None = None, blows: Mapping[str, Any] | None = None) -> Impact:
        """The velocities after the blows, seizures and collisions at a state. `blows` are impulses (mass times velocity) by
        name, besides those of the model."""
        blow = None
        if blows:
            blow = np.zeros(self._core.variables)
            self._add_blows(blow, blows, (self.initial if state is None else self._taken(state)).position)
        return Impact(_zwang.impact(self._core, *self._arguments(state), blow))

    def _add_blows(self, blow: NDArray[np.float64], blows: Mapping[str, Any], position: NDArray[np.float64]) -> None:
        view = Quantities(self._layout, blow, position, impulses=True)
        for name, value in blows.items():
            if callable(value):
                raise TypeError(_no_callable(f"the blow on {name}"))
            view[name] = value
            if not np.isfinite(blow).all():
                raise ValueError(f"the blow on {name} is not finite")

    @_explains_arguments
    def run(self, until: Value | None = None, *, state: StateLike | None = None, tolerance: float | None = None,
            samples: int | None = None, sample_at: Iterable[float] | None = None,
            out: str | os.PathLike[str] | None = None, progress: Progress | None = None,
            sensitivity: Iterable[str] | None = None) -> Trajectory:
        """The motion over a finite time.

        `out` names a run file (SQLite) that is written while the motion goes on, and from which it can be resumed; without it
        the run stays in memory. `progress(time, steps, events)` is called about twenty times a second; when it returns
        False the run ends there with status "interrupted". Ctrl-C raises KeyboardInterrupt; a run file is kept.

        `sensitivity` names parameters: the answer then has the derivatives of states, multipliers, outputs and times of events by
        them; `Trajectory.derivative` gives them at any times.

        >>> import zwang
        >>> ball = zwang.load("gallery:bouncing-ball").run(until=1.0)
        >>> ball.status
        'finished'
        """
        names = _names(sensitivity)
        for name in names:
            if name.split(".")[0] not in self.parameters:
                near = difflib.get_close_matches(name, list(self.parameters), 1)
                hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.parameters) or 'none'}"
                raise ValueError(f"sensitivity: the model has no parameter {name!r}; {hint}")
        if names and state is not None:
            raise ValueError("sensitivity goes with the start that the model has, which depends on parameters; state= does not")
        if progress is not None and not callable(progress):
            raise TypeError("progress is a function of time, steps and events")
        if until is not None and not isinstance(until, str) and not math.isfinite(float(until)):
            raise ValueError(f"until: {until} is not finite")
        if samples is not None:
            samples = _whole("samples", samples)
            if not 2 <= samples <= 1e8:
                raise ValueError(f"samples: at least 2 and at most 1e8, not {samples}")
        model = self
        blunt = tolerance is not None and not (isinstance(tolerance, (int, float)) and 1e-15 <= tolerance <= 1e-6)
        if isinstance(until, str) or out is not None or blunt or names:
            model = self.replace(until=until, tolerance=tolerance, samples=samples)
            until, tolerance = None, None
        if out is not None and state is not None:
            taken = self._taken(state)
            text = model._core.text_with_start(taken.position, taken.velocity)
            model = Model(text, model.file, set=model._set, at=taken.time, until=model._settings[1] or None,
                          tolerance=model._settings[2] or None, samples=model._settings[3] or None)
            state = None
        if out is not None:
            core = _zwang.record(os.fspath(out), model._core, progress, 2.0, bool(names))
        else:
            end = None if until is None else float(until)
            core = _zwang.run(model._at(state), end, tolerance, samples, progress, bool(names))
        return Trajectory(core, self._layout, sample_at, names)

    def compare(self, *, until: Value | None = None, sample_at: Iterable[float] = ()) -> Comparison:
        """The motion under the straightest and under the variational law, side by side."""
        model = self if until is None else self.replace(until=until)
        straightest, variational, text = _zwang.compare(model._core, [float(time) for time in sample_at])
        return Comparison(text, Trajectory(straightest, self._layout), Trajectory(variational, self._layout))

    def equations(self, format: str = "text", *, all: bool = False) -> Equations:
        """The differential equations of motion as "text", "latex", "cpp" or "python"; with `all` every member of families."""
        if format not in ("text", "latex", "cpp", "python"):
            raise ValueError(f"format: 'text', 'latex', 'cpp' or 'python', not {format!r}")
        text = _zwang.equations(self._core, format, all, False)
        return Equations(_zwang.equations(self._core, format, all, True), text)

    @property
    def analyze(self) -> Analyses:
        """What can be found out about the system: `model.analyze.stability()` and its kin."""
        return Analyses(self)


class Analyses:
    """The analyses of a model, each at its start or at a given state."""

    __slots__ = ("_model",)

    def __init__(self, model: Model) -> None:
        self._model = model

    def _ask(self, what: str, state: StateLike | None, find: bool = False, member: Any = None) -> str:
        return _zwang.analyze(self._model._at(state), what, find, member)

    def integrability(self, state: StateLike | None = None) -> Integrability:
        """How many combinations of the Pfaffian conditions integrate, and to what."""
        return Integrability(self._ask("integrability", state))

    def stability(self, state: StateLike | None = None, *, find: bool = False) -> Stability:
        """Equilibrium, small oscillations, stable or not, and whether the quadratic form would have told. With `find` an
        equilibrium near the state is looked for first."""
        return Stability(self._ask("stability", state, find))

    def measure(self, state: StateLike | None = None) -> Measure:
        """Jacobi's multiplier (an invariant measure): does one exist, what is it."""
        return Measure(self._ask("measure", state))

    def velocities(self, state: StateLike | None = None) -> Velocities:
        """Conjugate velocity parameters and the kinetic energy split in them."""
        return Velocities(self._ask("velocities", state))

    def fourier(self, state: StateLike | None = None, *, member: Mapping[str, Any] | None = None) -> Fourier:
        """What the principle of d'Alembert and Fourier alone would allow; `member` asks whether it allows given
        accelerations (those not named are Gauss's)."""
        numbers = None
        if member is not None:
            found = self._model.accelerate(state)
            if found.status == "determined":
                numbers = found.array.copy()
                view = Quantities(self._model._layout, numbers)
                for name, value in member.items():
                    view[name] = value
        return Fourier(self._ask("fourier", state, member=numbers))

    def curvature(self, state: StateLike | None = None) -> Curvature:
        """Of the path of every point: radius of curvature, torsion."""
        return Curvature(self._ask("curvature", state))

    def reversal(self, state: StateLike | None = None, *, until: Value | None = None) -> Reversal:
        """Run forth, turn every velocity round, run back: how near the start."""
        model = self._model if until is None else self._model.replace(until=until)
        return Reversal(_zwang.analyze(model._at(state), "reversal"))

    def energy(self, state: StateLike | None = None) -> EnergyRate:
        """What changes the energy: forces, conditions that move, explicit time."""
        return EnergyRate(self._ask("energy", state))


def _no_callable(what: str) -> str:
    return (f"{what} is a Python function; motions are followed by power series, which need the expression itself. "
            'Write it in the model, as text or with expression objects: force = ["-k*a.x", 0, "sin(t)"], or '
            "point(..., force=[-k * a.x, 0, zwang.sin(zwang.t)]). What a program decides on the way goes through "
            "zwang.Stepper, which changes parameters between events.")


def parse(text: str, file: str = "model", *, set: Mapping[str, Any] | None = None, at: Value | None = None,
          until: Value | None = None, tolerance: Value | None = None, samples: Value | None = None) -> Model:
    """A model from its TOML text. `set` changes parameters, the others the [simulation].

    >>> import zwang
    >>> zwang.parse('[points.a]\\nmass = 1\\nposition = [0, 0]\\n').bodies
    ['a']
    """
    if not isinstance(text, str):
        raise TypeError(f"parse() takes the text of a model, not {type(text).__name__}; load() takes a path")
    return Model(text, file, set=set, at=at, until=until, tolerance=tolerance, samples=samples)


def gallery() -> list[str]:
    """The names of the models that come along; `load("gallery:NAME")` reads one.

    >>> import zwang
    >>> "bouncing-ball" in zwang.gallery()
    True
    """
    return sorted(entry.name for entry in os.scandir(_gallery_folder()) if os.path.isfile(os.path.join(entry.path, "model.toml")))


def _gallery_folder() -> str:
    return os.path.join(os.path.dirname(__file__), "gallery")


def load(path: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None, at: Value | None = None,
         until: Value | None = None, tolerance: Value | None = None, samples: Value | None = None) -> Model:
    """A model from a file, or from the gallery: `load("gallery:bouncing-ball")`."""
    name = os.fspath(path)
    file = name
    if name.startswith("gallery:"):
        wanted = name.removeprefix("gallery:")
        known = gallery()
        if wanted not in known:
            near = difflib.get_close_matches(wanted, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else "; zwang.gallery() lists all"
            raise Error(f"the gallery has no model {wanted!r}{hint}", name)
        file = os.path.join(_gallery_folder(), wanted, "model.toml")
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
    except FileNotFoundError as error:
        raise MissingFile(f"cannot read the model: {error.strerror}", name) from None
    except OSError as error:
        raise Error(f"cannot read the model: {error.strerror}", name) from error
    except UnicodeDecodeError:
        raise Error("cannot read the model: it is not UTF-8 text", name) from None
    return parse(text, name, set=set, at=at, until=until, tolerance=tolerance, samples=samples)


__all__ = ["Analyses", "Answer", "Model", "State", "gallery", "load", "parse"]

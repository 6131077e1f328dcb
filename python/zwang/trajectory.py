"""Trajectories: a motion as a function of time, in memory or in a run file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from zwang import _zwang
from zwang._lazy import LazyModule, needed
from zwang.answers import Answer, Event
from zwang.errors import MissingFile
from zwang.quantities import Layout, Quantities, Record

if TYPE_CHECKING:
    import numpy as np
    import pandas  # type: ignore[import-untyped,unused-ignore]
    from numpy.typing import ArrayLike, NDArray
else:
    np = LazyModule("numpy")


class Columns(Mapping[str, "NDArray[np.float64]"]):
    """Values over time by name, calculated when asked for: multipliers, outputs."""

    __slots__ = ("_at", "_known", "_make", "_names")

    def __init__(self, names: Sequence[str], make: Callable[[list[int]], NDArray[np.float64]]) -> None:
        self._names = names
        self._make = make
        self._known: dict[str, NDArray[np.float64]] = {}
        self._at = {name: index for index, name in enumerate(names)}

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._known:
            exact = [self._at[name]] if name in self._at else []
            members = exact or [index for index, known in enumerate(self._names)
                                if known.startswith((name + "[", name + "."))]
            if not members:
                raise KeyError(f"there is no {name!r}; there are: {', '.join(list(self._names)[:8])}")
            values = self._make(members)
            self._known[name] = values[..., 0] if exact else values
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<values of {', '.join(list(self._names)[:8])}>"


def _inside(run: _zwang.Run, t: ArrayLike) -> NDArray[np.float64]:
    """A row of times, none of which lies outside of the run."""
    times = np.ascontiguousarray(np.atleast_1d(np.asarray(t, dtype=np.float64)))
    if times.ndim != 1:
        raise ValueError("times are a number or one row of numbers")
    if times.size:
        slack = 1e-12 * (1 + abs(run.time))
        least, most = times.min(), times.max()
        if not (least >= run.start - slack and most <= run.time + slack):
            wrong = most if most > run.time + slack else least
            raise ValueError(f"t = {wrong} lies outside of the run, which goes from {run.start} to {run.time}")
    return times


class Energy(Record):
    """The law of energy of a run: initial + work - lost + defect = final; and T, V and T + V over its instants."""

    __slots__ = ("_source",)

    def __init__(self, values: Mapping[str, float], source: States) -> None:
        super().__init__(values)
        object.__setattr__(self, "_source", source)

    @property
    def kinetic(self) -> NDArray[np.float64]:
        """T at the instants."""
        values: NDArray[np.float64] = self._source._energies()[..., 0]
        return values

    @property
    def potential(self) -> NDArray[np.float64]:
        """V at the instants, gravity included."""
        values: NDArray[np.float64] = self._source._energies()[..., 1]
        return values

    @property
    def total(self) -> NDArray[np.float64]:
        """T + V at the instants."""
        values: NDArray[np.float64] = self._source._energies().sum(axis=-1)
        return values


class States:
    """The states of a run at some instants: the first axis of every array is that of the instants.

    With a single instant there is no such axis.
    """

    _run: _zwang.Run
    _layout: Layout
    _scalar: bool

    def __init__(self, run: _zwang.Run, layout: Layout, times: NDArray[np.float64], scalar: bool) -> None:
        self._run = run
        self._layout = layout
        self._times = times
        self._scalar = scalar
        self._both: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._known_energies: NDArray[np.float64] | None = None
        self._known_rows: dict[bool, Columns] = {}

    def _shaped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[0] if self._scalar else values

    def _instants(self) -> NDArray[np.float64]:
        return self._times

    def _arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._both is None:
            position, velocity = self._run.states(self._instants())
            self._both = (self._shaped(position), self._shaped(velocity))
        return self._both

    def _energies(self) -> NDArray[np.float64]:
        if self._run.model.flow:
            raise TypeError("a first-order system has no energy")
        if self._known_energies is None:
            self._known_energies = self._shaped(self._run.observed(self._instants(), True))
        return self._known_energies

    def _rows(self, rho: bool) -> Columns:
        def make(rows: list[int]) -> NDArray[np.float64]:
            return self._shaped(self._run.multipliers(self._instants(), np.array(rows, dtype=np.uint32), rho))
        # Kept: a crowd has thousands of names, and is asked for one after the other.
        if rho not in self._known_rows:
            self._known_rows[rho] = Columns(self._run.model.row_names, make)
        return self._known_rows[rho]

    @property
    def t(self) -> NDArray[np.float64]:
        """The instants."""
        return self._shaped(self._instants())

    @property
    def position(self) -> NDArray[np.float64]:
        """All coordinates in one array."""
        return self._arrays()[0]

    @property
    def velocity(self) -> NDArray[np.float64]:
        """All velocities in one array."""
        return self._arrays()[1]

    @property
    def positions(self) -> Quantities:
        """Positions by name."""
        return Quantities(self._layout, self._arrays()[0])

    @property
    def velocities(self) -> Quantities:
        """Velocities by name."""
        return Quantities(self._layout, self._arrays()[1], self._arrays()[0])

    @property
    def multipliers(self) -> Columns:
        """Multipliers by condition; NaN where a condition has none."""
        return self._rows(False)

    @property
    def rho(self) -> Columns:
        """rho of conditions under the variational law; NaN where a condition has none."""
        return self._rows(True)

    @property
    def outputs(self) -> Columns:
        """The expressions of [outputs]."""
        def make(columns: list[int]) -> NDArray[np.float64]:
            return self._shaped(self._run.observed(self._instants(), False))[..., columns]
        return Columns(self._run.model.output_names, make)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one line per instant: time, coordinates, velocities (a.x'), "lambda NAME", "rho NAME", outputs.

        Needs pandas."""
        frame = needed("pandas", "to_pandas()")
        core = self._run.model
        times = self._instants()
        position, velocity = self._run.states(times)
        columns: dict[str, Any] = {"time": times}
        for index, name in enumerate(core.variable_names):
            columns[name] = position[:, index]
        for index, name in enumerate(core.variable_names):
            columns[name + "'"] = velocity[:, index]
        rows = core.row_names
        if rows:
            values = self._run.multipliers(times, np.arange(len(rows), dtype=np.uint32), False)
            for index, name in enumerate(rows):
                columns["lambda " + name] = values[:, index]
        variational = core.variational_rows
        if variational:
            values = self._run.multipliers(times, np.array(variational, dtype=np.uint32), True)
            for index, row in enumerate(variational):
                columns["rho " + rows[row]] = values[:, index]
        if core.output_names:
            values = self._run.observed(times, False)
            for index, name in enumerate(core.output_names):
                columns[name] = values[:, index]
        return frame.DataFrame(columns)

    def __len__(self) -> int:
        return len(self._instants())

    def __repr__(self) -> str:
        times = self._instants()
        if not len(times):
            return "<no states>"
        return f"<states of {', '.join(list(self._layout.bodies)[:8])} at {len(times)} instants, t = {times[0]:g} to {times[-1]:g}>"


class Events(Sequence[Event]):
    """The events of a run, read when they are asked for."""

    def __init__(self, run: _zwang.Run) -> None:
        self._run = run
        self._known: dict[int, Event] = {}

    def __len__(self) -> int:
        return self._run.event_count

    def _read(self, first: int, last: int) -> list[Event]:
        if any(index not in self._known for index in range(first, last)):
            for index, entry in enumerate(json.loads(self._run.events_json(first, last))["events"], first):
                self._known.setdefault(index, Event(entry))
        return [self._known[index] for index in range(first, last)]

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._read(begin, max(begin, end))
            return [self[place] for place in range(begin, end, step)]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} events")
        return self._read(place, place + 1)[0]

    def __iter__(self) -> Iterator[Event]:
        portion = 1000
        for begin in range(0, len(self), portion):
            yield from self._read(begin, min(begin + portion, len(self)))

    def __repr__(self) -> str:
        shown = ", ".join(repr(event) for event in self[:4])
        return f"[{shown}{', ...' if len(self) > 4 else ''}]"


class IvpResult:
    """A run in the shape of what scipy.integrate.solve_ivp returns: y are positions, then velocities."""

    #: the instants
    t: NDArray[np.float64]
    #: one column per instant: all coordinates, then all velocities
    y: NDArray[np.float64]
    #: a function of time with the same lines
    sol: Callable[[ArrayLike], NDArray[np.float64]]
    #: one array of instants per condition
    t_events: list[NDArray[np.float64]]
    #: the states after them
    y_events: list[NDArray[np.float64]]
    #: 0: the end was reached, 1: `stop` came true, -1: it ended before
    status: int
    message: str
    success: bool
    nfev: int
    njev: int
    nlu: int

    def __init__(self, run: _zwang.Run, times: NDArray[np.float64]) -> None:
        def sol(t: ArrayLike) -> NDArray[np.float64]:
            instants = _inside(run, t)
            values = np.concatenate(run.states(instants), axis=1).T
            return values[:, 0] if np.ndim(t) == 0 else values

        self.t = times
        self.sol = sol
        self.y = sol(times)
        instants, _, rows = run.event_index()
        self.t_events = []
        self.y_events = []
        for row in range(len(run.model.row_names)):
            own = instants[[row in triggered for triggered in rows]] if len(instants) else instants
            self.t_events.append(own)
            self.y_events.append(sol(own).T if len(own) else np.empty((0, self.y.shape[0])))
        self.status = {"finished": 0, "stopped": 1}.get(run.status, -1)
        self.success = self.status >= 0
        self.message = {"finished": "The motion reached the end of the interval.",
                        "stopped": "The condition `stop` came true."}.get(run.status, f"{run.status}: {run.why}".rstrip(": "))
        self.nfev = run.steps
        self.njev = 0
        self.nlu = 0

    def __repr__(self) -> str:
        return (f"  message: {self.message}\n  success: {self.success}\n   status: {self.status}\n"
                f"        t: {self.t.shape[0]} instants\n        y: {self.y.shape}")


@dataclass(frozen=True)
class Derivative:
    """Derivatives by a parameter: of all variables in the order of `Model.variables`, and of the outputs."""

    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    outputs: dict[str, NDArray[np.float64]]
    why: str
    """Where the motion is not differentiable: the reason. Otherwise empty."""


class Trajectory(States):
    """A run: states at its own instants, and at any others by calling it.

    >>> import zwang
    >>> ball = zwang.load("gallery:bouncing-ball").run(until=1.0)
    >>> ball(0.25).positions["ball"].shape
    (3,)
    >>> ball([0.1, 0.2, 0.3]).positions["ball"].shape
    (3, 3)

    The fields of the JSON answer (`final`, `drift`, `steps`, `files`, ...) are attributes; `to_dict()` is the whole.
    """

    def __init__(self, run: _zwang.Run, layout: Layout | None = None, sample_at: Iterable[float] | None = None,
                 by: Iterable[str] = ()) -> None:
        self._run = run
        self._layout = layout or Layout(run.model)
        self._by = list(by)
        self._times_known: NDArray[np.float64] | None = None
        self._scalar = False
        self._both = None
        self._known_energies = None
        self._known_rows = {}
        self._answer: Answer | None = None
        self._events: Events | None = None
        self._sample_at = [float(time) for time in sample_at] if sample_at is not None else []
        for time in self._sample_at:
            if not run.start <= time <= run.until:
                raise ValueError(f"sample_at: {time} lies outside of the run, which goes from {run.start} to {run.until}")

    def _instants(self) -> NDArray[np.float64]:
        if self._times_known is None:
            self._times_known = self._run.instants()
        return self._times_known

    # The answer.

    @property
    def _full(self) -> Answer:
        if self._answer is None:
            self._answer = Answer(self._run.json(self._sample_at, self.files, self._by))
        return self._answer

    @property
    def json(self) -> str:
        """The answer as the text that the command prints with --json."""
        return self._full.json

    def to_dict(self) -> dict[str, Any]:
        """The answer as a plain object."""
        return self._full.to_dict()

    @property
    def status(self) -> str:
        """"finished", "stopped", "interrupted", "jammed", "singular", "refused", "inadmissible" or "gave up"."""
        return self._run.status

    @property
    def why(self) -> str:
        """For an end that is no plain finish: one sentence."""
        return self._run.why

    @property
    def final(self) -> Record:
        """The state reached: time, positions, velocities, multipliers."""
        result: Record = self._full.final
        return result

    @property
    def samples(self) -> list[Record]:
        """The states at the instants given as sample_at."""
        result: list[Record] = self._full.get("samples", [])
        return result

    @property
    def events(self) -> Events:
        """What happened, in order."""
        if self._events is None:
            self._events = Events(self._run)
        return self._events

    @property
    def energy(self) -> Energy:
        """initial, work, lost, final, defect; kinetic, potential and total over the instants."""
        values: Record = self._full.get("energy", Record())
        return Energy(values, self)

    @property
    def drift(self) -> Record:
        """Worst violation of a binding condition: position, velocity."""
        result: Record = self._full.drift
        return result

    @property
    def sensitivity(self) -> Record:
        """The derivatives at the end, by parameter, of a run that was asked for them: positions, velocities, multipliers, outputs."""
        if not self._by:
            raise AttributeError("this run was not asked for derivatives: run(sensitivity=[...]), or derivative(name, t)")
        result: Record = self._full["sensitivity"]
        return result

    def derivative(self, name: str, t: ArrayLike) -> Derivative:
        """The derivatives of the state and of the outputs by a parameter, at a time or at many.

        Where the motion is not differentiable they are NaN, and `why` says why.

        >>> import zwang
        >>> ball = zwang.load("gallery:bouncing-ball").run(until=1.0)
        >>> round(float(ball.derivative("e", 0.1).velocity[2]), 12)  # 4 e after the first bounce
        4.0
        """
        times = np.ascontiguousarray(np.atleast_1d(np.asarray(t, dtype=np.float64)))
        self(times)  # the same complaints
        order = np.argsort(times, kind="stable")
        position, velocity, observed, why = self._run.slopes(name, times[order])
        back = np.argsort(order, kind="stable")

        def pick(values: NDArray[np.float64]) -> NDArray[np.float64]:
            found: NDArray[np.float64] = values[back][0] if np.ndim(t) == 0 else values[back]
            return found

        names = self._run.model.output_names
        return Derivative(pick(position), pick(velocity),
                          {output: pick(observed[:, k]) for k, output in enumerate(names)}, why)

    @property
    def defect(self) -> float:
        """Worst bound, over whole steps, of what the motion leaves of its equations, as a part of a body's accelerations."""
        result: float = self._full.defect
        return result

    @property
    def steps(self) -> int:
        """Pieces that the motion was made of."""
        return self._run.steps

    @property
    def start(self) -> float:
        """The time it begins."""
        return self._run.start

    @property
    def end(self) -> float:
        """The time it has reached."""
        return self._run.time

    @property
    def files(self) -> list[str]:
        """What was written."""
        return [self._run.path] if self._run.path else []

    # States at any times.

    def __call__(self, t: ArrayLike) -> States:
        """The states at a time, or at many. At the time of an event it is the state after it."""
        return States(self._run, self._layout, _inside(self._run, t), np.ndim(t) == 0)

    def __getitem__(self, stretch: slice) -> Trajectory:
        """A stretch between two times, `run[2.0:3.0]`: only its pieces and events are loaded."""
        if not isinstance(stretch, slice) or stretch.step is not None:
            raise TypeError("a stretch is written run[2.0:3.0]; the state at a time is run(2.0)")
        begin = self.start if stretch.start is None else float(stretch.start)
        end = self.end if stretch.stop is None else float(stretch.stop)
        if not self.start <= begin <= end <= self.end:
            raise ValueError(f"the stretch from {begin} to {end} does not lie in the run, which goes from {self.start} to {self.end}")
        return Trajectory(self._run.stretch(begin, end), self._layout)

    @property
    def pieces(self) -> NDArray[np.float64]:
        """Where the polynomials begin that the motion is made of, and where the last one ends."""
        return self._run.boundaries()

    def solve_ivp(self, t_eval: ArrayLike | None = None) -> IvpResult:
        """The run in the shape of a result of scipy.integrate.solve_ivp."""
        return IvpResult(self._run, self._instants() if t_eval is None else np.asarray(t_eval, dtype=np.float64))

    # Elsewhere.

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write a run that lies in memory to a run file; the name of the file."""
        return self._run.save(os.fspath(path))

    def plot(self, *names: str, ax: Any = None, events: bool = True) -> Any:
        """Curves over time of points, single components ("a.x"), conditions (their multipliers) and outputs; all bodies if none is named.
        The Axes of matplotlib, which it needs."""
        pyplot = needed("matplotlib.pyplot", "plot()")
        axes = pyplot.subplots()[1] if ax is None else ax
        for name in names or tuple(self._layout.bodies):
            if name in self._run.model.output_names:
                axes.plot(self.t, self.outputs[name], label=name)
            elif name in self._run.model.variable_names:
                index = list(self._run.model.variable_names).index(name)
                axes.plot(self.t, self.position[:, index], label=name)
            elif name in self.positions:
                values = np.asarray(self.positions[name]).reshape(len(self.t), -1)
                place = self._layout.variables_of(name)
                for index, label in enumerate(self._run.model.variable_names[place]):
                    axes.plot(self.t, values[:, index], label=label)
            else:
                if not any(row == name or row.startswith((name + "[", name + ".")) for row in self._run.model.row_names):
                    known = [*self._layout.bodies, *self._run.model.variable_names, *self.multipliers, *self.outputs]
                    raise KeyError(f"there is no {name!r}; there are: {', '.join(dict.fromkeys(known[:24]))}")
                values = np.asarray(self.multipliers[name]).reshape(len(self.t), -1)
                axes.plot(self.t, values, label=f"lambda {name}")
        if events:
            for time in self._run.event_index()[0][:200]:
                axes.axvline(time, color="0.8", linewidth=0.8, zorder=0)
        axes.set_xlabel("t")
        if len(axes.get_lines()) <= 12 + 200 * events and names:
            axes.legend()
        return axes

    def html(self) -> str:
        """The animated report: one page without a network."""
        if self._run.path:
            return self._run.page()
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            return _zwang.open_run(self.save(os.path.join(folder, "run.sqlite"))).page()

    def _repr_html_(self) -> str:
        import base64
        page = base64.b64encode(self.html().encode()).decode()
        return (f"<iframe width='100%' height='600' style='border:0' srcdoc=\"<script>document.open();document.write("
                f"new TextDecoder().decode(Uint8Array.from(atob('{page}'),c=>c.charCodeAt(0))));document.close()</script>\">"
                "</iframe>")

    def __reduce__(self) -> tuple[Callable[[str], Trajectory], tuple[str]]:
        if not self._run.path:
            raise TypeError("this run lies in memory and cannot be pickled: save() it and open_run() the file, or run with out=")
        return (open_run, (os.path.abspath(self._run.path),))

    def __repr__(self) -> str:
        return (f"<zwang.Trajectory {self.status}: t = {self.start:g} to {self.end:g}, {self._run.pieces} pieces, "
                f"{len(self.events)} events>")


def open_run(path: str | os.PathLike[str]) -> Trajectory:
    """A run from its file; what is asked for is read, no more. Other programs may go on writing it."""
    return Trajectory(_zwang.open_run(_existing(path)))


def _existing(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if not os.path.exists(name):
        raise MissingFile("there is no such run file", name)
    return name


def resume(path: str | os.PathLike[str], *, until: float | str | None = None,
           progress: Callable[[float, int, int], object] | None = None) -> Trajectory:
    """Go on with an interrupted run, or with a finished one to a later time."""
    end = "" if until is None else until if isinstance(until, str) else repr(float(until))
    return Trajectory(_zwang.resume(_existing(path), end, progress))

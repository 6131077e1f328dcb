"""Motions in the caller's hand, for controllers and games."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from zwang import _zwang
from zwang._lazy import LazyModule
from zwang.answers import Event
from zwang.model import Model, State, StateLike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")


class Stepper:
    """Carries a motion on to a time or to the next event, and lets the caller act in between.

    As long as nothing is changed the states are those of the model's own run, to the bit, as far as that goes; then the
    motion just goes on.

    >>> import zwang
    >>> ball = zwang.Stepper(zwang.load("gallery:bouncing-ball"))
    >>> events = ball.advance(10.0)
    >>> events[0].kind
    'impact'
    >>> ball.blow("ball", [0, 0, 1.0])[0].kind
    'blow'
    """

    def __init__(self, model: Model, state: StateLike | None = None, *, tolerance: float | None = None) -> None:
        if tolerance is not None and not 0 < tolerance < 1:
            raise ValueError(f"tolerance: it must lie between 0 and 1; here it is {tolerance}")
        self._model = model
        self._tolerance = tolerance or 0.0
        self._core = _zwang.Stepper(model._core, *model._arguments(state), self._tolerance)

    def reset(self, state: StateLike | None = None) -> None:
        """Back to the start of the model in force, or to another state as a start: what is due there happens again."""
        self._core = _zwang.Stepper(self._model._core, *self._model._arguments(state), self._tolerance)

    def copy(self) -> Stepper:
        """A stepper of its own at the same present, that goes on to the same bits: to look ahead, or to branch."""
        other = Stepper.__new__(Stepper)
        other._model = self._model
        other._tolerance = self._tolerance
        other._core = self._core.copy()
        return other

    __copy__ = copy

    def __deepcopy__(self, memory: Any) -> Stepper:
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("a stepper is a motion in memory and cannot be pickled: pickle its model and state, and make a "
                        "Stepper(model, state) of them")

    @property
    def model(self) -> Model:
        """The model in force, with its present parameters."""
        return self._model

    @property
    def time(self) -> float:
        """The present."""
        return self._core.time

    @property
    def state(self) -> State:
        """The state at present. When it is set the motion goes on from there: nothing that lies before its time happens again."""
        rho = self._core.rho
        return State(self._model._layout, self._core.time, self._core.position, self._core.velocity, rho if len(rho) else None)

    @state.setter
    def state(self, state: StateLike) -> None:
        self._core.move_to(self._model._core, *self._model._arguments(state))

    @property
    def position(self) -> NDArray[np.float64]:
        """All coordinates at present."""
        return self._core.position

    @property
    def velocity(self) -> NDArray[np.float64]:
        """All velocities at present."""
        return self._core.velocity

    @property
    def status(self) -> str:
        """"going", or how the motion ended: "stopped", "jammed", "singular", ..."""
        return self._core.status

    @property
    def why(self) -> str:
        """For an end: one sentence."""
        return self._core.why

    def _events(self) -> list[Event]:
        return [Event(entry) for entry in json.loads(self._core.events_json())["events"]]

    def advance(self, until: float | None = None, *, through_events: bool = False) -> list[Event]:
        """On to the next event, or to `until` if that comes first; the events of that instant, none at `until`.

        With `through_events` on to `until` whatever happens; all events on the way. Without `until` the end of the
        model's own run is the last resort.
        """
        if until is None:
            until = self._model._core.until
            if until < self.time:
                raise ValueError(f"the model's own run ended at {until}: give a time to go to")
        if not math.isfinite(until):
            raise ValueError(f"until: {until} is not finite")
        happened = self._core.advance(float(until), not through_events)
        return self._events() if happened else []

    def blow(self, on: str, value: Any) -> list[Event]:
        """A blow now: an impulse (mass times velocity) on a point or coordinate. What it sets off at once."""
        return self.blows({on: value})

    def blows(self, blows: dict[str, Any]) -> list[Event]:
        """Several blows at once, by name."""
        impulse = np.zeros(self._core.position.shape)
        self._model._add_blows(impulse, blows, self._core.position)
        self._core.blow(impulse)
        return self._events()

    def set(self, **parameters: Any) -> list[Event]:
        """Other values of parameters from now on. A state that no longer satisfies the conditions ends the motion with status
        "inadmissible". What it sets off at once."""
        changed = self._model.with_parameters(**parameters)
        self._core.change(changed._core)
        self._model = changed
        return self._events()

    def __repr__(self) -> str:
        return f"<zwang.Stepper {self.status} at t = {self.time:g}>"

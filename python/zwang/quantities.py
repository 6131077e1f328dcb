"""Quantities by name: positions, velocities, multipliers of points, coordinates, conditions and their families."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from zwang._lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from zwang import _zwang
else:
    np = LazyModule("numpy")

_MEMBER = re.compile(r"^(.*)\[(\d+)(?:,(\d+))?\]$")


def spin_of(quaternion: NDArray[np.float64], rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """The angular velocity in the fixed frame from the rate of a quaternion w, x, y, z; also of second derivatives."""
    w, v, w_rate, v_rate = quaternion[..., :1], quaternion[..., 1:], rate[..., :1], rate[..., 1:]
    return 2 * (w * v_rate - w_rate * v + np.cross(v, v_rate))


def rate_of(quaternion: NDArray[np.float64], spin: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rate of a quaternion that turns with an angular velocity; four times it is the force of a torque on the quaternion."""
    w, v = quaternion[..., :1], quaternion[..., 1:]
    along = -np.sum(spin * v, axis=-1, keepdims=True)
    return np.concatenate([along, w * spin + np.cross(spin, v)], axis=-1) / 2


class Body:
    """Where a point, a coordinate, a rigid body or a family of one of them stands in the arrays."""

    __slots__ = ("counts", "dimension", "first", "kind", "name")

    def __init__(self, name: str, kind: str, dimension: int, counts: list[int], first: int) -> None:
        self.name = name
        self.kind = kind
        self.dimension = dimension
        self.counts = counts
        self.first = first

    @property
    def turns(self) -> bool:
        """Is it a rigid body in space, with a quaternion behind its place?"""
        return self.kind == "body" and self.dimension == 7

    @property
    def members(self) -> int:
        """How many there are; 1 of a single body."""
        result = 1
        for count in self.counts:
            result *= count
        return result

    def names(self) -> list[str]:
        """The names of the members, in their order."""
        if not self.counts:
            return [self.name]
        if len(self.counts) == 1:
            return [f"{self.name}[{i + 1}]" for i in range(self.counts[0])]
        return [f"{self.name}[{i + 1},{j + 1}]" for i in range(self.counts[0]) for j in range(self.counts[1])]


class Layout:
    """How names and arrays of a model belong together."""

    __slots__ = ("bodies", "names", "variables")

    def __init__(self, core: _zwang.Model) -> None:
        self.variables = core.variables
        self.bodies = {entry[0]: Body(*entry) for entry in core.bodies}
        self.names = [name for body in self.bodies.values() for name in body.names()]

    def find(self, name: str) -> tuple[Body, int | None]:
        """The body a name means, and the number of its member (None: the whole family)."""
        body = self.bodies.get(name)
        if body is not None:
            return body, None if body.counts else 0
        match = _MEMBER.match(name)
        if match:
            family = self.bodies.get(match.group(1))
            indices = [int(text) - 1 for text in match.groups()[1:] if text is not None]
            if family is not None and len(indices) == len(family.counts) and all(
                    0 <= index < count for index, count in zip(indices, family.counts)):
                return family, indices[0] if len(indices) == 1 else indices[0] * family.counts[1] + indices[1]
        known = ", ".join(list(self.bodies)[:8])
        raise KeyError(f"there is no point, body or coordinate {name!r}; there are: {known}")

    def variables_of(self, name: str) -> slice:
        """The places of a body's numbers in an array over the coordinates."""
        body, member = self.find(name)
        if member is None:
            return slice(body.first, body.first + body.members * body.dimension)
        begin = body.first + member * body.dimension
        return slice(begin, begin + body.dimension)


class Quantities(Mapping[str, Any]):
    """Numbers of all points, bodies and coordinates by name: views into one array, without copies.

    A point gives its components, a coordinate a number, a family all its members. With many instants the
    first axis is that of the instants. A rigid body in space gives its place and a quaternion; its velocities and accelerations
    are a copy, with the angular ones in the fixed frame behind: six numbers, and six are assigned.

    >>> import zwang
    >>> model = zwang.load("gallery:string-pendulum")
    >>> model.initial.positions["bob"].shape
    (2,)
    """

    __slots__ = ("_array", "_impulses", "_layout", "_places")

    def __init__(self, layout: Layout, array: NDArray[np.float64], places: NDArray[np.float64] | None = None, *,
                 impulses: bool = False) -> None:
        self._layout = layout
        self._array = array
        self._places = places  # where the bodies are, if these are velocities, accelerations or impulses
        self._impulses = impulses

    @property
    def array(self) -> NDArray[np.float64]:
        """All numbers; the last axis is that of the coordinates."""
        return self._array

    def __getitem__(self, name: str) -> Any:
        body, member = self._layout.find(name)
        part = self._array[..., self._layout.variables_of(name)]
        lead = self._array.shape[:-1]
        if body.turns and self._places is not None:
            return self._turning(name, body, member)
        if member is not None:
            if body.kind != "coordinate":
                return part
            number = part[..., 0]
            return float(number) if not lead else number
        shape = (*lead, *body.counts) if body.kind == "coordinate" else (*lead, *body.counts, body.dimension)
        return part.reshape(shape)

    def _members(self, array: NDArray[np.float64], name: str, body: Body) -> NDArray[np.float64]:
        """The part of a body in an array, the members on an axis of their own."""
        return array[..., self._layout.variables_of(name)].reshape((*array.shape[:-1], -1, body.dimension))

    def _turning(self, name: str, body: Body, member: int | None) -> NDArray[np.float64]:
        assert self._places is not None
        own, at = self._members(self._array, name, body), self._members(self._places, name, body)
        spin = spin_of(at[..., 3:], own[..., 3:]) / (4 if self._impulses else 1)
        both = np.concatenate([own[..., :3], spin], axis=-1)
        lead = self._array.shape[:-1]
        return both[..., 0, :] if member is not None else both.reshape((*lead, *body.counts, 6))

    def _set_turning(self, name: str, body: Body, numbers: NDArray[np.float64]) -> None:
        assert self._places is not None
        own, at = self._members(self._array, name, body), self._members(self._places, name, body)
        if numbers.size != own.size // 7 * 6:
            raise ValueError(f"{name}: {own.size // 7 * 6} numbers are needed, and {numbers.size} are given")
        numbers = numbers.reshape((*own.shape[:-1], 6))
        rate = rate_of(at[..., 3:], numbers[..., 3:]) * (4 if self._impulses else 1)
        changed = np.concatenate([numbers[..., :3], rate], axis=-1)
        self._array[..., self._layout.variables_of(name)] = changed.reshape((*self._array.shape[:-1], -1))

    def __setitem__(self, name: str, value: Any) -> None:
        place = self._layout.variables_of(name)
        if np.iscomplexobj(value):
            raise TypeError(f"{name}: real numbers are needed")
        numbers = np.asarray(value, dtype=np.float64)
        body = self._layout.find(name)[0]
        if body.turns and self._places is not None:
            self._set_turning(name, body, numbers)
            return
        part = self._array[..., place]
        if numbers.size != part.size and numbers.ndim > 0:
            raise ValueError(f"{name}: {part.size} numbers are needed, and {numbers.size} are given")
        part[...] = numbers.reshape(part.shape) if numbers.ndim > 0 else numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout.names)

    def __len__(self) -> int:
        return len(self._layout.names)

    def __contains__(self, name: object) -> bool:
        try:
            self._layout.find(str(name))
        except KeyError:
            return False
        return True

    def __repr__(self) -> str:
        if self._array.ndim > 1:
            return f"<quantities of {', '.join(list(self._layout.bodies)[:8])} at {self._array.shape[0]} instants>"
        return "{" + ", ".join(f"{name!r}: {self[name]}" for name in self) + "}"


def _has_fractions(values: list[Any]) -> bool:
    return any(isinstance(value, Fraction) or (isinstance(value, list) and _has_fractions(value)) for value in values)


class Record(dict[str, Any]):
    """A part of an answer: keys as in the JSON, also as attributes; the name of a family stands for all its members.

    >>> from zwang.quantities import Record
    >>> Record(primal=1e-16).primal
    1e-16
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here, only {', '.join(self) or 'nothing'}") from None

    def __missing__(self, name: str) -> Any:
        members = [(match, value) for key, value in self.items()
                   if (match := _MEMBER.match(key)) and match.group(1) == name]
        if not members:
            raise KeyError(name)
        first = [int(match.group(2)) for match, _ in members]
        second = [int(match.group(3) or 1) for match, _ in members]
        found = [value for _, value in members]
        values = np.array(found, dtype=object if _has_fractions(found) else np.float64)
        count, other = max(first), max(second)
        if members[0][0].group(3) is None or count * other != len(members):
            return values
        return values.reshape((count, other, *values.shape[1:]))

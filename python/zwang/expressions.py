"""Expressions and conditions as Python objects: what is built with operators is written as text into the model.

>>> from zwang import Draft, distance
>>> draft = Draft()
>>> a, b = draft.point("a", mass=1, position=[0, 0]), draft.point("b", mass=1, position=[1, 0])
>>> str(distance(a, b) <= 1)
'distance(a, b) <= 1'
>>> str(-2 * a.x / (a.y + 1) ** 2)
'-2*a.x/(a.y + 1)^2'
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn, Union

# How tightly a text holds together: what holds less tightly than its place demands is put in parentheses.
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


class Expression:
    """A number or a vector that depends on positions, velocities, time and parameters."""

    __slots__ = ("_level", "_text")

    def __init__(self, text: str, level: int = _ATOM) -> None:
        self._text = text
        self._level = level

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Expression({self._text!r})"

    def __bool__(self) -> NoReturn:
        raise TypeError(f"`{self._text}` has no value before the model is run: it is neither true nor false")

    def __float__(self) -> NoReturn:
        raise TypeError(f"`{self._text}` has no value before the model is run; an [outputs] entry records it")

    def _within(self, level: int) -> str:
        return self._text if self._level >= level else f"({self._text})"

    # Arithmetic.

    def __add__(self, other: ExpressionLike) -> Expression:
        return Expression(f"{self._within(_SUM)} + {_expression(other)._within(_PRODUCT)}", _SUM)

    def __radd__(self, other: ExpressionLike) -> Expression:
        return _expression(other) + self

    def __sub__(self, other: ExpressionLike) -> Expression:
        return Expression(f"{self._within(_SUM)} - {_expression(other)._within(_PRODUCT)}", _SUM)

    def __rsub__(self, other: ExpressionLike) -> Expression:
        return _expression(other) - self

    def __mul__(self, other: ExpressionLike) -> Expression:
        return Expression(f"{self._factor()}*{_expression(other)._within(_POWER)}", _PRODUCT if self._text[0] != "-" else _SUM)

    def __rmul__(self, other: ExpressionLike) -> Expression:
        return _expression(other) * self

    def __truediv__(self, other: ExpressionLike) -> Expression:
        return Expression(f"{self._factor()}/{_expression(other)._within(_POWER)}", _PRODUCT if self._text[0] != "-" else _SUM)

    def __rtruediv__(self, other: ExpressionLike) -> Expression:
        return _expression(other) / self

    def _factor(self) -> str:
        # A minus in front of a product may stand: -2*x is -(2*x).
        if self._level == _SUM and self._text[0] == "-" and not (" + " in self._text or " - " in self._text):
            return self._text
        return self._within(_PRODUCT)

    def __pow__(self, other: ExpressionLike) -> Expression:
        return Expression(f"{self._within(_ATOM)}^{_expression(other)._within(_ATOM)}", _POWER)

    def __rpow__(self, other: ExpressionLike) -> Expression:
        return _expression(other) ** self

    def __mod__(self, other: ExpressionLike) -> Expression:
        return _call("mod", self, other)

    def __rmod__(self, other: ExpressionLike) -> Expression:
        return _call("mod", other, self)

    def __neg__(self) -> Expression:
        return Expression(f"-{self._within(_POWER)}", _SUM)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _call("abs", self)

    def __floor__(self) -> Expression:
        return _call("floor", self)

    # Conditions.

    def __le__(self, other: ExpressionLike) -> Condition:
        return Condition(f"{self} <= {_expression(other)}")

    def __ge__(self, other: ExpressionLike) -> Condition:
        return Condition(f"{self} >= {_expression(other)}")

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return Condition(f"{self} = {_expression(other)}")

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError("write <=: a condition includes its boundary")

    def __gt__(self, other: object) -> NoReturn:
        raise TypeError("write >=: a condition includes its boundary")

    def __ne__(self, other: object) -> NoReturn:
        raise TypeError("!= is no condition; write ==, <= or >=")

    # Functions of numpy: those that the model's language has are written into the text, others are refused by name.

    __array_priority__ = 1000

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Expression | Condition:
        name = function.__name__
        written = _OF_NUMPY.get(name)
        if method != "__call__" or options or written is None:
            raise TypeError(f"numpy.{name} is no function of a model: there are {', '.join(sorted(set(_OF_NUMPY) - _OPERATORS))}, and all of zwang.*, such as zwang.sin(a.x)")
        if name in _OPERATORS:
            result: Expression | Condition = getattr(_expression(inputs[0]), written)(*inputs[1:])
            return result
        return _call(written, *inputs)

    # Components.

    @property
    def x(self) -> Expression:
        """First component of a vector."""
        return self._component("x")

    @property
    def y(self) -> Expression:
        """Second component of a vector."""
        return self._component("y")

    @property
    def z(self) -> Expression:
        """Third component of a vector."""
        return self._component("z")

    def _component(self, letter: str) -> Expression:
        return Expression(f"{self._within(_ATOM)}.{letter}")


#: functions of numpy by their names, and what they are in a model
_OF_NUMPY = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "absolute": "abs", "fabs": "abs", "sign": "sign", "floor": "floor", "maximum": "max",
    "minimum": "min", "mod": "mod", "remainder": "mod", "fmax": "max", "fmin": "min",
    "add": "__add__", "subtract": "__sub__", "multiply": "__mul__", "divide": "__truediv__", "true_divide": "__truediv__", "power": "__pow__",
    "less_equal": "__le__", "greater_equal": "__ge__", "equal": "__eq__",
    "less": "__lt__", "greater": "__gt__", "not_equal": "__ne__", "negative": "__neg__", "positive": "__pos__",
}
_OPERATORS = frozenset(name for name, written in _OF_NUMPY.items() if written.startswith("__"))

#: an expression, a number, a text, or a list of them (a vector)
ExpressionLike = Union[Expression, float, str, "list[Any]", "tuple[Any, ...]"]


class Condition:
    """An equation or inequality between expressions: made with ==, <= or >=."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Condition({self._text!r})"

    def __bool__(self) -> NoReturn:
        raise TypeError(f"`{self._text}` is neither true nor false before the model is run; "
                        "a chain such as 0 <= x <= 1 is written as two conditions")


class Moving(Expression):
    """Something with a velocity: a coordinate, or a component of a point."""

    __slots__ = ()

    @property
    def velocity(self) -> Expression:
        """Its rate, written with a prime."""
        return Expression(self._text + "'")


class Point(Moving):
    """A point: its position as a vector, with components x, y, z and velocity."""

    __slots__ = ()

    @property
    def velocity(self) -> Velocity:
        """Its velocity as a vector."""
        return Velocity(self._text)

    def _component(self, letter: str) -> Moving:
        return Moving(f"{self._text}.{letter}")

    @property
    def x(self) -> Moving:
        """First component of the position."""
        return self._component("x")

    @property
    def y(self) -> Moving:
        """Second component of the position."""
        return self._component("y")

    @property
    def z(self) -> Moving:
        """Third component of the position."""
        return self._component("z")


class RigidBody(Point):
    """A rigid body: its centre of mass as a point, its marks (`body.mark("hook")`, or `body.hook` for short), its spin."""

    __slots__ = ("_marks",)

    def __init__(self, text: str, marks: Iterable[str] = ()) -> None:
        super().__init__(text)
        self._marks = tuple(marks)

    def mark(self, name: str) -> Point:
        """A point fixed in the body."""
        return Point(f"{self._text}.{name}")

    def __getattr__(self, name: str) -> Point:
        if not name.startswith("_") and name in self._marks:
            return self.mark(name)
        marks = "" if name.startswith("_") else f"; its marks are {', '.join(self._marks)}" if self._marks else "; it has no marks: body(..., marks={...}) names points of it"
        raise AttributeError(f"the body {self._text} has no {name!r}{marks}")

    @property
    def spin(self) -> Expression:
        """Its angular velocity in the fixed frame: a vector, in the plane a number."""
        return Expression(self._text + ".spin")

    @property
    def angle(self) -> Moving:
        """In the plane: how far it is turned."""
        return Moving(self._text + ".angle")

    def axis(self, direction: Any) -> Expression:
        """A vector of the body's axes in the fixed frame."""
        text = ", ".join(str(item) for item in direction)
        return Expression(f"axis({self._text}, [{text}])")


class Velocity(Expression):
    """The velocity of a point."""

    __slots__ = ("_point",)

    def __init__(self, point: str) -> None:
        super().__init__(point + "'")
        self._point = point

    def _component(self, letter: str) -> Expression:
        return Expression(f"{self._point}.{letter}'")


class PointFamily:
    """Many points of one kind: `bead[3]`, `bead[i + 1]`, `knot[i, j]`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, index: Any) -> Point:
        return Point(_member(self._name, index))

    def __str__(self) -> str:
        return self._name


class CoordinateFamily:
    """Many coordinates of one kind: `angle[3]`, `angle[i + 1]`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, index: Any) -> Moving:
        return Moving(_member(self._name, index))

    def __str__(self) -> str:
        return self._name


def _member(name: str, index: Any) -> str:
    indices = index if isinstance(index, tuple) else (index,)
    return f"{name}[{','.join(str(_expression(one)).replace(' ', '') for one in indices)}]"


def number_text(value: float) -> str:
    """A number as text that reads back to the same double."""
    if isinstance(value, bool):
        raise TypeError("True and False are no numbers here")
    if isinstance(value, int):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is not a finite number")
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 and math.copysign(1, number) > 0 else repr(number)


def _expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return Expression(value, _ATOM if value.replace("_", "a").isalnum() else 0)
    if callable(value):
        raise TypeError("a Python function is no expression: motions are followed by power series, which need the formula "
                        "itself; write it with the names of the model, such as -k*a.x or zwang.sin(zwang.t)")
    if isinstance(value, (PointFamily, CoordinateFamily)):
        raise TypeError(f"{value} is a family: name a member, {value}[i]")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return Expression("[" + ", ".join(str(_expression(item)) for item in value) + "]")
    text = number_text(value)
    return Expression(text, _SUM if text.startswith("-") else _ATOM)


def _call(function: str, *arguments: Any) -> Expression:
    return Expression(f"{function}({', '.join(str(_expression(one)) for one in arguments)})")


def expression(value: ExpressionLike) -> Expression:
    """An expression from a text, a number or a list."""
    return _expression(value)


def index(name: str = "i") -> Expression:
    """The index of a family, by its letter."""
    return Expression(name)


def sum_over(letter: Expression | str, first: ExpressionLike, last: ExpressionLike, term: ExpressionLike) -> Expression:
    """The sum of a term over an index: `sum_over(i, 1, n, bead[i].y)`."""
    return Expression(f"sum({letter} = {_expression(first)}..{_expression(last)}, {_expression(term)})")


#: the time
t = Expression("t")
#: 3.14159...
pi = Expression("pi")


def distance(a: ExpressionLike, b: ExpressionLike) -> Expression:
    """The distance of two points."""
    return _call("distance", a, b)


def dot(u: ExpressionLike, v: ExpressionLike) -> Expression:
    """The scalar product."""
    return _call("dot", u, v)


def cross(u: ExpressionLike, v: ExpressionLike) -> Expression:
    """The vector product; in the plane a number."""
    return _call("cross", u, v)


def norm(u: ExpressionLike) -> Expression:
    """The length of a vector."""
    return _call("norm", u)


def sin(e: ExpressionLike) -> Expression:
    """Sine."""
    return _call("sin", e)


def cos(e: ExpressionLike) -> Expression:
    """Cosine."""
    return _call("cos", e)


def tan(e: ExpressionLike) -> Expression:
    """Tangent."""
    return _call("tan", e)


def asin(e: ExpressionLike) -> Expression:
    """Inverse sine."""
    return _call("asin", e)


def acos(e: ExpressionLike) -> Expression:
    """Inverse cosine."""
    return _call("acos", e)


def atan(e: ExpressionLike) -> Expression:
    """Inverse tangent."""
    return _call("atan", e)


def atan2(y: ExpressionLike, x: ExpressionLike) -> Expression:
    """The angle of the direction (x, y)."""
    return _call("atan2", y, x)


def sinh(e: ExpressionLike) -> Expression:
    """Hyperbolic sine."""
    return _call("sinh", e)


def cosh(e: ExpressionLike) -> Expression:
    """Hyperbolic cosine."""
    return _call("cosh", e)


def tanh(e: ExpressionLike) -> Expression:
    """Hyperbolic tangent."""
    return _call("tanh", e)


def exp(e: ExpressionLike) -> Expression:
    """The exponential function."""
    return _call("exp", e)


def log(e: ExpressionLike) -> Expression:
    """The natural logarithm."""
    return _call("log", e)


def sqrt(e: ExpressionLike) -> Expression:
    """The square root."""
    return _call("sqrt", e)


def sign(e: ExpressionLike) -> Expression:
    """-1, 0 or 1."""
    return _call("sign", e)


def step(e: ExpressionLike) -> Expression:
    """0 below zero, 1 from there on."""
    return _call("step", e)


def floor(e: ExpressionLike) -> Expression:
    """The largest whole number that is not larger."""
    return _call("floor", e)


def clip(e: ExpressionLike, low: ExpressionLike, high: ExpressionLike) -> Expression:
    """The nearest number from low to high."""
    return _call("clip", e, low, high)


def where(condition: Condition | str, then: ExpressionLike, otherwise: ExpressionLike) -> Expression:
    """One expression where a comparison holds, another elsewhere: `if(a.x >= 0, 1, 2)` of the model's language."""
    if not isinstance(condition, (Condition, str)):
        raise TypeError("where: a comparison is needed, made with == , <= or >=, or written as text")
    return Expression(f"if({condition}, {_expression(then)}, {_expression(otherwise)})")


def greatest(*numbers: ExpressionLike) -> Expression:
    """The greatest of several: `max` of the model's language. Python's own max() would have to decide now."""
    return _call("max", *numbers)


def least(*numbers: ExpressionLike) -> Expression:
    """The least of several: `min` of the model's language."""
    return _call("min", *numbers)

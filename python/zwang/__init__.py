"""Mechanics with constraints by Gauss's principle: models, accelerations, shocks, motions.

>>> import zwang
>>> model = zwang.load("gallery:bouncing-ball")
>>> run = model.run(until=2.0)
>>> run.status
'finished'
"""

from __future__ import annotations

from zwang import _zwang, gauss
from zwang.answers import (Acceleration, Answer, Check, Comparison, Curvature, EnergyRate, Equations, Event, ExactAcceleration,
                           Explanation, Fourier, Impact, Integrability, Measure, Reversal, Stability, Velocities)
from zwang.draft import Draft
from zwang.errors import Error
from zwang.expressions import (Condition, Expression, acos, asin, atan, atan2, clip, cos, cosh, cross, distance, dot, exp,
                               expression, floor, greatest, index, least, log, norm, pi, sign, sin, sinh, sqrt, step,
                               sum_over, t, tan, tanh, where)
from zwang.model import Analyses, Model, State, gallery, load, parse
from zwang.quantities import Quantities, Record
from zwang.stepper import Stepper
from zwang.sweep import SweepTable, sweep
from zwang.trajectory import Columns, Derivative, Energy, Events, IvpResult, States, Trajectory, open_run, resume

#: the version, the same as that of the command
__version__: str = _zwang.version()

__all__ = [
    "Acceleration", "Analyses", "Answer", "Check", "Columns", "Comparison", "Condition", "Curvature", "Derivative", "Draft", "Energy",
    "EnergyRate", "Equations", "Error", "Event", "Events", "ExactAcceleration", "Explanation", "Expression", "Fourier",
    "Impact", "Integrability", "IvpResult", "Measure", "Model", "Quantities", "Record", "Reversal", "Stability", "State",
    "States", "Stepper", "SweepTable", "Trajectory", "Velocities", "__version__", "acos", "asin", "atan", "atan2", "clip", "cos", "cosh", "cross",
    "distance", "dot", "exp", "expression", "floor", "gallery", "gauss", "greatest", "index", "least", "load", "log", "norm", "open_run", "parse", "pi",
    "resume", "sign", "sin", "sinh", "sqrt", "step", "sum_over", "sweep", "t", "tan", "tanh", "where",
]

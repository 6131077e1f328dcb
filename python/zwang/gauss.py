"""The nearest point of a polyhedron in the metric of the masses, on its own.

    minimise (a - a0)^T M (a - a0)   subject to   J_eq a + h_eq = 0,   J a + h <= 0

Multipliers satisfy M (a - a0) + J_eq^T lambda_eq + J^T lambda = 0, lambda >= 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zwang import _zwang
from zwang._lazy import LazyModule
from zwang.quantities import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = LazyModule("numpy")


class Solution:
    """The nearest point, or the proof that there is none."""

    #: "solved", "infeasible" or "gave up"
    status: str
    #: the point; empty unless solved
    a: NDArray[np.float64]
    #: of the equations; empty unless solved
    multipliers_eq: NDArray[np.float64]
    #: of the inequalities; empty unless solved
    multipliers: NDArray[np.float64]
    #: J a + h of the inequalities; empty unless solved
    slack: NDArray[np.float64]
    #: scaled residuals: primal, dual, complementarity, stationarity, and the duality gap; also when it gave up
    certificate: Record
    #: when infeasible: y with y^T J = 0 and y^T h > 0, equations first; checked
    farkas: NDArray[np.float64]
    #: factorisations
    rounds: int

    def __init__(self, found: dict[str, Any], equations: int) -> None:
        nothing = np.empty(0)
        self.status = found["status"]
        self.a = found.get("a", nothing)
        multipliers = found.get("multipliers", nothing)
        self.multipliers_eq = multipliers[:equations]
        self.multipliers = multipliers[equations:]
        self.slack = found.get("slack", nothing)[equations:]
        self.certificate = Record(found.get("certificate", {}))
        self.farkas = found.get("farkas", nothing)
        self.rounds = found["rounds"]

    def __repr__(self) -> str:
        return f"<zwang.gauss.Solution {self.status}: a = {self.a}>"


def _numbers(values: ArrayLike | None, size: int | None, what: str) -> NDArray[np.float64]:
    if values is None:
        return np.zeros(size or 0)
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    if numbers.ndim != 1 or (size is not None and numbers.size != size):
        raise ValueError(f"{what}: one row of {size if size is not None else 'some'} numbers is needed, "
                         f"not an array of shape {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{what}: not all numbers are finite")
    return numbers


def _entries(matrix: Any, columns: int, what: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], int]:
    """Row, column and value of all entries that are not zero, by rows and then columns; the number of rows."""
    if matrix is None:
        return np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0), 0
    if hasattr(matrix, "tocsr"):
        sparse = matrix.tocsr().copy()
        sparse.sum_duplicates()
        sparse.sort_indices()
        if sparse.shape[1] != columns:
            raise ValueError(f"{what}: {columns} columns are needed, and there are {sparse.shape[1]}")
        value = np.ascontiguousarray(sparse.data, dtype=np.float64)
        row = np.repeat(np.arange(sparse.shape[0], dtype=np.uint32), np.diff(sparse.indptr))
        column = np.ascontiguousarray(sparse.indices, dtype=np.uint32)
        count = int(sparse.shape[0])
    else:
        dense = np.asarray(matrix, dtype=np.float64)
        if dense.size == 0:
            return np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0), 0
        if dense.ndim != 2 or dense.shape[1] != columns:
            raise ValueError(f"{what}: a matrix with {columns} columns is needed, not an array of shape {dense.shape}")
        places = np.nonzero(dense)
        row, column = places[0].astype(np.uint32), places[1].astype(np.uint32)
        value = np.ascontiguousarray(dense[places])
        count = dense.shape[0]
    if not np.isfinite(value).all():
        raise ValueError(f"{what}: not all numbers are finite")
    return np.ascontiguousarray(row), column, value, count


def solve(M: Any, J_eq: Any, h_eq: ArrayLike | None, J: Any, h: ArrayLike | None, a0: ArrayLike, *,
          h_eq_bound: ArrayLike | None = None, h_bound: ArrayLike | None = None, most_rounds: int = 0,
          exact_numbers: bool = False) -> Solution:
    """The point nearest to `a0` under equations J_eq a + h_eq = 0 and inequalities J a + h <= 0, in the metric of M.

    M is a matrix, or one row of masses; it and the rows are dense arrays or matrices of scipy.sparse. Rows may be None.

    `h_eq_bound` and `h_bound` say how well the offsets are known (default: to their rounding). Rows that depend on others agree
    with them within these bounds, and "infeasible" is said only of what is so for all offsets within them. `most_rounds` limits
    the factorisations (0: as many as fit into about a second); what is not decided then is "gave up".

    With `exact_numbers` all numbers are meant as they stand, to the last digit: where doubles cannot decide, problems of up to 16
    variables and 32 rows are decided in fractions. Not for rows that were computed with rounding, where one may be the sum of others
    but for its last digits.

    >>> from zwang import gauss
    >>> gauss.solve([1.0, 1.0], None, None, [[0.0, -1.0]], [0.0], [3.0, -9.81]).a
    array([3., 0.])
    """
    free = _numbers(a0, None, "a0")
    n = free.size
    if hasattr(M, "tocsr") or np.ndim(M) == 2:
        mass_row, mass_column, mass_value, count = _entries(M, n, "M")
        if count != n:
            raise ValueError(f"M: a matrix of {n} rows and columns is needed")
        upper = mass_row < mass_column
        lower = mass_row > mass_column
        above = sorted(zip(mass_row[upper].tolist(), mass_column[upper].tolist(), mass_value[upper].tolist()))
        below = sorted(zip(mass_column[lower].tolist(), mass_row[lower].tolist(), mass_value[lower].tolist()))
        if len(above) != len(below) or any(
                one[:2] != other[:2] or abs(one[2] - other[2]) > 1e-12 * abs(one[2]) for one, other in zip(above, below)):
            raise ValueError("M: it is not symmetric")
    else:
        mass_value = _numbers(M, n, "M")
        mass_row = mass_column = np.arange(n, dtype=np.uint32)
    row_eq, column_eq, value_eq, count_eq = _entries(J_eq, n, "J_eq")
    row_in, column_in, value_in, count_in = _entries(J, n, "J")
    offsets = np.concatenate([_numbers(h_eq, count_eq, "h_eq"), _numbers(h, count_in, "h")])
    bounds = np.empty(0)
    if h_eq_bound is not None or h_bound is not None:
        # Eight roundings of those that are not given, as everywhere.
        rounding = 8 * np.finfo(np.float64).eps * np.abs(offsets)
        given = [_numbers(one, count, what) if one is not None else part for one, count, what, part in (
            (h_eq_bound, count_eq, "h_eq_bound", rounding[:count_eq]), (h_bound, count_in, "h_bound", rounding[count_eq:]))]
        bounds = np.concatenate(given)
        if (bounds < 0).any():
            raise ValueError("h_bound: a bound is not negative")
    if exact_numbers and bounds.size:
        raise ValueError("exact_numbers: offsets with bounds are not meant as they stand")
    if most_rounds < 0:
        raise ValueError("most_rounds: a number of rounds is not negative")
    rows = np.concatenate([row_eq, row_in + np.uint32(count_eq)])
    start = np.searchsorted(rows, np.arange(count_eq + count_in + 1)).astype(np.uint32)
    found = _zwang.nearest_point(mass_row, mass_column, mass_value, free, start,
                                 np.concatenate([column_eq, column_in]).astype(np.uint32),
                                 np.concatenate([value_eq, value_in]), offsets, count_eq, bounds, most_rounds, exact_numbers)
    return Solution(found, count_eq)

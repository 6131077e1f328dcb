"""Many motions over a design of parameters, one line of a table each."""

from __future__ import annotations

import collections
import functools
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Union

from zwang import _zwang
from zwang._lazy import LazyModule, needed
from zwang.model import Model, Value, _explains_arguments, _text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

#: texts as `--over` of the command takes them, or values by name: numbers, or what stands behind the name ("0.5..2:100", "~normal(1, 0.1)")
Design = Union[str, Iterable[str], Mapping[str, Any]]
#: called with the samples done and their number; False ends the sweep
SweepProgress = Callable[[int, int], object]

_ACCOUNT = ("time", "steps", "events", "defect")


class SweepTable(Mapping[str, Any]):
    """The lines of a sweep, by column: arrays over the samples. A number that does not exist is NaN.

    >>> import zwang
    >>> table = zwang.sweep(zwang.load("gallery:bouncing-ball"), "e=0.2,0.4", record=["count(impact)"])
    >>> list(table)
    ['sample', 'e', 'status', 'time', 'steps', 'events', 'defect', 'count(impact)']
    >>> len(table["e"])
    2
    """

    __slots__ = ("_columns", "parameters", "records", "shape", "why")

    #: names of the columns that hold parameters
    parameters: list[str]
    #: names of the columns that hold records
    records: list[str]
    #: of a grid: how many values each parameter has; else empty
    shape: tuple[int, ...]
    #: for samples that failed: the reason in words
    why: dict[int, str]

    def __init__(self, columns: dict[str, Any], parameters: list[str], records: list[str], shape: tuple[int, ...],
                 why: dict[int, str]) -> None:
        self._columns = columns
        self.parameters = parameters
        self.records = records
        self.shape = shape
        self.why = why

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            raise KeyError(f"the table has no column {name!r}: it has {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return len(self._columns["sample"])

    @property
    def statuses(self) -> dict[str, int]:
        """How many samples ended how."""
        return dict(collections.Counter(self._columns["status"].tolist()))

    def __repr__(self) -> str:
        said = ", ".join(f"{count} {status}" for status, count in self.statuses.items())
        return f"<zwang.SweepTable of {self.samples} samples: {said or 'none'}>"

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the columns of the table. Needs pandas."""
        return needed("pandas", "to_pandas()").DataFrame(self._columns)

    def to_arrow(self) -> Any:
        """A pyarrow.Table. What does not exist is null. Needs pyarrow."""
        arrow = needed("pyarrow", "to_arrow()")
        columns = {name: arrow.array(values.tolist() if values.dtype == object else values, from_pandas=True)
                   for name, values in self._columns.items()}
        return arrow.table(columns)

    def to_xarray(self) -> Any:
        """An xarray.Dataset: of a grid over its parameters, of any other design over the number of the sample. Needs xarray."""
        xarray = needed("xarray", "to_xarray()")
        others = [name for name in self._columns if name not in self.parameters and name != "sample"]
        if not self.shape:
            coordinates = {"sample": self._columns["sample"]}
            coordinates |= {name: ("sample", self._columns[name]) for name in self.parameters}
            return xarray.Dataset({name: ("sample", self._columns[name]) for name in others}, coords=coordinates)
        axes = {}
        for number, name in enumerate(self.parameters):
            at = tuple(slice(None) if k == number else 0 for k in range(len(self.shape)))
            axes[name] = self._columns[name].reshape(self.shape)[at]
        return xarray.Dataset({name: (self.parameters, self._columns[name].reshape(self.shape)) for name in others},
                              coords=axes)

    def parquet(self, path: str | os.PathLike[str]) -> None:
        """The table as a Parquet file. Needs pyarrow."""
        parquet = needed("pyarrow.parquet", "parquet()")
        parquet.write_table(self.to_arrow(), os.fspath(path))


#: all that a worker needs: text, file, set, settings, over, count, seed, records
_Recipe = tuple[Any, ...]


@functools.lru_cache(maxsize=4)
def _compiled(recipe: _Recipe) -> _zwang.Sweep:
    """Once per process."""
    return _zwang.Sweep(*recipe)


def _follow(recipe: _Recipe, first: int, count: int) -> tuple[Any, ...]:
    """What an executor does: some neighbouring samples."""
    return _compiled(recipe).follow(first, count)


def _specs(design: Design) -> list[str | tuple[str, str]]:
    """A design as the texts of the command; a table stands beside its name."""
    if isinstance(design, str):
        return [design]
    if hasattr(design, "to_csv") and hasattr(design, "columns"):
        frame: Any = design
        lines = [",".join(str(name) for name in frame.columns)]
        lines += [",".join(repr(float(value)) for value in line) for line in frame.itertuples(index=False)]
        return [("@table", "\n".join(lines))]
    if not isinstance(design, Mapping):
        return list(design)
    out: list[str | tuple[str, str]] = []
    for name, values in design.items():
        if isinstance(values, str):
            out.append(name + values if values.startswith(("~", "=")) else f"{name}={values}")
        elif isinstance(values, (int, float)) or getattr(values, "ndim", None) == 0:
            out.append(f"{name}={float(values)!r}")
        else:
            # As a table of one column, which may be long.
            out.append(("@" + name, "\n".join([name, *(repr(float(value)) for value in values)])))
    return out


def _in_order(executor: Any, recipe: _Recipe, total: int, chunk: int, ahead: int) -> Iterator[tuple[Any, ...]]:
    """Results in order; no more are asked for ahead of time than can wait."""
    chunks = ((first, min(chunk, total - first)) for first in range(0, total, chunk))
    waiting: collections.deque[Any] = collections.deque()
    try:
        for first, count in itertools.islice(chunks, ahead):
            waiting.append(executor.submit(_follow, recipe, first, count))
        while waiting:
            result: tuple[Any, ...] = waiting.popleft().result()
            following = next(chunks, None)
            if following is not None:
                waiting.append(executor.submit(_follow, recipe, *following))
            yield result
    finally:
        for future in waiting:
            future.cancel()


@_explains_arguments
def sweep(model: Model | str, design: Design, *, record: str | Iterable[str] = (), count: int | None = None, seed: int = 0,
          executor: Any = None, set: Mapping[str, Any] | None = None, until: Value | None = None,
          tolerance: Value | None = None, chunk: int | None = None, progress: SweepProgress | None = None) -> SweepTable:
    """Many motions over a design of parameters: the table that `zwang sweep` makes, in memory, to the bit.

    `design` is a text as `--over` takes it, a list of them, a dict by name ({"L": [1, 2], "v": "~normal(1, 0.1)"}) or a pandas
    table. `record` are the columns besides: expressions at the end, "at(2.5, a.x)", "max(a.x)", "time(impact, 1)",
    "count(impact)". `executor` is any executor of concurrent.futures (threads, processes, mpi4py.futures, Dask's
    `client.get_executor()`); without one as many threads as there are cores. The lines are the same for all of them.

    >>> import zwang
    >>> ball = zwang.load("gallery:bouncing-ball")
    >>> table = zwang.sweep(ball, {"e": "0.1..0.5:3", "g": "~normal(10, 0.1)"}, count=2, record="max(ball.z)")
    >>> table.samples
    6
    >>> table.statuses
    {'finished': 6}
    """
    from zwang.model import load
    if isinstance(model, str):
        model = load(model)
    model = model.replace(set=set, until=until, tolerance=tolerance)
    records = (record,) if isinstance(record, str) else tuple(record)
    for word, number in (("count", count), ("seed", seed), ("chunk", chunk)):
        if number is not None and int(number) != number:
            raise ValueError(f"{word}: a whole number, not {number}")
    if count is not None and not 1 <= int(count) <= 2**32:
        raise ValueError(f"count: from 1 to 2^32, not {count}")
    if not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed: from 0 to 2^64 - 1, not {seed}")
    # A file is read here, not by whoever follows the samples.
    over: list[str | tuple[str, str]] = []
    for spec in _specs(design):
        if isinstance(spec, str) and spec.startswith("@"):
            with open(spec[1:], encoding="utf-8") as file:
                over.append((spec, file.read()))
        else:
            over.append(spec)
    recipe: _Recipe = (model.text, model.file, tuple(model._set.items()), tuple(_text_of(value) for value in model._settings[:3]),
                       tuple(over), int(count or 0), int(seed), records)
    native = _compiled(recipe)
    total = native.total
    hands = os.cpu_count() or 1
    size = int(chunk) if chunk is not None else max(1, min(64, total // (8 * hands)))
    if size < 1:
        raise ValueError(f"chunk: at least 1, not {chunk}")

    own = None
    if executor is None:
        import concurrent.futures
        executor = own = concurrent.futures.ThreadPoolExecutor(hands)
    parts: list[tuple[Any, ...]] = []
    done = 0
    try:
        for part in _in_order(executor, recipe, total, size, 256):
            parts.append(part)
            done += len(part[1])
            if progress is not None and progress(done, total) is False:
                break
    finally:
        if own is not None:
            own.shutdown(wait=True, cancel_futures=True)
    return _table(native, parts, done)


def _table(native: _zwang.Sweep, parts: list[tuple[Any, ...]], done: int) -> SweepTable:
    names = native.columns
    width = len(native.parameters)

    def joined(number: int, columns: int) -> NDArray[np.float64]:
        return np.concatenate([part[number] for part in parts]) if parts else np.empty((0, columns))

    parameters = joined(0, width)
    account = joined(2, len(_ACCOUNT))
    records = joined(3, len(names) - width - 2 - len(_ACCOUNT))
    columns: dict[str, Any] = {"sample": np.arange(done)}
    for index in range(width):
        columns[names[1 + index]] = parameters[:, index].copy()
    columns["status"] = np.array([status for part in parts for status in part[1]], dtype=object)
    for index, name in enumerate(_ACCOUNT):
        values = account[:, index].copy()
        columns[name] = values.astype(np.int64) if name in ("steps", "events") else values
    first = width + 2 + len(_ACCOUNT)
    for index, name in enumerate(names[first:]):
        columns[name] = records[:, index].copy()
    why: dict[int, str] = {}
    for part in parts:
        why.update(part[4])
    shape = tuple(native.shape) if done == native.total else ()
    return SweepTable(columns, names[1 : 1 + width], names[first:], shape, why)

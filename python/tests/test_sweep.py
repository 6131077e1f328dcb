"""Sweeps: the table is the command's, whoever follows the samples."""

from __future__ import annotations

import concurrent.futures
import csv
import importlib.util
import math
import pathlib
import pickle
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import Command

import zwang

OVER = ["e=0.2,0.4,2", "g~normal(10,0.5)"]
RECORD = ["ball.x", "max(ball.z)", "time(impact floor, 2)", "count(impact)", "at(0.5, ball.z)", "time(impact, 99)"]


def table(**named: Any) -> zwang.SweepTable:
    return zwang.sweep(zwang.load("gallery:bouncing-ball"), OVER, count=5, seed=4, record=RECORD, **named)


def equal(one: zwang.SweepTable, other: zwang.SweepTable) -> None:
    assert list(one) == list(other)
    for name in one:
        if one[name].dtype == object:
            assert one[name].tolist() == other[name].tolist()
        else:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert one.why == other.why


def test_the_table_is_that_of_the_command(command: Command) -> None:
    mine = table()
    words = [word for spec in OVER for word in ("--over", spec)] + [word for record in RECORD for word in ("--record", record)]
    answer = command.ask("sweep", "gallery:bouncing-ball", *words, "--count", "5", "--seed", "4", "--csv")
    assert answer["samples"] == 15 and answer["finished"] == 10 and answer["other"] == {"error": 5}
    assert mine.statuses == {"finished": 10, "error": 5}
    with open(command.folder / "out" / "bouncing-ball-sweep.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert lines[0] == list(mine)
    for k, line in enumerate(lines[1:]):
        for name, cell in zip(mine, line):
            value = mine[name][k]
            if name == "status":
                assert value == cell
            else:
                assert math.isnan(value) if cell == "" else float(cell) == value, (k, name)


@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_threads_and_processes_follow_the_same_samples(chunk: int) -> None:
    alone = table(chunk=100)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        equal(table(executor=threads, chunk=chunk), alone)
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        equal(table(executor=processes, chunk=chunk), alone)


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
@pytest.mark.parametrize("workers", [1, 3])
def test_a_dask_cluster_follows_the_same_samples(workers: int) -> None:
    from dask.distributed import Client, LocalCluster
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        equal(table(executor=client.get_executor()), table())


# Processes are begun by mpirun, all at once: not every machine lets a process that runs begin others.
MPI_PROGRAM = """
import pickle, sys
import zwang
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    over, record = pickle.loads(bytes.fromhex(sys.argv[1]))
    with MPIPoolExecutor() as executor:
        table = zwang.sweep(zwang.load("gallery:bouncing-ball"), over, count=5, seed=4, record=record, executor=executor, chunk=4)
    with open(sys.argv[2], "wb") as file:
        pickle.dump(({name: table[name] for name in table}, table.why), file)
"""


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None or shutil.which("mpirun") is None,
                    reason="mpi4py or mpirun is not installed")
def test_processes_of_mpi_follow_the_same_samples(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(MPI_PROGRAM)
    subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", program,
                    pickle.dumps((OVER, RECORD)).hex(), tmp_path / "table"], check=True, timeout=900)
    columns, why = pickle.loads((tmp_path / "table").read_bytes())
    alone = table()
    assert list(columns) == list(alone)
    for name in alone:
        np.testing.assert_array_equal(columns[name], alone[name], err_msg=name)
    assert why == alone.why


def test_designs_come_as_texts_dicts_and_tables(tmp_path: pathlib.Path) -> None:
    ball = zwang.load("gallery:bouncing-ball")
    wanted = zwang.sweep(ball, ["e=0.25,0.5", "g=9..10:2"])
    assert wanted.shape == (2, 2)
    np.testing.assert_array_equal(wanted["e"], [0.25, 0.25, 0.5, 0.5])
    np.testing.assert_array_equal(wanted["g"], [9, 10, 9, 10])
    equal(zwang.sweep(ball, {"e": [0.25, 0.5], "g": "9..10:2"}), wanted)
    equal(zwang.sweep(ball, {"e": np.array([0.25, 0.5]), "g": "=9,10"}), wanted)
    file = tmp_path / "design.csv"
    file.write_text("e,g\n0.25,9\n0.25,10\n0.5,9\n0.5,10\n")
    equal(zwang.sweep(ball, f"@{file}"), wanted)
    equal(zwang.sweep(ball, {"e": 0.25, "g": 9.0}), zwang.sweep(ball, ["e=0.25", "g=9"]))


def test_every_sample_is_a_run() -> None:
    ball = zwang.load("gallery:bouncing-ball")
    swept = zwang.sweep(ball, "e~uniform(0.2, 0.8)", count=4, record=["ball.z", "ball.z'"])
    for k in range(4):
        run = ball.with_parameters(e=float(swept["e"][k])).run()
        assert run.final.positions["ball"][2] == swept["ball.z"][k]
        assert run.final.velocities["ball"][2] == swept["ball.z'"][k]
        assert run.steps == swept["steps"][k]


def test_progress_may_end_it() -> None:
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> bool:
        seen.append((done, total))
        return done < 6

    part = table(chunk=3, progress=look)
    assert part.samples == 6 and seen == [(3, 15), (6, 15)]


def test_mistakes_are_told() -> None:
    ball = zwang.load("gallery:bouncing-ball")
    for design, record in [("q=1", []), ("e=", []), ("e=1", ["ball.w"]), ("e=1", ["count(knock)"]), ([], [])]:
        with pytest.raises(zwang.Error):
            zwang.sweep(ball, design, record=record)
    with pytest.raises(ValueError):
        zwang.sweep(ball, "e~uniform(0,1)", count=0)
    with pytest.raises(ValueError):
        zwang.sweep(ball, "e=1", seed=-1)
    with pytest.raises(TypeError, match="did you mean 'record'"):
        zwang.sweep(ball, "e=1", records=[])
    with pytest.raises(KeyError, match="no column"):
        zwang.sweep(ball, "e=0.5")["nothing"]


def test_the_table_goes_to_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = table().to_pandas()
    assert list(frame.columns) == list(table())
    assert len(frame) == 15
    assert frame[frame.status == "finished"]["count(impact)"].notna().all()
    again = zwang.sweep(zwang.load("gallery:bouncing-ball"), frame.loc[:9, ["e", "g"]], record=RECORD)
    np.testing.assert_array_equal(again["max(ball.z)"], table()["max(ball.z)"][:10])
    assert isinstance(frame, pandas.DataFrame)


def test_the_table_goes_to_xarray() -> None:
    if importlib.util.find_spec("xarray") is None:
        with pytest.raises(ImportError, match="pip install xarray"):
            table().to_xarray()
        return
    grid = zwang.sweep(zwang.load("gallery:bouncing-ball"), ["e=0.25,0.5,0.75", "g=9..10:2"], record="ball.x").to_xarray()
    assert dict(grid.sizes) == {"e": 3, "g": 2}
    assert float(grid["steps"].sel(e=0.5, g=9)) == grid["steps"].values[1, 0]
    assert dict(table().to_xarray().sizes) == {"sample": 15}


def test_the_table_goes_to_arrow_and_parquet(tmp_path: pathlib.Path) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(ImportError, match="pip install pyarrow"):
            table().to_arrow()
        return
    import pyarrow.parquet
    table().parquet(tmp_path / "t.parquet")
    back = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert back.column_names == list(table()) and back.num_rows == 15
    assert back["time(impact, 99)"].null_count == 15


def test_numbers_that_count_are_whole() -> None:
    ball = zwang.load("gallery:bouncing-ball")
    for word in ("count", "seed", "chunk"):
        with pytest.raises(ValueError, match=f"{word}: a whole number, not 1.5"):
            zwang.sweep(ball, "e~uniform(0.2, 0.8)", **{"count": 2, word: 1.5})
    assert zwang.sweep(ball, "e~uniform(0.2, 0.8)", count=2.0, seed=3.0, chunk=1.0).samples == 2  # type: ignore[arg-type]

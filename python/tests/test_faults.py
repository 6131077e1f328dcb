"""Allocations, writes, flushes, removals, openings and readings that fail: an exception, never a crash, and afterwards the answer of an undisturbed call."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

SHIM = ROOT / "tests" / "faults" / "program" / "shim.cpp"
POINTS = 15 if not os.environ.get("ZWANG_SOAK") else 10**6

TRIALS = r'''
import ctypes, gc, os, pathlib, sys
import numpy, zwang

MODEL = """
gravity = [0, -9.81]
[points.ball]
mass = 1
position = [0, 1]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[simulation]
until = 1
samples = 5
"""
KINDS = {"alloc": 1, "write": 2, "sync": 4, "unlink": 6, "open": 7, "read": 8}
shim = ctypes.CDLL(None)
shim.zwang_fault_begin.argtypes = [ctypes.c_int, ctypes.c_ulonglong, ctypes.c_int]
shim.zwang_fault_end.restype = ctypes.c_ulonglong
shim.zwang_fault_calls.restype = ctypes.c_ulonglong
# Memory that the interpreter and NumPy ask for is theirs: what fails is what the module asks for, by itself or through the libraries of its language and of its files.
assert shim.zwang_fault_only(b"_zwang libstdc++ libsqlite3") >= 3
file = pathlib.Path(sys.argv[1]) / "ball.sqlite"
points = int(sys.argv[2])

def bits(motion):
    return (motion.status, motion.t.tobytes(), motion.position.tobytes())

def ask():
    return zwang.parse(MODEL).accelerate().accelerations["ball"].tobytes()

def ask_exactly():
    return zwang.parse(MODEL).accelerate(exact=True).json

def explain():
    return str(zwang.parse(MODEL).explain())

def nearest():
    answer = zwang.gauss.solve([1.0, 2.0], None, None, [[1.0, 1.0], [1.0, 1.0 + 1e-15]], [1.0, 1.0], [3.0, 4.0], exact_numbers=True)
    return answer.a.tobytes()

def follow():
    return bits(zwang.parse(MODEL).run())

def keep():
    return bits(zwang.parse(MODEL).run(out=file))

def go_on():
    return bits(zwang.resume(file, until=1.5))

tried = 0
for task in (ask, ask_exactly, explain, nearest, follow, keep, go_on):
    def prepare():
        for left in file.parent.iterdir():
            left.unlink()
        if task is go_on:
            zwang.parse(MODEL).run(out=file)
    prepare()
    wanted = task()
    for name, kind in KINDS.items():
        prepare()
        shim.zwang_fault_begin(kind, 0, 0)
        task()
        shim.zwang_fault_end()
        count = shim.zwang_fault_calls()
        for number in sorted({1 + k * count // min(points, count) for k in range(min(points, count))} if count else []):
            # Memory comes back: where all of it is gone for good the reader of TOML ends the program, since its errors cannot be made without.
            for on in (0, 1) if name != "alloc" else (0,):
                prepare()
                got = None
                gc.disable()
                try:
                    shim.zwang_fault_begin(kind, number, on)
                    got = task()
                except (MemoryError, OSError, zwang.Error):
                    pass
                finally:
                    failed = shim.zwang_fault_end()
                    gc.enable()
                assert got is None or got == wanted, (task.__name__, name, number, "another answer")
                tried += failed > 0
                left = [path.name for path in file.parent.iterdir() if path != file]
                assert not left or name == "unlink" or on, (task.__name__, name, number, left)
                # A run file that is there goes on to the same bits; the next try gives the answer.
                if task is keep and file.exists() and name != "unlink":
                    assert bits(zwang.resume(file)) == wanted, (task.__name__, name, number, "resumed")
                assert task() == wanted, (task.__name__, name, number, "the next try")
print(tried)
'''


@pytest.mark.skipif(not sys.platform.startswith("linux") or not shutil.which("c++"), reason="calls are made to fail by a library")
def test_calls_of_the_system_that_fail_are_exceptions(tmp_path: pathlib.Path) -> None:
    shim = tmp_path / "faults.so"
    subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", "-shared", str(SHIM), "-o", str(shim), "-ldl"], check=True)
    folder = tmp_path / "runs"
    folder.mkdir()
    result = subprocess.run([sys.executable, "-c", TRIALS, str(folder), str(POINTS)], text=True, capture_output=True,
                            env={**os.environ, "LD_PRELOAD": str(shim)}, timeout=3600, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    assert int(result.stdout) > 50

"""What the tests share: the command line as a second route to every answer, models, comparison of numbers."""

from __future__ import annotations

import json
import math
import os
import pathlib
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("ZWANG_COMMAND")

settings.register_profile("zwang", deadline=None, derandomize=True, max_examples=40,
                          suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
settings.load_profile("zwang")


class Command:
    """The command zwang."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def raw(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(COMMAND), *words], cwd=self.folder, input=text, text=True, capture_output=True, timeout=900,
                              check=False)

    def ask(self, *words: str, text: str | None = None) -> Any:
        """The JSON answer, with or without a mechanical answer."""
        result = self.raw(*words, "--json", text=text)
        assert result.stdout, result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def command(tmp_path: pathlib.Path) -> Command:
    if not COMMAND:
        pytest.skip("ZWANG_COMMAND is not set")
    return Command(tmp_path)


def same(one: Any, other: Any, tolerance: float = 0.0, path: str = "") -> None:
    """Are two JSON values the same, numbers to the bit or within a relative tolerance?"""
    if isinstance(one, dict) and isinstance(other, dict):
        assert list(one) == list(other), f"{path}: {list(one)} against {list(other)}"
        for key in one:
            same(one[key], other[key], tolerance, f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), f"{path}: {len(one)} entries against {len(other)}"
        for index, (left, right) in enumerate(zip(one, other)):
            same(left, right, tolerance, f"{path}[{index}]")
    elif isinstance(one, float) or isinstance(other, float):
        assert one == other or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance), f"{path}: {one} against {other}"
    else:
        assert one == other, f"{path}: {one} against {other}"


PENDULUM = """\
title = "A weight on a string"
gravity = [0, 0, "-g"]

[parameters]
g = 9.81
L = 1.0

[points.a]
mass = 1.0
position = [0, 0, "-L"]
velocity = [2, 0, 0]

[constraints]
string = "distance(a, [0, 0, 0]) <= L"

[outputs]
height = "a.z + L"

[simulation]
until = 2.0
"""

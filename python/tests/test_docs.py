"""What is written about the package: examples in docstrings, the reference made from them, the notebooks."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest
from conftest import ROOT

import zwang

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
MODULES = [name for _, name, _ in pkgutil.iter_modules(zwang.__path__) if name != "_zwang"]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"zwang.{name}".rstrip(".")), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_reference_is_what_the_docstrings_say() -> None:
    result = subprocess.run([sys.executable, str(ROOT / "scripts" / "python_reference.py"), "--check"], text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_pages_about_python_run() -> None:
    how_to = ROOT / "docs" / "how-to"
    pages = [ROOT / "docs" / "python-tour.md", how_to / "use-python.md", how_to / "answer-in-fractions.md"]
    command = os.environ.get("ZWANG_COMMAND")
    build = ["--build", str(pathlib.Path(command).parent.parent)] if command else []
    result = subprocess.run([sys.executable, str(ROOT / "scripts" / "check_docs.py"), *build, *map(str, pages)], text=True,
                            capture_output=True, check=False, env={**os.environ, "ZWANG_PYTHON_INTERPRETER": sys.executable})
    assert result.returncode == 0, result.stdout + result.stderr


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["nonholonomic-against-variational", "slack-pendulum", "stability-that-deceives"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_carries_no_output(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPLBACKEND", raising=False)
    import nbformat
    from nbclient import NotebookClient
    raw = json.loads(path.read_text(encoding="utf-8"))
    for cell in raw["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
    notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    # Every notebook shows something: figures or tables, and no warnings.
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs), [output.get("text") for output in outputs if output.get("name") == "stderr"]

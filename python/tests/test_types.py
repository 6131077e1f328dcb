"""Types: a typed program passes the strict checker, wrong uses do not, and the stubs say what the module does."""

from __future__ import annotations

import inspect
import pathlib
import subprocess
import sys

import pytest

import zwang
from zwang import _zwang

HERE = pathlib.Path(__file__).parent


def mypy(*files: pathlib.Path, cache: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *map(str, files)], text=True,
                          capture_output=True, timeout=900, check=False, cwd=cache)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("mypy")


def test_the_package_and_a_program_that_uses_it_pass_the_strict_checker(cache: pathlib.Path) -> None:
    package = pathlib.Path(zwang.__file__).parent
    result = mypy(package, HERE / "typed_use.py", cache=cache)
    assert result.returncode == 0, result.stdout


def test_wrong_uses_are_found(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import zwang\n"
                     "zwang.load(3)\n"
                     "zwang.parse('').accelerate(5)\n"
                     "zwang.parse('').run(until=[1])\n"
                     "x: int = zwang.parse('').run().events[0].kind\n"
                     "zwang.Draft().point('a', weight=1)\n"
                     "zwang.parse('').nothing\n")
    result = mypy(wrong, cache=cache)
    found = {int(line.split(":")[1]) for line in result.stdout.splitlines() if ": error:" in line}
    assert found == {2, 3, 4, 5, 6, 7}, result.stdout


def test_the_typed_program_runs() -> None:
    result = subprocess.run([sys.executable, str(HERE / "typed_use.py")], text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr


def test_the_stubs_know_every_name() -> None:
    folder = pathlib.Path(_zwang.__file__).parent
    stub = (folder / "_zwang.pyi").read_text()
    assert (folder / "py.typed").is_file()
    for name, thing in vars(_zwang).items():
        if name.startswith("_"):
            continue
        assert f"class {name}" in stub or f"def {name}(" in stub, name
        if inspect.isclass(thing):
            for member in vars(thing):
                assert member.startswith("_") or f"def {member}(" in stub, f"{name}.{member}"


def test_every_public_name_is_documented() -> None:
    for name in zwang.__all__:
        thing = getattr(zwang, name)
        if name.startswith("__") or isinstance(thing, zwang.Expression):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("zwang"):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"

"""Models: read, printed, changed; their errors."""

from __future__ import annotations

import copy
import gc
import pathlib
import pickle
import weakref

import numpy as np
import pytest
from conftest import PENDULUM, ROOT, Command

import zwang


@pytest.mark.parametrize("name", zwang.gallery())
def test_every_model_of_the_gallery_prints_as_its_text_and_reads_back(name: str) -> None:
    model = zwang.load(f"gallery:{name}")
    assert str(model) == (ROOT / "gallery" / name / "model.toml").read_text(encoding="utf-8")
    again = zwang.parse(str(model))
    assert again == model
    np.testing.assert_array_equal(again.initial.position, model.initial.position)
    np.testing.assert_array_equal(again.initial.velocity, model.initial.velocity)


def test_changed_parameters_are_written_into_the_text() -> None:
    model = zwang.parse(PENDULUM).replace(set={"L": 2.0, "g": "9.81/6"}, until="pi", tolerance=1e-10, samples=11, at=0.5)
    text = str(model)
    assert "L = 2" in text and 'g = "9.81/6"' in text and 'until = "pi"' in text
    again = zwang.parse(text)
    assert str(again) == text
    assert again.parameters == model.parameters == {"g": 9.81 / 6, "L": 2.0}
    assert again.accelerate().to_dict()["accelerations"] == model.accelerate().to_dict()["accelerations"]
    run, same_run = model.run(), again.run()
    assert run.end == same_run.end == np.pi and run.start == 0.5 and len(run.t) == 11
    np.testing.assert_array_equal(run.position, same_run.position)


@pytest.mark.parametrize("simulation", ["", "[simulation]\n", "[simulation]\nstop = \"a.x >= 100\"\n", "[simulation]\nuntil = 3 # end\n"])
def test_settings_find_their_place_whatever_the_file_has(simulation: str) -> None:
    text = "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\n" + simulation
    model = zwang.parse(text, until=2, samples=5)
    again = zwang.parse(str(model))
    assert len(again.run().t) == 5 and again.run().end == 2
    head = text.rstrip("\n") if "until" not in simulation else text.split("until")[0]
    assert str(model).startswith(head.rstrip("\n"))


def test_vectors_are_parameters_too() -> None:
    text = "[parameters]\np = [0, 0, 2]\n[points.a]\nmass = 1\nposition = 'p'\n"
    model = zwang.parse(text, set={"p": [1, 2, 3.5]})
    np.testing.assert_array_equal(model.parameters["p"], [1, 2, 3.5])
    np.testing.assert_array_equal(zwang.parse(str(model)).initial.positions["a"], [1, 2, 3.5])


def test_a_model_can_be_copied_pickled_hashed() -> None:
    model = zwang.parse(PENDULUM, "pendulum.toml", set={"L": 3})
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other == model and hash(other) == hash(model) and other.file == model.file
        assert other.parameters == model.parameters


def test_an_error_has_the_place_and_the_words_of_the_command(command: Command, tmp_path: pathlib.Path) -> None:
    wrong = {
        "unknown.toml": PENDULUM.replace("<= L", "<= M"),
        "word.toml": PENDULUM.replace("mass = 1.0", 'mas = 1.0'),
        "number.toml": PENDULUM.replace("velocity = [2, 0, 0]", "velocity = [2, 0]"),
        "toml.toml": PENDULUM.replace("[constraints]", "[constraints"),
        "letters.toml": PENDULUM.replace("<= L", "<= L + ä"),
        "nonlinear.toml": PENDULUM.replace("distance(a, [0, 0, 0]) <= L", "a.x'^2 <= L"),
    }
    for name, text in wrong.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(zwang.Error) as caught:
            zwang.parse(text, name)
        error = caught.value
        printed = command.raw("check", name)
        assert printed.returncode == 2
        assert str(error) == printed.stderr.rstrip("\n")
        told = command.ask("check", name)["error"]
        assert (error.file, error.line, error.column, error.message) == (
            told["file"], told.get("line"), told.get("column"), told["message"])
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error) and again.line == error.line


def test_mistakes_of_the_caller_are_explained(tmp_path: pathlib.Path) -> None:
    with pytest.raises(zwang.Error, match="cannot read the model"):
        zwang.load(tmp_path / "nothing.toml")
    for read in (zwang.load, zwang.open_run, zwang.resume):
        with pytest.raises(FileNotFoundError) as missing:
            read(tmp_path / "nothing")
        assert isinstance(missing.value, zwang.Error)
        assert missing.value.filename == str(tmp_path / "nothing")
        assert isinstance(pickle.loads(pickle.dumps(missing.value)), FileNotFoundError)
    with pytest.raises(TypeError, match="run\\(\\) has no argument 'untill'; did you mean 'until'"):
        zwang.load("gallery:bouncing-ball").run(untill=3)  # type: ignore[call-arg]
    with pytest.raises(zwang.Error, match="cannot read the model"):
        zwang.load(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(zwang.Error, match="UTF-8"):
        zwang.load(tmp_path / "bytes.toml")
    with pytest.raises(zwang.Error, match="did you mean 'bouncing-ball'"):
        zwang.load("gallery:bouncing-bal")
    with pytest.raises(TypeError, match="load"):
        zwang.parse(pathlib.Path("x"))  # type: ignore[arg-type]
    with pytest.raises(zwang.Error, match="LL"):
        zwang.parse(PENDULUM, set={"LL": 2})
    with pytest.raises(TypeError, match="not a function"):
        zwang.parse(PENDULUM, set={"L": lambda: 2})


def test_what_a_model_tells_of_itself() -> None:
    model = zwang.load("gallery:falling-chain")
    assert model.variables[0] == "bead[1].x" or "[1]" in model.variables[0]
    assert len(model.initial.position) == len(model.variables)
    assert all(isinstance(text, str) for text in model.constraints.values())
    assert "coordinates" in repr(model)
    assert "<pre>" in model._repr_html_()


def test_answers_outlive_their_model() -> None:
    model = zwang.parse(PENDULUM)
    gone = weakref.ref(model)
    answer, run, stepper = model.accelerate(), model.run(until=0.5), zwang.Stepper(model)
    array, initial = answer.array, model.initial
    del model
    gc.collect()
    assert float(array[2]) == float(answer.accelerations["a"][2]) == 4.0
    del answer
    gc.collect()
    assert float(array[2]) == 4.0
    assert run(0.25).positions["a"].shape == (3,)
    position = run.positions["a"]
    del run
    gc.collect()
    assert np.isfinite(position).all()
    stepper.advance(0.1)
    del stepper
    gc.collect()
    assert gone() is None
    assert initial.positions["a"][2] == -1.0

"""The package as a guest in other people's programs: quick to import, interruptible, threaded, without leaks."""

from __future__ import annotations

import concurrent.futures
import importlib.metadata
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import PENDULUM, ROOT

import zwang


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], text=True, capture_output=True, timeout=900,
                          check=False)


def test_the_version_is_one() -> None:
    header = (ROOT / "include" / "zwang" / "version.hpp").read_text()
    assert f'"{zwang.__version__}"' in header
    assert importlib.metadata.version("zwang") == zwang.__version__
    assert f"version: {zwang.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_importing_loads_little() -> None:
    """An import costs what it loads, and how much that is can be counted; how long it takes depends on what else the machine does."""
    program = "import sys; before = set(sys.modules); import zwang; print(len([name for name in sys.modules if name not in before]))"
    assert int(python(program).stdout) < 90


def test_importing_asks_for_no_other_package() -> None:
    program = "import sys, zwang; print([name for name in ('numpy', 'scipy', 'pandas', 'matplotlib') if name in sys.modules])"
    assert python(program).stdout.strip() == "[]"


def test_the_module_needs_no_library_beyond_the_system() -> None:
    from zwang import _zwang
    listed = subprocess.run(["ldd", str(_zwang.__file__)], text=True, capture_output=True, check=False).stdout
    needed = {re.split(r"\.so", os.path.basename(line.split()[0]))[0] for line in listed.splitlines()}
    assert needed <= {"linux-vdso", "libsqlite3", "libz", "libstdc++", "libm", "libgcc_s", "libc", "libpthread", "libdl", "ld-linux-x86-64",
                      "ld-linux-aarch64"}, needed


def worked(process: int) -> float:
    """Seconds of a processor that a process has used: on a busy machine those of the clock say nothing. (Where that is not told, the clock.)"""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Send Ctrl-C to a program that has said "ready" and then worked for a while; what it does would last for days."""
    # Whoever was started in the background of a shell has inherited that Ctrl-C means nothing.
    listening = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    child = subprocess.Popen([sys.executable, "-u", "-c", listening + textwrap.dedent(program), *arguments], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        begun = worked(child.pid)
        while child.poll() is None and worked(child.pid) < begun + 0.3:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=600)
    finally:
        child.kill()
    return subprocess.CompletedProcess([], child.returncode, out, err)


def test_ctrl_c_ends_a_run() -> None:
    result = interrupted("""
        import zwang
        model = zwang.load("gallery:double-pendulum")
        print("ready")
        try:
            model.run(until=1e9)
        except KeyboardInterrupt:
            print("interrupted")
        print(model.run(until=1.0).status)
        """)
    assert result.stdout.split() == ["interrupted", "finished"], result.stderr


def test_ctrl_c_leaves_a_run_file_from_which_it_goes_on(tmp_path: pathlib.Path) -> None:
    file = str(tmp_path / "run.sqlite")
    result = interrupted("""
        import sys, zwang
        model = zwang.load("gallery:double-pendulum", until=1e6)
        print("ready")
        try:
            model.run(out=sys.argv[1])
        except KeyboardInterrupt:
            print("interrupted")
        """, file)
    assert result.stdout.split() == ["interrupted"], result.stderr
    run = zwang.open_run(file)
    assert run.status == "interrupted" and 0 < run.end < 1e6

    # What was kept has the bits of a run that nobody interrupted, and goes on.
    whole = zwang.load("gallery:double-pendulum", until=1e6).run(progress=lambda time, steps, events: time <= run.end)
    assert whole.end > run.end
    times = np.linspace(0, run.end * 0.999, 101)
    np.testing.assert_array_equal(run(times).position, whole(times).position)
    longer = zwang.resume(file, until=run.end + 2)
    assert longer.status == "finished" and longer.end == run.end + 2
    np.testing.assert_array_equal(longer(times).position, whole(times).position)


def test_ctrl_c_ends_an_analysis() -> None:
    result = interrupted("""
        import zwang
        model = zwang.load("gallery:double-pendulum", until=1e9)
        print("ready")
        try:
            model.analyze.reversal()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            import os
            os._exit(0)
        """)
    assert result.stdout.split() == ["interrupted"], result.stderr


def test_ctrl_c_ends_a_step() -> None:
    result = interrupted("""
        import zwang
        stepper = zwang.Stepper(zwang.load("gallery:double-pendulum"))
        print("ready")
        try:
            stepper.advance(1e9, through_events=True)
        except KeyboardInterrupt:
            print("interrupted", stepper.status)
        """)
    assert result.stdout.split()[:2] == ["interrupted", "going"], result.stderr


def test_one_stepper_in_many_hands_stays_whole() -> None:
    stepper = zwang.Stepper(zwang.load("gallery:double-pendulum"))

    def push(number: int) -> None:
        try:
            stepper.advance(0.01 * number, through_events=True)
        except ValueError:
            pass
        assert np.isfinite(stepper.position).all() and stepper.status == "going"

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(push, range(1, 400)))
    assert stepper.time == 3.99


def test_other_threads_work_while_a_motion_runs() -> None:
    model = zwang.load("gallery:double-pendulum")
    count = 0
    done = threading.Event()

    def run() -> None:
        model.run(until=3000.0)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 5


def test_one_model_answers_many_threads() -> None:
    models = [zwang.parse(PENDULUM), zwang.load("gallery:double-pendulum"), zwang.load("gallery:newtons-cradle")]
    expected = [(model.accelerate().json, model.run(until=1.0).json) for model in models]
    run = models[1].run(until=5.0)
    times = np.linspace(0, 5, 1001)
    positions = run(times).position.copy()

    def ask(number: int) -> bool:
        model = models[number % 3]
        good = (model.accelerate().json, model.run(until=1.0).json) == expected[number % 3]
        return good and bool((run(times).position == positions).all())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(120)))


def test_a_run_file_answers_many_threads(tmp_path: pathlib.Path) -> None:
    run = zwang.load("gallery:double-pendulum").run(until=10.0, out=tmp_path / "x.sqlite")
    times = np.linspace(0, 10, 101)
    positions = run(times).position.copy()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: (run(times).position == positions).all() and run[2.0:3.0](2.5) is not None, range(40)))


def resident() -> int:
    """Bytes of memory in use."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_many_runs_leave_nothing_behind() -> None:
    many = 100_000 if os.environ.get("ZWANG_SOAK") else 25_000
    model = zwang.parse("[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\n[constraints]\nwall = 'a.x <= 0.5'\n"
                        "[simulation]\nuntil = 1\nsamples = 3\n")

    def turn(count: int) -> None:
        for _ in range(count):
            run = model.run()
            assert run.status == "finished"
            run.position
            model.accelerate().array

    turn(2000)
    before = resident()
    turn(many)
    assert resident() - before < max(2 << 20, 42 * many)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_other_objects_leave_nothing_behind(tmp_path: pathlib.Path) -> None:
    text = PENDULUM

    def turn(count: int) -> None:
        for _ in range(count):
            model = zwang.parse(text)
            model.accelerate().to_dict()
            run = model.run(until=0.1)
            run.to_dict()
            run(0.05).multipliers["string"]
            stepper = zwang.Stepper(model)
            stepper.advance(0.05)
            stepper.set(L=1.0)
            zwang.gauss.solve([1.0], None, None, [[1.0]], [0.0], [1.0])
            try:
                zwang.parse("[points.a")
            except zwang.Error:
                pass

    turn(200)
    before = resident()
    turn(600)
    assert resident() - before < 4 << 20


def test_arguments_that_mean_nothing_are_refused_in_the_words_of_python():
    model = zwang.load("gallery:bouncing-ball")
    for act, kind, words in [
            (lambda: zwang.Stepper(model, tolerance=-1), ValueError, "between 0 and 1"),
            (lambda: zwang.Stepper(model, tolerance=float("nan")), ValueError, "between 0 and 1"),
            (lambda: zwang.Stepper(model).advance(float("nan")), ValueError, "not finite"),
            (lambda: model.run(float("nan")), ValueError, "until: nan is not finite"),
            (lambda: model.run(1, samples=2.5), TypeError, "samples: a whole number"),
            (lambda: model.run(1, sensitivity=["ee"]), ValueError, "did you mean 'e'"),
            (lambda: model.with_parameters(e=float("nan")), ValueError, "e: a finite number"),
            (lambda: model.with_parameters(zz=1), zwang.Error, "zz:1:1: error: the model has no parameter"),
            (lambda: model.replace(until=-1), zwang.Error, "until:1:1: error: the run must end after"),
            (lambda: zwang.parse("title = '\ud800'"), ValueError, "line 1 has half of a surrogate pair"),
    ]:
        with pytest.raises(kind, match=words) as raised:
            act()
        assert "--" not in str(raised.value)


def test_accelerations_take_any_row_of_numbers_and_fill_what_can_be_filled():
    model = zwang.load("gallery:bouncing-ball")
    expected = model.accelerations(np.array([0.0, 0, 1]), np.zeros(3))
    assert (model.accelerations([0, 0, 1], (0, 0, 0)) == expected).all()
    assert (model.accelerations(np.array([0, 0, 1], dtype="f4"), np.zeros(6)[::2]) == expected).all()
    for out in (np.zeros(6)[::2], np.zeros(3, "f4"), np.frombuffer(b"\0" * 24)):
        with pytest.raises(TypeError, match="out: an array of float64"):
            model.accelerations(np.array([0.0, 0, 1]), np.zeros(3), 0.0, out)
    with pytest.raises(ValueError, match="one row of numbers"):
        model.accelerations([[0, 0, 1]], [[0, 0, 0]])


def test_an_answer_is_pickled_with_its_numbers():
    answer = zwang.load("gallery:string-pendulum").accelerate()
    again = pickle.loads(pickle.dumps(answer))
    assert type(again) is type(answer)
    assert again.status == "determined" and again.json == answer.json
    assert (again.array == answer.array).all()
    assert again.constraints["string"].role == "binding"
    assert pickle.loads(pickle.dumps(again)).json == answer.json


def test_a_run_in_the_shape_of_scipy_refuses_times_outside():
    run = zwang.load("gallery:bouncing-ball").run(1)
    with pytest.raises(ValueError, match=r"t = 5.0 lies outside of the run"):
        run.solve_ivp(t_eval=[0, 5])
    with pytest.raises(ValueError, match="outside"):
        run.solve_ivp().sol(-1.0)


def test_a_plot_of_nothing_known_names_all_that_there_is():
    pytest.importorskip("matplotlib")
    with pytest.raises(KeyError, match=r"ball, ball\.x, ball\.y, ball\.z, floor"):
        zwang.load("gallery:bouncing-ball").run(1).plot("zz")

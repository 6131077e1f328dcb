#!/usr/bin/env python3
"""What zwang's elementary functions cost within motions, beside those of the C library: instructions per model, own / library.

  benchmarks/elementary_in_steps.py [BUILD] [MODEL ...]        a build folder with the command (build/release)

The command is linked once more, beside the build, with functions that call the C library in the place of zwang::elementary; nothing else is another. Counted are
the instructions between an eighth of the time and all of it (before_after.py). The two go different ways where a last bit decides on a step, which shows as a
ratio below one. GOAL is docs/mathematics, 22.6.
"""

import pathlib
import shlex
import subprocess
import sys
import tempfile

from before_after import cost

GOAL = 1.5
ONE = ["exp2", "expm1", "log2", "log10", "log1p", "atanh", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"]
TWO = ["pow", "atan2", "hypot"]
LIBRARY = """#include <cmath>
#include "zwang/elementary/elementary.hpp"
namespace zwang::elementary {
%s
double hypot(double x, double y, double z) { return std::hypot(x, y, z); }
SineCosine sin_cos(double x) { SineCosine both; ::sincos(x, &both.sine, &both.cosine); return both; }
}
""" % "\n".join([f"double {f}(double x) {{ return std::{f}(x); }}" for f in ONE] +
                [f"double {f}(double x, double y) {{ return std::{f}(x, y); }}" for f in TWO])
PLANE = """[coordinates]
x = {{ initial = 0.7, velocity = 0.3 }}
y = {{ initial = 0.4, velocity = -0.2 }}
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "{}"
"""
POTENTIALS = {
    "sin, cos": "3 - cos(x) - sin(y)*cos(x - y) + sin(3*x + y)^2",
    "exp": "exp(x) + exp(-x) + exp(y - x) + exp(x - y) + exp(-y)",
    "log": "x^2 + y^2 - log(4 + x) - log(4 - x) - log(4 + y) - log(5 + x*y)",
    "pow": "(1 + x^2)^1.7 + (2 + y^2)^0.3 + (3 + x^2 + y^2)^2.2",
    "atan, atan2": "x*atan(x) + y*atan(y) + (x + y)*atan2(x + y, 2) + x^2/9",
    "asin, acos": "x^2 + y^2 + asin(x/9)^2 + acos(y/9)^2",
    "cosh, tanh": "cosh(x) + cosh(y) + log(cosh(x - y)) + tanh(x*y)^2",
    "all of them": "cosh(x) + sin(y)^2 + exp(x*y/4) - log(9 + x) + (2 + y^2)^1.3 + x*atan(x) + tan(x/9)^2 + y^4",
}
# Few orders to a step: so often as here functions are called nowhere else.
STEPS = """[coordinates.x]
initial = 0.7
force = "-sin(x) - exp(x)/9 - atan(x)/5 - 0.1*tanh(x')"
[energy]
kinetic = "x'^2/2"
"""


def by_library(build, room):
    """The command with the functions of the C library."""
    source = pathlib.Path(__file__).resolve().parent.parent
    (room / "library.cpp").write_text(LIBRARY)
    subprocess.run(["c++", "-std=c++20", "-O3", "-fPIE", f"-I{source}/src", f"-I{source}/include", "-c", str(room / "library.cpp"), "-o",
                    str(room / "library.o")], check=True)
    listed = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "-s", "bin/zwang"], capture_output=True, text=True, check=True).stdout
    words = shlex.split(listed.splitlines()[-1])
    words = [word for word in words if word not in (":", "&&")]
    at = words.index("-o")
    words[at : at + 2] = ["-Wl,--allow-multiple-definition", str(room / "library.o"), "-o", str(room / "zwang")]
    # The library's come first, so that they are taken.
    first = next(k for k, word in enumerate(words) if word.endswith(".o"))
    words.insert(first, str(room / "library.o"))
    del words[len(words) - 1 - words[::-1].index(str(room / "library.o"))]
    subprocess.run(words, cwd=build, check=True)
    return room / "zwang"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
    models = {name: PLANE.format(potential) for name, potential in POTENTIALS.items()} | {"blunt steps": STEPS}
    print(f"{'':16}{'library':>10}{'own':>10}   ratio  goal   (millions)")
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        commands = [by_library(build, room), build / "bin" / "zwang"]
        for what, text in models.items():
            if sys.argv[2:] and what not in sys.argv[2:]:
                continue
            model = room / "model.toml"
            model.write_text(f"{text}[simulation]\nuntil = 20\nsamples = 2\n" + ("tolerance = 1e-3\n" if what == "blunt steps" else ""))
            library, own = (cost(command, model, 20) - cost(command, model, 2.5) for command in commands)
            print(f"{what:16}{library / 1e6:10.1f}{own / 1e6:10.1f}{own / library:8.2f}{GOAL:6.1f}", flush=True)


if __name__ == "__main__":
    main()

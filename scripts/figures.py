#!/usr/bin/env python3
"""Draw the figures of the documentation with the command's own --svg.

  scripts/figures.py --build build/release            draws them all into docs/pictures
  scripts/figures.py --build build/release --check    are they still true?

Numbers may differ by a rounding of the picture (another compiler's last bit may tip one); everything else is compared exactly.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
# picture: model, figure, options
FIGURES = {
    "chain-meets-beam-path": ("chain-meets-beam", "path", ["--until", "3"]),
    "chain-meets-beam-multipliers": ("chain-meets-beam", "multipliers", ["--until", "3"]),
    "leaning-disc-path": ("leaning-disc", "path", []),
    "net-on-ball-path": ("net-on-ball", "path", ["--until", "0.6", "--projection", "-40,30"]),
    "domino-row-path": ("domino-row", "path", ["--until", "2"]),
}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def drawn(build, folder, model, figure, options):
    command = [build / "bin" / "zwang", "run", f"gallery:{model}", "--svg", "--no-report", "--quiet", "--out", folder, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (pathlib.Path(folder) / f"{model}-{figure}.svg").read_text(encoding="utf-8")


def alike(one, other):
    """The same words, and numbers that are the same but for a rounding."""
    if NUMBER.sub("", one) != NUMBER.sub("", other):
        return False
    return all(abs(float(a) - float(b)) < 0.25 for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, required=True)
    options.add_argument("--check", action="store_true")
    arguments = options.parse_args()
    wrong = []
    for name, (model, figure, more) in FIGURES.items():
        with tempfile.TemporaryDirectory() as folder:
            text = drawn(arguments.build.resolve(), folder, model, figure, more)
        picture = PICTURES / f"{name}.svg"
        if not arguments.check:
            picture.write_text(text, encoding="utf-8")
        elif not picture.exists() or not alike(picture.read_text(encoding="utf-8"), text):
            wrong.append(name)
    for name in wrong:
        print(f"docs/pictures/{name}.svg is out of date: scripts/figures.py --build DIR draws it again", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""No source of zwang calls a transcendental function of the C library: those give other bits on other machines.

usage: own_functions.py ROOT [FILE ...]

Looks at the text of src, cli and python below ROOT (comments and strings aside), and, where `nm` is there, at the names that
the given programs and libraries want from others. What is exact everywhere (sqrt, fma, fmod, ldexp, floor ...) is allowed.
"""
import pathlib
import re
import shutil
import subprocess
import sys

NAMES = ("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt "
         "hypot erf erfc tgamma lgamma sincos sinpi cospi j0 j1 jn y0 y1 yn").split()
COMPLEX = "cabs carg clog cexp cpow csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan polar".split()
CALL = re.compile(r"(?:\bstd\s*::\s*|\b__builtin_|(?<![\w)>\]])::\s*)(" + "|".join(NAMES + COMPLEX) + r")[fl]?\b")
ASIDE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE_IN_OTHERS = re.compile(r"^\s*#\s*include\s*<(math\.h|complex\.h|tgmath\.h|ctgmath)>", re.MULTILINE)


def breaches_in(path):
    """Lines of a source that use what they must not."""
    text = path.read_text(encoding="utf-8")
    plain = ASIDE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    out = []
    for found in list(CALL.finditer(plain)) + list(INCLUDE_IN_OTHERS.finditer(plain)):
        out.append(f"{path}:{plain.count(chr(10), 0, found.start()) + 1}: {found.group().strip()}")
    return out


def wanted_by(path):
    """Names of the C library that a binary wants, of those that are not allowed."""
    banned = {name + suffix for name in NAMES + COMPLEX for suffix in ("", "f", "l")}
    tables = [["nm", "-D", "--undefined-only", path], ["nm", "--undefined-only", path]]
    names = set()
    for call in tables:
        listed = subprocess.run(call, capture_output=True, text=True, check=False).stdout
        names |= {line.split()[-1].split("@")[0] for line in listed.splitlines() if " U " in line}
    return sorted(names & banned)


def main():
    root = pathlib.Path(sys.argv[1])
    found = []
    files = [p for folder in ("include", "src", "cli", "python") for p in sorted((root / folder).rglob("*")) if p.suffix in (".cpp", ".hpp")]
    if len(files) < 50:
        raise SystemExit("no sources found")
    for path in files:
        found += breaches_in(path)
    for binary in sys.argv[2:] if shutil.which("nm") else []:
        found += [f"{binary} wants {name}" for name in wanted_by(binary)]
    # The guard itself must see a breach.
    probe = "double f(double x) { return std::sin(x) + ::exp(x) + __builtin_powf(x, 2); }  // std::cos"
    if len(CALL.findall(ASIDE.sub(" ", probe))) != 3:
        raise SystemExit("the guard is blind")
    if found:
        raise SystemExit("\n".join(found) + f"\n{len(found)} uses of the C library's functions: take those of zwang/elementary/elementary.hpp")
    print(f"{len(files)} files, none uses the C library's transcendental functions")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Write src/zwang/elementary/tables.hpp: the constants and tables of the elementary functions, from whole numbers alone.

Everything is computed in fixed point with 2600 bits by Taylor series (Machin's formula for pi), then rounded once; no
library of mathematics takes part.  usage: elementary_tables.py [--check]   (--check: say whether the file is up to date)
"""

import math
import pathlib
import sys

BITS = 2600  # of fixed point: 2/pi needs 1074 + 53 + 320 of them, all else less
ONE = 1 << BITS
FILE = pathlib.Path(__file__).resolve().parent.parent / "src" / "zwang" / "elementary" / "tables.hpp"


def series(first, ratio):
    """first + first ratio(1) + first ratio(1) ratio(2) + ..., until nothing is left."""
    total, term, n = first, first, 0
    while term:
        n += 1
        term = ratio(term, n)
        total += term
    return total


def exp(x):
    """exp of a fixed point number."""
    return series(ONE, lambda term, n: (term * x >> BITS) // n)


def sin(x):
    """sine of a fixed point number."""
    square = x * x >> BITS
    return series(x, lambda term, n: -(term * square >> BITS) // (2 * n * (2 * n + 1)))


def atan(x):
    """arc tangent, |x| <= 1: twice halved, then the series."""
    for _ in range(2):
        x = (x << BITS) // (ONE + math.isqrt((ONE + (x * x >> BITS)) << BITS))
    square = x * x >> BITS
    total, term, n = 0, x, 0
    while term:
        total += (-1) ** n * (term // (2 * n + 1))
        term = term * square >> BITS
        n += 1
    return 4 * total


def log(numerator, denominator):
    """log of a quotient between 1/2 and 2: 2 artanh((x - 1) / (x + 1))."""
    x = ((numerator - denominator) << BITS) // (numerator + denominator)
    square = x * x >> BITS
    total, term, n = 0, x, 0
    while term > 1 or term < -1:
        total += term // (2 * n + 1)
        term = term * square >> BITS
        n += 1
    return 2 * total


PI = 4 * (4 * atan(ONE // 5) - atan(ONE // 239))
LN2 = log(2, 1)


def cut(value, bits):
    """The nearest fixed point number with that many significant bits."""
    if value == 0:
        return 0
    drop = abs(value).bit_length() - bits
    if drop <= 0:
        return value
    return ((value + (1 << (drop - 1))) >> drop) << drop


def on_grid(value, power):
    """The nearest multiple of 2^-power."""
    drop = BITS - power
    return ((value + (1 << (drop - 1))) >> drop) << drop


def number(value):
    """A fixed point number that a double holds, as hexadecimal."""
    return (value / ONE).hex() if value else "0"


def parts(value, *bits):
    """A number as a sum of numbers of so many bits; the last has 53."""
    out = []
    for b in (*bits, 53):
        out.append(cut(value, b))
        value -= out[-1]
    return out


def table(name, why, width, rows):
    lines = [f"/// {why}"]
    lines.append(f"inline constexpr double {name}[{len(rows)}][{width}] = {{")
    lines += ["    {" + ", ".join(number(x) for x in row) + "}," for row in rows]
    return lines + ["};", ""]


def words(name, why, value, count):
    """The first words of 64 bits of a number in [0, 1)."""
    digits = [(value >> (BITS - 64 * (i + 1))) & (2**64 - 1) for i in range(count)]
    lines = [f"/// {why}", f"inline constexpr std::uint64_t {name}[{count}] = {{"]
    lines += ["    " + ", ".join(f"0x{d:016x}" for d in digits[i:i + 4]) + "," for i in range(0, count, 4)]
    return lines + ["};", ""]


def constants(why, **values):
    lines = [f"// {why}"]
    lines += [f"inline constexpr double {name} = {number(value)};" for name, value in values.items()]
    return lines + [""]


def reciprocals():
    """For each of 256 intervals of z from 0x1.6p-1 on: c near 1/z with 9 bits after the point, 1 around 1, and -log c."""
    rows = []
    for i in range(256):
        # The intervals are the steps of the 8 leading bits behind the exponent: 2^-9 wide below 1, 2^-8 above.
        below = 160  # of them lie below 1
        low, high = ((352 + i, 353 + i) if i < below else (2 * (256 + i - below), 2 * (257 + i - below)))
        middle = low + high  # in units of 2^-10
        c = (2 * 512 * 1024 + middle) // (2 * middle)
        if i in (below - 1, below):
            c = 512
        value = -log(c, 512)
        first = on_grid(value, 42)
        rows.append((c * (ONE >> 9), first, cut(value - first, 53)))
    return rows


def text():
    ln2_step, pi_step = LN2 // 128, PI // 512
    l1, l2 = parts(ln2_step, 35)
    p1, p2, p3 = parts(pi_step, 29, 29)
    n1 = on_grid(LN2, 42)
    half_1, half_2 = parts(PI // 2, 53)
    out = [
        "/// Tables of the elementary functions, written by scripts/elementary_tables.py: edit that.",
        "///",
        "/// A value v stands as v_1 + v_2 with v_1 of 26 bits, so that products of v_1 with numbers of 26 bits are exact.",
        "// clang-format off", "#pragma once", "", "#include <cstdint>", "", "namespace zwang::elementary::tables {", ""]
    out += constants("log 2 / 128 = step_1 + step_2, the first of 35 bits; log 2 = ln2_1 + ln2_2, the first a multiple of 2^-42.",
                     steps_per_one=(128 << (2 * BITS)) // LN2, ln2_step_1=l1, ln2_step_2=l2, ln2_1=n1, ln2_2=cut(LN2 - n1, 53))
    out += constants("pi / 512 = step_1 + step_2 + step_3, the first two of 29 bits; and to 106 bits in two parts.",
                     turns_per_one=(512 << (2 * BITS)) // PI, pi_step_1=p1, pi_step_2=p2, pi_step_3=p3,
                     pi_step_high=parts(pi_step, 53)[0], pi_step_low=parts(pi_step, 53)[1])
    out += constants("pi / 2, pi, log 2, 1 / log 2 and 1 / log 10 in two parts.",
                     half_pi_high=half_1, half_pi_low=half_2, pi_high=2 * half_1, pi_low=2 * half_2,
                     ln2_high=parts(LN2, 53)[0], ln2_low=parts(LN2, 53)[1],
                     log2e_high=parts((ONE << BITS) // LN2, 53)[0], log2e_low=parts((ONE << BITS) // LN2, 53)[1],
                     log10e_high=parts((ONE << BITS) // (3 * LN2 + log(10, 8)), 53)[0],
                     log10e_low=parts((ONE << BITS) // (3 * LN2 + log(10, 8)), 53)[1])
    out += table("powers", "2^(j / 128), j = 0..127.", 2, [parts(exp(j * ln2_step), 26) for j in range(128)])
    out += table("logarithms", "c of 10 bits, near 1 / z on the i-th interval of z; -log c, its first part a multiple of 2^-42.", 3,
                 reciprocals())
    out += table("sines", "sin(j pi / 512), j = 0..256.", 2, [parts(sin(j * pi_step), 26) for j in range(257)])
    rows = []
    for j in range(130):
        up, down = exp(j * ONE // 128), exp(-j * ONE // 128)
        rows.append(parts((up - down) // 2, 26) + parts((up + down) // 2, 26))
    out += table("hyperbolics", "sinh(j / 128) and cosh(j / 128), j = 0..129.", 4, rows)
    out += table("angles", "atan(j / 128), j = 0..128.", 2, [parts(atan(j * ONE // 128), 53) for j in range(129)])
    out += words("two_over_pi", "The binary digits of 2 / pi behind the point.", (2 << (2 * BITS)) // PI, 28)
    out += words("half_pi_digits", "Those of pi / 4.", PI // 4, 6)
    out += words("ln2_digits", "Those of log 2.", LN2, 6)
    out += ["}  // namespace zwang::elementary::tables"]
    return "\n".join(out) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text(encoding="utf-8") != text():
            raise SystemExit("src/zwang/elementary/tables.hpp is not what scripts/elementary_tables.py writes")
        return
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The reader against the TOML standard: what is a file of TOML 1.0 is read, with the values that Python's own reader sees, and what is none is refused."""

from __future__ import annotations

import math
import random
import tomllib
from typing import Any

import pytest

import zwang

# Each says something that the standard allows.
SOUND = [
    'a = 1', 'a.b.c = 1', '"a b".c = 1', '\'a\'."b" = 2', '"" = 1', "'' = 1", '1234 = 1', '1.2 = 3', '-_- = 1', 'a . b = 1', 'a="x"#c',
    'a = "\\u00e9\\U0001F600\\b\\t\\n\\f\\r\\"\\\\"', "a = '\\ \\x'", 'a = 1_000', 'a = +1', 'a = -0', 'a = 0xDEAD_beef', 'a = 0o755',
    'a = 0b1101', 'a = 1e5', 'a = 1E+5', 'a = -1e-5', 'a = 6.626e-34', 'a = 1_0.0_1e1_0', 'a = +0.0', 'a = inf', 'a = +inf', 'a = -inf',
    'a = nan', 'a = -nan', 'a = true', 'a = false', 'a = 9223372036854775807', 'a = -9223372036854775808', 'a = 1979-05-27T07:32:00Z',
    'a = 1979-05-27 07:32:00Z', 'a = 1979-05-27t07:32:00z', 'a = 1979-05-27T00:32:00.999999-07:00', 'a = 1979-05-27T07:32:00',
    'a = 1979-05-27', 'a = 07:32:00', 'a = 00:32:00.999999', 'a = []', 'a = [1,2,]', 'a = [ [1,2], ["a"] , 3.0 ]', 'a = {}', 'a = {b=1}',
    'a = { b.c = 1, b.d = 2, "e f" = 3 }', '[a]', '[a.b]', '[ a . "b c" ]', '[[a]]', '[[a.b]]', '[a]#c', 'a = [\n1, # c\n2\n# x\n]',
    "a = '''\nx'''", "a = '''x''''", "a = '''x'''''", 'a="""x""""', 'a="""x"""""', 'a=""""""', "a=''''''", 'a = """\\\n   x"""',
    'a = """\\   \n\n   x"""', 'a="""x \\\r\n y"""', '[a]\n[a.b]\n[a.b.c]', '[a.b.c]\n[a]\nx=1', '[[a]]\n[[a]]\n[a.b]\n[[a]]',
    'a.b=1\na.c=2', '[a]\nb.c=1\nb.d=1', '\ufeffa=1', 'a=1\r\nb=2\r\n', '# only', '# \xfc \u529b', '', '\n\n', 'a = [[[[]]]]',
    "a='tab\there'", '#\ttab', 'a=""""a"""', 'a="""a""b"""',
    "[[fruit]]\nname='x'\n[fruit.physical]\ncolor='r'\n[[fruit.variety]]\nname='y'", '[a.b]\nc=1\n[a]\nd=2', '[x.y.z.w]\n[x]',
    'a = {b=[{c=1},{d=2}]}', 'a = [{x=1},{x=2}]', 'a=0e0', 'a=1.0E0', 'a=0.0e-0', "a='''\r\nx'''", 'a="""\r\nx"""',
    'a=1987-07-05T17:45:56.123456789Z', 'a=2000-02-29', 'a=1987-07-05T17:45:56+00:00', 'a=[\n\n]', 'a=[\t1\t,\t2]', "[ j . 'l' ]",
    "[a]\n'b'.c=1", 'a = "\\u0000"', 'a="""\n\\u0000"""', 'true=1', 'inf=2', '2001-02-03=1', '[true]', '[1.2]',
]

# And here something that it forbids.
BROKEN = [
    'a', 'a =', '= 1', 'a = 1 b = 2', 'a == 1', 'a = 01', 'a = +01', 'a = 1__0', 'a = _1', 'a = 1_', 'a = 0x', 'a = 0xG', 'a = +0x1',
    'a = 0X1', 'a = 0b2', 'a = 0o8', 'a = 0_b1', 'a = 0x_1', 'a = 1.', 'a = .1', 'a = 1.e5', 'a = 1e', 'a = 1e_5', 'a = 1e5_', 'a = 1._0',
    'a = 1_.0', 'a = 00.1', 'a = 1e1.5', 'a = Inf', 'a = NaN', 'a = True', 'a = TRUE', 'a = "x', "a = 'x", 'a = "\\x41"', 'a = "\\e"',
    'a = "\\u12"', 'a = "\\ud800"', 'a = "\\U00110000"', 'a = "\\U12345"', 'a = "\\ "', 'a = "a" "b"', "a = 'a'b", 'a = [1,,2]', 'a = [,1]',
    'a = [1 2]', 'a = [1', 'a = 1]', 'a = {b=1,}', 'a = {,b=1}', 'a = {b=1 c=2}', 'a = {b=1', 'a = {b}', 'a = {b=1}}', 'a. = 1', '.a = 1',
    'a..b = 1', 'a b = 1', '"a = 1', '[a', 'a]', '[a]]', '[[a]', '[[a] ]', '[ [a]]', '[]', '[[]]', '[a.]', '[.a]', '[a..b]', '[a] b=1',
    '[a b]', 'a = 1979-5-27', 'a = 1979-13-01', 'a = 1979-02-30', 'a = 1979-00-10', 'a = 1979-01-00', 'a = 1979-05-27T',
    'a = 1979-05-27T25:00:00Z', 'a = 1979-05-27T07:60:00Z', 'a = 1979-05-27T07:32:60.5Z', 'a = 1979-05-27T07:32:61Z',
    'a = 1979-05-27T07:32', 'a = 7:32:00', 'a = 07:32', 'a = 1979-05-27  07:32:00', 'a = 1979-05-27T07:32:00+25:00',
    'a = 1979-05-27T07:32:00.Z', 'a = 2001-02-29', 'a = """x', "a = '''x", 'a = "', '"#x"', 'a = \xfc', '\xfc = 1', 'a=1\na=2',
    'a=1\na.b=2', 'a.b=1\na=2', '[a]\n[a]', '[a]\nb=1\n[a.b]', 'a={b=1}\na.c=2', 'a={b=1}\n[a.c]', 'a=[1]\n[[a]]', 'a=[{}]\n[[a]]',
    '[[a]]\n[a]', '[a]\n[[a]]', '[a.b]\n[a]\nb.c=1', '[a]\nb.c=1\n[a.b]', 'a={b.c=1,b=2}', 'a={b=1,b=2}', 'a={b=1\n}', 'a={\nb=1}',
    "a='x\ny'", 'a="x\ny"', 'a="""x""""""', "a='''x''''''", "a='\x00'", '#\x00', '#\x7f', '#\x01', "a='\x7f'", 'a="\x1f"', 'a=1\rb=2',
    "a='''\rx'''", '#a\rb', 'a="""x\ry"""', 'a=1\x00', '\x0ca=1', 'a=1\x0b', "a='''\x7f'''", 'a="""\\ x"""', 'a = """\\   x\n"""',
    'a=\xa01', 'a=1 \u2028', '[a]\nx=1\n[a]\ny=2', '[a.b]\n[a.b]', '[[a.b]]\n[a]\nb=1', '[[a.b]]\n[a.b]', '"a"=1\na=2', '\'a\'.b=1\n"a"=2',
    'a.b.c=1\na.b=2', '[a]\nb={c=1}\nb.d=2', '[a]\nb={c=1}\n[a.b.e]', '[t]\na.b=1\n[t.a]', 'a=[1]\na[0]=2', '"""a"""=1', "'''a'''=1",
    'a\n=1', 'a=\n1', '[a\n]', 'a={}}\n', 'a=[1]]', 'a\xa0=1', 'a=1;b=2', 'a=\\u0041', '\\u0041=1', 'a="\\\n"',
    "[fruit]\napple.color='r'\n[fruit.apple]", "[a.b.c]\nz=9\n[a]\nb.c.t='x'", '[[tab.arr]]\n[tab]\narr.val1=1', '[a]\n[a.b]\n[a.b]\n',
    'tbl={a=1}\n[[tbl.x]]', 'tbl={a={}}\n[tbl.a]', 'arr=[{x=1}]\n[arr.y]', '\ufeff\ufeffa=1', 'a=1\ufeff',
]

# The words of refusals that speak of TOML; other files are TOML, but no models.
WORDS = ["this is not TOML", "this is not a text file", "cannot stand", "a name of more than", "stands here for the second time", "this is no value",
         "the line goes on behind", "nested too deeply", "more than the 64 bits", "too large or too small", "a quote is missing",
         "the file ends too early", "a value is missing behind", "closing bracket"]

# A text, a number: what is made of them can be seen in the answer.
STRINGS = ['"x"', "'x'", '"a\\tb\\nc\\\\d\\"e\\u00e9\\U0001F600\\b\\f\\r"', '"""\nx\ny"""', '"""x\\\n   y"""', "'''\nx\\y'''", "'''a''b'''", "'''a'''''",
           '"""a"""""', '"""a\\\n\n\n  \t b"""', '"""\\\n\u00a7"""', '"""\r\nx\r\ny"""', "'''\r\nx\r\ny'''", '"\\u007f"', '"\\u0000"', '"\\u2028\\ufeff\\ufffe"',
           '"\u65e5\u672c \u00e9"', '"""\u00a7\\\n   \u00a7\u00a7 \\\n \u00e9"""', '"""a \\   \n b"""', '"\\ud7ff\\ue000\\U0010ffff"', '"""\\"""\\""""', '"""\n\n"""', '"\t"',
           '"""x\\\r\n  y"""', '"""a\\n\\\n  b"""', '"""\\\\\n x"""', '"""\\\\\\\n x"""']
NUMBERS = ["0", "-0", "+0", "1_000", "0xff", "0xFF_ff", "0o17", "0b101", "1e5", "1E-5", "6.02e+23", "0.1", "-0.0", "+1.5", "3.14_15", "1e1_0", "9007199254740993",
           "9223372036854775807", "-9223372036854775808", "4.9e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "0e0", "123456789.123456789",
           "0x7fffffffffffffff"]
COORDINATE = """
[coordinates.x]
initial = 0
force = "p"
[energy]
kinetic = "x'^2/2"
"""


def is_toml(text: str) -> bool:
    """By Python's reader, with numbers that 64 bits hold."""
    beyond = []

    def number(word: str) -> float:
        if math.isinf(float(word)) and "inf" not in word:
            beyond.append(word)
        return float(word)

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for one in value.values():
                look(one)
        elif isinstance(value, list):
            for one in value:
                look(one)
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            beyond.append(value)

    try:
        look(tomllib.loads(text.removeprefix("\ufeff"), parse_float=number))
    except (tomllib.TOMLDecodeError, ValueError):
        return False
    return not beyond


def is_read(text: str) -> bool:
    """By zwang, were it a model or not."""
    try:
        zwang.parse(text)
    except zwang.Error as error:
        return not any(word in str(error) for word in WORDS)
    return True


@pytest.mark.parametrize("text", SOUND)
def test_what_the_standard_allows_is_read(text: str) -> None:
    assert is_toml(text)
    assert is_read(text)


@pytest.mark.parametrize("text", BROKEN)
def test_what_the_standard_forbids_is_refused(text: str) -> None:
    assert not is_toml(text)
    assert not is_read(text)


def test_files_put_together_and_damaged_are_judged_as_by_another_reader() -> None:
    dice = random.Random(1)
    signs = "ab.=,[]{}\"'#\n\r\t \\_+-0123456789eExobTZ:u\u00fc\ufeff\u007f\x01"
    judged = {True: 0, False: 0}
    for _ in range(3000):
        text = "\n".join(dice.sample(SOUND + BROKEN if dice.random() < 0.5 else SOUND, dice.randint(1, 4)))
        for _ in range(dice.randint(0, 3)):
            at = dice.randint(0, len(text))
            kept = at + (dice.random() < 0.6)
            text = text[:at] + (dice.choice(signs) if dice.random() < 0.7 else "") + text[kept:]
        assert is_read(text) == is_toml(text), repr(text)
        judged[is_toml(text)] += 1
    assert min(judged.values()) > 300, judged


def test_texts_and_numbers_are_those_that_another_reader_sees() -> None:
    for written in STRINGS:
        text = "title = " + written + "\nparameters.p = 1\n" + COORDINATE
        assert zwang.parse(text).title == tomllib.loads(text)["title"], repr(written)
    dice = random.Random(5)
    some = [repr(dice.uniform(-1, 1) * 10.0 ** dice.randint(-300, 300)) for _ in range(100)]
    some += [f"{dice.randrange(10**9)}.{dice.randrange(10**18)}e{dice.randint(-300, 280)}" for _ in range(100)]
    some += [str(dice.randrange(-(2**63), 2**63)) for _ in range(50)]
    for written in NUMBERS + some:
        text = f"parameters.p = {written}\n" + COORDINATE
        assert zwang.parse(text).accelerate().accelerations["x"] == float(tomllib.loads(text)["parameters"]["p"]), written

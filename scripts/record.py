#!/usr/bin/env python3
"""Draw what commands print on a terminal, with its colours, as an SVG whose lines appear one after the other.

  scripts/record.py --build build/release docs/pictures/explain.svg "zwang explain gallery:ladder"
  scripts/record.py --build build/release --check docs/pictures/explain.svg    is the picture still true?

The commands are kept in the picture, so that --check can run them again.
"""

import argparse
import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

COLUMNS = 110
CHARACTER = 8.4  # width of one character of a 14 px monospaced font
LINE = 19
COLOURS = {30: "#6e7681", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea",
           37: "#e6edf3", 90: "#8b949e", 91: "#ffa198", 92: "#56d364", 93: "#e3b341", 94: "#79c0ff", 95: "#d2a8ff",
           96: "#76e3ea", 97: "#ffffff"}
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")


def capture(command, build):
    """What the command writes to a terminal of COLUMNS columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment.update(PATH=f"{build.resolve() / 'bin'}:{os.environ['PATH']}", TERM="xterm-256color", LC_ALL="C.UTF-8")
    process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=side, stderr=side, env=environment)
    os.close(side)
    pieces = []
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(main)
    if process.wait() != 0:
        raise SystemExit(f"record: `{command}` ended with status {process.returncode}")
    return b"".join(pieces).decode("utf-8").replace("\r\n", "\n").rstrip("\n")


def spans(line, style):
    """A line as SVG spans; `style` is the set of escapes in force, changed in place."""
    result = []
    position = 0
    for match in [*SEQUENCE.finditer(line), None]:
        text = line[position:match.start() if match else len(line)]
        if text:
            words = []
            if style.get("colour"):
                words.append(f'fill="{style["colour"]}"')
            if style.get("bold"):
                words.append('font-weight="bold"')
            if style.get("dim"):
                words.append('opacity="0.65"')
            escaped = html.escape(text, quote=False)
            result.append(f"<tspan {' '.join(words)}>{escaped}</tspan>" if words else escaped)
        if not match:
            break
        position = match.end()
        for code in (int(code or 0) for code in match.group(1).split(";")):
            if code == 0:
                style.clear()
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["dim"] = True
            elif code == 22:
                style.pop("bold", None)
                style.pop("dim", None)
            elif code == 39:
                style.pop("colour", None)
            elif code in COLOURS:
                style["colour"] = COLOURS[code]
    return "".join(result)


def draw(commands, build):
    """The whole picture."""
    rows = []
    widest = 60
    for number, command in enumerate(commands):
        if number:
            rows.append("")
        rows.append(f'<tspan fill="#7ee787">$</tspan> <tspan font-weight="bold">{html.escape(command, quote=False)}</tspan>')
        style = {}
        for line in capture(command, build).split("\n"):
            widest = max(widest, len(SEQUENCE.sub("", line)))
            rows.append(spans(line, style))
    width = round(widest * CHARACTER) + 32
    height = len(rows) * LINE + 56
    kept = html.escape("\n".join(commands), quote=False)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">',
        f"<desc>{kept}</desc>",
        "<style>text { white-space: pre; fill: #e6edf3 } @media (prefers-reduced-motion: no-preference) { "
        "text { opacity: 0; animation: show 0.01s forwards } } @keyframes show { to { opacity: 1 } }</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
        '<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/>'
        '<circle cx="60" cy="18" r="6" fill="#28c840"/>',
    ]
    delay = 0.3
    for number, row in enumerate(rows):
        if row:
            lines.append(f'<text x="16" y="{52 + number * LINE}" xml:space="preserve" '
                         f'style="animation-delay: {delay:.2f}s">{row}</text>')
        delay += 0.8 if row.startswith('<tspan fill="#7ee787">$') else 0.06
    return "\n".join([*lines, "</svg>", ""])


def without_rounding(lines):
    """Lines with rounding errors and the blanks that align them taken out: they differ between processors."""
    return [re.sub(r" +", " ", re.sub(r"-?\b\d+(\.\d+)?e-1\d\b", "0", line)).strip() for line in lines if line.strip()]


def shown(picture):
    """The lines of text in a picture."""
    return [html.unescape(re.sub(r"<[^>]+>", "", text)) for text in re.findall(r"<text [^>]*>(.*)</text>", picture)]


def printed(commands, build):
    """The lines that the commands print when nobody is looking, each below its prompt."""
    lines = []
    environment = dict(os.environ, PATH=f"{build.resolve() / 'bin'}:{os.environ['PATH']}", NO_COLOR="1", LC_ALL="C.UTF-8")
    for command in commands:
        lines.append(f"$ {command}")
        lines += subprocess.run(["bash", "-c", command], env=environment, text=True, check=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.splitlines()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with bin/zwang")
    parser.add_argument("--check", action="store_true", help="compare with the picture that is there")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("commands", nargs="*")
    options = parser.parse_args()
    if not options.check:
        options.picture.parent.mkdir(parents=True, exist_ok=True)
        options.picture.write_text(draw(options.commands, options.build), encoding="utf-8")
        return 0
    there = options.picture.read_text(encoding="utf-8")
    commands = html.unescape(re.search(r"<desc>(.*?)</desc>", there, re.DOTALL).group(1)).split("\n")
    if without_rounding(printed(commands, options.build)) != without_rounding(shown(there)):
        again = " ".join(f"'{command}'" for command in commands)
        print(f"{options.picture} is out of date; draw it again:\n  scripts/record.py --build BUILD {options.picture} {again}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

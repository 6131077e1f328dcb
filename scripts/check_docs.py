#!/usr/bin/env python3
"""Run every code block of the documentation.

What is done with a fenced block follows from its first word:

  sh        run with bash -e in an empty folder, `zwang` on the PATH; lines such as `make run` are only checked to name a target
  console   lines `$ command` are run, and what they print is compared with the lines below; a line `...` stands for any lines,
            ` ...` at the end of a line for the rest of it
  toml      a whole model: `zwang check` must accept it; the blocks of a page that start with `# name.toml` are also kept as
            that file for the sh and console blocks after them
  cpp       a whole program: compiled against zwang, run, must end with status 0. Blocks that say `cpp joined` are parts of one program:
            their lines stand one after the other in its `main`, #include lines before it, and where the next block of the page says
            `text printed` it is what they print
  python    run by the interpreter that ZWANG_PYTHON_INTERPRETER names, with what earlier blocks of the page made; where a block
            begins with `>>>` what it prints is compared. Without that interpreter they are left to scripts/test_python
  text      nothing; so also json, and anything whose first line of tags says `fragment`

A block that says `long` is run where --long is given (scripts/soak does) and otherwise only read by bash.

Blocks of one page share a folder, in order. Usage: check_docs.py --root DIR [--build DIR] [--long] [FILE...]
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^( *)(```+|~~~+) *(.*)$")
NOT_RUN = {"", "text", "json", "latex", "mermaid"}
MAKE_LINE = re.compile(r"^make(?: +([a-z]+))?(?: +[A-Z]+=\S+)* *(?:#.*)?$")
MARK = "-- end of a part --"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


# Runs blocks one after the other in one name space, and tells for each what went wrong.
PYTHON_RUNNER = r"""
import contextlib, doctest, io, json, sys, traceback
names = {"__name__": "__page__"}
told = []
for text in json.load(sys.stdin):
    spoken = io.StringIO()
    with contextlib.redirect_stdout(spoken):
        if text.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(text, names, "block", None, 0)
            runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            runner.run(test, out=spoken.write, clear_globs=False)
            names.update(test.globs)
            wrong = spoken.getvalue() if runner.failures else ""
        else:
            try:
                exec(compile(text, "<block>", "exec"), names)
                wrong = ""
            except Exception:
                wrong = traceback.format_exc()
    told.append(wrong)
json.dump(told, sys.stdout)
"""


class Block:
    """One fenced block: where it stands, its tags, its text."""

    def __init__(self, line, tags, text):
        self.line = line
        self.language = tags[0] if tags else ""
        self.tags = tags[1:]
        self.text = text


def blocks_of(text):
    """The fenced blocks of a Markdown text, in order."""
    found = []
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        match = FENCE.match(lines[index])
        if not match:
            index += 1
            continue
        indent, fence, tags = match.groups()
        begin = index + 1
        end = begin
        while end < len(lines) and not re.match(rf"^ *{re.escape(fence[0])}{{{len(fence)},}} *$", lines[end]):
            end += 1
        if end == len(lines):
            raise ValueError(f"line {begin}: this block is never closed")
        body = [line[len(indent):] if line.startswith(indent) else line for line in lines[begin:end]]
        found.append(Block(begin, tags.split(), "\n".join(body) + "\n"))
        index = end + 1
    return found


def matches(wanted, got):
    """Do the lines agree, `...` standing for any lines and a closing ` ...` for the rest of its line?"""
    if not wanted:
        return not got
    head, rest = wanted[0], wanted[1:]
    if head.strip() == "...":
        return any(matches(rest, got[skip:]) for skip in range(len(got) + 1))
    if not got:
        return False
    line = got[0].rstrip()
    same = line.startswith(head[:-4]) if head.endswith(" ...") else line == head.rstrip()
    return same and matches(rest, got[1:])


class Page:
    """One file of documentation and the folder its blocks are run in."""

    def __init__(self, path, root, build, folder, long=False):
        self.long = long
        self.path = path
        self.root = root
        self.build = build
        self.folder = folder
        self.failures = []
        self.done = 0
        self.python_blocks = []
        self.joined = []

    def fail(self, block, message):
        self.failures.append(f"{self.path.relative_to(self.root)}:{block.line}: {message}")

    def environment(self):
        result = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", COLUMNS="120")
        if self.build:
            result["PATH"] = f"{self.build / 'bin'}:{result['PATH']}"
        return result

    def bash(self, script):
        return subprocess.run(["bash", "-e", "-c", script], cwd=self.folder, env=self.environment(), text=True, timeout=900,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def check_make(self, block, line):
        """A make line must name a target of the Makefile."""
        target = MAKE_LINE.match(line).group(1)
        if target and not re.search(rf"^{target}:", (self.root / "Makefile").read_text(), re.MULTILINE):
            self.fail(block, f"the Makefile has no target {target}")

    def sh(self, block):
        kept = []
        for line in block.text.splitlines():
            if MAKE_LINE.match(line.strip()):
                self.check_make(block, line.strip())
            elif not line.strip().startswith("git clone") and not re.match(r"^cd zwang\b", line.strip()):
                kept.append(line)
        if not any(line.strip() and not line.strip().startswith("#") for line in kept):
            return
        unread = "set -n\n" if "long" in block.tags and not self.long else ""
        result = self.bash(unread + "\n".join(kept))
        if result.returncode != 0:
            self.fail(block, f"ended with status {result.returncode}:\n{result.stdout}")

    def console(self, block):
        """Pairs of a command and what it printed; a command goes on while its lines end in a backslash."""
        pairs = []
        more = False
        for line in block.text.rstrip("\n").splitlines():
            if more:
                pairs[-1][0] += "\n" + line
            elif line.startswith("$ "):
                pairs.append([line[2:], []])
            elif pairs:
                pairs[-1][1].append(line)
            else:
                self.fail(block, "a console block begins with `$ command`")
                return
            more = (more or line.startswith("$ ")) and line.endswith("\\")
        for command, wanted in pairs:
            if MAKE_LINE.match(command):
                self.check_make(block, command)
                continue
            result = self.bash(command)
            got = ESCAPES.sub("", result.stdout).rstrip("\n").splitlines()
            while wanted and not wanted[-1].strip():
                wanted.pop()
            if not matches(wanted, got):
                shown = "\n".join(got)
                self.fail(block, f"`{command}` (status {result.returncode}) printed something else:\n{shown}")

    def toml(self, block):
        name = re.match(r"^# ([\w.-]+\.toml)\n", block.text)
        file = self.folder / (name.group(1) if name else "model.toml")
        file.write_text(block.text, encoding="utf-8")
        result = self.bash(f"zwang check {shlex.quote(file.name)}")
        if result.returncode != 0:
            self.fail(block, f"`zwang check` refuses this model:\n{result.stdout}")

    def cpp(self, block):
        if "joined" in block.tags:
            self.joined.append(block)
        else:
            self.compile_and_run(block, block.text)

    def run_joined(self, blocks):
        """The parts of one program; after each a mark is printed that no text contains."""
        if not self.joined:
            return
        lines = [line for block in self.joined for line in block.text.splitlines()]
        includes = [line for line in lines if line.startswith("#include")]
        body = "\n".join("\n".join(line for line in block.text.splitlines() if not line.startswith("#include")) + f'\nstd::puts("{MARK}");'
                         for block in self.joined)
        printed = self.compile_and_run(self.joined[0], "\n".join(includes) + "\n#include <cstdio>\nint main() {\n" + body + "\n}\n")
        if printed is None:
            return
        for block, got in zip(self.joined, printed.split(MARK + "\n")):
            place = blocks.index(block) + 1
            wanted = blocks[place] if place < len(blocks) and "printed" in blocks[place].tags else None
            if not matches(wanted.text.rstrip("\n").splitlines() if wanted else [], got.rstrip("\n").splitlines()):
                self.fail(wanted or block, f"printed is\n{got}")

    def compile_and_run(self, block, text):
        """What the program prints, or nothing if it fails."""
        program = self.folder / "program"
        source = self.folder / "program.cpp"
        source.write_text(text, encoding="utf-8")
        flags = (self.build / "docs_flags.txt").read_text().split()
        compiled = subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", program, source, *flags],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if compiled.returncode != 0:
            self.fail(block, f"does not compile:\n{compiled.stdout}")
            return None
        result = self.bash("./program")
        if result.returncode != 0:
            self.fail(block, f"ended with status {result.returncode}:\n{result.stdout}")
            return None
        return result.stdout

    def python(self, block):
        self.python_blocks.append(block)

    def run_python(self):
        """All blocks of Python in one process, after the others."""
        interpreter = os.environ.get("ZWANG_PYTHON_INTERPRETER")
        if not interpreter or not self.python_blocks:
            return
        texts = json.dumps([block.text for block in self.python_blocks])
        result = subprocess.run([interpreter, "-c", PYTHON_RUNNER], cwd=self.folder, input=texts, text=True,
                                env={**self.environment(), "MPLBACKEND": "Agg"}, timeout=900, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        if result.returncode != 0:
            self.fail(self.python_blocks[-1], f"ended with status {result.returncode}:\n{result.stdout}{result.stderr}")
            return
        for block, wrong in zip(self.python_blocks, json.loads(result.stdout)):
            if wrong:
                self.fail(block, f"went wrong:\n{wrong}")

    def run(self):
        """All blocks in order."""
        try:
            blocks = blocks_of(self.path.read_text(encoding="utf-8"))
        except ValueError as error:
            self.failures.append(f"{self.path.relative_to(self.root)}: {error}")
            return
        actions = {"sh": self.sh, "console": self.console, "toml": self.toml, "cpp": self.cpp, "python": self.python}
        for block in blocks:
            if block.language in NOT_RUN or "fragment" in block.tags:
                continue
            if block.language not in actions:
                self.fail(block, f"nobody knows how to run a block called `{block.language}`")
                continue
            try:
                actions[block.language](block)
            except subprocess.TimeoutExpired:
                self.fail(block, "takes longer than 300 s")
            self.done += 1
        self.run_joined(blocks)
        self.run_python()


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchor(heading):
    """The anchor that a heading gets on the web page."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower())
    return kept.strip().replace(" ", "-")


def dead_links(path, root):
    """Links of a page that lead to no file or no heading of this project."""
    text = re.sub(r"^( *)(```+).*?^ *\2 *$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    dead = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if re.match(r"^[a-z]+:", target):
            continue
        file, _, part = target.partition("#")
        goal = (path.parent / file).resolve() if file else path
        if not goal.exists():
            dead.append(f"{path.relative_to(root)}: the link {target} leads nowhere")
        elif part and part not in {anchor(h) for h in HEADING.findall(goal.read_text(encoding="utf-8"))}:
            dead.append(f"{path.relative_to(root)}: the link {target} leads to no heading")
    return dead


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=pathlib.Path, help="build folder with bin/zwang")
    parser.add_argument("--long", action="store_true", help="run the blocks too that say `long`")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    pages = [file.resolve() for file in options.files] or [
        *sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")), *sorted((root / "gallery").rglob("*.md"))]

    failures = []
    done = 0
    for path in pages:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, root, options.build and options.build.resolve(), pathlib.Path(folder), options.long)
            page.run()
            failures += page.failures + dead_links(path, root)
            done += page.done
    for failure in failures:
        print(failure)
    print(f"{len(pages)} pages, {done} blocks run, {len(failures)} failures")
    return 1 if failures or not pages else 0


if __name__ == "__main__":
    sys.exit(main())

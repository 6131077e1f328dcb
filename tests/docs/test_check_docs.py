#!/usr/bin/env python3
"""The guard of the documentation sees what it is there to see: each case is a small page with one block."""

import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_docs  # noqa: E402


def failures(text, zwang="exit 0", long=False):
    """Failures of a page in a project whose command zwang is the shell script given."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "Makefile").write_text("run: build ## x\n\ttrue\n")
        (root / "build" / "bin").mkdir(parents=True)
        (root / "work").mkdir()
        (root / "build" / "docs_flags.txt").write_text("")
        command = root / "build" / "bin" / "zwang"
        command.write_text("#!/bin/sh\n" + zwang + "\n")
        command.chmod(0o755)
        page = check_docs.Page(root / "page.md", root, root / "build", root / "work", long)
        page.path.write_text(text)
        page.run()
        return page.failures + check_docs.dead_links(page.path, root)


class Docs(unittest.TestCase):
    def test_a_shell_block_must_succeed(self):
        self.assertEqual(failures("```sh\ntrue\n```\n"), [])
        self.assertEqual(len(failures("a\n\n```sh\nfalse\ntrue\n```\n")), 1)
        self.assertTrue(failures("a\n\n```sh\nfalse\n```\n")[0].startswith("page.md:3: "))

    def test_a_long_block_is_only_read_unless_asked_for(self):
        self.assertEqual(failures("```sh long\nfalse\n```\n"), [])
        self.assertEqual(len(failures("```sh long\nfalse\n```\n", long=True)), 1)
        self.assertEqual(len(failures("```sh long\nif then\n```\n")), 1)

    def test_make_lines_must_name_a_target_and_are_not_run(self):
        self.assertEqual(failures("```sh\nmake run\n```\n"), [])
        self.assertEqual(len(failures("```sh\nmake fly\n```\n")), 1)

    def test_printed_lines_are_compared(self):
        self.assertEqual(failures("```console\n$ echo a; echo b\na\nb\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ echo a; echo b\na\n```\n")), 1)
        self.assertEqual(len(failures("```console\n$ echo a\n```\n")), 1)
        self.assertEqual(len(failures("```console\n$ echo a\nb\n$ echo c\nd\n```\n")), 2)

    def test_dots_stand_for_lines_or_for_the_rest_of_one(self):
        self.assertEqual(failures("```console\n$ seq 5\n1\n...\n5\n```\n"), [])
        self.assertEqual(failures("```console\n$ echo a 0.5\na ...\n```\n"), [])
        self.assertEqual(len(failures("```console\n$ seq 5\n1\n...\n6\n```\n")), 1)
        self.assertEqual(len(failures("```console\n$ echo b 0.5\na ...\n```\n")), 1)

    def test_models_are_checked_and_kept_under_their_name(self):
        self.assertEqual(failures("```toml\nx = 1\n```\n"), [])
        self.assertEqual(len(failures("```toml\nx = 1\n```\n", zwang="exit 2")), 1)
        self.assertEqual(failures("```toml fragment\nx = 1\n```\n", zwang="exit 2"), [])
        self.assertEqual(failures("```toml\n# swing.toml\nx = 1\n```\n\n```console\n$ cat swing.toml\n# swing.toml\nx = 1\n```\n"), [])

    def test_python_blocks_share_their_names_and_what_they_print_is_compared(self):
        with unittest.mock.patch.dict("os.environ", ZWANG_PYTHON_INTERPRETER=sys.executable):
            self.assertEqual(failures("```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n"), [])
            self.assertEqual(len(failures("```python\nassert False\n```\n")), 1)
            self.assertEqual(failures("```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n"), [])
            self.assertEqual(len(failures("```python\n>>> 1 + 1\n3\n```\n")), 1)
            self.assertEqual(failures("```python\n>>> y = 2\n```\n\n```python\n>>> y\n2\n```\n"), [])
        with unittest.mock.patch.dict("os.environ"):
            os.environ.pop("ZWANG_PYTHON_INTERPRETER", None)
            self.assertEqual(failures("```python\nassert False\n```\n"), [])

    def test_joined_parts_are_one_program_and_what_they_print_is_compared(self):
        parts = '```cpp joined\n#include <cstdio>\nint x = 1;\n```\n\n```cpp joined\nstd::printf("%d\\n", x);\n```\n\n'
        self.assertEqual(failures(parts + "```text printed\n1\n```\n"), [])
        self.assertTrue(failures(parts + "```text printed\n2\n```\n")[0].startswith("page.md:10: "))
        self.assertEqual(len(failures(parts)), 1)
        self.assertEqual(len(failures("```cpp joined\nreturn 1;\n```\n")), 1)

    def test_unknown_and_unclosed_blocks_are_refused(self):
        self.assertEqual(len(failures("```fortran\nend\n```\n")), 1)
        self.assertEqual(len(failures("```sh\ntrue\n")), 1)

    def test_dead_links_are_found(self):
        self.assertEqual(failures("# Over here\n\n[a](page.md) [b](#over-here) [c](https://example.org)\n"), [])
        self.assertEqual(len(failures("[a](nowhere.md)\n")), 1)
        self.assertEqual(len(failures("# One\n\n[a](#two)\n")), 1)


if __name__ == "__main__":
    unittest.main()

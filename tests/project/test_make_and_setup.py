#!/usr/bin/env python3
"""Plain `make` explains every target; the set-up script installs what is missing, and only that."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Make(unittest.TestCase):
    def test_every_target_is_explained_in_one_line(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        listing = subprocess.run(["make", "-C", ROOT, "--no-print-directory"], env=environment, text=True, check=True,
                                 stdout=subprocess.PIPE).stdout
        targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split()
        for target in targets:
            self.assertRegex(listing, rf"(?m)^  make {target} +\S.*$")
        self.assertLessEqual({"run", "test", "verify", "bench", "format", "lint", "clean"}, set(targets))


class Setup(unittest.TestCase):
    def setup(self, installed, task, user="0", tools=("sudo",)):
        """Run scripts/setup beside stand-ins for Debian's tools; gives its output and the calls of apt-get."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            answers = "".join(f"ii {package}\\n" for package in installed)
            stand_ins = {"dpkg-query": f"printf '{answers}'; exit 1", "apt-get": f'echo "$*" >> {place}/calls', "id": f"echo {user}"}
            if "sudo" in tools:
                stand_ins["sudo"] = f'echo sudo >> {place}/calls; exec "$@"'
            for name in ("node", "npm"):
                if name in tools:
                    stand_ins[name] = "exit 0"
            for name, body in stand_ins.items():
                (place / name).write_text(f"#!/bin/sh\n{body}\n")
                (place / name).chmod(0o755)
            for name in ("bash", "sed", "grep", "env", "sh"):
                (place / name).symlink_to(f"/bin/{name}" if pathlib.Path(f"/bin/{name}").exists() else f"/usr/bin/{name}")
            result = subprocess.run([ROOT / "scripts" / "setup", task], env={"PATH": folder}, text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            calls = place / "calls"
            return result.returncode, result.stdout, calls.read_text().splitlines() if calls.exists() else []

    def packages(self, task):
        """What a bare machine is given."""
        _, _, calls = self.setup([], task)
        return calls[-1].split("--no-install-recommends ")[1].split()

    def test_a_bare_machine_is_given_compiler_and_build_tools(self):
        self.assertLessEqual({"g++", "cmake", "ninja-build"}, set(self.packages("build")))

    def test_testing_needs_more_than_building_and_verifying_more_than_testing(self):
        self.assertLess(set(self.packages("build")), set(self.packages("test")))
        self.assertLess(set(self.packages("test")), set(self.packages("verify")))

    def test_nothing_is_called_when_nothing_is_missing(self):
        status, output, calls = self.setup(self.packages("verify"), "verify")
        self.assertEqual((status, output, calls), (0, "", []))

    def test_only_what_is_missing_is_installed_and_named(self):
        status, output, calls = self.setup([p for p in self.packages("build") if p != "libfmt-dev"], "build")
        self.assertEqual(status, 0)
        self.assertIn("installing libfmt-dev\n", output)
        self.assertTrue(calls[-1].endswith("--no-install-recommends libfmt-dev"))

    def test_node_and_npm_are_asked_for_as_commands_whoever_packaged_them(self):
        self.assertLessEqual({"nodejs", "npm"}, set(self.packages("build")))
        bare = [p for p in self.packages("build") if p not in ("nodejs", "npm")]
        self.assertEqual(self.setup(bare, "build", tools=("sudo", "node", "npm")), (0, "", []))
        _, _, calls = self.setup(bare, "build", tools=("sudo", "node"))
        self.assertTrue(calls[-1].endswith("--no-install-recommends npm"))

    def test_the_page_is_tested_in_chromium(self):
        self.assertIn("chromium", self.packages("test"))
        self.assertNotIn("chromium", self.packages("build"))

    def test_verifying_needs_the_other_compiler_its_sanitizers_and_its_linter(self):
        self.assertLessEqual({"clang", "libclang-rt-dev", "clang-tidy"}, set(self.packages("verify")))

    def test_other_users_install_through_sudo_or_are_told_what_to_install(self):
        _, _, calls = self.setup([], "build", user="1000")
        self.assertIn("sudo", calls)
        status, output, calls = self.setup([], "build", user="1000", tools=())
        self.assertEqual((status, calls), (1, []))
        self.assertIn("g++", output)

    def test_an_unknown_task_is_refused(self):
        self.assertEqual(self.setup([], "fly")[0], 2)


if __name__ == "__main__":
    unittest.main()

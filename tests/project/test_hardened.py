"""The command is built so that a write beyond an array, or into a table of functions, ends it: test_hardened.py COMMAND."""

import subprocess
import sys


def output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def main() -> int:
    command = sys.argv[1]
    header = output("readelf", "-hW", command)
    segments = output("readelf", "-lW", command)
    dynamic = output("readelf", "-dW", command)
    symbols = output("readelf", "-sW", "--dyn-syms", command)
    stack = next(line for line in segments.splitlines() if "GNU_STACK" in line)
    missing = [
        what
        for what, there in {
            "a position-independent executable": "DYN" in header and "PIE" in dynamic,
            "relocations that become read-only": "GNU_RELRO" in segments,
            "all of them resolved at the start": "NOW" in dynamic,
            "a stack that is not executed": " RW " in stack and "RWE" not in stack,
            "stack protectors": "__stack_chk_fail" in symbols,
            "fortified calls": "_chk@" in symbols.replace("__stack_chk_fail", ""),
        }.items()
        if not there
    ]
    for what in missing:
        print(f"{command} has not: {what}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

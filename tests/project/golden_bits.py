#!/usr/bin/env python3
"""The final bits of every gallery model and of generated hard ones are those in golden_bits.txt, whatever the machine.

usage: golden_bits.py COMMAND [--hard PROGRAM] [--seeds N] [--only gallery|hard] [--every N] [--older] [--write]

COMMAND is the command zwang, PROGRAM the generator hard_models. Every model is run and its answer (status, final state and
multipliers, times and rows of all events, all as shortest decimals that read back to the same doubles) hashed.
  --seeds N    hard models of each class (2 in the quick test, 21 in the long one; each number has lines of its own), fewer where they take minutes
  --every N    a sample: every N-th gallery model, every N-th class
  --older      a second time with glibc told that the processor has neither fused products nor wide vectors
  --write      (or ZWANG_WRITE=1) write the file anew instead: once after every change that moves bits on purpose
A class whose models come out differently here (the generator uses the C library) is told and not compared.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

FILE = pathlib.Path(__file__).resolve().parent / "golden_bits.txt"
OLDER = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX,-AVX2,-AVX512F,-AVX512VL,-FMA_Usable,-FMA4_Usable,-AVX_Usable,-AVX2_Usable,-AVX512F_Usable"
MOST_SEEDS = {"large-pile": 1}  # of classes whose models take up to minutes each
LIMIT = 600  # seconds; a model that takes longer to its end has no bits to compare


def digest(parts):
    """Sixteen hexadecimal digits of texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def essence(answer):
    """What an answer says, without words."""
    events = [[e.get("time"), e.get("kind"), e.get("constraints")] for e in answer.get("events", [])]
    return json.dumps([answer.get("status"), answer.get("final"), events, answer.get("energy")], sort_keys=True)


def run(command, model, text, environment):
    """The essence of a run, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([command, "run", model, "--json", "--no-report", "--out", folder], input=text,
                                  capture_output=True, text=True, timeout=LIMIT, check=False, env=environment)
        except subprocess.TimeoutExpired:
            return "too long"
    try:
        return f"{done.returncode} {essence(json.loads(done.stdout))}"
    except json.JSONDecodeError:
        return f"{done.returncode} no answer"


def written(generator, kind, seed):
    """The texts of the models of a seed: mostly one."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([generator, "--class", kind, "--write", str(seed), "--out", f"{folder}/model"], capture_output=True, check=True)
        return [path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).iterdir())]


def lines_of(arguments, environment):
    """Name -> (hash of the models, hash of the answers); a name is a gallery model, or a class and its number of seeds."""
    tasks = []
    if arguments.only != "hard":
        listed = subprocess.run([arguments.command, "gallery"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            if line.strip():
                name = line.split()[0]
                text = subprocess.run([arguments.command, "gallery", name], capture_output=True, text=True, check=False).stdout
                tasks.append((name, f"gallery:{name}", None, text))
    if arguments.hard and arguments.only != "gallery":
        not_yet = set((FILE.parent.parent / "hard" / "not_yet.txt").read_text(encoding="utf-8").split())
        listed = subprocess.run([arguments.hard, "--list"], capture_output=True, text=True, check=True).stdout
        for kind in (line.split()[0] for line in listed.splitlines() if line.strip()):
            if kind in not_yet:
                continue
            for seed in range(1, min(arguments.seeds, MOST_SEEDS.get(kind, arguments.seeds)) + 1):
                for text in written(arguments.hard, kind, seed):
                    tasks.append((f"{kind}:{arguments.seeds}", "-", text, text))
    names = list(dict.fromkeys(task[0] for task in tasks))
    chosen = set(names[:: arguments.every])
    tasks = [task for task in tasks if task[0] in chosen]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        answers = list(pool.map(lambda task: run(arguments.command, task[1], task[2], environment), tasks))
    models, results = {}, {}
    for (name, _, _, text), answer in zip(tasks, answers):
        models.setdefault(name, []).append(text)
        results.setdefault(name, []).append(answer)
    for name in [name for name, found in results.items() if "too long" in found]:
        print(f"{name}: not at its end after {LIMIT} s, left out")
        del results[name]
    return {name: (digest(models[name]), digest(results[name])) for name in results}


def read():
    """The file as a dictionary."""
    if not FILE.exists():
        return {}
    rows = [line.split() for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {row[0]: (row[1], row[2]) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--hard")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--older", action="store_true")
    parser.add_argument("--write", action="store_true", default=bool(os.environ.get("ZWANG_WRITE")))
    arguments = parser.parse_args()

    environment = dict(os.environ)
    if arguments.older:
        environment["GLIBC_TUNABLES"] = OLDER
    found = lines_of(arguments, environment)
    known = read()
    if arguments.write:
        known.update(found)
        text = "# The final bits of models: name (or class:seeds), hash of the model, hash of the answer. Written by\n" \
               "#   python3 tests/project/golden_bits.py build/release/bin/zwang --hard build/release/bin/hard_models --write\n" \
               "# and once more with --only hard --seeds 21 for `make soak`.\n"
        text += "".join(f"{name} {pair[0]} {pair[1]}\n" for name, pair in sorted(known.items()))
        FILE.write_text(text, encoding="utf-8")
        print(f"{len(found)} lines written")
        return
    wrong = 0
    for name, (model, answer) in found.items():
        if name not in known:
            print(f"{name}: not in the file")
            wrong += 1
        elif known[name][0] != model:
            if ":" not in name:
                print(f"{name}: the model has changed")
                wrong += 1
            else:
                print(f"{name}: the generator writes other models here, not compared")
        elif known[name][1] != answer:
            print(f"{name}: other bits")
            wrong += 1
    if not found or wrong:
        raise SystemExit(f"{wrong} of {len(found)} differ from {FILE.name}")
    print(f"{len(found)} as in {FILE.name}")


if __name__ == "__main__":
    main()

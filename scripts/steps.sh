# For scripts/test and scripts/verify: steps that are timed, whose failure does not hide the later ones, and a summary at the end.
# To be sourced, from the root of the project.
jobs=${JOBS:-2}
summary=()
failures=build/step-failures
mkdir -p build
: >"$failures"
failed=0
processor=0
TIMEFORMAT='%R %U %S'
unset PYTHONDONTWRITEBYTECODE  # Python keeps what it has compiled: else every process compiles all that it imports

# step TITLE COMMAND...: run, time and note; returns whether it passed. A command that counts tests leaves a JUnit file named by $counts.
step() {
  local title=$1 verdict=passed clock=build/step-clock.$BASHPID tests=
  shift
  mkdir -p build
  echo
  echo "== $title"
  rm -rf "${counts:-}" "${shares:-}"
  # Its own words go where they went; the three times into a file.
  { time "$@" 2>&3; } 3>&2 2>"$clock" || {
    verdict=FAILED
    failed=1
  }
  [ -n "${counts:-}" ] && [ -f "$counts" ] && tests=$(counted "$counts")
  [ "$verdict" = FAILED ] && [ -z "$tests" ] && echo "$title" >>"$failures"
  summary+=("$(tail -n 1 "$clock" | awk -v title="$title" -v verdict="$verdict" -v tests="$tests" \
    '{printf "%-48s %-6s %5.0f s, %5.0f s of processor%s", title, verdict, $1, $2 + $3, tests == "" ? "" : ": " tests}')")
  processor=$(tail -n 1 "$clock" | awk -v before="$processor" '{printf "%.1f", before + $2 + $3}')
  rm -f "$clock"
  [ "$verdict" = passed ]
}

# beside NAME COMMAND: the steps of COMMAND in a process of their own; what they say is kept. `joined NAME` waits for them, tells it,
# and takes their lines of the summary.
beside() {
  local kept=build/beside-$1
  rm -f "$kept".*
  (
    trap - INT  # a shell in the background would have its children ignore it, and tests interrupt
    summary=()
    failed=0
    processor=0
    "$2"
    printf '%s\n' "${summary[@]}" >"$kept.summary"
    echo "$failed $processor" >"$kept.figures"
  ) >"$kept.log" 2>&1 &
  declare -g "beside_$1=$!"
}

joined() {
  local kept=build/beside-$1 process=beside_$1 theirs=1 spent=0 line
  wait "${!process}"
  cat "$kept.log"
  if [ -f "$kept.figures" ]; then
    read -r theirs spent <"$kept.figures"
    while read -r line; do summary+=("$line"); done <"$kept.summary"
  fi
  if [ "$theirs" -ne 0 ]; then failed=1; fi
  processor=$(awk -v before="$processor" -v spent="$spent" 'BEGIN {printf "%.1f", before + spent}')
  rm -f "$kept".*
}

# counted JUNIT: how many tests passed, failed and were skipped; the names of those that failed and their last words go to $failures.
# Processes that share the tests of a program count them in files of their own.
counted() {
  python3 - "$1" "${shares:-}" "$failures" <<'PYTHON'
import pathlib, sys, xml.etree.ElementTree
last_words = 12
total = failed = skipped = 0
notes = open(sys.argv[3], "a", encoding="utf-8")
shares = sorted(pathlib.Path(sys.argv[2]).glob("*.xml")) if sys.argv[2] else []
for file in [sys.argv[1], *shares]:
    for suite in xml.etree.ElementTree.parse(file).getroot().iter("testsuite"):
        total += int(suite.get("tests") or 0)
        failed += sum(int(suite.get(key) or 0) for key in ("failures", "errors"))
        skipped += sum(int(suite.get(key) or 0) for key in ("skipped", "disabled"))
        for case in suite.iter("testcase"):
            said = [part for part in case if part.tag in ("failure", "error")]
            if not said:
                continue
            words = [part.text or part.get("message") or "" for part in said] + [part.text or "" for part in case if part.tag == "system-out"]
            print(case.get("name"), file=notes)
            for line in "\n".join(words).strip().splitlines()[-last_words:]:
                print("    " + line[:300], file=notes)
total -= len(shares)  # each is itself one of the tests of the first file
print(f"{total - failed - skipped} tests passed, {failed} failed, {skipped} skipped")
PYTHON
}

# conclude NAME LIMIT: the table, the times of all (the limit in minutes is one on 2 processors), and the verdict as exit status.
conclude() {
  echo
  echo "== summary"
  printf '%s\n' "${summary[@]}"
  echo "$1 took $SECONDS s and ${processor%.*} s of processor; the limit is $2 minutes on 2 processors, that is $((120 * $2)) s of them"
  if [ "$failed" -ne 0 ]; then
    echo
    echo "== what failed"
    tail -n 400 "$failures"
    echo "$1: FAILED"
    exit 1
  fi
  echo "$1: all passed"
}

# For scripts/test and scripts/verify: steps that are timed, whose failure does not hide the later ones, and a summary at the end.
# To be sourced, from the root of the project.
jobs=${JOBS:-2}
summary=()
failed=0
processor=0
TIMEFORMAT='%R %U %S'

# step TITLE COMMAND...: run, time and note; returns whether it passed. A command that counts tests leaves a JUnit file named by $counts.
step() {
  local title=$1 verdict=passed clock=build/step-clock tests=
  shift
  mkdir -p build
  echo
  echo "== $title"
  rm -f "${counts:-}"
  # Its own words go where they went; the three times into a file.
  { time "$@" 2>&3; } 3>&2 2>"$clock" || {
    verdict=FAILED
    failed=1
  }
  [ -n "${counts:-}" ] && [ -f "$counts" ] && tests=$(counted "$counts")
  summary+=("$(tail -n 1 "$clock" | awk -v title="$title" -v verdict="$verdict" -v tests="$tests" \
    '{printf "%-48s %-6s %5.0f s, %5.0f s of processor%s", title, verdict, $1, $2 + $3, tests == "" ? "" : ": " tests}')")
  processor=$(tail -n 1 "$clock" | awk -v before="$processor" '{printf "%.1f", before + $2 + $3}')
  rm -f "$clock"
  [ "$verdict" = passed ]
}

# counted JUNIT: how many tests passed, failed and were skipped.
counted() {
  python3 - "$1" <<'PYTHON'
import sys, xml.etree.ElementTree
suites = list(xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testsuite"))
total, failed, skipped = (sum(int(s.get(key) or 0) for s in suites for key in keys)
                          for keys in (("tests",), ("failures", "errors"), ("skipped", "disabled")))
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
    echo "$1: FAILED"
    exit 1
  fi
  echo "$1: all passed"
}

#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# stages_selftest.sh TEST_SH: cmake/test.sh with simulated tools. All stages run, even after failures, their output comes in their
# order, and the last lines are a summary of all of them. Lint and the sanitised tests run in parallel with the release tests, and lint
# ends with the script.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cmake" "$work/bin"
cp "$1" "$work/cmake/test.sh"
export PATH="$work/bin:$PATH"
failures=0

cat >"$work/cmake/lint.sh" <<'END'
#!/bin/sh
echo "linting"
echo $$ >lint.pid
[ -z "${ENDLESS:-}" ] || exec sleep 1000
exit "${LINT:-0}"
END
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
[ "$1 $3" != "--build ${BROKEN:-none}" ]
END
cat >"$work/bin/ctest" <<'END'
#!/bin/sh
folder=$([ "$2" = release ] && echo build || echo "build-$2")/Testing/Temporary
mkdir -p "$folder"
[ "$2" != sanitize ] || : >sanitize.begun
[ "$2" != release ] || until [ -s lint.pid ] && [ -e sanitize.begun ${ENDLESS:+-o 1} ]; do sleep 0.02; done
echo "testing $2${6:+ without $6}"
if [ "$2" = "${FAILS:-}" ]; then
    printf '3:unit_x\n9:cli_y\n' >"$folder/LastTestsFailed.log"
    echo '80% tests passed, 2 tests failed out of 10'
    exit 8
fi
echo '100% tests passed, 0 tests failed out of 10'
END
chmod +x "$work"/bin/* "$work"/cmake/*

# ends CODE SUMMARY FAILED SETTING...: the counts and the list at the end, in one line each
ends() {
    local code=$1 summary=$2 list=$3 found
    shift 3
    rm -f "$work/lint.pid" "$work/sanitize.begun" # without which the release tests never end: they wait for the others to start
    env "$@" "$work/cmake/test.sh" 2 >"$work/out" 2>&1
    found=$?
    [ "$found" = "$code" ] || { echo "$*: exit code $found"; failures=$((failures + 1)); }
    [ "$(grep -c -e '^linting$' -e '^testing ' "$work/out")" -eq $((stages)) ] ||
        { echo "$*: stages: $(cat "$work/out")"; failures=$((failures + 1)); }
    [ "$stages" -ne 3 ] || [ "$(grep -o -e '^linting$' -e '^testing [a-z]*' "$work/out" | paste -sd ';')" = "$order" ] ||
        { echo "$*: order of the stages: $(cat "$work/out")"; failures=$((failures + 1)); }
    grep -qx "$summary" <(tail -n 8 "$work/out") || { echo "$*: no '$summary' in $(tail -n 8 "$work/out")"; failures=$((failures + 1)); }
    found=$(sed -n '/^The following tests FAILED:$/,$p' "$work/out" | tail -n +2 | tr -d '\t' | paste -sd ';')
    [ "$found" = "$list" ] || { echo "$*: failed '$found'"; failures=$((failures + 1)); }
}

stages=3 # that do something
order='testing release;linting;testing sanitize'
ends 0 '100% tests passed, 0 tests failed out of 21' '' LINT=0
ends 1 '95% tests passed, 1 tests failed out of 21' 'lint' LINT=1
ends 1 '90% tests passed, 2 tests failed out of 21' 'release: unit_x;release: cli_y' FAILS=release
ends 1 '85% tests passed, 3 tests failed out of 21' 'lint;sanitize: unit_x;sanitize: cli_y' FAILS=sanitize LINT=1

# Under the sanitisers the tests of a list are left out, unless all are requested.
mkdir "$work/tests"
printf '# a comment\nunit_x  9  why\n\nmpi_y 3 why\n' >"$work/tests/unsanitized.txt"
"$work/cmake/test.sh" 2 >"$work/out" 2>&1
[ "$(grep '^testing' "$work/out" | paste -sd ';')" = 'testing release;testing sanitize without ^(unit_x|mpi_y)$' ] ||
    { echo "left out: $(grep '^testing' "$work/out")"; failures=$((failures + 1)); }
"$work/cmake/test.sh" 2 all >"$work/out" 2>&1
[ "$(grep '^testing' "$work/out" | paste -sd ';')" = 'testing release;testing sanitize' ] ||
    { echo "all: $(grep '^testing' "$work/out")"; failures=$((failures + 1)); }

stages=2
ends 1 '91% tests passed, 1 tests failed out of 12' 'release: the build' BROKEN=release

# A script that is ended leaves nothing running.
rm -f "$work/lint.pid"
ENDLESS=1 "$work/cmake/test.sh" 2 >"$work/out" 2>&1 &
until [ -s "$work/lint.pid" ]; do sleep 0.02; done
kill -TERM $!
wait $! && { echo "a script that was ended: exit code 0"; failures=$((failures + 1)); }
# its lint becomes a zombie at most, until it is waited for
for ((i = 0; i < 500; i++)); do
    state=$(ps -o stat= -p "$(cat "$work/lint.pid")")
    case $state in '' | Z*) break ;; esac
    sleep 0.02
done
case $state in '' | Z*) ;; *) echo "lint survives the script"; failures=$((failures + 1)); kill "$(cat "$work/lint.pid")" ;; esac
exit $failures

#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# stages_selftest.sh TEST_SH: cmake/test.sh with simulated tools. All stages run, even after failures, and the last lines are a summary of
# all of them.
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
    env "$@" "$work/cmake/test.sh" 2 >"$work/out" 2>&1
    found=$?
    [ "$found" = "$code" ] || { echo "$*: exit code $found"; failures=$((failures + 1)); }
    [ "$(grep -c -e '^linting$' -e '^testing ' "$work/out")" -eq $((stages)) ] ||
        { echo "$*: stages: $(cat "$work/out")"; failures=$((failures + 1)); }
    grep -qx "$summary" <(tail -n 8 "$work/out") || { echo "$*: no '$summary' in $(tail -n 8 "$work/out")"; failures=$((failures + 1)); }
    found=$(sed -n '/^The following tests FAILED:$/,$p' "$work/out" | tail -n +2 | tr -d '\t' | paste -sd ';')
    [ "$found" = "$list" ] || { echo "$*: failed '$found'"; failures=$((failures + 1)); }
}

stages=3 # that do something
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
exit $failures

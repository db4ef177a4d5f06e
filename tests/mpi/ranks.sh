# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Sourced by the tests over MPI, which are called with MPIRUN PROGRAM ...: assertions, starting ranks. $work is a folder that is deleted
# at the end.
set -u
export LC_ALL=C
mpirun=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failures=0

# Machines that build software often run as root, have few processors, are busy (a rank that waits lets others run), and let no
# process look into another's memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMP_NUM_THREADS=1

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# is WHAT EXPECTED FOUND
is() {
    count=$((count + 1))
    [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# ends CODE RANKS ARGUMENT...: the program ends with the code; its output is in $work/out and $work/err. Only a rank that hangs takes
# longer than the limit, however busy the machine is.
ends() {
    local wanted=$1 ranks=$2
    shift 2
    timeout 600 "$mpirun" -n "$ranks" "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    local code=$?
    [ "$code" -eq "$wanted" ] || tail -n 20 "$work/err"
    is "exit code of $ranks ranks $*" "$wanted" "$code"
}

# says FILE PATTERN [TIMES]: asserts that TIMES lines of the output match; default: 1
says() {
    count=$((count + 1))
    local found
    found=$(grep -c -e "$2" "$work/$1")
    [ "$found" -eq "${3:-1}" ] || fail "$found lines like '$2', expected ${3:-1}, in: $(cat "$work/$1")"
}

# The last line of a test.
verdict() {
    echo "$count claims, $failures failed"
    [ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
}

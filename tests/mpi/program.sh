#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# program.sh MPIRUN TRAMMEL_MPI TRAMMEL EXAMPLES: trammel-mpi prints everything once, does what trammel does, and ends with its exit code.
. "$(dirname "$0")/ranks.sh"
trammel=$3
examples=$4

ends 0 3 --version
is "version" "$("$trammel" --version | sed 's/trammel/trammel-mpi/')" "$(cat "$work/out")"
is "version without mpirun" "$(cat "$work/out")" "$("$program" --version)"
ends 0 2 help
says out '^usage: trammel-mpi COMMAND'
ends 2 2 no-such-command
says err 'there is no command "no-such-command"'
ends 2 3 run
says err '^usage: trammel run MODEL'

"$trammel" check "$examples/four-bar.json" >"$work/check"
ends 0 3 check "$examples/four-bar.json"
is "check by the first rank" "" "$(diff "$work/check" "$work/out")"

# A model that cannot be read, and one with an error.
ends 3 3 run "$work/none.json"
says err 'none.json: error: cannot read the model file: No such file or directory$'
echo '{ "trammel": 1, "bodies": [{ "name": "a", "mass": -1, "inertia": [1, 1, 1] }] }' >"$work/bad.json"
ends 3 3 run "$work/bad.json"
says err 'bad.json:1:.*error'
says out . 0

# Only the first rank can read the model: a pipe gives its contents once.
mkfifo "$work/model.json"
for ranks in 1 3; do
    cat "$examples/pendulum.json" >"$work/model.json" &
    ends 0 "$ranks" run "$work/model.json" --time 0.1 --out "$work/rows.csv"
    says out '^time         0.1 s in 10 steps; '
    wait
    is "rows of $ranks ranks" 11 "$(grep -vc -e '^#' -e '^t' "$work/rows.csv")"
done
verdict

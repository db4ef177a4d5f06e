#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# exchange.sh BUILD: what an exchange with a controller process costs, in us: the wall time of 50000 steps with one exchange each, less
# that of the same steps without a controller, over their number. Each of three rounds runs all of them; the least counts. Both processes
# share one core, then they may use all: waking a process on another core takes longer, on virtual machines much longer.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
trammel=$(cd "${1:-$root/build}" && pwd)/trammel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -o "$work/balance" "$root/examples/controllers/balance.c"

# wall OPTION...: seconds
wall() {
    $on "$trammel" run "$root/examples/cart-pole.json" --step 0.0001 --time 5 --every 0.5 --json "$@" |
        sed -n 's/^ *"wall_s": \([^,]*\),*$/\1/p'
}

# rounds NAME: prints the least of three rounds
rounds() {
    for round in 1 2 3; do
        none=$(wall)
        printf '%s %s %s\n' "$none" "$(wall --controller "$work/balance" --controller-format binary)" \
            "$(wall --controller "python3 $root/examples/controllers/balance.py")"
    done | awk -v name="$1" '
        { for (i = 1; i <= 3; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
        END {
            printf "%s, C, binary:    %.1f us per exchange\n", name, (least[2] - least[1]) / 50000 * 1e6
            printf "%s, Python, JSON: %.1f us per exchange\n", name, (least[3] - least[1]) / 50000 * 1e6
        }'
}

on="taskset -c 0"
rounds "one core"
on=
rounds "all cores"

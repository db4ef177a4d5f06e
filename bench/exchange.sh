#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# exchange.sh BUILD: the cost of an exchange with a controller process, in us: the time of 50000 steps with one exchange each, minus that
# of the same steps without a controller, divided by their number. Each of three rounds makes all measurements; the least is printed.
# First both processes share a core (--controller-core shared), then they may use all cores: waking a process on another core takes
# longer, on idle virtual machines much longer. Processor time is that of both processes; with a shared core the wall time contains
# nothing else on an idle machine.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
trammel=$(cd "${1:-$root/build}" && pwd)/trammel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -O2 -o "$work/balance" "$root/examples/controllers/balance.c"
TIMEFORMAT='%R %U %S'

# seconds OPTION...: wall time and processor time
seconds() {
    { time "$trammel" run "$root/examples/cart-pole.json" --step 0.0001 --time 5 --every 0.5 "$@" >/dev/null 2>"$work/err"; } 2>&1 |
        awk '{ printf "%s %s ", $1, $2 + $3 }'
}

# rounds CORE: prints the least of three rounds
rounds() {
    local python="python3 $root/examples/controllers/balance.py"
    for _ in 1 2 3; do
        seconds
        seconds --controller-core "$1" --controller-format binary --controller "$work/balance"
        seconds --controller-core "$1" --controller-format binary --controller "$python"
        seconds --controller-core "$1" --controller "$python"
        echo
    done | awk -v core="$1" '
        { for (i = 1; i <= 8; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
        function us(i) { return (least[i] - least[2 - i % 2]) / 50000 * 1e6 }
        function show(name, i) { printf "%-6s %-15s %6.1f %10.1f\n", core, name, us(2 * i + 1), us(2 * i + 2) }
        END { show("C, binary", 1); show("Python, binary", 2); show("Python, JSON", 3) }'
}

printf '%-22s %6s %10s\n' 'us per exchange' wall processor
rounds shared
rounds any

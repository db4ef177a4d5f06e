#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# kills.sh COUNT TRAMMEL EXAMPLES [TRAMMEL_VIEW] [MPIEXEC TRAMMEL_MPI]: ends runs, sweeps, live pages and runs on ranks COUNT times at
# random moments, by SIGINT, SIGTERM and SIGKILL in turn. Afterwards all rows on disk are those of an uninterrupted run, a checkpoint is
# complete, and the same command completes the work with the same bytes. `make kills` does it 500 times. SEED selects other moments.
set -u
export LC_ALL=C OMP_NUM_THREADS=1
[ $# -ge 3 ] || { echo "usage: $0 COUNT TRAMMEL EXAMPLES [TRAMMEL_VIEW] [MPIEXEC TRAMMEL_MPI]" >&2; exit 2; }
count=$1 trammel=$2 examples=$3 view=${4:-} mpiexec=${5:-} mpi=${6:-}
RANDOM=${SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
killed=0
resumed=0
signals=(INT TERM KILL)

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# milliseconds COMMAND...: how long it takes
milliseconds() {
    local began=${EPOCHREALTIME/./}
    "$@" >out 2>err
    echo $(((${EPOCHREALTIME/./} - began) / 1000))
}

# end_at MILLISECONDS SIGNAL COMMAND...: starts the command, ends it at a random moment up to the given one, and waits for it; its exit
# code is in $code. A shell makes background processes ignore SIGINT: env restores the default.
end_at() {
    local moment=$(((RANDOM * 32768 + RANDOM) % ($1 + 1))) signal=$2 victim
    shift 2
    env --default-signal=INT "$@" >out 2>err &
    victim=$!
    sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
    kill -s "$signal" $victim 2>/dev/null && killed=$((killed + 1))
    wait $victim 2>/dev/null
    code=$?
}

# is_part_of FILE WHOLE: asserts that each complete line is that of the other file
is_part_of() {
    [ ! -e "$1" ] || cmp -s <(sed -n '$!p' "$1") <(head -n "$(sed -n '$!p' "$1" | wc -l)" "$2")
}

# ---- Runs ------------------------------------------------------------------------------------------

model=$examples/double-pendulum.json
rows=(--step 2e-5 --every 0.01 --columns t,E_kin --checkpoint point)
whole=$(milliseconds "$trammel" run "$model" "${rows[@]}" --time 3 --out whole.csv)
[ -s whole.csv ] || { echo "no run to compare with: $(cat err)"; exit 1; }
rm -f point

# complete_run WHOLE COMMAND...: completes the run, from the checkpoint if there is one; asserts that the rows are those of the file WHOLE
complete_run() {
    local whole=$1
    shift
    if [ -e point ]; then
        resumed=$((resumed + 1))
        "$@" --out rows.csv --resume point >out 2>err || fail "cannot resume: $(cat err)"
    else
        "$@" --out rows.csv >out 2>err || fail "cannot run again: $(cat err)"
    fi
    cmp -s rows.csv "$whole" || fail "other rows after a kill: $(cmp rows.csv "$whole")"
    rm -f rows.csv point
}

kill_run() {
    end_at $((whole * 11 / 10)) "$1" "$trammel" run "$model" "${rows[@]}" --time 3 --out rows.csv
    case $1,$code in
    INT,4 | TERM,4 | INT,0 | TERM,0 | KILL,137 | KILL,0) ;;
    INT,130 | TERM,143) ;; # before it listened to signals
    *) fail "a run ended by $1 has exit code $code: $(cat err)" ;;
    esac
    is_part_of rows.csv whole.csv || fail "rows that the whole run has not, after $1"
    [ "$1" = KILL ] || [ $code -gt 4 ] || [ -e point ] || fail "no checkpoint after $1"
    complete_run whole.csv "$trammel" run "$model" "${rows[@]}" --time 3
    rm -f point.partial
}

# ranks_live: whether a process of trammel-mpi works in this folder; ranks may outlive a killed mpiexec for a while
ranks_live() {
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" = "$work" ] && [ "$(readlink "$process/exe" 2>/dev/null)" = "$mpi" ] && return 0
    done
    return 1
}

ranked=("${rows[@]}" --time 3 --solver hierarchy)
if [ -n "$mpi" ]; then
    "$trammel" run "$model" "${ranked[@]}" --out whole-ranks.csv >out 2>err || { echo "no run to compare ranks with: $(cat err)"; exit 1; }
    rm -f point
fi

kill_ranks() {
    rm -f point
    end_at $((whole * 2)) "$1" "$mpiexec" --allow-run-as-root --oversubscribe -n 2 "$mpi" run "$model" "${ranked[@]}" --out rows.csv
    case $code in 2 | 3) fail "ranks did not run: $(cat err)" ;; esac
    while ranks_live; do sleep 0.05; done
    is_part_of rows.csv whole-ranks.csv || fail "rows of ranks that the whole run has not, after $1"
    complete_run whole-ranks.csv "$trammel" run "$model" "${ranked[@]}"
}

# ---- Sweeps ----------------------------------------------------------------------------------------

sweep=(sweep "$examples/spring-mass.json" --vary k=1:60:100 --time 1 --step 1e-3 --jobs 2)
timeless() { awk -F, -v OFS=, '/^run,/ { for (i = 1; i <= NF; i++) if ($i == "wall_s") at = i } !/^#/ { $at = "" } { print }' "$1"; }
swept=$(milliseconds "$trammel" "${sweep[@]}" --out sweep-whole.csv)

kill_sweep() {
    end_at $((swept * 11 / 10)) "$1" "$trammel" "${sweep[@]}" --out sweep.csv
    case $code in 0 | 4 | 130 | 137 | 143) ;; *) fail "a sweep ended by $1 has exit code $code: $(cat err)" ;; esac
    "$trammel" "${sweep[@]}" --out sweep.csv >out 2>err || fail "a sweep cannot go on: $(cat err)"
    cmp -s <(timeless sweep.csv) <(timeless sweep-whole.csv) || fail "other rows of a sweep after $1"
    rm -f sweep.csv sweep.csv.partial
}

# ---- Live pages ------------------------------------------------------------------------------------

kill_view() {
    end_at 300 "$1" "$view" view "$model" --no-open
    case $1,$code in
    INT,0 | TERM,0 | KILL,137 | INT,130 | TERM,143) ;;
    *) fail "a live page ended by $1 has exit code $code: $(cat err)" ;;
    esac
}

for ((i = 0; i < count; i++)); do
    signal=${signals[i % 3]}
    case $((i / 3 % 4)) in
    0) kill_run "$signal" ;;
    1) kill_sweep "$signal" ;;
    2) if [ -n "$view" ]; then kill_view "$signal"; else kill_run "$signal"; fi ;;
    3) if [ -n "$mpi" ]; then kill_ranks "$signal"; else kill_sweep "$signal"; fi ;;
    esac
    [ -z "$(find . -name '*.partial' -newer whole.csv 2>/dev/null)" ] || [ "$signal" = KILL ] || fail "a file is half written after $signal"
    rm -f ./*.partial
done
echo "$count moments: $killed kills, $resumed runs resumed from a checkpoint, $failures losses"
[ $failures -eq 0 ]

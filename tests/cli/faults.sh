#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# faults.sh TRAMMEL JSON_GET EXAMPLES: disks that are full, files that must not be overwritten, memory that is refused, names
# that are meant for a terminal. Nothing is lost without a word.
. "$(dirname "$0")/claims.sh"
always=run
pendulum=$examples/pendulum.json
cd "$work" || exit 1

# ---- Disks that are full ------------------------------------------------------------------------

# For a while: the limit of the running process falls below what was written, and a flush fails. Rows are few, so that it is the
# flush of every second which fails, and not the write of a row.
"$trammel" run "$pendulum" --step 1e-6 --every 0.02 --time 1e6 --columns t --out rows.csv >out 2> >(cat >err) &
victim=$!
within [ -s rows.csv ]
prlimit --pid $victim --fsize=1:
is_over() { ! kill -0 $victim 2>/dev/null; }
within is_over || kill -9 $victim
wait $victim
is "exit code of a run whose disk is full for a while" 3 $?
within grep -q 'cannot write rows.csv: File too large' err || fail "no word of it: $(cat err)"

(ulimit -f 4 && exec "$trammel" run "$pendulum" --time 10 --out large.csv) >out 2>err
is "exit code where a file may not grow" 3 $?
says err 'cannot write large.csv: File too large'

if [ -c /dev/full ]; then
    ends 3 "$examples/four-bar.json" --method minimal --time 0.05 --coordinates /dev/full
    says err 'cannot write /dev/full: No space left'
    ends 3 "$examples/stack.json" --time 0.05 --contacts /dev/full
    says err 'cannot write /dev/full: No space left'
    ends 3 "$examples/stack.json" --time 0.05 --contacts /dev/full --out good.csv
    says err 'cannot write /dev/full: No space left'
    is "the other file is not blamed" 0 "$(grep -c 'cannot write good.csv' err)"
fi

# ---- Files that must not be overwritten ---------------------------------------------------------

cp "$pendulum" model.json
ln -s model.json link.json
for path in model.json ./model.json link.json "$work/model.json"; do
    for option in --out --report --plot --contacts --coordinates --checkpoint; do
        ends 2 model.json --time 0.1 $option "$path"
        says err "$option $path would overwrite the model"
    done
done
is "the model is as it was" "" "$(cmp "$pendulum" model.json)"
ends 2 model.json --time 0.1 --out same.csv --contacts ./same.csv
says err '--out same.csv and --contacts ./same.csv are the same file'
is "nothing was written" no "$([ -e same.csv ] && echo yes || echo no)"
ends 0 model.json --time 0.1 --out /dev/null --contacts /dev/null

# A checkpoint replaces the file behind a link, and neither links nor pipes.
echo old >real.point
ln -s real.point link.point
ends 0 model.json --time 0.1 --checkpoint link.point
is "the link is a link" real.point "$(readlink link.point)"
ends 0 model.json --time 0.2 --resume real.point
mkfifo pipe.point
ends 3 model.json --time 0.1 --checkpoint pipe.point
says err 'cannot write the checkpoint pipe.point: it is not a regular file'
is "the pipe is a pipe" yes "$([ -p pipe.point ] && echo yes)"
ends 3 model.json --time 0.1 --checkpoint . --out untouched.csv
says err 'cannot write the checkpoint .: Is a directory'
is "known before the run" no "$([ -e untouched.csv ] && echo yes || echo no)"

echo "$count claims about faults, $failures failures"
[ $failures -eq 0 ]

#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# controller.sh TRAMMEL JSON_GET EXAMPLES, with BALANCE and INSIDE in the environment (examples/controllers/balance.c,
# controller_inside.c): trammel run --controller: the same results as with a controller inside the program, bit for bit, with any language
# and format; controllers that end early, hang, write too much or send invalid answers.
. "$(dirname "$0")/claims.sh"
always=run

cart=$examples/cart-pole.json
columns='t,cart.x,cart.vx,pin.q,pin.qd,lean,push'

# ---- The same bits --------------------------------------------------------------------------------

"$INSIDE" "$cart" "$columns" >"$work/inside.csv"
is "exit code of the controller inside" 0 $?
is "the pole stands" 1 "$(tail -1 "$work/inside.csv" | awk -F, '{ print $1 == 10 && $4 ^ 2 < 0.0025 }')"
same() {
    count=$((count + 1))
    cmp -s "$work/inside.csv" "$1" || fail "$2: $(cmp "$work/inside.csv" "$1" 2>&1)"
}
run_with() {
    local controller=$1
    shift
    ends 0 "$cart" --columns "$columns" --controller "$controller" --controller-period 0.01 --out "$work/outside.csv" "$@"
    same "$work/outside.csv" "$controller $*"
}
run_with "'$BALANCE'" --controller-format binary
run_with "grep Cpus_allowed_list /proc/self/status >'$work/cores'; exec '$BALANCE'" --controller-format binary --controller-core shared
is "a shared core is one" 1 "$(grep -c '^Cpus_allowed_list:[[:space:]]*[0-9]*$' "$work/cores")"
run_with "grep Cpus_allowed_list /proc/self/status >'$work/cores'; exec '$BALANCE'" --controller-format binary --controller-core any
is "cores of a controller are those of the program" "$(grep Cpus_allowed_list /proc/self/status)" "$(cat "$work/cores")"
if command -v python3 >/dev/null; then
    run_with "python3 '$examples/controllers/balance.py'"
    run_with "python3 '$examples/controllers/balance.py'" --controller-format binary
    run_with "python3 '$examples/controllers/balance.py' | cat"
    ends 0 "$examples/two-link-arm.json" --controller "python3 '$examples/controllers/pid.py'" --controller-period 0.005 \
        --columns 't,*.q' --every 1 --out "$work/pid.csv"
    is "PID in Python" 1 "$(tail -1 "$work/pid.csv" | awk -F, '{ print ($2 - 1.2) ^ 2 < 1e-4 && ($3 + 0.5) ^ 2 < 1e-4 }')"
fi
ends 0 "$examples/two-link-arm.json" --controller "$examples/controllers/pid.sh" --controller-period 0.02 --columns 't,*.q' \
    --every 1 --out "$work/pid.csv"
is "PID in the shell" 1 "$(tail -1 "$work/pid.csv" | awk -F, '{ print ($2 - 1.2) ^ 2 < 1e-4 && ($3 + 0.5) ^ 2 < 1e-4 }')"

# A resumed run asks the controller from the checkpoint on; this controller has no memory of its own.
ends 0 "$cart" --columns "$columns" --controller "'$BALANCE'" --controller-format binary --controller-period 0.01 \
    --out "$work/outside.csv" --checkpoint "$work/c.trm" --time 5
ends 0 "$cart" --columns "$columns" --controller "'$BALANCE'" --controller-format binary --controller-period 0.01 \
    --out "$work/outside.csv" --resume "$work/c.trm"
same "$work/outside.csv" "resumed"

# Exchanges take place at exact multiples of the period, with any steps and rows.
cat >"$work/times.sh" <<'END'
read -r greeting
echo "$greeting" >"$1.greeting"
while read -r message; do
    echo "$message" | sed 's/.*"t": \([^, }]*\).*/\1/'  >>"$1"
    echo '{}'
done
END
rm -f "$work/times"
ends 0 "$cart" --controller "sh '$work/times.sh' '$work/times'" --controller-period 0.03 --step 0.007 --every 0.02 --time 0.2 \
    --columns t --out "$work/t.csv"
is "times of exchanges" "0 0.03 0.06 0.09 0.12 0.15 0.18" "$(tr '\n' ' ' <"$work/times" | sed 's/ $//')"
is "rows" 11 "$(grep -vc -e '^#' -e '^t' "$work/t.csv")"
is "period in the greeting" 0.029999999999999999 "$("$json_get" "$work/times.greeting" period)"
is "first value in the greeting" lean "$("$json_get" "$work/times.greeting" values 0 name)"
is "range in the greeting" 50 "$("$json_get" "$work/times.greeting" inputs 0 range 1)"

# ---- Controllers that fail ------------------------------------------------------------------------

# fails PATTERN CONTROLLER OPTION...: asserts exit code 4, a message, and the rows so far
fails() {
    local pattern=$1 controller=$2
    shift 2
    ends 4 "$cart" --time 1 --columns t --out "$work/rows.csv" --controller "$controller" "$@"
    says err "$pattern"
    is "rows before '$controller' failed" 1 "$(grep -c '^0$' "$work/rows.csv")"
}
for nothing in true 'exit 0' 'kill $$' 'kill -9 $$'; do
    fails 'stopped at t = 0 s: controller: \(has ended with exit code 0\|was ended by signal [0-9]*\)' "$nothing"
done
fails 'has ended with exit code 127' 'no-such-program-anywhere 2>/dev/null'
fails 'did not answer within 0.2 s; --controller-timeout' 'sleep 1000' --controller-timeout 0.2
fails 'did not answer within 0.2 s' 'trap "" TERM; while :; do sleep 1000; done' --controller-timeout 0.2
fails "answered 'y'; an answer is one line" yes
fails "answered 'Hello'" 'echo Hello; cat >/dev/null'
fails 'has written 1048576 bytes without an end of line' 'head -c 3000000 /dev/zero; cat >/dev/null'
fails "set 'pull', which is not an input of the model; its inputs are push" 'while read -r m; do echo "{\"pull\": 1}"; done'
fails 'answered with 2 numbers; the model has 1 inputs' 'while read -r m; do echo "[1, 2]"; done'
for nonsense in '{"push": "1"}' '{"push": 1' '{"push": 1}}' '{push: 1}' '[1,]' '{"push": 1e999}' '{"push": NaN}' '{"push": 1.}' '[[1]]' '1'; do
    fails 'an answer is one line' "while read -r m; do printf '%s\n' '$nonsense'; done"
done
fails 'answered the message of t = 7 s when that of t = 0 s was due' 'while read -r m; do echo "{\"t\": 7}"; done'
fails 'has written more than one answer' 'read -r g; while read -r m; do echo "[1]
[1]"; done'
fails 'is not finite' "head -c 8 /dev/zero | tr '\\000' '\\377' | sed 's/..\$/\\xf0\\x7f/' >/dev/null; printf '\\000\\000\\000\\000\\000\\000\\360\\177'; cat >/dev/null" \
    --controller-format binary

# The controller ends during the run: rows up to that time are kept.
ends 4 "$cart" --time 1 --columns t --out "$work/rows.csv" --controller-period 0.1 --controller \
    'read -r g; for i in 1 2 3; do read -r m; echo "{}"; done; exit 7'
says err 'stopped at t = 0.3 s: controller: has ended with exit code 7'
is "rows up to there" 31 "$(grep -vc -e '^#' -e '^t' "$work/rows.csv")"

# No process of it remains.
ends 4 "$cart" --controller "sh -c 'echo \$\$ >\"$work/pid\"; exec sleep 1000' & wait" --controller-timeout 0.5
gone() { ! kill -0 "$(cat "$work/pid")" 2>/dev/null; }
count=$((count + 1))
within gone || fail "a process that the controller had started is still there"

# ---- Options --------------------------------------------------------------------------------------

ends 2 "$cart" --controller-period 0.1
says err 'has no effect without --controller'
for wrong in '--controller-period 0' '--controller-period x' '--controller-timeout -1' '--controller-format xml' '--controller-core 3'; do
    ends 2 "$cart" --controller cat $wrong
done
ends 2 "$cart" --controller cat --verify
says err 'cannot be combined with --verify'
ends 2 "$examples/pendulum.json" --controller cat
says err 'the model has no "inputs"'
ends 2 "$cart" --controller cat --controller-columns 'nothing.*'
says err 'no column fits "nothing.\*"'

echo "$count claims about trammel run --controller, $failures failures"
[ $failures -eq 0 ]

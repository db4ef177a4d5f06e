#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# report.sh TRAMMEL JSON_GET EXAMPLES: trammel run --report: one self-contained file, however the run ends. Its look and motion are tested
# in a browser (viewer/tests).
. "$(dirname "$0")/claims.sh"
always=run

loop=$examples/eight-loop.json
"$trammel" run "$loop" --time 0 --report "$work/probe.html" >/dev/null 2>"$work/err"
if grep -q 'built without its page' "$work/err"; then
    echo "built without the page: nothing to try"
    exit 77
fi

# script ID FILE: prints the contents of the script
script() { sed -n "/<script type=\"[a-z/]*\" id=\"$1\">/,/<\/script>/p" "$2" | sed -e "s/.*id=\"$1\">//" -e 's/<\/script>.*//'; }

# ---- One file ------------------------------------------------------------------------------------

ends 0 "$loop" --time 1 --out "$work/rows.csv" --report "$work/loop.html"
silent err
ends 0 "$loop" --time 1 --out "$work/plain.csv"
count=$((count + 1))
cmp -s "$work/rows.csv" "$work/plain.csv" || fail "a report changes the rows of a run"
is "kind of file" '<!doctype html>' "$(head -c 15 "$work/loop.html" | tr 'A-Z' 'a-z')"
for id in scene facts series frames; do is "scripts $id" 1 "$(grep -c "<script type=\"[a-z/]*\" id=\"$id\"" "$work/loop.html")"; done
is "nothing from elsewhere" 0 "$(grep -c -E '(src|href)="?(https?:)?//' "$work/loop.html")"
script facts "$work/loop.html" >"$work/facts.json"
is "command" "trammel run $loop --time 1 --out $work/rows.csv --report $work/loop.html" "$("$json_get" "$work/facts.json" command)"
is "status" ok "$("$json_get" "$work/facts.json" report status)"

ends 0 "$loop" --report "$work/whole.html"
echo "10 s of the 8-Loop: $(wc -c <"$work/whole.html") bytes"

# ---- Size: 10 s of 100 bodies in less than 3 MB ----------------------------------------------------

awk 'BEGIN {
    printf "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
    for (i = 0; i < 100; i++)
        printf "%s{ \"name\": \"r%d\", \"rod\": { \"from\": [%d, 0, 0], \"to\": [%d, 0, 0], \"mass\": 1, \"radius\": 0.02 } }", i ? "," : "", i, i, i + 1
    printf "], \"joints\": ["
    for (i = 0; i < 100; i++)
        printf "%s{ \"name\": \"j%d\", \"type\": \"ball\", \"bodies\": [\"%s\", \"r%d\"], \"anchor\": [%d, 0, 0] }", i ? "," : "", i, i ? "r" (i - 1) : "ground", i, i
    printf "] }"
}' >"$work/hundred.json"
ends 0 "$work/hundred.json" --time 10 --report "$work/hundred.html"
size=$(wc -c <"$work/hundred.html")
echo "10 s of 100 bodies: $size bytes"
count=$((count + 1))
[ "$size" -lt 3000000 ] || fail "10 s of 100 bodies take $size bytes"

# ---- Failures ------------------------------------------------------------------------------------

ends 3 "$loop" --time 1 --report "$work/no/such/folder.html"
says err 'cannot write .*folder.html: No such file or directory'
cat >"$work/nan.json" <<'END'
{ "trammel": 1, "bodies": [{ "name": "b", "mass": 1, "inertia": [1, 1, 1] }],
  "forces": [{ "name": "push", "type": "force", "body": "b", "value": ["1/(0.5 - t)^0.5", 0, 0] }] }
END
ends 4 "$work/nan.json" --time 1 --report "$work/stopped.html"
script facts "$work/stopped.html" >"$work/facts.json"
count=$((count + 1))
[ "$("$json_get" "$work/facts.json" report status)" != ok ] || fail "the report of a run that stopped says ok"

echo "$count claims about reports, $failures failures"
[ $failures -eq 0 ]

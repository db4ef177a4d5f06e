#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# cmake/words.sh accepts this tree, and finds every entry of cmake/words.txt in documents, comments, messages and scripts, also over the end of
# a line. Usage: words_selftest.sh ROOT
set -eu
root=$(cd "${1:?usage: words_selftest.sh ROOT}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

"$root/cmake/words.sh" "$root" || { echo "FAILED: words that we do not use are in the tree"; failures=1; }

# finds FILE LINE: the file is reported there, and nothing else
finds()
{
    status=0
    said=$("$root/cmake/words.sh" "$work/tree") || status=$?
    [ "$status" -eq 1 ] && [ "$(echo "$said" | grep -c "^$1:$2:")" -ge 1 ] && [ -z "$(echo "$said" | grep -v "^$1:$2:")" ] || {
        echo "FAILED: $1:$2 not found, or more than that: $said"
        failures=1
    }
}
begin()
{
    rm -rf "$work/tree"
    mkdir -p "$work/tree/docs" "$work/tree/cli" "$work/tree/include/trammel"
    echo "A run resumes bit-identically." >"$work/tree/docs/a.md"
}

# Each sentence of the table, in a document; an entry that finds none of them is one that cannot fail.
while IFS= read -r sentence; do
    begin
    printf '\n%s\n' "$sentence" >>"$work/tree/docs/a.md"
    finds docs/a.md 3
done <<'END'
It goes on from a checkpoint.
A file of this sweep is gone on with.
What these pages print is run by a test.
A comma behind the last item is accepted.
Before and behind the table its end values hold.
As long as it is at the start when it pulls with nothing.
It does not depend on what the joint carries.
Bounces get lower without end in a time that does.
Take lcp to have what ODE would do.
Velocities that it has not are found by differentiating.
It runs 0.56 x slower than asked.
The step that was asked for.
robot.urdf is no model.
Velocities are made to fit.
This makes velocities fit.
The velocities of its bodies do not fit.
It does not fit the start.
Many more than a hundred are counted, but not kept.
What contacts do not go together with yet.
Steps of which nobody knows how long they take.
NULL: it never can tell.
The second one is of no account.
What begins from nothing begins well.
The same command goes on.
Our figures beside the printed ones.
The velocities behind the impact.
It gives up after so many rounds.
The joint is looked at twice.
The matrix is made anew.
The run ends in the same bits.
Energy came from nowhere.
Takes the model over.
Rows are dropped without a word.
END
entries=$(grep -c -v '^#' "$root/cmake/words.txt")
[ "$entries" -le 38 ] || { echo "FAILED: words.txt has $entries entries, 38 are tried here"; failures=1; }

begin
mkdir "$work/tree/tests"
printf '/* It is looked at here. */\n' | tee "$work/tree/tests/a.c" >"$work/tree/cli/a.c"
finds cli/a.c 1
begin
printf 'static void\nlook_at_joint(int joint);\ntrm_mpi_give_up();\n' >"$work/tree/cli/a.c"
finds cli/a.c 2
begin
printf '/* Ends with NULL behind\n * the last one. */\n' >"$work/tree/include/trammel/a.h"
finds include/trammel/a.h 2
begin
printf '\nputs("it is of no account");\n' >"$work/tree/cli/a.c"
finds cli/a.c 2
begin
printf '/* of no account */\n' >"$work/tree/cli/a.c"
finds cli/a.c 1
for comment in 'It goes and comes by turns.' 'They are equal but for rounding.' 'Nobody reads it.' 'Adds a row; false: out of memory.'; do
    begin
    printf '\n/* %s */\n' "$comment" >"$work/tree/cli/a.c"
    finds cli/a.c 2
done
begin
printf 'true # of no\n# account\n' >"$work/tree/cli/a.sh"
finds cli/a.sh 2
[ $failures -eq 0 ] && echo "words: all found"
exit $failures

#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# layers.sh on small trees made for it: a good one passes, and each kind of mistake, put into the good one
# alone, is found at its file and line and nowhere else. Usage: layers_selftest.sh LAYERS_SH
set -eu

layers=$(realpath "${1:?usage: layers_selftest.sh LAYERS_SH}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

# put FILE LINE...: a file of these lines in the tree
put()
{
    mkdir -p "$tree/$(dirname "$1")"
    file=$tree/$1
    shift
    printf '%s\n' "$@" >"$file"
}

good_tree()
{
    rm -rf "$tree"
    put include/trammel/base.h '#include <stddef.h>'
    put include/trammel/model.h '#include "trammel/base.h"'
    put src/base/arena.h '#include "trammel/base.h"'
    put src/model/joints/hinge.c '#include "base/arena.h"' '#include "model/joint.h"' '#include <math.h>'
    put src/methods/method.h '#include "collide/pair.h"'
    put src/methods/methods.c '#include "methods/lcp/lcp.h"' '#include "methods/impulse/impulse.h"'
    put src/methods/impulse/impulse.c '#include "methods/impulse/impulse.h"' '#include "methods/method.h"' \
        '#include "methods/maximal/maximal.h"'
    put src/methods/maximal/maximal.h
    put src/methods/ranks/exchange_mpi.c '#include <mpi.h>' '#include "methods/ranks/exchange.h"'
    put src/sim/sim.c '  #  include "methods/lcp/lcp.h"'
    put src/io/csv.c '#include "sim/sim.h"'
    put cli/run.h ''
    put cli/run.c '#include "trammel/base.h"' '#include "run.h"' '#include "trammel/mpi.h"'
    put examples/chain.c '#include "trammel/model.h"'
    put viewer/node_modules/other/x.c '#include "anything.h"'
}

fail()
{
    echo "FAILED: $1"
    sed 's/^/    /' "$work/output"
    failures=$((failures + 1))
}

# finds "FILE:LINE: BEGINNING": layers.sh refuses the tree for this one mistake
finds()
{
    status=0
    sh "$layers" "$tree" >"$work/output" || status=$?
    if [ "$status" -ne 1 ]; then fail "status $status, expected 1, for: $1"
    elif ! grep -qF "$1" "$work/output"; then fail "not reported: $1"
    elif ! grep -q ' 1 wrong$' "$work/output"; then fail "more than one mistake reported for: $1"
    fi
    good_tree
}

good_tree
sh "$layers" "$tree" >"$work/output" || fail "the good tree is refused"
grep -q '^layers: 14 files, 20 includes, 0 wrong$' "$work/output" || fail "the good tree is not read in full"

put src/base/list.c '#include <stdio.h>' '' '#include "model/joint.h"'
finds 'src/base/list.c:3: upward include: layer src/base sees layer src/model: "model/joint.h"'
put src/sim/step.c '#include "io/csv.h"'
finds 'src/sim/step.c:1: upward include: layer src/sim sees layer src/io'
put src/collide/pair.c '	#	include "methods/method.h"'
finds 'src/collide/pair.c:1: upward include: layer src/collide sees layer src/methods'
put include/trammel/sim.h '#include "base/arena.h"'
finds 'include/trammel/sim.h:1: layer include/trammel sees layer src/base'
put cli/check.c '#include "trammel/base.h"' '#include "base/arena.h"'
finds 'cli/check.c:2: layer cli sees layer src/base'
put examples/loop.c '#include "sim/sim.h"'
finds 'examples/loop.c:1: layer examples sees layer src/sim'

put src/methods/impulse/round.c '#include "methods/lcp/lcp.h"'
finds 'src/methods/impulse/round.c:1: sideways include: the method src/methods/impulse sees the method src/methods/lcp'
put src/methods/maximal/rows.c '#include "methods/lcp/lcp.h"'
finds 'src/methods/maximal/rows.c:1: sideways include: the method src/methods/maximal sees the method src/methods/lcp'
put src/methods/maximal/phases.c '#include "methods/hierarchy/plan.h"'
finds 'src/methods/maximal/phases.c:1: upward include: src/methods/maximal sees src/methods/hierarchy'
put src/methods/all.h '#include "methods/lcp/lcp.h"'
finds 'src/methods/all.h:1: sideways include: a header of layer src/methods sees the method lcp'

put src/sim/driver.c '#include <mpi.h>'
finds 'src/sim/driver.c:1: mpi.h is for src/methods/ranks/exchange_mpi.c alone'
put cli/main.c '#include "mpi.h"'
finds 'cli/main.c:1: mpi.h is for'

put src/base/ring.h '#include "base/other.h"'
put src/base/other.h '#include "base/third.h"'
put src/base/third.h '#include "base/ring.h"'
finds 'include cycle: src/base/'

put src/base/list.c '#include "arena.h"'
finds 'src/base/list.c:1: layer src/base: "arena.h" is neither'
put src/methods/lcp/lcp.c '#include "methods/../io/csv.h"'
finds 'src/methods/lcp/lcp.c:1: layer src/methods: a path with'
put src/base/list.c '#include <model/joint.h>'
finds 'src/base/list.c:1: layer src/base: our own headers are written in quotes'
put src/base/list.c '#include HEADER'
finds 'src/base/list.c:1: layer src/base: neither'
put src/gears/gear.c '#include "base/arena.h"'
finds 'src/gears/gear.c:1: this folder is no layer'
put cli/check.c '#include "nowhere.h"'
finds 'cli/check.c:1: layer cli: "nowhere.h" is neither'

rm -rf "$tree" && mkdir "$tree"
status=0
sh "$layers" "$tree" >"$work/output" || status=$?
[ "$status" -eq 2 ] || fail "an empty tree gives status $status, expected 2"

[ "$failures" -eq 0 ] && echo "layers_selftest: every verdict as expected"

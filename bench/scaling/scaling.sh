#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# scaling.sh FOLDER: strong and weak scaling on 1, 2 and 4 ranks by the programs in FOLDER, then the cost model fitted to it.
# On a machine with as many idle processors as ranks; with fewer, ranks share them.
set -eu
folder=$1
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

heading() {
    echo
    echo "$1"
    printf '%-6s %7s %-10s %5s %11s %12s %9s %11s %10s %10s %8s  %s\n' scene size solver ranks ms/step bytes/body MB/rank \
        messages kB reductions rounds state
}

heading "strong scaling: the same machine"
for scene in "chain 100000" "net 64"; do
    "$folder/bench_scaling" $scene direct
    for ranks in 1 2 4; do mpirun -n $ranks "$folder/bench_scaling" $scene | tee -a "$rows"; done
done

heading "weak scaling: as many bodies for each rank"
for pair in "1 chain 25000" "2 chain 50000" "4 chain 100000" "1 net 32" "2 net 45" "4 net 64"; do
    set -- $pair
    mpirun -n "$1" "$folder/bench_scaling" "$2" "$3"
done

echo
echo "cost model"
mpirun -n 1 "$folder/bench_scaling" net 16 >>"$rows"
mpirun -n 1 "$folder/bench_scaling" net 32 >>"$rows"
"$folder/bench_scaling_cost" 2e-6 1e10 <"$rows"

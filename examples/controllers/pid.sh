#!/bin/sh
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Two PID loops move the arm of examples/two-link-arm.json to 1.2 rad and -0.5 rad:
#
#     trammel run examples/two-link-arm.json --controller examples/controllers/pid.sh --controller-period 0.02
#
# The shell reads one line per message and answers with one; awk computes, and gives back the sums of the errors.
sums="0 0"
read -r greeting || exit 1
while read -r message; do
    set -- $(echo "$message" | tr -d '{}",:' | awk -v sums="$sums" '{
        split(sums, sum, " ")
        for (i = 1; i < NF; i += 2) value[$i] = $(i + 1)
        e1 = 1.2 - value["q1"]
        e2 = -0.5 - value["q2"]
        s1 = sum[1] + 0.02 * e1
        s2 = sum[2] + 0.02 * e2
        printf "%.17g %.17g %.17g %.17g", 60 * e1 + 80 * s1 - 8 * value["qd1"], 15 * e2 + 25 * s2 - 1.5 * value["qd2"], s1, s2
    }')
    sums="$3 $4"
    echo "{\"shoulder_torque\": $1, \"elbow_torque\": $2}"
done

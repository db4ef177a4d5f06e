#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Two PID loops move the arm of examples/two-link-arm.json to 1.2 rad and -0.5 rad.

    trammel run examples/two-link-arm.json --controller 'python3 examples/controllers/pid.py' --controller-period 0.005
"""

import json
import sys

TARGETS = (1.2, -0.5)  # rad
P, I, D = (120, 40), (150, 60), (18, 5)  # N m per rad, rad s, rad/s

greeting = json.loads(sys.stdin.readline())
period = greeting["period"]
sums = [0.0, 0.0]
for line in sys.stdin:
    values = json.loads(line)
    torques = []
    for k in range(2):
        error = TARGETS[k] - values[f"q{k + 1}"]
        sums[k] += period * error
        torques.append(P[k] * error + I[k] * sums[k] - D[k] * values[f"qd{k + 1}"])
    print(json.dumps({"t": values["t"], "shoulder_torque": torques[0], "elbow_torque": torques[1]}), flush=True)

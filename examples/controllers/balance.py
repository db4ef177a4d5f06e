#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Balances the pole of examples/cart-pole.json: a linear regulator on noisy sensors.

    trammel run examples/cart-pole.json --controller 'python3 examples/controllers/balance.py' --controller-period 0.01
"""

import json
import sys

GAINS = {"lean": 54.75, "lean_rate": 14.00, "place": 4.472, "speed": 7.013}  # N per rad, rad/s, m, m/s

json.loads(sys.stdin.readline())  # the greeting: names, units, ranges
for line in sys.stdin:
    values = json.loads(line)
    push = 0.0
    for name, gain in GAINS.items():
        push += gain * values[name]
    print(json.dumps({"t": values["t"], "push": push}), flush=True)

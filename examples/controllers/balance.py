#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Balances the pole of examples/cart-pole.json: a linear regulator on noisy sensors.

    trammel run examples/cart-pole.json --controller 'python3 examples/controllers/balance.py' --controller-period 0.01

With --controller-format binary messages are doubles, which takes half the time.
"""

import json
import struct
import sys

GAINS = {"lean": 54.75, "lean_rate": 14.00, "place": 4.472, "speed": 7.013}  # N per rad, rad/s, m, m/s


def push_of(values):
    push = 0.0
    for gain, value in zip(GAINS.values(), values):
        push += gain * value
    return push


def answer_lines():
    for line in sys.stdin.buffer:
        values = json.loads(line)
        answer = {"t": values["t"], "push": push_of(values[name] for name in GAINS)}
        print(json.dumps(answer), flush=True)


def answer_doubles(names):
    message, number = struct.Struct(f"{1 + len(names)}d"), struct.Struct("d")
    places = [1 + names.index(name) for name in GAINS]  # after t
    while bytes_in := sys.stdin.buffer.read(message.size):
        values = message.unpack(bytes_in)
        sys.stdout.buffer.write(number.pack(push_of(values[i] for i in places)))
        sys.stdout.buffer.flush()


greeting = json.loads(sys.stdin.buffer.readline())  # names, units, ranges
if greeting["format"] == "binary":
    answer_doubles([value["name"] for value in greeting["values"]])
else:
    answer_lines()

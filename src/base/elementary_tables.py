#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Computes the tables and polynomials of src/base/elementary_*.c with mpmath and writes them to src/base/elementary_*_tables.h.
# Usage: python3 src/base/elementary_tables.py (the headers are part of the tree; nothing in the build runs this)
#
# Polynomials are minimax in the relative error that the caller names by a weight: Remez's exchange on mpmath numbers. After that
# coefficient by coefficient, lowest first, is rounded to a double and the others are fitted again, so that the rounding of the
# first ones is made up for by the next ones.
import os

import mpmath as mp

mp.mp.prec = 1500


def double(x):
    return mp.mpf(float(x))


def solve_levelled(f, weight, points, degree, fixed):
    n = degree + 1 - len(fixed)
    rows = mp.matrix(n + 1, n + 1)
    right = mp.matrix(n + 1, 1)
    for i, x in enumerate(points):
        for k in range(n):
            rows[i, k] = x ** (k + len(fixed))
        rows[i, n] = (-1) ** i / weight(x)
        right[i] = f(x) - sum(c * x**k for k, c in enumerate(fixed))
    solution = mp.lu_solve(rows, right)
    return fixed + [solution[k] for k in range(n)], abs(solution[n])


def extremes(error, low, high, count):
    """the count + 1 alternating extremes of error on a fine grid"""
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / 1200)) / 2 for i in range(1201)]
    values = [error(x) for x in grid]
    found = []
    for x, v in zip(grid, values):
        if found and (v > 0) == (found[-1][1] > 0):
            if abs(v) > abs(found[-1][1]):
                found[-1] = (x, v)
        else:
            found.append((x, v))
    while len(found) > count + 1:
        found.pop(0 if abs(found[0][1]) < abs(found[-1][1]) else -1)
    return found if len(found) == count + 1 else None


def remez(f, weight, low, high, degree, fixed):
    count = degree + 1 - len(fixed)
    points = [low + (high - low) * (1 - mp.cos(mp.pi * i / count)) / 2 for i in range(count + 1)]
    for _ in range(6):
        c, _ = solve_levelled(f, weight, points, degree, fixed)
        found = extremes(lambda x: (mp.polyval(c[::-1], x) - f(x)) * weight(x), low, high, count)
        if not found:
            break
        points = [x for x, _ in found]
    return c


def fit(name, f, weight, low, high, degree):
    save = mp.mp.prec
    mp.mp.prec = 160
    low, high = mp.mpf(low), mp.mpf(high)
    if low < 0:  # powers that vanish inside cannot be fitted again; here the factor before the polynomial makes rounding harmless
        fixed = [double(c) for c in remez(f, weight, low, high, degree, [])]
    else:
        fixed = []
        while len(fixed) <= degree:
            fixed.append(double(remez(f, weight, low, high, degree, fixed)[len(fixed)]))
    grid = [low + (high - low) * i / 1000 for i in range(1001)]
    worst = max(abs((mp.polyval(fixed[::-1], x) - f(x)) * weight(x)) for x in grid)
    mp.mp.prec = save
    note = f"2^{float(mp.log(worst, 2)):.1f}"
    print(f"{name}: degree {degree}, error {note}")
    return fixed, note


def text(x):
    return float(x).hex()


def near_zero(f, series):
    """f, and the first terms of its Taylor series where f cancels"""
    return lambda x: mp.polyval(series[::-1], x) if abs(x) < mp.mpf(2) ** -30 else f(x)


HEADER = """/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Written by elementary_tables.py. %s */

#ifndef TRM_BASE_%s_H
#define TRM_BASE_%s_H

%s
#endif
"""


def array(name, values, comment):
    lines = "".join(f"    {v},\n" for v in values)
    return f"/* {comment} */\nstatic const double {name}[{len(values)}] = {{\n{lines}}};\n\n"


def pairs(name, values, comment):
    lines = "".join(f"    {{{a}, {b}}},\n" for a, b in values)
    return f"/* {comment} */\nstatic const double {name}[{len(values)}][2] = {{\n{lines}}};\n\n"


def constant(name, value):
    return f"static const double {name} = {text(value)};\n"


def dd(x):
    high = double(x)
    return text(high), text(x - high)


def rounded_to(x, bit):
    """x rounded to a multiple of 2^bit"""
    return mp.nint(x / mp.mpf(2) ** bit) * mp.mpf(2) ** bit


def polynomial(name, f, weight, low, high, degree, comment):
    c, note = fit(name, f, weight, low, high, degree)
    return array(name, [text(x) for x in c], f"{comment}: to {note}")


def write(stem, about, body):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"elementary_{stem}_tables.h")
    guard = f"ELEMENTARY_{stem.upper()}_TABLES"
    with open(path, "w") as out:
        out.write(HEADER % (about, guard, guard, body))


def trigonometry():
    quarter = mp.pi / 2
    body = "/* pi/2 = a + b + c, a and b of 33 bits each: times whole numbers below 2^20 they are exact */\n"
    a = rounded_to(quarter, -32)
    b = rounded_to(quarter - a, -65)
    body += constant("half_pi_a", a) + constant("half_pi_b", b) + constant("half_pi_c", quarter - a - b)
    body += constant("half_pi_high", quarter) + constant("half_pi_low", quarter - double(quarter))
    body += constant("two_over_pi", 1 / quarter) + "\n"

    words = 40
    bits = int(mp.floor(mp.mpf(2) ** (32 * words) / quarter))
    body += "/* 2/pi = 0.w0 w1 w2 ... in base 2^32 */\n"
    body += f"static const uint32_t two_over_pi_words[{words}] = {{\n"
    body += "".join(f"    0x{(bits >> (32 * (words - 1 - i))) & 0xffffffff:08x},\n" for i in range(words)) + "};\n\n"

    top = float((mp.pi / 4) ** 2) * 1.0001
    sine = near_zero(lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
                     [-mp.mpf(1) / 6, mp.mpf(1) / 120])
    body += polynomial("sine", sine, lambda z: z, 1e-12, top, 5, "sin y = y + y^3 p(y^2), |y| <= pi/4")
    cosine = near_zero(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, [mp.mpf(1) / 24, -mp.mpf(1) / 720])
    body += polynomial("cosine", cosine, lambda z: z**2, 1e-12, top, 5, "cos y = 1 - y^2/2 + y^4 p(y^2), |y| <= pi/4")
    tangent = near_zero(lambda z: (mp.tan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
                        [mp.mpf(1) / 3, mp.mpf(2) / 15])
    body += polynomial("tangent", tangent, lambda z: z, 1e-12, 0.1251**2, 5, "tan y = y + y^3 p(y^2), |y| <= 1/8")
    body += polynomial("short_tangent", tangent, lambda z: z, 1e-14, (1 / 127) ** 2, 2, "the same for |y| <= 1/128")
    rows = [dd(mp.tan(mp.mpf(j) / 64)) + dd(-mp.cot(mp.mpf(j) / 64)) for j in range(8, 52)]
    lines = "".join("    {{%s, %s}, {%s, %s}},\n" % row for row in rows)
    body += "/* tan and -1/tan of j/64 from j = 8 on, high and low part */\n"
    body += f"static const double tangents[{len(rows)}][2][2] = {{\n{lines}}};\n\n"
    write("trig", "2/pi, and polynomials for sines and tangents.", body)


def arcs():
    quarter = mp.pi / 2
    body = constant("half_pi_high", quarter) + constant("half_pi_low", quarter - double(quarter))
    body += constant("pi_high", 2 * quarter) + constant("pi_low", 2 * (quarter - double(quarter))) + "\n"
    arc = near_zero(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, [-mp.mpf(1) / 3, mp.mpf(1) / 5])
    body += polynomial("arc_tangent", arc, lambda z: z, 1e-14, (1 / 127) ** 2, 2, "atan t = t + t^3 p(t^2), |t| <= 1/128")
    body += polynomial("short_arc_tangent", arc, lambda z: z, 1e-14, 0.0626**2, 5, "the same for |t| <= 1/16")
    arc_sine = near_zero(lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
                         [mp.mpf(1) / 6, mp.mpf(3) / 40])
    body += polynomial("arc_sine", arc_sine, lambda z: z, 1e-12, 0.25001, 12, "asin x = x + x^3 p(x^2), |x| <= 1/2")
    body += pairs("arc_tangents", [dd(mp.atan(mp.mpf(j) / 64)) for j in range(65)], "atan(j/64), high and low part")
    write("arc", "Polynomials and a table for inverse trigonometric functions.", body)


def exponentials():
    ln2 = mp.log(2)
    a = rounded_to(ln2 / 128, -41)
    body = "/* ln 2/128 = a + b: a has 34 bits, so that times whole numbers below 2^18 it is exact */\n"
    body += constant("step_a", a) + constant("step_b", ln2 / 128 - a) + constant("steps_per_unit", 128 / ln2) + "\n"
    high = rounded_to(ln2, -42)
    body += "/* ln 2: the high part is a multiple of 2^-42, so that sums with whole multiples are exact */\n"
    body += constant("ln2_high", high) + constant("ln2_low", ln2 - high) + "\n"
    log10_e = 1 / mp.log(10)
    part = rounded_to(log10_e, -27)
    body += "/* 1/ln 10: the high part has 26 bits */\n"
    body += constant("log10_e_high", part) + constant("log10_e_low", log10_e - part) + "\n"
    growth = near_zero(lambda r: (mp.exp(r) - 1 - r) / r**2, [mp.mpf(1) / 2, mp.mpf(1) / 6, mp.mpf(1) / 24])
    width = float(ln2 / 256) * 1.006
    body += polynomial("growth", growth, lambda r: r**2 + width**2 / 1000, -width, width, 3, "e^r = 1 + r + r^2 p(r), |r| <= ln 2/256")
    logarithm = near_zero(lambda r: (mp.log1p(r) - r + r**2 / 2) / r**3,
                          [mp.mpf(1) / 3, -mp.mpf(1) / 4, mp.mpf(1) / 5])
    width = 1.002 / 256
    body += polynomial("logarithm", logarithm, lambda r: r**2 + width**2 / 1000, -width, width, 6,
                       "log(1 + r) = r - r^2/2 + r^3 p(r), |r| <= 1/256")
    body += hyperbolic_sine()
    powers = [mp.mpf(2) ** (mp.mpf(j) / 128) for j in range(128)]
    body += pairs("powers", [(text(p), text((p - double(p)) / double(p))) for p in powers],
                  "2^(j/128) = a (1 + b)")
    # centres 1 + i/128 of [1, 2], halved from index FOLD on: 1/centre to 20 bits, and -log of that
    fold = 54
    rows = []
    for i in range(129):
        centre = (1 + mp.mpf(i) / 128) / (2 if i >= fold else 1)
        inverse = mp.mpf(1) if i in (0, 128) else rounded_to(1 / centre, -19)
        whole = -mp.log(inverse)
        part = rounded_to(whole, -42)
        rows.append(f"{{{text(inverse)}, {text(part)}, {text(whole - part)}}}")
    body += f"enum {{ LOGARITHM_FOLD = {fold} }};\n\n"
    body += "/* 1/c of 20 bits for c near 1 + i/128, from LOGARITHM_FOLD on for half of it; log c in two parts */\n"
    body += "static const double logarithms[129][3] = {\n" + "".join(f"    {r},\n" for r in rows) + "};\n\n"
    write("exp", "Tables and polynomials for exponentials and logarithms.", body)


def cube_root():
    root = lambda x: mp.cbrt(x)
    body = polynomial("cube_root", root, lambda x: 1 / root(x), 1, 8, 7, "x^(1/3) for 1 <= x <= 8")
    write("root", "The first guess of a cube root.", body)


def hyperbolic_sine():
    sine = near_zero(lambda z: (mp.sinh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, [mp.mpf(1) / 6, mp.mpf(1) / 120])
    return polynomial("hyperbolic_sine", sine, lambda z: z, 1e-12, 0.301**2, 4, "sinh x = x + x^3 p(x^2), |x| <= 0.3")


trigonometry()
arcs()
exponentials()
cube_root()

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""draw.py MODEL.json PICTURE.svg ROWS.csv[:PEN] ...: draws the rods of a machine, seen along z, at the last row of each file of results,
the first of several grey, and the path of the point PEN (BODY.POINT). MODEL is in plain form (trammel convert); rods lie along x of their bodies."""
import csv
import json
import math
import sys

WIDTH, MARGIN = 460.0, 14.0
COLOURS = ["#9aa0a6", "#0072b2", "#d55e00", "#009e73"]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def ends_of(row, name, length):
    """Both ends of a rod: its centre, and half of its length along the first column of its rotation."""
    x, y = float(row[name + ".x"]), float(row[name + ".y"])
    w, a, b, c = (float(row[f"{name}.q{k}"]) for k in "wxyz")
    ax, ay = w * w + a * a - b * b - c * c, 2 * (a * b + w * c)
    return (x - 0.5 * length * ax, y - 0.5 * length * ay), (x + 0.5 * length * ax, y + 0.5 * length * ay)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    rods = {b["name"]: math.dist(b["rod"]["from"], b["rod"]["to"]) for b in model["bodies"] if "rod" in b}
    lines, paths = [], []
    for number, argument in enumerate(sys.argv[3:]):
        path, _, pen = argument.partition(":")
        rows = rows_of(path)
        lines.append([ends_of(rows[-1], name, length) for name, length in rods.items()])
        paths.append([(float(r[pen + ".x"]), float(r[pen + ".y"])) for r in rows] if pen else [])
    points = [p for group in lines for ends in group for p in ends] + [p for path in paths for p in path]
    left, right = min(p[0] for p in points), max(p[0] for p in points)
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    scale = (WIDTH - 2 * MARGIN) / max(right - left, 1e-9)
    height = scale * (high - low) + 2 * MARGIN

    def at(p):
        return f"{MARGIN + scale * (p[0] - left):.1f} {height - MARGIN - scale * (p[1] - low):.1f}"

    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}">\n')
        out.write('<rect width="100%" height="100%" fill="#fff"/>\n<g fill="none" stroke-linecap="round">\n')
        for group, path, colour in zip(lines, paths, COLOURS if len(lines) > 1 else COLOURS[1:]):
            if path:
                out.write(f'<path stroke="{colour}" stroke-dasharray="1 4" stroke-width="2" d="M{"L".join(map(at, path))}"/>\n')
            for a, b in group:
                out.write(f'<path stroke="{colour}" stroke-width="4" d="M{at(a)}L{at(b)}"/>\n')
        out.write("</g>\n</svg>\n")


main()

#!/bin/bash
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# minimal-pictures.sh TRAMMEL EXAMPLES DOCS: draws the pictures of DOCS/minimal.md: the criterion for the pendulum of the paper's Bild 1
# at one angle; and, from a run of a pendulum in x and y, which of the two is independent, with the criterion of both.
set -euo pipefail
trammel=${1:?usage: minimal-pictures.sh TRAMMEL EXAMPLES DOCS} examples=${2:?EXAMPLES} docs=${3:?DOCS}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$docs/minimal"

head='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">\n<rect width="100%%" height="100%%" fill="white"/>\n'

# ---- The criterion: unit vectors along x and y, projected on the tangent ---------------------------------------------------

awk -v head="$head" '
function line(x1, y1, x2, y2, style) { printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style }
function arrow(x, y, dx, dy, color,    l, ux, uy) {
    l = sqrt(dx * dx + dy * dy); ux = dx / l; uy = dy / l
    line(x, y, x + dx - 6 * ux, y + dy - 6 * uy, "stroke=\"" color "\" stroke-width=\"2\"")
    printf "<path d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f Z\" fill=\"%s\"/>\n", x + dx, y + dy, \
        x + dx - 10 * ux - 4 * uy, y + dy - 10 * uy + 4 * ux, x + dx - 10 * ux + 4 * uy, y + dy - 10 * uy - 4 * ux, color
}
function text(x, y, t, color) { printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x, y, color, t }
BEGIN {
    printf head, 460, 330
    a = 0.6; ox = 150; oy = 60; l = 190; k = 120                # angle from the vertical; pivot; length; unit
    px = ox + l * sin(a); py = oy + l * cos(a); tx = cos(a); ty = -sin(a)
    printf "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" stroke=\"#bbb\"/>\n", ox, oy, l
    line(ox, oy, px, py, "stroke=\"black\" stroke-width=\"2\""); line(px - 90 * tx, py - 90 * ty, px + 150 * tx, py + 150 * ty, "stroke=\"#888\" stroke-dasharray=\"5 4\"")
    arrow(px, py, k, 0, "#0072b2"); arrow(px, py, 0, -k, "#d55e00")
    cx = k * tx; cy = -k * ty                                    # projections of both on the tangent
    line(px + k, py, px + cx * tx, py + cx * ty, "stroke=\"#0072b2\" stroke-dasharray=\"2 3\""); line(px, py - k, px + cy * tx, py + cy * ty, "stroke=\"#d55e00\" stroke-dasharray=\"2 3\"")
    line(px, py, px + cx * tx, py + cx * ty, "stroke=\"#0072b2\" stroke-width=\"5\" opacity=\"0.4\""); line(px, py, px + cy * tx, py + cy * ty, "stroke=\"#d55e00\" stroke-width=\"9\" opacity=\"0.4\"")
    printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/><circle cx=\"%d\" cy=\"%d\" r=\"3\"/>\n", px, py, ox, oy
    text(px + k + 4, py + 5, "k1, along x", "#0072b2"); text(px - 74, py - k + 4, "k2, along y", "#d55e00"); text(px + 152 * tx, py + 152 * ty - 4, "e_d", "#555")
    text(20, 300, sprintf("cos&#178; of x = (y/l)&#178; = %.2f", cos(a) ^ 2), "#0072b2"); text(20, 318, sprintf("cos&#178; of y = (x/l)&#178; = %.2f: x is the better coordinate here", sin(a) ^ 2), "#d55e00")
    print "</svg>"
}' >"$docs/minimal/criterion.svg"

# ---- Switching, from a run ------------------------------------------------------------------------------------------------

"$trammel" run "$examples/problems/s01-swinging-pendulum.json" --method minimal --error 1e-9 --time 3.2 --every 0.01 \
    --coordinates "$work/run.csv" >/dev/null
awk -F, -v head="$head" '
NR > 1 {
    k = $3; n[k]++; t[k, n[k]] = $1; c[k, n[k]] = $5; role[k, n[k]] = $4
}
END {
    printf head, 640, 330
    x0 = 60; y0 = 250; w = 550; h = 210; end = t[1, n[1]]
    for (i = 0; i <= 4; i++) printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n", x0, y0 - h * i / 4, x0 + w, y0 - h * i / 4, x0 - 6, y0 - h * i / 4 + 4, i / 4
    for (i = 0; i <= end; i++) printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d s</text>\n", x0 + w * i / end, y0 + 62, i
    color[1] = "#0072b2"; color[2] = "#d55e00"; name[1] = "x"; name[2] = "y"
    for (k = 1; k <= 2; k++) {
        printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", color[k]
        for (i = 1; i <= n[k]; i++) printf "%.1f,%.1f ", x0 + w * t[k, i] / end, y0 - h * c[k, i]
        print "\"/>"
        y = y0 + 4 + 18 * k                                      # a bar where it is independent
        for (i = 1; i < n[k]; i++) if (role[k, i] == "independent") printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"10\" fill=\"%s\"/>\n", x0 + w * t[k, i] / end, y - 9, w * (t[k, i + 1] - t[k, i]) / end + 0.3, color[k]
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>\n", x0 - 6, y, color[k], name[k]
    }
    printf "<text x=\"%d\" y=\"22\">cos&#178; &#945; of x and y of a swinging pendulum; bars: which one is independent</text>\n</svg>\n", x0
}' "$work/run.csv" >"$docs/minimal/switching.svg"

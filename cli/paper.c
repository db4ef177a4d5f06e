/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "paper.h"

static const option options[] = {
    {"--json", NULL, "print one JSON object instead of text"},
    {"--start", "horizontal|zigzag|folded", "initial pose of the 8-Loop (default: horizontal)"},
    {"--angle", "A", "angle of its zigzag in rad (default: 1.1 of horizontal, 0.5 of zigzag)"},
    {"--rods", "uniform|ends", "mass distribution of its rods (default: uniform)"},
    {"--rows", "N", "only the first N step sizes; the last ones take longest"},
    {"--plot", "PREFIX", "distributed: draw PREFIX-angles.svg, PREFIX-drift-equal.svg, PREFIX-drift-unequal.svg"},
};

const command command_paper = {
    .name = "paper",
    .words = "[TABLE]",
    .least = 0,
    .most = 1,
    .summary = "print the tables of Schmitt 2003 and of two papers that follow it, next to our figures",
    .details = "Without a table, lists them. Lengths are in m, times in s, energies in J.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = paper_run,
};

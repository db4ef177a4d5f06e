/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Plots of error over time of all engines, one per scene. */

#ifndef TRM_BENCH_SMOOTH_PICTURES_H
#define TRM_BENCH_SMOOTH_PICTURES_H

#include "common/bench.h"

/* Writes docs/benchmarks/SCENE.svg and a line that shows it; nothing for scenes of ours only. */
bool draw_smooth(FILE *file, const char *docs, const scene_kind *kind, const table *t);

#endif

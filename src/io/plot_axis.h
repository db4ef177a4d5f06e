/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An axis of a plot: from which value to which it goes, where its ticks are, what they are called.
 *
 * Ends and ticks are whole numbers of something, so no tick is lost or doubled by rounding:
 *   linear        the value step k / parts, step = digit 10^exponent with digit 1, 2 or 5; labels where parts divides k
 *   logarithmic   the value d 10^e is tick 9 e + d - 1, d = 1 .. 9; labels at decades, on short axes at 1, 2 and 5 */

#ifndef TRM_IO_PLOT_AXIS_H
#define TRM_IO_PLOT_AXIS_H

#include <stdbool.h>

typedef struct trm_plot_scale {
    bool logarithmic;
    long long first, last; /* ticks at the two ends */
    int digit, exponent;   /* of the step; linear only */
    int parts;             /* of a step, between minor ticks; linear only */
    double from, to;       /* at the ends: the value, or its decimal logarithm */
} trm_plot_scale;

typedef enum trm_plot_tick_kind {
    TRM_TICK_NONE,  /* there would be too many */
    TRM_TICK_MINOR, /* without a label */
    TRM_TICK_MAJOR,
} trm_plot_tick_kind;

typedef struct trm_plot_tick {
    trm_plot_tick_kind kind;
    double place;   /* 0 at the beginning of the axis, 1 at its end */
    char label[32]; /* a number; "" for a minor tick and for a power */
    bool is_power;  /* of ten: then its label is 10 with this exponent */
    int exponent;
} trm_plot_tick;

/* Whether an axis can show the value: finite with room to subtract, positive on a logarithmic one. */
bool trm_plot_scale_shows(bool logarithmic, double value);

/* An axis around values of which these are the extremes; least > most: around none. All equal is fine too. */
trm_plot_scale trm_plot_scale_around(double least, double most, bool logarithmic);

/* 0 at the beginning of the axis, 1 at its end. */
double trm_plot_scale_place(const trm_plot_scale *scale, double value);

/* Ticks first .. last. */
trm_plot_tick trm_plot_scale_tick(const trm_plot_scale *scale, long long index);

#endif

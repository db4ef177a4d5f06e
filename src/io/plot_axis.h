/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An axis of a plot: its range, its ticks and their labels.
 *
 * Ends and ticks are stored as integers, so rounding neither loses nor doubles a tick:
 *   linear        the value step k / parts, step = digit 10^exponent with digit 1, 2 or 5; labels where parts divides k
 *   logarithmic   the value d 10^e is tick 9 e + d - 1, d = 1 .. 9; labels at decades, on short axes at 1, 2 and 5 */

#ifndef TRM_IO_PLOT_AXIS_H
#define TRM_IO_PLOT_AXIS_H

#include <stdbool.h>

typedef struct trm_plot_scale {
    bool logarithmic;
    long long first, last; /* ticks at the two ends of the axis */
    int digit, exponent;   /* step = digit 10^exponent; linear only */
    int parts;             /* number of minor intervals in a step; linear only */
    double from, to;       /* values at the ends, or their decimal logarithms */
} trm_plot_scale;

typedef enum trm_plot_tick_kind {
    TRM_TICK_NONE,  /* no tick: there would be too many */
    TRM_TICK_MINOR, /* without a label */
    TRM_TICK_MAJOR,
} trm_plot_tick_kind;

typedef struct trm_plot_tick {
    trm_plot_tick_kind kind;
    double place;   /* 0 at the beginning of the axis, 1 at its end */
    char label[32]; /* a number; "" for a minor tick and for a power */
    bool is_power;  /* true: the label is 10 with this exponent */
    int exponent;
} trm_plot_tick;

/* Returns whether an axis can show the value: finite, not too large for differences, and positive on a logarithmic
 * axis. */
bool trm_plot_scale_shows(bool logarithmic, double value);

/* Returns an axis for values between least and most, which may be equal; least > most: there are no values. */
trm_plot_scale trm_plot_scale_around(double least, double most, bool logarithmic);

/* Returns the position of a value on the axis, from 0 at its beginning to 1 at its end. */
double trm_plot_scale_place(const trm_plot_scale *scale, double value);

/* Returns a tick, index from first to last. */
trm_plot_tick trm_plot_scale_tick(const trm_plot_scale *scale, long long index);

#endif

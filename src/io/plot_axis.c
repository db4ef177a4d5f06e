/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "io/plot_axis.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "trammel/elementary.h"

/* Values above this are not shown, nor values below its inverse on a logarithmic axis, so that differences of values
 * and numbers at ticks are finite. With a larger one differences overflow, a smaller one would omit values that can
 * be shown. */
static const double LARGEST = 1e300;

/* If all values are smaller, they count as 0, so that the step between ticks is not 0. A larger one hides small
 * values, with a smaller one the step becomes 0. */
static const double SMALLEST = 1e-280;

/* Values whose difference is below this fraction of their size count as equal, because labels between them would be
 * too long. A larger one draws slow changes as a constant, a smaller one prints labels of more than 12 digits. */
static const double SAME = 1e-12;

/* Fraction of a step or decade within which a value counts as being at a tick, so that no further tick is added. With
 * a larger one the axis may end before the last value, a smaller one adds an empty interval to axes that end at a
 * tick. */
static const double ON_TICK = 1e-9;

enum {
    STEPS = 6,          /* approximate number of steps between labels on a linear axis */
    LABELS = 10,        /* approximate largest number of labels at decades */
    SHORT_AXIS = 3,     /* decades: on shorter axes 2 and 5 have labels, too */
    MINOR_DECADES = 12, /* decades: longer axes have no ticks between decades */
};

bool trm_plot_scale_shows(bool logarithmic, double value)
{
    return fabs(value) <= LARGEST && (!logarithmic || value >= 1 / LARGEST); /* false for NaN */
}

static long long floor_divide(long long a, long long b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* ---- Linear ------------------------------------------------------------------------------- */

/* Sets the step: the smallest of 1, 2, 5 times a power of ten that is at least length. Returns it. */
static double choose_step(trm_plot_scale *s, double length)
{
    s->exponent = (int)floor(trm_log10(length) + ON_TICK);
    const double leading = length / trm_pow(10, s->exponent) - ON_TICK;
    s->digit = leading <= 1 ? 1 : leading <= 2 ? 2 : leading <= 5 ? 5 : 10;
    if (s->digit == 10) {
        s->digit = 1;
        s->exponent++;
    }
    s->parts = s->digit == 2 ? 4 : 5;
    return s->digit * trm_pow(10, s->exponent);
}

static trm_plot_scale linear_around(double least, double most)
{
    trm_plot_scale s = {0};
    const double size = fmax(fabs(least), fabs(most));
    if (size < SMALLEST) {
        least = -1;
        most = 1;
    } else if (most - least <= SAME * size) {
        least -= 0.5 * size;
        most += 0.5 * size;
    }
    const double step = choose_step(&s, (most - least) / STEPS);
    const double first = floor(least / step + ON_TICK), last = ceil(most / step - ON_TICK);
    s.from = first * step;
    s.to = last * step;
    s.first = (long long)first * s.parts;
    s.last = (long long)last * s.parts;
    return s;
}

/* Writes the label of a tick. The number is converted through a decimal text, so that 3 times 0.1 is 0.3. */
static void label_number(trm_plot_tick *tick, long long digits, int exponent)
{
    char text[40];
    double value = 0;
    const int length = snprintf(text, sizeof text, "%llde%d", digits, exponent);
    trm_parse_number(text, text + length, &value);
    trm_format_number(tick->label, value);
}

static trm_plot_tick linear_tick(const trm_plot_scale *s, long long index)
{
    trm_plot_tick tick = {.kind = TRM_TICK_MINOR};
    tick.place = (double)(index - s->first) / (double)(s->last - s->first);
    if (index % s->parts != 0) return tick;
    tick.kind = TRM_TICK_MAJOR;
    label_number(&tick, index / s->parts * s->digit, s->exponent);
    return tick;
}

/* ---- Logarithmic -------------------------------------------------------------------------- */

/* Returns the tick of an end of the axis. Ends are 1, 2 or 5 times a power of ten, numbered: 0 is 1, 1 is 2, 2 is 5,
 * 3 is 10, -1 is 0.5. */
static long long tick_of_end(long long end)
{
    const long long decade = floor_divide(end, 3);
    const int digits[3] = {1, 2, 5};
    return 9 * decade + digits[end - 3 * decade] - 1;
}

static double logarithm_of_tick(long long index)
{
    const long long decade = floor_divide(index, 9);
    return (double)decade + trm_log10((double)(index - 9 * decade + 1));
}

static double logarithm_of_end(long long end)
{
    return logarithm_of_tick(tick_of_end(end));
}

static trm_plot_scale logarithmic_around(double least, double most)
{
    trm_plot_scale s = {.logarithmic = true};
    const double low = trm_log10(least), high = trm_log10(most);
    long long first = 3 * (long long)floor(low) + 3, last = 3 * (long long)floor(high);
    while (logarithm_of_end(first) > low + ON_TICK) first--;
    while (logarithm_of_end(last) < high - ON_TICK) last++;
    if (first == last) {
        first--;
        last++;
    }
    s.first = tick_of_end(first);
    s.last = tick_of_end(last);
    s.from = logarithm_of_tick(s.first);
    s.to = logarithm_of_tick(s.last);
    return s;
}

static bool is_short(const trm_plot_scale *s)
{
    return s->to - s->from < SHORT_AXIS;
}

static trm_plot_tick logarithmic_tick(const trm_plot_scale *s, long long index)
{
    trm_plot_tick tick = {.kind = TRM_TICK_MINOR};
    const long long decade = floor_divide(index, 9), digit = index - 9 * decade + 1;
    const double decades = s->to - s->from;
    const long long every = (long long)ceil(decades / LABELS); /* number of decades per label */
    tick.place = (logarithm_of_tick(index) - s->from) / decades;
    if (is_short(s) && (digit == 1 || digit == 2 || digit == 5)) {
        tick.kind = TRM_TICK_MAJOR;
        label_number(&tick, digit, (int)decade);
    } else if (digit == 1 && decade % every == 0) {
        tick.kind = TRM_TICK_MAJOR;
        tick.is_power = true;
        tick.exponent = (int)decade;
    } else if (digit > 1 && decades > MINOR_DECADES) {
        tick.kind = TRM_TICK_NONE;
    }
    return tick;
}

/* ---- Either kind -------------------------------------------------------------------------- */

trm_plot_scale trm_plot_scale_around(double least, double most, bool logarithmic)
{
    if (least > most) {
        least = logarithmic ? 1 : 0;
        most = logarithmic ? 10 : 1;
    }
    return logarithmic ? logarithmic_around(least, most) : linear_around(least, most);
}

double trm_plot_scale_place(const trm_plot_scale *scale, double value)
{
    const double along = scale->logarithmic ? trm_log10(value) : value;
    return (along - scale->from) / (scale->to - scale->from);
}

trm_plot_tick trm_plot_scale_tick(const trm_plot_scale *scale, long long index)
{
    return scale->logarithmic ? logarithmic_tick(scale, index) : linear_tick(scale, index);
}

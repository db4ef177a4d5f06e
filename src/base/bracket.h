/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The search for a zero of f between two arguments, f(low) < 0 < f(high), by the Illinois variant of regula falsi (Dowell,
 * Jarratt 1971). The next argument is the zero of the chord,
 *
 *     x = low + (high - low) f(low) / (f(low) - f(high)),
 *
 * and takes the place of the end with the same sign of f. If one end is replaced twice in a row, the value kept for the
 * other end is halved, so that it moves as well. Once in `halving` tries x is the middle, for functions with jumps. */

#ifndef TRM_BASE_BRACKET_H
#define TRM_BASE_BRACKET_H

typedef struct trm_bracket {
    double low, high;
    double at_low, at_high; /* values of f there, halved as described above */
    int tries;
    int side; /* end that was replaced last: -1 low, 1 high; 0: none yet */
} trm_bracket;

/* Returns the argument to try next. */
static inline double trm_bracket_next(const trm_bracket *b, int halving)
{
    const double share = b->tries % halving == halving - 1 ? 0.5 : b->at_low / (b->at_low - b->at_high);
    return b->low + share * (b->high - b->low);
}

/* Replaces an end of the bracket by x, an argument between the ends at which f has this value. */
static inline void trm_bracket_update(trm_bracket *b, double x, double value)
{
    b->tries++;
    if (value > 0) {
        if (b->side > 0) b->at_low *= 0.5;
        b->high = x, b->at_high = value, b->side = 1;
    } else {
        if (b->side < 0) b->at_high *= 0.5;
        b->low = x, b->at_low = value, b->side = -1;
    }
}

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Adams' method of variable order and variable step for y' = f(t, y): predict, evaluate, correct, evaluate
 * (Shampine, Gordon 1975, Computer Solution of Ordinary Differential Equations, STEP and INTRP), orders 1 to 12.
 *
 * The history is stored as modified divided differences phi of f over the last points t_n, t_(n-1), ...; the next
 * step needs only these and the sums psi of step lengths. Unknowns may be exchanged for others in the middle of a
 * run without loss of order or step length (Schirm, Blajer, Schiehlen 1993). The coefficients of the grid of times
 * stay; phi is recomputed from the values of f of the new unknowns at the last points:
 *
 *     phi_1 = f_n,    phi_i = [(t_n - t_(n-1)) ... (t_n - t_(n-i+1))] f[t_n, ..., t_(n-i+1)]         i = 2 ..
 * count */

#ifndef TRM_METHODS_MINIMAL_ADAMS_H
#define TRM_METHODS_MINIMAL_ADAMS_H

#include "base/arena.h"

enum { TRM_ADAMS_ORDERS = 12, TRM_ADAMS_POINTS = 15 };

typedef struct trm_adams trm_adams;

/* Computes f. If it returns false or values that are not finite, f does not exist there, and the step is repeated
 * with half its length. */
typedef bool (*trm_adams_rates)(void *context, double t, const double *y, double *rates);

trm_adams *trm_adams_create(trm_arena *arena, int unknowns); /* NULL: out of memory */

/* Starts from t without a history. `first` is the longest first step, negative to integrate backwards in time. f is
 * not evaluated before the first step. */
void trm_adams_start(trm_adams *a, double t, const double *y, double first);

typedef enum trm_adams_result {
    TRM_ADAMS_DONE,
    TRM_ADAMS_TOO_TIGHT, /* the tolerance is below rounding */
    TRM_ADAMS_STUCK,     /* steps became shorter than rounding of t: f fails or jumps */
} trm_adams_result;

/* Makes one step. It keeps the local error e at sqrt(sum (e_i / (|y_i| + 1))^2) <= tolerance, as STEP does with
 * these weights. If the step fails, time, y and f are those of the last completed step, and the step may be tried
 * again with another tolerance or f. After STUCK, however, the differences are those of the failed step: do not
 * call trm_adams_at or trm_adams_recover. */
trm_adams_result trm_adams_step(trm_adams *a, trm_adams_rates f, void *context, double tolerance);

/* Return the current time; y (zero before the first step); order and signed length of the last step; the number of
 * failed steps. */
double trm_adams_time(const trm_adams *a);
const double *trm_adams_y(const trm_adams *a);
int trm_adams_order(const trm_adams *a);
double trm_adams_length(const trm_adams *a);
long long trm_adams_failures(const trm_adams *a);

/* Returns the length of recent steps: that of the next step, or a fraction of those before it if it is shorter, as
 * after a jump of f. Returns `first` as long as order and length still grow from the start. */
double trm_adams_usual(const trm_adams *a, double first);

/* Return and set the length of the next step. The new length may be shorter or a little longer, to end a step at a
 * requested time or away from a point where f is bad. The step may still be shortened. */
double trm_adams_next(const trm_adams *a);
void trm_adams_set_next(trm_adams *a, double length);

/* Sets the error of f by rounding, of which no step can be free. f may call this at each evaluation (default: 0). */
void trm_adams_set_rounding(trm_adams *a, double rounding);

/* Computes y and f at a time within the last step, to the order of that step. */
void trm_adams_at(const trm_adams *a, double t, double *y, double *f);

/* Recovers y and f at a past point from the differences, as the paper does: f from the polynomial through the
 * points, y by integrating it backwards. f is exact to rounding, y to the error of the steps between. Requires back
 * <= order of the last step, which is less than the number of points. */
void trm_adams_recover(const trm_adams *a, int back, double *y, double *f);

/* Replaces the unknowns by as many others: y at the current time and f at the last `points` points, f[back *
 * unknowns + i]. Order and step length stay. The exchange needs 2 points more than the order of the last step; with
 * fewer the order is lowered. */
void trm_adams_exchange(trm_adams *a, const double *y, const double *f, int points);

/* Return the size of, write and read the data that are needed to resume bit-identically or to return to an earlier
 * step: plain numbers, including the counts. */
size_t trm_adams_size(const trm_adams *a);
void trm_adams_save(const trm_adams *a, void *bytes);
void trm_adams_load(trm_adams *a, const void *bytes);

/* Returns whether bytes of unknown origin can be a saved history: counts and orders are in range. */
bool trm_adams_are_saved(const void *bytes);

#endif

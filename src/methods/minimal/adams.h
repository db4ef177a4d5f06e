/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Adams' method of variable order and variable step for y' = f(t, y): predict, evaluate, correct, evaluate (Shampine, Gordon 1975,
 * Computer Solution of Ordinary Differential Equations, STEP and INTRP), orders 1 to 12.
 *
 * The history is kept as modified divided differences phi of f over the last points t_n, t_(n-1), ...; they and the sums psi of
 * step lengths are all that the next step needs. Unknowns may be exchanged for others in the middle of a run without loss of
 * order or step (Schirm, Blajer, Schiehlen 1993): what depends on the grid of times alone stays, phi is made anew from the values
 * of f of the new unknowns at the last points:
 *
 *     phi_1 = f_n,    phi_i = [(t_n - t_(n-1)) ... (t_n - t_(n-i+1))] f[t_n, ..., t_(n-i+1)]         i = 2 .. count */

#ifndef TRM_METHODS_MINIMAL_ADAMS_H
#define TRM_METHODS_MINIMAL_ADAMS_H

#include "base/arena.h"

enum { TRM_ADAMS_ORDERS = 12, TRM_ADAMS_POINTS = 15 };

typedef struct trm_adams trm_adams;

/* f; false, or not finite: there is none here, and a step that asked for it is made again with half its length. */
typedef bool (*trm_adams_rates)(void *context, double t, const double *y, double *rates);

trm_adams *trm_adams_create(trm_arena *arena, int unknowns); /* NULL: out of memory */

/* From t on, forgetting all before; first: the longest first step, negative to go back in time. f is first asked by the step. */
void trm_adams_start(trm_adams *a, double t, const double *y, double first);

typedef enum trm_adams_result {
    TRM_ADAMS_DONE,
    TRM_ADAMS_TOO_TIGHT, /* the tolerance is less than rounding */
    TRM_ADAMS_STUCK,     /* steps have become shorter than rounding of t: f cannot be had, or jumps */
} trm_adams_result;

/* One step. The local error e is held at sqrt(sum (e_i / (|y_i| + 1))^2) <= tolerance, as STEP has it with these weights. Not
 * done: time, y and f are those of the last step that was, and it may be tried again (with another tolerance or f); but after
 * STUCK differences of the failed step stand, and there is nothing to read by at or recover. */
trm_adams_result trm_adams_step(trm_adams *a, trm_adams_rates f, void *context, double tolerance);

/* Where it is; y, f (zero before the first step) and the order and length, with its sign, of the last step; how often f was
 * asked since it was created, and steps that failed. */
double trm_adams_time(const trm_adams *a);
const double *trm_adams_y(const trm_adams *a);
const double *trm_adams_f(const trm_adams *a);
int trm_adams_order(const trm_adams *a);
double trm_adams_length(const trm_adams *a);
long long trm_adams_evaluations(const trm_adams *a);
long long trm_adams_failures(const trm_adams *a);

/* The length chosen for the next step, and another for it, shorter or a little longer: to end a step where something is
 * due, or elsewhere than where f is bad. The step may still have to be shortened. */
double trm_adams_next(const trm_adams *a);
void trm_adams_set_next(trm_adams *a, double length);

/* y and f at a time within the last step, to its order. */
void trm_adams_at(const trm_adams *a, double t, double *y, double *f);

/* The last points: how many are known (TRM_ADAMS_POINTS at most, those since it was started), their times, from the present one
 * back. */
int trm_adams_points(const trm_adams *a);
double trm_adams_point(const trm_adams *a, int back);

/* y and f at a past point as the differences have it: the paper's route to past values. f by the polynomial through the points, y
 * by integrating that backwards: f comes back to rounding, y to the error of the steps between. For back <= order of the last
 * step, which is less than the number of points. */
void trm_adams_recover(const trm_adams *a, int back, double *y, double *f);

/* Other unknowns, as many as before: y at the present time, f at the last so many points, f[back * unknowns + i]. Order and step
 * stay. As many points as the order of the last step + 2 are enough; fewer lower the order. */
void trm_adams_exchange(trm_adams *a, const double *y, const double *f, int points);

/* All that is needed to go on bit for bit alike, or to go back some steps: so many bytes of plain numbers, counts too. */
size_t trm_adams_size(const trm_adams *a);
void trm_adams_save(const trm_adams *a, void *bytes);
void trm_adams_load(trm_adams *a, const void *bytes);

/* Whether bytes that come from elsewhere can have been saved: counts and orders are some. */
bool trm_adams_are_saved(const void *bytes);

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One row of Dantzig's algorithm: it is driven from event to event until its condition holds. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dantzig_state.h"
#include "linalg/vectors.h"

/* Events closer than this, relative to the length of the step, count as tied. A larger value treats distinct events
 * as simultaneous, a smaller one orders simultaneous events by rounding and may cycle. Tests pass with a tenth and
 * with ten times of it. */
static const double TIE = 1e-12;

/* In multiples of n. IDLE_STEPS: number of steps without motion after which ties are broken by the least index, which
 * cannot cycle (Chang 1979). MOST_STEPS: largest number of steps. */
enum { IDLE_STEPS = 2, MOST_STEPS = 50 };

/* The event that ends a step of the driven row. */
typedef enum event { EVENT_NONE, EVENT_W_IS_ZERO, EVENT_AT_BOUND, EVENT_LEAVES, EVENT_ENTERS } event;

typedef struct step_end {
    event what;
    double length; /* length of the step up to the event */
    int place;
    double bound; /* value of x at the bound that it reaches */
    /* rate of change of x or w at that place; of tied events the one with the largest rate has the least rounding */
    double strength;
} step_end;

/* ---- One step -------------------------------------------------------------------------------- */

/* Sets dx_C and dw_N per unit of motion of x of place i in the direction `sign` (1 or -1). No w changes if the pivot
 * is only rounding (singular). */
static void set_direction(trm_dantzig *s, int i, double sign, bool singular)
{
    for (int k = 0; k < s->inside; k++) s->dx[s->order[k]] = -sign * s->solved[k];
    if (singular)
        memset(s->dw + s->inside, 0, (size_t)(s->included - s->inside) * sizeof *s->dw);
    else
        trm_dantzig_multiply(s, s->inside, s->included, s->dx, s->inside, s->dw);
    for (int p = s->inside; p < s->included && !singular; p++) s->dw[p] += sign * s->rows[p][i];
}

/* Returns whether event a is to be processed before b. If b ends the driving of the row, an earlier event a is
 * skipped if this violates its row by no more than the zero tolerance. The reason: when the rows of C span all
 * others, w of the driven row and of all rows of N vanish at once, and a row that entered by rounding would have
 * almost no pivot. */
static bool is_sooner(const trm_dantzig *s, const step_end *a, const step_end *b)
{
    const bool done = b->what == EVENT_W_IS_ZERO || b->what == EVENT_AT_BOUND;
    const double tie = TIE * b->length;
    if (b->what == EVENT_NONE) return true;
    if (done && a->what != EVENT_W_IS_ZERO) return (b->length - a->length) * a->strength > s->zero;
    if (fabs(a->length - b->length) > tie) return a->length < b->length;
    if (s->idle > IDLE_STEPS * s->n) return s->at[a->place].row < s->at[b->place].row;
    return a->strength > b->strength;
}

static void consider(const trm_dantzig *s, step_end *first, step_end other)
{
    if (!(other.length < INFINITY)) return;
    other.length = fmax(other.length, 0);
    if (is_sooner(s, &other, first)) *first = other;
}

/* Returns the event of the driven row itself. */
static step_end own_step_end(const trm_dantzig *s, int i, double sign, double pivot, bool singular)
{
    const double bound = sign > 0 ? s->at[i].hi : s->at[i].lo;
    step_end first = {.what = EVENT_NONE, .length = INFINITY};
    consider(s, &first, (step_end){EVENT_AT_BOUND, (bound - s->x[i]) * sign, i, bound, 1});
    if (!singular) consider(s, &first, (step_end){EVENT_W_IS_ZERO, fabs(s->w[i]) / pivot, i, 0, 1});
    return first;
}

/* Returns whether an event after this length can be the first. Most cannot and need no further check. */
static bool may_be_first(double length, const step_end *first)
{
    return length <= first->length * (1 + TIE);
}

static step_end first_step_end(const trm_dantzig *s, step_end first, double zero)
{
    for (int p = 0; p < s->inside; p++) {
        const double dx = s->dx[p], bound = dx > 0 ? s->at[p].hi : s->at[p].lo, length = (bound - s->x[p]) / dx;
        if (may_be_first(length, &first) && fabs(dx) > zero)
            consider(s, &first, (step_end){EVENT_LEAVES, length, p, bound, fabs(dx)});
    }
    for (int p = s->inside; p < s->included; p++) {
        const double dw = s->dw[p];
        const bool at_lo = s->x[p] <= s->at[p].lo, at_hi = s->x[p] >= s->at[p].hi;
        if (fabs(dw) <= zero || (at_lo && dw > 0) || (at_hi && dw < 0) || (at_lo && at_hi)) continue;
        const double length = at_lo || at_hi ? -s->w[p] / dw : 0;
        if (may_be_first(length, &first)) consider(s, &first, (step_end){EVENT_ENTERS, length, p, 0, fabs(dw)});
    }
    return first;
}

static void move(trm_dantzig *s, int i, double sign, double pivot, double length)
{
    vectors_add(s->x, length, s->dx, s->inside);
    vectors_add(s->w + s->inside, length, s->dw + s->inside, s->included - s->inside);
    s->x[i] += sign * length;
    s->w[i] += sign * length * pivot;
    s->idle = length > 0 ? 0 : s->idle + 1;
}

/* ---- Driving one row -------------------------------------------------------------------------- */

/* Adds a row that satisfies its condition to C if x is between its bounds and the row is independent. */
static void join_if_independent(trm_dantzig *s, int i)
{
    if (s->x[i] <= s->at[i].lo || s->x[i] >= s->at[i].hi) return;
    const double pivot = trm_dantzig_pivot(s, i, s->column);
    if (!trm_dantzig_is_rounding(s, s->column, pivot)) trm_dantzig_enter(s, i, s->column, pivot);
}

/* Returns the first event, ignoring rows of N that depend on C, whose w changes by rounding only. If a row enters,
 * writes its pivot to *pivot and its column to s->other. */
static step_end next_step_end(trm_dantzig *s, const step_end *own, double *pivot)
{
    double sum = 1;
    for (int p = 0; p < s->inside; p++) sum += fabs(s->dx[p]);
    for (;;) {
        const step_end first = first_step_end(s, *own, 16 * DBL_EPSILON * sum);
        if (first.what != EVENT_ENTERS) return first;
        *pivot = trm_dantzig_pivot(s, first.place, s->other);
        if (!trm_dantzig_is_rounding(s, s->other, *pivot)) return first;
        s->dw[first.place] = 0;
    }
}

/* Applies an event to C and N. Returns whether row i is done. */
static bool apply_event(trm_dantzig *s, int i, const step_end *at, double pivot, double entering)
{
    switch (at->what) {
    case EVENT_AT_BOUND: s->x[i] = at->bound; return true;
    case EVENT_W_IS_ZERO:
        s->w[i] = 0;
        trm_dantzig_enter(s, i, s->column, pivot);
        return true;
    case EVENT_ENTERS:
        s->w[at->place] = 0;
        trm_dantzig_enter(s, at->place, s->other, entering);
        return false;
    default:
        s->x[at->place] = at->bound;
        s->w[at->place] = 0;
        trm_dantzig_leave(s, at->place);
        return false;
    }
}

/* Performs one step of row i. Returns whether the row is done; *status says whether there is no solution. */
static bool step(trm_dantzig *s, int i, trm_lcp_status *status)
{
    const double sign = s->w[i] < 0 ? 1 : -1;
    const double pivot = trm_dantzig_pivot(s, i, s->column);
    const bool singular = trm_dantzig_is_rounding(s, s->column, pivot);
    set_direction(s, i, sign, singular);
    double entering = 0;
    const step_end own = own_step_end(s, i, sign, pivot, singular), first = next_step_end(s, &own, &entering);
    s->steps++;
    if (first.what == EVENT_NONE) {
        *status = TRM_LCP_NO_SOLUTION;
        return true;
    }
    move(s, i, sign, singular ? 0 : pivot, first.length);
    return apply_event(s, i, &first, pivot, entering);
}

/* The tolerance is multiplied by |(z, 1)|: as w_i = sum of z w_C, the rounding errors of b are multiplied by z. */
bool trm_dantzig_is_zero(trm_dantzig *s, int i)
{
    trm_dantzig_solve_inside(s);
    s->w[i] = trm_dantzig_w(s, i);
    trm_dantzig_is_rounding(s, s->column, trm_dantzig_pivot(s, i, s->column));
    return fabs(s->w[i]) <= trm_dantzig_zero(s) * sqrt(1 + vectors_dot(s->solved, s->solved, s->inside));
}

trm_lcp_status trm_dantzig_drive(trm_dantzig *s, int i)
{
    trm_lcp_status status = TRM_LCP_SOLVED;
    bool done = false;
    s->included = i;
    s->w[i] = trm_dantzig_w(s, i);
    s->idle = 0;
    s->zero = trm_dantzig_is_satisfied(s, i, 0) ? 0 : trm_dantzig_zero(s);
    while (!done && !trm_dantzig_is_satisfied(s, i, s->zero)) {
        if (!isfinite(s->w[i]) || s->steps > MOST_STEPS * (s->n + 20)) return TRM_LCP_GAVE_UP;
        done = step(s, i, &status);
        if (status == TRM_LCP_NO_SOLUTION && trm_dantzig_is_zero(s, i)) {
            status = TRM_LCP_SOLVED;
            break;
        }
    }
    if (!done) join_if_independent(s, i);
    s->included = i + 1;
    return status;
}

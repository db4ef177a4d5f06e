/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One row of Dantzig's algorithm: it is driven from event to event until its condition holds. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dantzig_state.h"
#include "linalg/vectors.h"

/* Events closer than this, relative to the length of the step, count as tied. A larger one treats events as
 * simultaneous that are not, a smaller one orders simultaneous events by rounding and may cycle. Tests pass with a
 * tenth and with ten times of it. */
static const double TIE = 1e-12;

/* In multiples of n: number of steps without motion after which ties are broken by the least index, which does not
 * cycle (Chang 1979); largest number of steps. */
enum { IDLE_STEPS = 2, MOST_STEPS = 50 };

/* What ends a step of the driven row. */
typedef enum event { EVENT_NONE, EVENT_W_IS_ZERO, EVENT_AT_BOUND, EVENT_LEAVES, EVENT_ENTERS } event;

typedef struct stop {
    event what;
    double length; /* of the step */
    int place;
    double bound;    /* value of x at the bound, if it reaches one */
    double strength; /* rate of the change there: of tied events the one with the largest has the least rounding */
} stop;

/* ---- One step -------------------------------------------------------------------------------- */

/* Sets dx_C and dw_N for x of place i moving in direction `way`; no w changes if the pivot is only rounding. */
static void set_direction(trm_dantzig *s, int i, double way, bool singular)
{
    for (int k = 0; k < s->inside; k++) s->dx[s->order[k]] = -way * s->solved[k];
    if (singular)
        memset(s->dw + s->inside, 0, (size_t)(s->taken - s->inside) * sizeof *s->dw);
    else
        trm_dantzig_multiply(s, s->inside, s->taken, s->dx, s->inside, s->dw);
    for (int p = s->inside; p < s->taken && !singular; p++) s->dw[p] += way * s->rows[p][i];
}

/* Returns whether event a comes before b. Once the driven row is done, an earlier event is skipped if skipping it
 * violates almost nothing. If C comes to span everything, w of the driven row and of all of N vanish at once, and
 * a row that entered by rounding would have almost no pivot. */
static bool is_sooner(const trm_dantzig *s, const stop *a, const stop *b)
{
    const bool done = b->what == EVENT_W_IS_ZERO || b->what == EVENT_AT_BOUND;
    const double tie = TIE * b->length;
    if (b->what == EVENT_NONE) return true;
    if (done && a->what != EVENT_W_IS_ZERO) return (b->length - a->length) * a->strength > s->little;
    if (fabs(a->length - b->length) > tie) return a->length < b->length;
    if (s->idle > IDLE_STEPS * s->n) return s->at[a->place].row < s->at[b->place].row;
    return a->strength > b->strength;
}

static void consider(const trm_dantzig *s, stop *first, stop other)
{
    if (!(other.length < INFINITY)) return;
    other.length = fmax(other.length, 0);
    if (is_sooner(s, &other, first)) *first = other;
}

/* Returns the event of the driven row itself. */
static stop own_stop(const trm_dantzig *s, int i, double way, double pivot, bool singular)
{
    const double bound = way > 0 ? s->at[i].hi : s->at[i].lo;
    stop first = {.what = EVENT_NONE, .length = INFINITY};
    consider(s, &first, (stop){EVENT_AT_BOUND, (bound - s->x[i]) * way, i, bound, 1});
    if (!singular) consider(s, &first, (stop){EVENT_W_IS_ZERO, fabs(s->w[i]) / pivot, i, 0, 1});
    return first;
}

/* Returns whether an event after this length can be the first; most cannot and need no closer check. */
static bool may_be_first(double length, const stop *first)
{
    return length <= first->length * (1 + TIE);
}

static stop first_stop(const trm_dantzig *s, stop first, double little)
{
    for (int p = 0; p < s->inside; p++) {
        const double dx = s->dx[p], bound = dx > 0 ? s->at[p].hi : s->at[p].lo, length = (bound - s->x[p]) / dx;
        if (may_be_first(length, &first) && fabs(dx) > little)
            consider(s, &first, (stop){EVENT_LEAVES, length, p, bound, fabs(dx)});
    }
    for (int p = s->inside; p < s->taken; p++) {
        const double dw = s->dw[p];
        const bool at_lo = s->x[p] <= s->at[p].lo, at_hi = s->x[p] >= s->at[p].hi;
        if (fabs(dw) <= little || (at_lo && dw > 0) || (at_hi && dw < 0) || (at_lo && at_hi)) continue;
        const double length = at_lo || at_hi ? -s->w[p] / dw : 0;
        if (may_be_first(length, &first)) consider(s, &first, (stop){EVENT_ENTERS, length, p, 0, fabs(dw)});
    }
    return first;
}

static void move(trm_dantzig *s, int i, double way, double pivot, double length)
{
    vectors_add(s->x, length, s->dx, s->inside);
    vectors_add(s->w + s->inside, length, s->dw + s->inside, s->taken - s->inside);
    s->x[i] += way * length;
    s->w[i] += way * length * pivot;
    s->idle = length > 0 ? 0 : s->idle + 1;
}

/* ---- Driving one row -------------------------------------------------------------------------- */

/* A row that satisfies its condition without a step joins C if it is between its bounds and independent. */
static void settle(trm_dantzig *s, int i)
{
    if (s->x[i] <= s->at[i].lo || s->x[i] >= s->at[i].hi) return;
    const double pivot = trm_dantzig_pivot(s, i, s->column);
    if (!trm_dantzig_is_rounding(s, s->column, pivot)) trm_dantzig_enter(s, i, s->column, pivot);
}

/* Returns the first event, ignoring rows of N that depend on C: their w changes by rounding only. Also returns the
 * pivot of an entering row, whose column is left in s->other. */
static stop next_stop(trm_dantzig *s, const stop *own, double *pivot)
{
    double sum = 1;
    for (int p = 0; p < s->inside; p++) sum += fabs(s->dx[p]);
    for (;;) {
        const stop first = first_stop(s, *own, 16 * DBL_EPSILON * sum);
        if (first.what != EVENT_ENTERS) return first;
        *pivot = trm_dantzig_pivot(s, first.place, s->other);
        if (!trm_dantzig_is_rounding(s, s->other, *pivot)) return first;
        s->dw[first.place] = 0;
    }
}

/* Performs an event; returns whether row i is done. */
static bool act(trm_dantzig *s, int i, const stop *at, double pivot, double entering)
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

/* Performs one step of row i; returns whether it is done. */
static bool step(trm_dantzig *s, int i, trm_lcp_status *status)
{
    const double way = s->w[i] < 0 ? 1 : -1;
    const double pivot = trm_dantzig_pivot(s, i, s->column);
    const bool singular = trm_dantzig_is_rounding(s, s->column, pivot);
    set_direction(s, i, way, singular);
    double entering = 0;
    const stop own = own_stop(s, i, way, pivot, singular), first = next_stop(s, &own, &entering);
    s->steps++;
    if (first.what == EVENT_NONE) {
        *status = TRM_LCP_NO_SOLUTION;
        return true;
    }
    move(s, i, way, singular ? 0 : pivot, first.length);
    return act(s, i, &first, pivot, entering);
}

/* Returns whether w of a row that depends on C is zero after removing the rounding errors of the steps. With w_i =
 * sum z w_C the rounding of b is multiplied by z. */
bool trm_dantzig_is_nothing(trm_dantzig *s, int i)
{
    trm_dantzig_solve_inside(s);
    s->w[i] = trm_dantzig_w(s, i);
    trm_dantzig_is_rounding(s, s->column, trm_dantzig_pivot(s, i, s->column));
    return fabs(s->w[i]) <= trm_dantzig_nothing(s) * sqrt(1 + vectors_dot(s->solved, s->solved, s->inside));
}

trm_lcp_status trm_dantzig_drive(trm_dantzig *s, int i)
{
    trm_lcp_status status = TRM_LCP_SOLVED;
    bool done = false;
    s->taken = i;
    s->w[i] = trm_dantzig_w(s, i);
    s->idle = 0;
    s->little = trm_dantzig_is_right(s, i, 0) ? 0 : trm_dantzig_nothing(s);
    while (!done && !trm_dantzig_is_right(s, i, s->little)) {
        if (!isfinite(s->w[i]) || s->steps > MOST_STEPS * (s->n + 20)) return TRM_LCP_GAVE_UP;
        done = step(s, i, &status);
        if (status == TRM_LCP_NO_SOLUTION && trm_dantzig_is_nothing(s, i)) {
            status = TRM_LCP_SOLVED;
            break;
        }
    }
    if (!done) settle(s, i);
    s->taken = i + 1;
    return status;
}

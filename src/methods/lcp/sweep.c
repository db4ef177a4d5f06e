/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves all rows, including those of joints, by projected Gauss-Seidel without a matrix. V always includes the
 * impulses so far, so that w of a row is J V + b + soft x, and a change of x changes V by W along its bodies (like
 * QuickStep of ODE). Joint errors that remain after few sweeps are corrected in the next step. */

#include "methods/lcp/lcp.h"

/* Joints start with at most this fraction of their last impulses: more would amplify the errors of sweeps in long
 * chains. A smaller value needs more sweeps; a larger one is limited to 1. Tests pass with a tenth and with ten
 * times of it. */
static const double WARM_JOINTS = 0.5;

static double row_value(void *context, int index)
{
    const trm_lcp_method *w = context;
    const trm_spatial *V = w->machine->stepper->state->velocity;
    const trm_lcp_row *row = &w->rows[index];
    double sum = row->b + row->soft * row->x;
    for (int b = 0; b < row->bodies; b++) sum += trm_sp_dot(row->J[b], V[row->body[b]]);
    return sum;
}

static void apply_impulse(void *context, int index, double change)
{
    trm_lcp_method *w = context;
    trm_spatial *V = w->machine->stepper->state->velocity;
    trm_lcp_row *row = &w->rows[index];
    row->x += change;
    for (int b = 0; b < row->bodies; b++) V[row->body[b]] = trm_sp_add_scaled(V[row->body[b]], change, row->W[b]);
}

/* Returns J V of two bodies. Each row depends on the result of the one before, so the sum is arranged as a short
 * dependency chain. */
static inline double rate_of_two(const trm_spatial *J, trm_spatial a, trm_spatial b)
{
    const double x = J[0].ang.x * a.ang.x + J[0].ang.y * a.ang.y, y = J[0].ang.z * a.ang.z + J[0].lin.x * a.lin.x;
    const double z = J[0].lin.y * a.lin.y + J[0].lin.z * a.lin.z;
    const double u = J[1].ang.x * b.ang.x + J[1].ang.y * b.ang.y, v = J[1].ang.z * b.ang.z + J[1].lin.x * b.lin.x;
    const double t = J[1].lin.y * b.lin.y + J[1].lin.z * b.lin.z;
    return ((x + y) + (u + v)) + (z + t);
}

/* Relaxes consecutive rows that share the two bodies of row `first`, with velocities in local variables. Returns
 * the first row of other bodies. */
static int relax_pair(trm_lcp_method *w, int first, int end, double sor)
{
    trm_spatial *V = w->machine->stepper->state->velocity;
    const int *body = w->rows[first].body;
    trm_spatial a = V[body[0]], b = V[body[1]];
    int i = first;
    for (; i < end && w->rows[i].body == body; i++) {
        trm_lcp_row *row = &w->rows[i];
        const double change =
            -sor * row->inverse_diagonal * ((row->b + row->soft * row->x) + rate_of_two(row->J, a, b));
        row->x += change;
        a = trm_sp_add_scaled(a, change, row->W[0]);
        b = trm_sp_add_scaled(b, change, row->W[1]);
    }
    V[body[0]] = a, V[body[1]] = b;
    return i;
}

/* Relaxes the rows of joints, most of which have two bodies. */
static void relax(void *context, int rows, double sor)
{
    trm_lcp_method *w = context;
    for (int i = 0; i < rows;) {
        if (w->rows[i].bodies == 2) {
            i = relax_pair(w, i, rows, sor);
        } else {
            apply_impulse(w, i, -sor * w->rows[i].inverse_diagonal * row_value(w, i));
            i++;
        }
    }
}

/* Begins with part of the impulses of the last step. A trial step for reactions (step 0) begins with none. */
static void begin(trm_lcp_method *w)
{
    const double share = w->machine->stepper->state->clock->step != 0 ? w->warm : 0;
    for (int i = 0; i < w->row_count; i++) {
        trm_lcp_row *row = &w->rows[i];
        const bool joint = isinf(row->lo) && isinf(row->hi);
        const double x = (joint ? fmin(share, WARM_JOINTS) : share) * row->x;
        row->x = 0;
        w->diagonal[i] = row->soft;
        for (int b = 0; b < row->bodies; b++) w->diagonal[i] += trm_sp_dot(row->J[b], row->W[b]);
        row->inverse_diagonal = 1 / w->diagonal[i];
        apply_impulse(w, i, x);
    }
}

bool trm_lcp_sweep(trm_lcp_method *w, trm_outcome *outcome)
{
    trm_arena *scratch = w->machine->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    const int n = w->row_count;
    double *lo = TRM_NEW_ROOM(scratch, double, 3 * n);
    int *friction = TRM_NEW_ROOM(scratch, int, n);
    trm_lcp_result result = {.status = TRM_LCP_NO_MEMORY};
    if (lo && friction) {
        double *hi = lo + n, *x = hi + n;
        begin(w);
        for (int i = 0; i < n; i++) {
            lo[i] = w->rows[i].lo, hi[i] = w->rows[i].hi;
            friction[i] = w->rows[i].friction;
            x[i] = w->rows[i].x;
        }
        const trm_lcp lcp = {.n = n, .lo = lo, .hi = hi, .friction = friction, .x = x};
        result = trm_lcp_pgs_by(&lcp, w->diagonal, &(trm_lcp_operator){w, row_value, apply_impulse, relax},
                                &w->sweeps, scratch);
        w->machine->stepper->counters->rounds += result.steps;
    }
    trm_arena_reset(scratch, mark);
    return result.status != TRM_LCP_NO_MEMORY || trm_fail_memory(outcome, "contacts");
}

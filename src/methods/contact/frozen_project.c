/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Projection onto the contacts and joints of a frozen mode (frozen.h), after the results of several step sequences
 * were combined.
 *
 * The combination violates gaps, joints and speeds by its error. J has the rows of the normals of all contacts, of
 * the tangents where they stick, and of all joints in contact. The nearest poses and velocities in the metric of M
 * are
 *
 *     d = -M^-1 J^T l,   J M^-1 J^T l = g          poses move by d until the gaps g are closed, without tangents
 *     V -= M^-1 J^T l,   J M^-1 J^T l = J V + c_t
 *
 * No friction acts: these are corrections, not impulses, and do no work. Rows may be redundant: the solver takes
 * the l of least norm. */

#include <string.h>

#include "linalg/min_norm.h"
#include "math/rotation.h"
#include "methods/contact/frozen.h"

enum { MOST_ROWS = 200, MOST_ROUNDS = 10, REFINEMENTS = 2 };

typedef struct row {
    const int *body;
    int bodies;
    const trm_spatial *J, *W; /* per body */
    double root;              /* square root of J M^-1 J^T, the unit of the row */
    double g;                 /* m, rad or m/s, rad/s: residual to remove */
} row;

typedef struct projection {
    trm_maximal *w;
    row *rows;
    int count;
    double *A, *copy, *g, *l, *room;
    int *permutation;
} projection;

/* ---- Rows --------------------------------------------------------------------------------- */

static int most_rows(const trm_maximal *w)
{
    int count = 3 * w->contact_set->count;
    for (int i = 0; i < w->joint_count; i++)
        count += trm_contact_set_has_joint(w, &w->joints[i]) ? w->joints[i].joint->rows : 0;
    return count;
}

static bool make_projection(trm_maximal *w, projection *p)
{
    trm_arena *arena = w->stepper->arena;
    const size_t n = (size_t)most_rows(w);
    *p = (projection){.w = w,
                      .rows = TRM_NEW_ARRAY(arena, row, n),
                      .A = TRM_NEW_ARRAY(arena, double, n *n),
                      .copy = TRM_NEW_ARRAY(arena, double, n *n),
                      .g = TRM_NEW_ARRAY(arena, double, n),
                      .l = TRM_NEW_ARRAY(arena, double, n),
                      .room = TRM_NEW_ARRAY(arena, double, 3 * n),
                      .permutation = TRM_NEW_ARRAY(arena, int, n)};
    return p->rows && p->A && p->copy && p->g && p->l && p->room && p->permutation;
}

static double response(const row *a, const row *b)
{
    double sum = 0;
    for (int k = 0; k < a->bodies; k++)
        for (int m = 0; m < b->bodies; m++)
            if (a->body[k] == b->body[m]) sum += trm_sp_dot(a->J[k], b->W[m]);
    return sum;
}

static void add_row(projection *p, const int *body, int bodies, const trm_spatial *J, const trm_spatial *W, double g)
{
    row *made = &p->rows[p->count++];
    *made = (row){.body = body, .bodies = bodies, .J = J, .W = W, .g = g};
    const double own = response(made, made);
    made->root = own > 0 ? sqrt(own) : 1;
}

static double speed_along(const trm_maximal *w, const int *body, int bodies, const trm_spatial *J, double c_t)
{
    double u = c_t;
    for (int k = 0; k < bodies; k++) u += trm_sp_dot(J[k], w->stepper->state->velocity[body[k]]);
    return u;
}

static void list_contacts(projection *p, bool speeds)
{
    trm_maximal *w = p->w;
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        const int *body = contact->features.body, rows = speeds && !contact->details->mode.slides ? 3 : 1;
        for (int r = 0; r < rows; r++)
            add_row(p, body, 2, contact->J + 2 * r, contact->W + 2 * r,
                    speeds ? speed_along(w, body, 2, contact->J + 2 * r, 0) : contact->at.gap);
    }
}

static void list_joints(projection *p, bool speeds)
{
    trm_maximal *w = p->w;
    const trm_state *state = w->stepper->state;
    for (int i = 0; i < w->joint_count; i++) {
        const trm_maximal_joint *j = &w->joints[i];
        const int n = j->joint->body_count, *body = j->joint->body;
        double c[TRM_JOINT_ROWS];
        if (!trm_contact_set_has_joint(w, j)) continue;
        trm_maximal_residual_at(w, j, state->pose, state->clock->time, c);
        for (int r = 0; r < j->joint->rows; r++)
            add_row(p, body, n, j->J + r * n, j->W + r * n,
                    speeds ? speed_along(w, body, n, j->J + r * n, j->driven ? j->c_t[r] : 0) : c[r]);
    }
}

/* Finds l of all rows. Returns the largest g. */
static double solve(projection *p, bool speeds)
{
    double most = 0;
    p->count = 0;
    list_contacts(p, speeds);
    list_joints(p, speeds);
    for (int c = 0; c < p->count; c++)
        for (int r = 0; r < p->count; r++)
            p->A[c * p->count + r] = response(&p->rows[r], &p->rows[c]) / (p->rows[r].root * p->rows[c].root);
    for (int r = 0; r < p->count; r++) {
        most = fmax(most, fabs(p->rows[r].g));
        p->g[r] = p->rows[r].g / p->rows[r].root;
    }
    memcpy(p->copy, p->A, (size_t)p->count * (size_t)p->count * sizeof *p->A);
    trm_min_norm_solve(p->copy, p->count, p->count, p->g, TRM_NO_PIVOT, p->l, p->room, p->permutation);
    return most;
}

/* ---- Moving ------------------------------------------------------------------------------- */

static void move(trm_maximal *w, int body, trm_spatial d)
{
    trm_pose *X = &w->stepper->state->pose[body];
    X->p = trm_v3_add(X->p, d.lin);
    X->q = trm_quat_unit(trm_quat_mul(trm_quat_exp(d.ang), X->q));
}

static void apply(const projection *p, bool speeds)
{
    trm_maximal *w = p->w;
    const int bodies = w->stepper->model->body_count;
    trm_spatial *d = w->accelerations.contact_wrench;
    memset(d, 0, (size_t)bodies * sizeof *d);
    for (int r = 0; r < p->count; r++)
        for (int k = 0; k < p->rows[r].bodies; k++) {
            const int body = p->rows[r].body[k];
            d[body] = trm_sp_add_scaled(d[body], -p->l[r] / p->rows[r].root, p->rows[r].W[k]);
        }
    for (int i = 0; i < bodies; i++) {
        if (!w->contact_set->marks.body[i] || w->held[i]) continue;
        if (speeds)
            w->stepper->state->velocity[i] = trm_sp_add_scaled(w->stepper->state->velocity[i], 1, d[i]);
        else
            move(w, i, d[i]);
    }
}

static bool project(projection *p, trm_outcome *outcome)
{
    trm_maximal *w = p->w;
    const double closed = TRM_FROZEN_CLOSER * w->stepper->options->position_tolerance;
    double last = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!trm_frozen_follow(w)) return trm_fail_memory(outcome, "contacts");
        const double left = solve(p, false);
        if (left <= closed || !(left < 0.5 * last)) break;
        apply(p, false);
        last = left;
    }
    if (!trm_frozen_follow(w)) return trm_fail_memory(outcome, "contacts");
    for (int i = 0; i < REFINEMENTS; i++) solve(p, true), apply(p, true);
    return true;
}

bool trm_frozen_project(trm_maximal *w, trm_outcome *outcome)
{
    if (!trm_maximal_project_positions(w, outcome)) return false;
    trm_maximal_rows(w);
    trm_contact_set_mark_islands(w, 0);
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    projection p;
    bool good = make_projection(w, &p) || trm_fail_memory(outcome, "contacts");
    if (good && w->contact_set->count > 0) good = project(&p, outcome);
    trm_arena_reset(w->stepper->arena, mark);
    if (!good || !trm_contact_set_project_others(w, 0, true, outcome)) return false;
    trm_remember_turns(w->stepper->state, 0, NULL);
    w->stepper->state->clock->velocities_projected = TRM_ALL_PROJECTED;
    return true;
}

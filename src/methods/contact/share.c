/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* How the points of one face share the force between two bodies while they slide.
 *
 * Points that slip along s_i answer to their normal impulses l, friction going along, by
 *
 *     du_n = B l,    B_ij = J_n,i M^-1 (J_n,j - mu_j s_j J_t,j)^T
 *
 * Of four points or more on two rigid bodies B is singular: it leaves open how they share the force. If all points slip in the
 * same direction the motion is the same for all shares. If the body turns while it slides, each point rubs in a direction of its
 * own, and every share has another motion. A solution of the cone problem keeps the share that it began with, so that the motion
 * would depend on the history of the solver and not converge as steps get shorter.
 *
 * Of all shares the shortest is taken, as far as none of the points pulls; points are measured by the root of what they answer to
 * themselves. It is the one that higher orders take (frozen_close.c), and the one of time-stepping. */

#include "linalg/min_norm.h"
#include "methods/contact/contact_set.h"

/* m/s: what slips less sticks, and what parts slower touches. */
static const double NO_SLIP = 1e-9, PARTS = 1e-9;
/* Of the cone: less beside its side is on it. Of the largest force of a face: less is no change. */
static const double ON_CONE = 1e-6, NO_CHANGE = 1e-11;
/* Of one: the normals of a face differ by less. Of the largest pivot: what is less depends on the others. */
static const double SAME_NORMAL = 1e-9, NO_PIVOT = 1e-10;

enum { FEWEST = 4, MOST = 16 };

/* One point of a face. */
typedef struct point {
    int contact;
    double root;     /* of J_n M^-1 J_n^T */
    double along[2]; /* friction per normal impulse, -mu s */
    double change;   /* N s, of its normal impulse */
} point;

typedef struct face {
    point points[MOST];
    int count;
} face;

static bool are_of_one_face(const trm_step_contact *a, const trm_step_contact *b)
{
    return a->features.body[0] == b->features.body[0] && a->features.body[1] == b->features.body[1] &&
           trm_dot(a->frame.d[0], b->frame.d[0]) > 1 - SAME_NORMAL;
}

/* False: the contact sticks, or does not touch; then *touches says so. */
static bool look_at_point(const trm_maximal *w, int i, point *p, bool *contacts)
{
    const trm_constraint *constraint = &w->contact_set->constraints[i];
    double u[3];
    trm_constraint_speeds(constraint, w->stepper->state->velocity, u);
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]), *l = constraint->lambda;
    const double own = trm_constraint_response(constraint, 0);
    *contacts = l[0] > 0 || u[0] < PARTS;
    if (!*contacts || !(slip > NO_SLIP) || !(own > 0)) return false;
    if (sqrt(l[1] * l[1] + l[2] * l[2]) < (1 - ON_CONE) * constraint->friction * l[0]) return false;
    *p = (point){i, sqrt(own), {-constraint->friction * u[1] / slip, -constraint->friction * u[2] / slip}, 0};
    return true;
}

/* The points of contacts that follow each other; false: their share is determined, or one of them sticks. */
static bool make_face(const trm_maximal *w, int first, int count, face *f)
{
    f->count = 0;
    for (int i = first; i < first + count; i++) {
        bool contacts;
        if (look_at_point(w, i, &f->points[f->count], &contacts))
            f->count++;
        else if (contacts)
            return false;
    }
    return f->count >= FEWEST;
}

/* B_ij in the units of the points. */
static double answer(const trm_maximal *w, const point *a, const point *b)
{
    const trm_constraint *to = &w->contact_set->constraints[a->contact],
                         *from = &w->contact_set->constraints[b->contact];
    double sum = 0;
    for (int k = 0; k < 2; k++) /* the bodies of a face are the same, in the same order */
        for (int r = 0; r < 3; r++) sum += (r == 0 ? 1 : b->along[r - 1]) * trm_sp_dot(to->J[k], from->W[2 * r + k]);
    return sum / (a->root * b->root);
}

/* Changes to the shortest share that has the same B l. */
static void find_changes(const trm_maximal *w, face *f)
{
    double B[MOST * MOST], u[MOST] = {0}, l[MOST], room[3 * MOST];
    int permutation[MOST];
    const int n = f->count;
    for (int c = 0; c < n; c++) {
        const point *from = &f->points[c];
        for (int r = 0; r < n; r++) {
            B[c * n + r] = answer(w, &f->points[r], from);
            u[r] += B[c * n + r] * w->contact_set->contacts[from->contact].lambda[0] * from->root;
        }
    }
    trm_min_norm_solve(B, n, n, u, NO_PIVOT, l, room, permutation);
    for (int i = 0; i < n; i++)
        f->points[i].change = l[i] / f->points[i].root - w->contact_set->contacts[f->points[i].contact].lambda[0];
}

/* The part of the changes by which nothing pulls. */
static double part_of_changes(const trm_maximal *w, const face *f)
{
    double part = 1;
    for (int i = 0; i < f->count; i++) {
        const double now = w->contact_set->contacts[f->points[i].contact].lambda[0], change = f->points[i].change;
        if (now + change < 0) part = fmin(part, -now / change);
    }
    return part;
}

/* Returns whether anything was changed. */
static bool share_evenly(trm_maximal *w, face *f)
{
    double most = 0, largest = 0;
    find_changes(w, f);
    const double part = part_of_changes(w, f);
    for (int i = 0; i < f->count; i++) {
        most = fmax(most, fabs(part * f->points[i].change));
        largest = fmax(largest, w->contact_set->contacts[f->points[i].contact].lambda[0]);
    }
    if (!(most > NO_CHANGE * largest)) return false;
    for (int i = 0; i < f->count; i++) {
        const point *p = &f->points[i];
        const trm_constraint *constraint = &w->contact_set->constraints[p->contact];
        const double normal = constraint->lambda[0] + part * p->change;
        const double change[3] = {part * p->change, normal * p->along[0] - constraint->lambda[1],
                                  normal * p->along[1] - constraint->lambda[2]};
        trm_constraint_apply_impulse(constraint, change, w->stepper->state->velocity);
    }
    return true;
}

bool trm_contact_set_share_evenly(trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    bool any = false;
    for (int i = 0, count; i < t->count; i += count) {
        face f;
        count = 1;
        while (i + count < t->count && count < MOST && are_of_one_face(&t->contacts[i], &t->contacts[i + count]))
            count++;
        if (count >= FEWEST && !t->contacts[i].pile && make_face(w, i, count, &f)) any = share_evenly(w, &f) || any;
    }
    return any;
}

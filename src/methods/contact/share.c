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
#include "methods/contact/touching.h"

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

static bool are_of_one_face(const trm_touch *a, const trm_touch *b)
{
    return a->contact.body[0] == b->contact.body[0] && a->contact.body[1] == b->contact.body[1] &&
           trm_dot(a->spot.d[0], b->spot.d[0]) > 1 - SAME_NORMAL;
}

/* False: the contact sticks, or does not touch; then *touches says so. */
static bool look_at_point(const trm_maximal *w, int i, point *p, bool *touches)
{
    const trm_hold *hold = &w->touching->holds[i];
    double u[3];
    trm_hold_speeds(hold, w->stepper->state->velocity, u);
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]), *l = hold->lambda;
    const double own = trm_hold_answer(hold, 0);
    *touches = l[0] > 0 || u[0] < PARTS;
    if (!*touches || !(slip > NO_SLIP) || !(own > 0)) return false;
    if (sqrt(l[1] * l[1] + l[2] * l[2]) < (1 - ON_CONE) * hold->friction * l[0]) return false;
    *p = (point){i, sqrt(own), {-hold->friction * u[1] / slip, -hold->friction * u[2] / slip}, 0};
    return true;
}

/* The points of contacts that follow each other; false: their share is determined, or one of them sticks. */
static bool make_face(const trm_maximal *w, int first, int count, face *f)
{
    f->count = 0;
    for (int i = first; i < first + count; i++) {
        bool touches;
        if (look_at_point(w, i, &f->points[f->count], &touches))
            f->count++;
        else if (touches)
            return false;
    }
    return f->count >= FEWEST;
}

/* B_ij in the units of the points. */
static double answer(const trm_maximal *w, const point *a, const point *b)
{
    const trm_hold *to = &w->touching->holds[a->contact], *from = &w->touching->holds[b->contact];
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
            u[r] += B[c * n + r] * w->touching->touches[from->contact].lambda[0] * from->root;
        }
    }
    trm_min_norm_solve(B, n, n, u, NO_PIVOT, l, room, permutation);
    for (int i = 0; i < n; i++)
        f->points[i].change = l[i] / f->points[i].root - w->touching->touches[f->points[i].contact].lambda[0];
}

/* The part of the changes by which nothing pulls. */
static double part_of_changes(const trm_maximal *w, const face *f)
{
    double part = 1;
    for (int i = 0; i < f->count; i++) {
        const double now = w->touching->touches[f->points[i].contact].lambda[0], change = f->points[i].change;
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
        largest = fmax(largest, w->touching->touches[f->points[i].contact].lambda[0]);
    }
    if (!(most > NO_CHANGE * largest)) return false;
    for (int i = 0; i < f->count; i++) {
        const point *p = &f->points[i];
        const trm_hold *hold = &w->touching->holds[p->contact];
        const double press = hold->lambda[0] + part * p->change;
        const double change[3] = {part * p->change, press * p->along[0] - hold->lambda[1],
                                  press * p->along[1] - hold->lambda[2]};
        trm_hold_push(hold, change, w->stepper->state->velocity);
    }
    return true;
}

bool trm_touching_share_evenly(trm_maximal *w)
{
    const trm_touching *t = w->touching;
    bool any = false;
    for (int i = 0, count; i < t->count; i += count) {
        face f;
        count = 1;
        while (i + count < t->count && count < MOST && are_of_one_face(&t->touches[i], &t->touches[i + count]))
            count++;
        if (count >= FEWEST && !t->touches[i].pile && make_face(w, i, count, &f)) any = share_evenly(w, &f) || any;
    }
    return any;
}

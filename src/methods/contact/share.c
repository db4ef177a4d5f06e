/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Distributes the force between two sliding bodies over the points of their common face.
 *
 * Points that slip along s_i respond to their normal impulses l, together with the friction these cause, by
 *
 *     du_n = B l,    B_ij = J_n,i M^-1 (J_n,j - mu_j s_j J_t,j)^T
 *
 * For four or more points on two rigid bodies B is singular: the distribution of the force is not determined. If all
 * points slip in the same direction, the motion is the same for all distributions. If the body turns while it slides,
 * friction has another direction at each point, and every distribution has another motion. A solution of the cone
 * problem keeps its initial distribution, so that the motion would depend on the history of the solver and not
 * converge as steps get shorter.
 *
 * The distribution of least norm is used, as far as no point pulls. The unit of a point is the square root of its
 * own response. Steps of higher order (frozen_close.c) and time-stepping use the same distribution. */

#include "linalg/min_norm.h"
#include "methods/contact/contact_set.h"

/* m/s: contacts that separate more slowly are closed. A larger value gives force to contacts that open; with a
 * smaller one rounding leaves corners of a face without their part. Tests pass with a tenth and with ten times of
 * it. */
static const double PARTS = 1e-9;
/* Relative distance from the cone that counts as on it; fraction of the largest force of a face that counts as no
 * change. Larger values leave more corners unchanged, smaller ones distribute forces that are rounding. Tests pass
 * with a tenth and with ten times of it. */
static const double ON_CONE = 1e-6, NO_CHANGE = 1e-11;
/* In units of the largest residual of the solution: slips below this are errors of the solver. With a larger value
 * the distribution of slow slides depends on the history of the solver. A smaller one distributes the forces of
 * faces at rest by their errors, which the solver then undoes: a block of 64 boxes at rest takes sixteen times as
 * long. */
static const double SLIP_OF_ERROR = 10;
/* Normals of one face differ by less than this, as 1 minus the cosine of their angle. A larger value joins faces
 * that are not plane, a smaller one separates corners by rounding. Tests pass with a tenth and with ten times of
 * it. */
static const double SAME_NORMAL = 1e-9;

enum { FEWEST = 4, MOST = 16 };

/* One point of a face. */
typedef struct point {
    int contact;
    double root;     /* square root of J_n M^-1 J_n^T */
    double along[2]; /* friction per normal impulse, -mu s */
    double change;   /* N s: change of its normal impulse */
} point;

typedef struct face {
    point points[MOST];
    int count;
} face;

static bool are_of_one_face(const trm_step_contact *a, const trm_step_contact *b)
{
    return a->features.body[0] == b->features.body[0] && a->features.body[1] == b->features.body[1] &&
           trm_v3_dot(a->frame.d[0], b->frame.d[0]) > 1 - SAME_NORMAL;
}

/* Returns whether the distribution in an island matters and may have changed: it was solved, and not only
 * approximately. */
static bool is_new(const trm_islands *islands, int island)
{
    return island >= 0 && islands->solved[island] && !islands->swept[island] && !islands->rough[island];
}

/* Returns the slip above which a contact slides, m/s. */
static double least_slip(const trm_maximal *w)
{
    const trm_contact_set *t = w->contact_set;
    double left = 0;
    for (int i = 0; i < t->count; i++)
        if (is_new(&t->islands, t->islands.of_constraint[i]))
            left = fmax(left, trm_constraint_residual(&t->constraints[i], w->stepper->state->velocity));
    return fmax(TRM_NO_SLIP, SLIP_OF_ERROR * left);
}

/* Makes a point of a sliding contact. Returns false if the contact sticks or is open; *closed is false if it is
 * open. */
static bool classify_point(const trm_maximal *w, int i, double least, point *p, bool *closed)
{
    const trm_constraint *constraint = &w->contact_set->constraints[i];
    double u[3];
    trm_constraint_speeds(constraint, w->stepper->state->velocity, u);
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]), *l = constraint->lambda;
    const double own = trm_constraint_response(constraint, 0);
    *closed = l[0] > 0 || u[0] < PARTS;
    if (!*closed || !(slip > least) || !(own > 0)) return false;
    if (sqrt(l[1] * l[1] + l[2] * l[2]) < (1 - ON_CONE) * constraint->friction * l[0]) return false;
    *p = (point){i, sqrt(own), {-constraint->friction * u[1] / slip, -constraint->friction * u[2] / slip}, 0};
    return true;
}

/* Collects the points of consecutive contacts. Returns false if the distribution is determined, or if one of them
 * sticks. */
static bool make_face(const trm_maximal *w, int first, int count, double least, face *f)
{
    f->count = 0;
    for (int i = first; i < first + count; i++) {
        bool closed;
        if (classify_point(w, i, least, &f->points[f->count], &closed))
            f->count++;
        else if (closed)
            return false;
    }
    return f->count >= FEWEST;
}

/* Returns B_ij in the units of the points. */
static double response(const trm_maximal *w, const point *a, const point *b)
{
    const trm_constraint *to = &w->contact_set->constraints[a->contact],
                         *from = &w->contact_set->constraints[b->contact];
    double sum = 0;
    for (int k = 0; k < 2; k++) /* the bodies of a face are the same, in the same order */
        for (int r = 0; r < 3; r++) sum += (r == 0 ? 1 : b->along[r - 1]) * trm_sp_dot(to->J[k], from->W[2 * r + k]);
    return sum / (a->root * b->root);
}

/* Finds the changes to the distribution of least norm with the same B l. */
static void find_changes(const trm_maximal *w, face *f)
{
    double B[MOST * MOST], u[MOST] = {0}, l[MOST], room[3 * MOST];
    int permutation[MOST];
    const int n = f->count;
    for (int c = 0; c < n; c++) {
        const point *from = &f->points[c];
        for (int r = 0; r < n; r++) {
            B[c * n + r] = response(w, &f->points[r], from);
            u[r] += B[c * n + r] * w->contact_set->contacts[from->contact].lambda[0] * from->root;
        }
    }
    trm_min_norm_solve(B, n, n, u, TRM_NO_PIVOT, l, room, permutation);
    for (int i = 0; i < n; i++)
        f->points[i].change = l[i] / f->points[i].root - w->contact_set->contacts[f->points[i].contact].lambda[0];
}

/* Returns the fraction of the changes up to which no point pulls. */
static double part_of_changes(const trm_maximal *w, const face *f)
{
    double part = 1;
    for (int i = 0; i < f->count; i++) {
        const double now = w->contact_set->contacts[f->points[i].contact].lambda[0], change = f->points[i].change;
        if (now + change < 0) part = fmin(part, -now / change);
    }
    return part;
}

/* Applies the changes. Returns whether there were any. */
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
    const double least = least_slip(w);
    bool any = false;
    for (int i = 0, count; i < t->count; i += count) {
        face f;
        count = 1;
        if (!is_new(&t->islands, t->islands.of_constraint[i])) continue;
        while (i + count < t->count && count < MOST && are_of_one_face(&t->contacts[i], &t->contacts[i + count]))
            count++;
        if (count < FEWEST || !make_face(w, i, count, least, &f) || !share_evenly(w, &f)) continue;
        trm_contact_set_change(w, i);
        any = true;
    }
    return any;
}

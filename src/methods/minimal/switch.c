/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Exchange of independent coordinates for better ones, and of rotation vectors for shorter ones, during the
 * motion.
 *
 * The ring stores the last ends of steps with all coordinates, their rates and accelerations, so that the past of
 * any choice of unknowns is available. The paper instead recovers the past of the old unknowns from the
 * integrator's differences and maps it by (3). A choice is replaced only if another is better by a ratio, which
 * prevents repeated exchanges to and fro. */

#include <string.h>

#include "math/rotation.h"
#include "methods/minimal/minimal.h"

/* rad: rotation vectors longer than LONG_TURN are exchanged for those of the opposite turn. Past points with a
 * vector shorter than SHORT_TURN cannot be used. */
static const double LONG_TURN = 1.1 * TRM_PI, SHORT_TURN = 1;

void trm_minimal_copy(const trm_minimal *w, trm_moment *to, const trm_moment *from)
{
    const size_t bytes = (size_t)w->tree->coordinates * sizeof *to->y;
    to->t = from->t;
    memcpy(to->power, from->power, sizeof to->power);
    memcpy(to->y, from->y, bytes);
    memcpy(to->yd, from->yd, bytes);
    memcpy(to->ydd, from->ydd, bytes);
}

static void store_end(trm_minimal *w)
{
    const trm_moment oldest = w->ends.list[TRM_ADAMS_POINTS - 1];
    memmove(w->ends.list + 1, w->ends.list, (TRM_ADAMS_POINTS - 1) * sizeof *w->ends.list);
    w->ends.list[0] = oldest;
    trm_minimal_copy(w, &w->ends.list[0], &w->now);
    if (w->ends.count < TRM_ADAMS_POINTS) w->ends.count++;
}

/* ---- The integrator ----------------------------------------------------------------------- */

/* Continues with other unknowns from the current point, with the last `points` points of the ring as their past. */
static void continue_with(trm_minimal *w, int points)
{
    const int size = trm_minimal_size(w);
    double works[2] = {0, 0};
    memcpy(works, trm_adams_y(w->adams) + 2 * w->unknowns, (size_t)w->works * sizeof *works);
    trm_minimal_gather(w, w->base.y, w->base.yd, w->z);
    trm_minimal_set_works(w, works, w->z);
    for (int j = 0; j < points; j++) {
        trm_minimal_gather(w, w->ends.list[j].yd, w->ends.list[j].ydd, w->past + j * size);
        trm_minimal_set_works(w, w->ends.list[j].power, w->past + j * size);
    }
    if (w->settings.history == TRM_HISTORY_RESTART || points < 2)
        trm_adams_start(w->adams, w->base.t, w->z, trm_adams_length(w->adams));
    else
        trm_adams_exchange(w->adams, w->z, w->past, points);
}

/* Fills the ring from the integrator's differences, in the current unknowns. Each point is predicted from the
 * later one next to it. Returns how many points could be mapped. Differences of order k contain k + 1 points. */
static int recover_ring(trm_minimal *w)
{
    const int known = trm_adams_order(w->adams) + 1, points = w->ends.count < known ? w->ends.count : known;
    int good = 1;
    for (; good < points; good++) {
        trm_adams_recover(w->adams, good, w->z, w->rates);
        if (!trm_minimal_rates(w, w->ends.list[good].t, w->z, w->rates)) break;
        trm_minimal_copy(w, &w->ends.list[good], &w->now);
        trm_minimal_copy(w, &w->base, &w->now);
    }
    trm_minimal_copy(w, &w->base, &w->ends.list[0]);
    return good;
}

static int past_points(const trm_minimal *w)
{
    const int required = trm_adams_order(w->adams) + 2;
    return w->ends.count < required ? w->ends.count : required;
}

/* ---- Better coordinates ------------------------------------------------------------------- */

static bool exchange_coordinates(trm_minimal *w)
{
    trm_arena *scratch = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    bool good = true, any = false;
    for (int b = 0; good && b < w->tree->branch_count; b++) {
        trm_loop *loop = w->loops[b];
        bool better = false;
        if (!loop || loop->f == 0) continue;
        int *chosen = TRM_NEW_ARRAY(scratch, int, loop->n);
        good = chosen && trm_loop_find_weights(loop, scratch) &&
               trm_choice_improve(loop, w->settings.ratio, chosen, &better, scratch);
        if (!good || !better) continue;
        if (w->settings.history == TRM_HISTORY_DIFFERENCES && !w->settings.fixed_steps && !any)
            w->ends.count = recover_ring(w);
        trm_loop_choose(loop, loop->f, chosen);
        w->stepper->counters->switches++;
        any = true;
    }
    if (any && !w->settings.fixed_steps) continue_with(w, past_points(w));
    trm_arena_reset(scratch, mark);
    return good;
}

/* ---- Shorter rotation vectors ------------------------------------------------------------- */

static void put_vector(double *q, int at, trm_vec3 v)
{
    q[at] = v.x, q[at + 1] = v.y, q[at + 2] = v.z;
}

/* Replaces a rotation vector r, its rate and acceleration by those of the opposite turn, r (1 - 2 pi/|r|). */
static void use_opposite_turn(trm_moment *m, int at)
{
    const trm_vec3 r = trm_v3_at(m->y + at), rd = trm_v3_at(m->yd + at), rdd = trm_v3_at(m->ydd + at);
    const trm_vec3 s = trm_v3_scale(1 - 2 * TRM_PI / trm_v3_length(r), r);
    const trm_mat3 T = trm_exp_jacobian(r), back = trm_exp_jacobian_inverse(s);
    const trm_vec3 alpha = trm_v3_add(trm_mat_vec(T, rdd), trm_exp_jacobian_rate(r, rd));
    const trm_vec3 sd = trm_mat_vec(back, trm_mat_vec(T, rd));
    put_vector(m->y, at, s);
    put_vector(m->yd, at, sd);
    put_vector(m->ydd, at, trm_mat_vec(back, trm_v3_sub(alpha, trm_exp_jacobian_rate(s, sd))));
}

/* Returns the first coordinate of a link's rotation vector; -1: it has none. */
static int rotation_of(const trm_link *link)
{
    const trm_joint_type *type = link->joint->type;
    if (type == &trm_joint_free) return link->count == 6 ? link->first + 3 : -1;
    for (int k = 0; k + 2 < link->count; k++)
        if (type->kind[k] == TRM_COORDINATE_ROTATION) return link->first + k;
    return -1;
}

/* Returns whether any rotation was exchanged. */
static bool shorten_rotations(trm_minimal *w)
{
    int points = w->ends.count;
    bool any = false;
    for (int i = 0; i < w->tree->link_count; i++) {
        const int at = rotation_of(&w->tree->links[i]);
        if (at < 0 || trm_v3_length(trm_v3_at(w->base.y + at)) <= LONG_TURN) continue;
        int usable = 0;
        while (usable < points && trm_v3_length(trm_v3_at(w->ends.list[usable].y + at)) > SHORT_TURN)
            use_opposite_turn(&w->ends.list[usable++], at);
        points = usable;
        use_opposite_turn(&w->base, at);
        any = true;
    }
    if (!any) return false;
    w->ends.count = points;
    trm_minimal_forget_seen(w); /* their last X belongs to the old vectors */
    if (!w->settings.fixed_steps) continue_with(w, past_points(w));
    return true;
}

/* Chooses coordinates again after an exchange of rotation vectors: the best ones for a vector may be nearly
 * singular for its opposite, and a step with them would leave the branch of the loop. Returns false when out of
 * memory. */
static bool exchange_after_turn(trm_minimal *w)
{
    trm_minimal_gather(w, w->base.y, w->base.yd, w->z);
    return !trm_minimal_rates(w, w->base.t, w->z, w->rates) || exchange_coordinates(w);
}

bool trm_minimal_end_step(trm_minimal *w)
{
    trm_minimal_copy(w, &w->base, &w->now);
    store_end(w);
    if (!exchange_coordinates(w)) return false;
    return !shorten_rotations(w) || !w->has_loops || exchange_after_turn(w);
}

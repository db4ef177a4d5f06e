/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solves planar machines of several loops, and planar loops of many hinges, ring after ring, as in six-bars and
 * parallelograms.
 *
 * A ring of parallel hinges in which all but three angles are known is a triangle. The bodies between two unknown
 * hinges a and b, with known hinges between them, form one rigid side. In the names of planar.h:
 *
 *     v_ab = l_(a+1) + R(delta_(a+1)) (l_(a+2) + ...),     theta_ab = delta_(a+1) + ... + delta_(b-1)
 *
 * With the unknown hinges 0, 1, 2
 *
 *     v_01 + R(x) v_12 + R(z) v_20 = 0
 *     delta_1 = x - theta_01,   delta_2 = z - x - theta_12,   delta_0 = -z - theta_20
 *
 * The solved angles are known in the next ring. A ring with two unknown hinges closes only if its two sides are
 * equally long, as with parallel cranks of the same length: v_01 + R(x) v_10 = 0. If unsolved rings remain, but none
 * with two or three unknown hinges, the form leaves the machine open, and Newton's method closes it. */

#include "math/rotation.h"
#include "methods/minimal/closed_forms/planar.h"

enum { CUT = -1 };

typedef struct hinge {
    int at; /* its coordinate in y; CUT: none */
    double sign, start;
    trm_plane_vector link; /* of the body before it, from the hinge before */
} hinge;

typedef struct hinge_ring {
    int count;
    hinge hinges[TRM_LONGEST_RING];
} hinge_ring;

struct trm_planar_rings {
    int count;
    hinge_ring *rings;
    bool *known; /* per coordinate of the tree: it is independent, or has been solved for */
    bool *done;  /* per ring */
};

/* ---- Recognising -------------------------------------------------------------------------- */

/* Draws one ring into the plane. Returns false if one of its joints is not a hinge along the normal. */
static bool draw(const trm_ring *ring, trm_quat plane, hinge_ring *drawn)
{
    const trm_vec3 normal = trm_rotate(plane, trm_axis(2));
    drawn->count = ring->count;
    for (int i = 0; i < ring->count; i++) {
        const trm_ring_joint *joint = &ring->joints[i], *before = &ring->joints[(i + ring->count - 1) % ring->count];
        if (joint->joint->type != &trm_joint_hinge) return false;
        if (trm_v3_length(trm_v3_cross(trm_planar_axis(joint), normal)) > TRM_ASKEW) return false;
        const trm_vec3 side = trm_rotate_back(plane, trm_v3_sub(joint->in.p, before->out.p));
        drawn->hinges[i] = (hinge){.at = joint->count > 0 ? joint->at : CUT,
                                   .sign = joint->sign * (trm_v3_dot(trm_planar_axis(joint), normal) < 0 ? -1 : 1),
                                   .start = joint->coordinate,
                                   .link = {side.x, side.y}};
    }
    return ring->count >= 3;
}

bool trm_planar_rings_recognise(trm_closed_place *place, const trm_ring *rings, int count, int coordinates,
                                trm_arena *arena, bool *recognised)
{
    struct trm_planar_rings *made = TRM_NEW(arena, struct trm_planar_rings);
    *recognised = false;
    if (!made) return false;
    *made = (struct trm_planar_rings){.count = count,
                                      .rings = TRM_NEW_ARRAY(arena, hinge_ring, count),
                                      .known = TRM_NEW_ARRAY(arena, bool, coordinates),
                                      .done = TRM_NEW_ARRAY(arena, bool, count)};
    if (arena->failed) return false;
    place->rings = made;
    const trm_quat plane = trm_frame_from_z(trm_planar_axis(&rings[0].joints[0]));
    bool good = true;
    for (int i = 0; good && i < count; i++) good = draw(&rings[i], plane, &made->rings[i]);
    *recognised = good;
    return true;
}

/* ---- A ring -------------------------------------------------------------------------------- */

/* The sides of a ring between its unknown hinges. */
typedef struct sides {
    int unknown[3], count;
    trm_plane_vector v[3]; /* from unknown hinge i to the next */
    double theta[3];
} sides;

static double value_of(const hinge *h, const double *y)
{
    return h->sign * (y[h->at] - h->start);
}

/* Lists the unknown hinges of a ring. Returns their number; at most three are stored. */
static int list_unknown(const struct trm_planar_rings *rings, const hinge_ring *ring, sides *s)
{
    int count = 0;
    for (int i = 0; i < ring->count; i++) {
        const bool known = ring->hinges[i].at != CUT && rings->known[ring->hinges[i].at];
        if (!known && count < 3) s->unknown[count] = i;
        count += !known;
    }
    s->count = count;
    return count;
}

static void draw_sides(const hinge_ring *ring, const double *y, sides *s)
{
    for (int k = 0; k < s->count; k++) {
        const int to = s->unknown[(k + 1) % s->count];
        s->v[k] = (trm_plane_vector){0, 0};
        s->theta[k] = 0;
        for (int i = (s->unknown[k] + 1) % ring->count;; i = (i + 1) % ring->count) {
            s->v[k] = trm_plane_add(s->v[k], trm_plane_turn(s->theta[k], ring->hinges[i].link));
            if (i == to) break;
            s->theta[k] += value_of(&ring->hinges[i], y);
        }
    }
}

/* Computes two sets of values of the unknown hinges, which are equal if two hinges are unknown. Returns false if the
 * ring cannot be closed. */
static bool solve_sides(const sides *s, double delta[2][3])
{
    double x[2], z[2];
    if (s->count == 2) {
        const trm_plane_vector back = {-s->v[0].x, -s->v[0].y};
        x[0] = trm_plane_angle(s->v[1], back);
        for (int c = 0; c < 2; c++) delta[c][1] = x[0] - s->theta[0], delta[c][0] = -x[0] - s->theta[1];
        return true;
    }
    if (!trm_planar_triangle(s->v[0], s->v[1], s->v[2], x, z)) return false;
    for (int c = 0; c < 2; c++) {
        delta[c][1] = x[c] - s->theta[0];
        delta[c][2] = z[c] - x[c] - s->theta[1];
        delta[c][0] = -z[c] - s->theta[2];
    }
    return true;
}

/* Turns values into coordinates near the prediction. Returns their squared distance from it. */
static double bring_near(const hinge_ring *ring, const sides *s, const double *y, double *value)
{
    double sum = 0;
    for (int k = 0; k < s->count; k++) {
        const hinge *h = &ring->hinges[s->unknown[k]];
        if (h->at == CUT) continue;
        value[k] = trm_angle_near(h->start + h->sign * value[k], y[h->at]);
        sum += (value[k] - y[h->at]) * (value[k] - y[h->at]);
    }
    return sum;
}

static bool solve_ring(const struct trm_planar_rings *rings, const hinge_ring *ring, sides *s, double *y)
{
    double value[2][3];
    draw_sides(ring, y, s);
    if (!solve_sides(s, value)) return false;
    const double first = bring_near(ring, s, y, value[0]), second = bring_near(ring, s, y, value[1]);
    const double *nearest = second < first ? value[1] : value[0];
    for (int k = 0; k < s->count; k++) {
        const hinge *h = &ring->hinges[s->unknown[k]];
        if (h->at == CUT) continue;
        y[h->at] = nearest[k];
        rings->known[h->at] = true;
    }
    return true;
}

/* ---- All rings ----------------------------------------------------------------------------- */

static void begin(const trm_loop *loop, const struct trm_planar_rings *rings)
{
    for (int i = 0; i < rings->count; i++) rings->done[i] = false;
    for (int i = 0; i < loop->n; i++) rings->known[loop->branch->first + i] = false;
    for (int i = 0; i < loop->f; i++) rings->known[loop->branch->first + loop->independent[i]] = true;
}

static bool all_are_known(const trm_loop *loop, const struct trm_planar_rings *rings)
{
    for (int i = 0; i < loop->n; i++)
        if (!rings->known[loop->branch->first + i]) return false;
    return true;
}

/* Solves the first ring that can be solved. Returns false if there is none. Sets *none if the ring cannot be
 * closed. */
static bool solve_next(const struct trm_planar_rings *rings, double *y, bool *none)
{
    for (int i = 0; i < rings->count; i++) {
        sides s;
        const int unknown = rings->done[i] ? 0 : list_unknown(rings, &rings->rings[i], &s);
        if (unknown < 2 || unknown > 3) continue;
        rings->done[i] = true;
        *none = !solve_ring(rings, &rings->rings[i], &s, y);
        return true;
    }
    return false;
}

static trm_closure solve(const trm_loop *loop, const trm_closed_place *place, double *y)
{
    bool none = false;
    begin(loop, place->rings);
    while (!none && solve_next(place->rings, y, &none)) continue;
    if (none) return TRM_CLOSURE_NONE;
    return all_are_known(loop, place->rings) ? TRM_CLOSURE_FOUND : TRM_CLOSURE_OPEN;
}

static bool recognise_none(trm_closed_place *place)
{
    (void)place;
    return false;
}

const trm_closed_form trm_closed_form_rings = {"rings", recognise_none, solve};

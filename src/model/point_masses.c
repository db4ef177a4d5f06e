/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A rigid body as point masses (SBP section 3; Schmitt 2003 section 3).
 *
 * In the principal frame let S = diag(X2, Y2, Z2), X2 = int x^2 dm = (Jy + Jz - Jx)/2. The reference points Q_i
 * get
 *
 *     m_i = 1/(2 q) / (Q_i^T S^-1 Q_i + 1/m)
 *
 * each, so that at least half of m and of S (as a quadratic form, and together with the centre of mass) remains:
 * with P = diag(S, m) and u_i = (Q_i, 1) the remainder P - sum m_i u_i u_i^T is no less than P/2, because sum m_i
 * u_i^T P^-1 u_i = 1/2.
 *   eight   m_i is divided among the eight images (+-x, +-y, +-z), so the remainder keeps its centre and its axes
 *   six     m_i is at Q_i alone; the remainder has another centre and other axes
 * The remainder, with mass m', centre c and second moments A2 along its axes, is represented by points on or
 * between these axes:
 *   eight   (+-a, +-b, +-c) with equal masses                    six     a pair +-a on each axis
 *
 * Points must span space; otherwise distances do not make them rigid. If the points of an axis would be nearer to the
 * centre than a third of the reach R of the body, that axis gets a pair of its own at +-R, with the small mass A2/(2
 * R^2) each. For a plane body even that is zero: its second moment is raised to LEAST of the largest. The reader has
 * raised those of a rod without thickness to 5e-9, which is more. */

#include "model/to_points.h"

/* Fraction of the largest second moment (see above). A larger one, from 5e-9 on, would change rods without thickness;
 * a much smaller one gives point masses whose ratio is too large for the solvers. */
static const double LEAST = 4e-9;
/* A rod of 0.5 mm radius and 1 m length. A larger one treats thick rods as lines, a smaller one gives thin rods
 * points that nearly coincide. Tests pass with a tenth and with ten times of it. */
static const double SLENDER = 1e-6;
/* If A2 < FLAT m' R^2, the axis gets light points far out instead of heavy ones near the centre. With a larger value
 * heavy axes get far points, and the inertia is wrong (test unit_to_points); a smaller one leaves points of flat
 * bodies close together. */
static const double FLAT = 0.1;

const double trm_point_nearness = 1e-9;

typedef struct spread {
    trm_arena *arena;
    trm_mass_points *points;
    double reach; /* m */
} spread;

/* The part of the body that the reference points do not represent. */
typedef struct rest {
    double mass;
    trm_pose axes;      /* in the principal frame */
    double moments[3];  /* second moments along them */
    double distance[3]; /* m: distance of the points on or next to each axis; 0: none yet */
} rest;

static double at(trm_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* ---- Points ------------------------------------------------------------------------------- */

static bool add_mass(spread *s, trm_vec3 place, double mass)
{
    trm_mass_points *points = s->points;
    for (int i = 0; i < points->count; i++) {
        if (trm_v3_length(trm_v3_sub(points->list[i].place, place)) > trm_point_nearness * s->reach) continue;
        points->list[i].mass += mass;
        return true;
    }
    return TRM_APPEND(s->arena, points->list, points->count, (trm_mass_point){place, mass});
}

static trm_vec3 with_signs(trm_vec3 v, int signs)
{
    return trm_v3(signs & 1 ? -v.x : v.x, signs & 2 ? -v.y : v.y, signs & 4 ? -v.z : v.z);
}

/* ---- References --------------------------------------------------------------------------- */

static trm_vec3 second_moments(const trm_body *body, trm_mass_points *points)
{
    const trm_vec3 J = body->inertia;
    const trm_vec3 S = trm_v3((J.y + J.z - J.x) / 2, (J.z + J.x - J.y) / 2, (J.x + J.y - J.z) / 2);
    const double largest = fmax(S.x, fmax(S.y, S.z)), smallest = fmin(S.x, fmin(S.y, S.z));
    const double least = LEAST * largest;
    points->is_plane = smallest < least;
    points->is_slender = smallest < SLENDER * largest;
    return trm_v3(fmax(S.x, least), fmax(S.y, least), fmax(S.z, least));
}

static double share_of(trm_vec3 Q, trm_vec3 S, double mass, int count)
{
    const double load = Q.x * Q.x / S.x + Q.y * Q.y / S.y + Q.z * Q.z / S.z + 1 / mass;
    return 1 / (2 * count * load);
}

static bool load_references(spread *s, trm_vec3 S, double mass, trm_point_layout layout)
{
    const int count = s->points->count;
    for (int i = 0; i < count; i++) {
        const trm_vec3 Q = s->points->list[i].place;
        const double share = share_of(Q, S, mass, count);
        if (layout == TRM_POINTS_SIX) s->points->list[i].mass += share;
        for (int signs = 0; layout == TRM_POINTS_EIGHT && signs < 8; signs++)
            if (!add_mass(s, with_signs(Q, signs), share / 8)) return false;
    }
    return true;
}

/* ---- The remainder ------------------------------------------------------------------------ */

/* Returns the mass and the second moments that remain after subtracting all points. With the layout of eight images,
 * centre and axes do not change. */
static rest rest_of(const spread *s, trm_vec3 S, double mass, trm_point_layout layout)
{
    rest r = {.mass = mass, .axes = trm_pose_identity()};
    trm_mat3 left = trm_diag(S);
    trm_vec3 moved = trm_v3(0, 0, 0);
    for (int i = 0; i < s->points->count; i++) {
        const trm_mass_point *p = &s->points->list[i];
        r.mass -= p->mass;
        moved = trm_v3_add_scaled(moved, p->mass, p->place);
        left = trm_mat_add_scaled(left, -p->mass, trm_outer(p->place, p->place));
    }
    trm_principal principal = {trm_v3(left.m[0][0], left.m[1][1], left.m[2][2]), trm_quat_identity()};
    if (layout == TRM_POINTS_SIX) {
        r.axes.p = trm_v3_scale(-1 / r.mass, moved);
        principal = trm_principal_axes(trm_mat_add_scaled(left, -r.mass, trm_outer(r.axes.p, r.axes.p)));
        r.axes.q = principal.axes;
    }
    for (int k = 0; k < 3; k++) r.moments[k] = at(principal.moments, k);
    return r;
}

static bool add_pair(spread *s, const rest *r, int axis, double distance, double mass)
{
    const trm_vec3 arm = trm_v3_scale(distance, trm_axis(axis));
    return add_mass(s, trm_pose_point(r->axes, arm), mass) &&
           add_mass(s, trm_pose_point(r->axes, trm_v3_neg(arm)), mass);
}

/* Adds pairs for the axes with small second moments. Returns the number of other axes, -1 when out of memory. */
static int add_light_pairs(spread *s, rest *r)
{
    const double square = s->reach * s->reach, flat = FLAT * r->mass * square;
    int others = 0;
    for (int k = 0; k < 3; k++) {
        const bool is_flat = r->moments[k] < flat;
        if (!is_flat) {
            others++;
            continue;
        }
        const double mass = r->moments[k] / (2 * square);
        if (!add_pair(s, r, k, s->reach, mass)) return -1;
        r->mass -= 2 * mass;
        r->moments[k] = 0;
    }
    return others;
}

/* Adds the 2^others corners of a box, of a rectangle, the ends of a line, or the centre. */
static bool add_box(spread *s, const rest *r, int others)
{
    const double mass = ldexp(r->mass, -others);
    const trm_vec3 corner =
        trm_v3(sqrt(r->moments[0] / r->mass), sqrt(r->moments[1] / r->mass), sqrt(r->moments[2] / r->mass));
    for (int signs = 0; signs < 8; signs++) {
        bool is_image = false; /* true: it coincides with another corner, because a coordinate is zero */
        for (int k = 0; k < 3; k++) is_image = is_image || (signs >> k & 1 && r->moments[k] == 0);
        if (!is_image && !add_mass(s, trm_pose_point(r->axes, with_signs(corner, signs)), mass)) return false;
    }
    return true;
}

static bool add_heavy_pairs(spread *s, const rest *r, int others)
{
    const double mass = r->mass / (2 * others);
    for (int k = 0; k < 3; k++)
        if (r->moments[k] > 0 && !add_pair(s, r, k, sqrt(r->moments[k] / (2 * mass)), mass)) return false;
    return true;
}

bool trm_spread_mass(trm_arena *arena, const trm_body *body, trm_point_layout layout, const trm_vec3 *references,
                     int reference_count, trm_mass_points *points)
{
    *points = (trm_mass_points){0};
    spread s = {arena, points, 0};
    const trm_vec3 S = second_moments(body, points);
    double reach = sqrt((S.x + S.y + S.z) / body->mass);
    for (int i = 0; i < reference_count; i++) {
        reach = fmax(reach, trm_v3_length(references[i]));
        if (!add_mass(&s, references[i], 0)) return false;
    }
    s.reach = reach;
    if (!load_references(&s, S, body->mass, layout)) return false;
    rest r = rest_of(&s, S, body->mass, layout);
    const int others = add_light_pairs(&s, &r);
    if (others < 0) return false;
    return layout == TRM_POINTS_SIX && others > 0 ? add_heavy_pairs(&s, &r, others) : add_box(&s, &r, others);
}

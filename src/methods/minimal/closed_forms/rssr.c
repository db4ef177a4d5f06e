/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A rod between two arms, each on a hinge or a slider of the same body: RSSR, RSSP, PSSP. The rod has two ball
 * joints, or a ball and a universal joint, or is a distance constraint without mass.
 *
 * The tip of the known arm is a point, seen from the body that carries both arms. Let g be that point in the axes
 * of the other arm, whose own tip is at (a cos q - b sin q, a sin q + b cos q, c), or at (a, b, c + q). The rod's
 * length l gives
 *
 *     hinge:    gx (a cos q - b sin q) + gy (a sin q + b cos q) = A cos q + B sin q = C,   a triangle of sides
 *               |(a, b)|, |(gx, gy)| and sqrt(l^2 - (gz - c)^2) seen along the axis
 *     slider:   (c + q - gz)^2 = l^2 - (a - gx)^2 - (b - gy)^2
 *
 * The rod then lies along d, from the first tip to the second, and may spin about it by tau: Q = Q_0 R(n, tau),
 * with n the rod's own direction and Q_0 n along d. A universal joint determines tau by u . Q w = 0 for its axes u
 * of the arm and w of the rod, which is A cos tau + B sin tau = C again. Two ball joints leave the spin free. Then
 * one of their coordinates is independent as well, and tau follows from this one equation by Newton's method,
 * dr/dtau = T(r)^-1 omega for the rotation vector r and the constant direction omega of the spin in the axes of
 * frame A. The remaining coordinates are read off the poses. */

#include "math/rotation.h"
#include "methods/minimal/closed_form.h"
#include "trammel/elementary.h"

/* Fraction of 1 + |r| at which the equation of the spin holds, and the largest number of Newton steps. A larger
 * value leaves the loop open by as much; a smaller one is below rounding, and the iteration runs to its limit of
 * steps. Tests pass with a tenth and with ten times of it. */
static const double SPIN_ROUNDING = 1e-15;
enum { MOST_SPIN = 12 };

/* One pose of the ring that agrees with the independent coordinates. */
typedef struct candidate {
    double coordinates[TRM_RING_JOINTS][3];
    double distance; /* squared distance from the prediction */
} candidate;

/* The independent coordinates. */
typedef struct given {
    int arm;            /* arm whose coordinate is independent */
    int end, component; /* independent coordinate of a ball joint; -1: none */
} given;

/* ---- Recognising -------------------------------------------------------------------------- */

static bool is_arm(const trm_ring_joint *joint)
{
    return joint->joint->type == &trm_joint_hinge || joint->joint->type == &trm_joint_slider;
}

static bool is_ball(const trm_ring_joint *joint)
{
    return joint->joint->type == &trm_joint_ball;
}

static bool is_end(const trm_ring_joint *joint)
{
    return is_ball(joint) || joint->joint->type == &trm_joint_universal;
}

/* Returns the first arm, the one before the rod; -1 if this is another kind of ring. */
static int find_first(const trm_ring *ring)
{
    for (int i = 0; i < ring->count; i++) {
        const trm_ring_joint *first = &ring->joints[i], *next = &ring->joints[trm_ring_next(ring, i, 1)],
                             *third = &ring->joints[trm_ring_next(ring, i, 2)],
                             *last = &ring->joints[trm_ring_next(ring, i, ring->count - 1)];
        if (ring->count < 3 || !is_arm(first) || !is_arm(last)) continue;
        if (ring->count == 3 && next->joint->type == &trm_joint_distance) return i;
        if (ring->count == 4 && is_end(next) && is_end(third) && (is_ball(next) || is_ball(third))) return i;
    }
    return -1;
}

/* Returns the arm on a joint of the ring. tip: frame of the rod's joint on the arm. */
static trm_rod_arm make_arm(const trm_ring *ring, int joint, bool along_ring, trm_pose tip)
{
    const trm_ring_joint *j = &ring->joints[joint];
    const trm_pose base = along_ring ? j->in : j->out, moving = along_ring ? j->out : j->in;
    return (trm_rod_arm){.joint = joint,
                         .slides = j->joint->type == &trm_joint_slider,
                         .sign = along_ring ? j->sign : -j->sign,
                         .base = base,
                         .tip = trm_pose_mul(trm_pose_inverse(moving), tip)};
}

static trm_rod_end make_end(const trm_ring *ring, int joint, bool along_ring)
{
    const trm_ring_joint *j = &ring->joints[joint];
    return (trm_rod_end){.joint = joint, .on_arm = (j->sign > 0) == along_ring, .universal = !is_ball(j)};
}

static bool recognise(trm_closed_place *place)
{
    const trm_ring *ring = &place->ring;
    trm_rod_ring *rod = &place->rod;
    const int first = find_first(ring);
    if (first < 0) return false;
    const int near = trm_ring_next(ring, first, 1), far = trm_ring_next(ring, first, ring->count - 2),
              last = trm_ring_next(ring, first, ring->count - 1);
    rod->arm[0] = make_arm(ring, first, true, ring->joints[near].in);
    rod->arm[1] = make_arm(ring, last, false, ring->joints[far].out);
    rod->massless = near == far;
    rod->length = ring->joints[near].joint->length;
    if (rod->massless) return true;
    rod->end[0] = make_end(ring, near, true);
    rod->end[1] = make_end(ring, far, false);
    rod->across = trm_pose_mul(trm_pose_inverse(ring->joints[near].out), ring->joints[far].in);
    rod->length = trm_v3_length(rod->across.p);
    return rod->length > 0;
}

/* Finds exactly one independent arm, and a coordinate of a ball joint where the rod may spin. Returns false
 * otherwise. */
static bool find_given(const trm_loop *loop, const trm_closed_place *place, given *g)
{
    const trm_rod_ring *rod = &place->rod;
    const int count = trm_ring_independent(loop, &place->ring);
    int arms = 0, components = 0;
    *g = (given){-1, -1, -1};
    for (int a = 0; a < 2; a++) {
        const trm_ring_joint *joint = &place->ring.joints[rod->arm[a].joint];
        if (joint->count > 0 && trm_loop_is_independent(loop, joint->at)) g->arm = a, arms++;
    }
    for (int e = 0; e < 2 && !rod->massless; e++) {
        const trm_ring_joint *joint = &place->ring.joints[rod->end[e].joint];
        for (int k = 0; k < joint->count; k++)
            if (trm_loop_is_independent(loop, joint->at + k)) g->end = e, g->component = k, components++;
    }
    const bool spins = !rod->massless && !rod->end[0].universal && !rod->end[1].universal;
    return arms == 1 && components == (spins ? 1 : 0) && count == arms + components;
}

/* ---- Arms --------------------------------------------------------------------------------- */

/* Returns the frame at the arm's tip at coordinate q. */
static trm_pose tip_of(const trm_rod_arm *arm, double q)
{
    const trm_pose hinge = {trm_quat_from_axis_angle(trm_axis(2), arm->sign * q), {0, 0, 0}};
    const trm_pose slider = {{1, 0, 0, 0}, {0, 0, arm->sign * q}};
    return trm_pose_mul(trm_pose_mul(arm->base, arm->slides ? slider : hinge), arm->tip);
}

/* Finds the two coordinates at which the arm's tip has the distance `length` from a point. */
static trm_closure find_arm(const trm_rod_arm *arm, trm_vec3 point, double length, double q[2])
{
    const trm_vec3 g = trm_pose_point_back(arm->base, point), t = arm->tip.p;
    if (arm->slides) {
        if (!trm_chord(t.z - g.z, trm_hypot(t.x - g.x, t.y - g.y), length, q)) return TRM_CLOSURE_NONE;
        for (int c = 0; c < 2; c++) q[c] *= arm->sign;
        return TRM_CLOSURE_FOUND;
    }
    const double radius = trm_hypot(t.x, t.y), away = trm_hypot(g.x, g.y), height = fabs(g.z - t.z);
    double angle;
    if (!(radius > TRM_SHORTEST_SIDE * length && away > TRM_SHORTEST_SIDE * length)) return TRM_CLOSURE_OPEN;
    if (height > length) return TRM_CLOSURE_NONE;
    if (!trm_triangle_angle(radius, away, sqrt((length - height) * (length + height)), &angle))
        return TRM_CLOSURE_NONE;
    const double towards = trm_atan2(g.y, g.x) - trm_atan2(t.y, t.x);
    q[0] = arm->sign * (towards + angle);
    q[1] = arm->sign * (towards - angle);
    return TRM_CLOSURE_FOUND;
}

/* ---- The rod's spin ----------------------------------------------------------------------- */

/* The rod along its direction, with any spin. */
typedef struct laid_rod {
    trm_pose tip[2];
    trm_quat Q_0;
    trm_vec3 n, d; /* unit vectors: the rod's direction in the frame of its first end, and in the base */
} laid_rod;

static trm_quat turned(const laid_rod *laid, double tau)
{
    return trm_quat_mul(laid->Q_0, trm_quat_from_axis_angle(laid->n, tau));
}

/* Returns the axes of an end on the rod, with Q those of its first end. */
static trm_quat axes_at(const trm_rod_ring *rod, int end, trm_quat Q)
{
    return end == 0 ? Q : trm_quat_mul(Q, rod->across.q);
}

/* Returns the rotation of X_AB of the joint at an end. */
static trm_quat joint_rotation(const trm_rod_ring *rod, const laid_rod *laid, int end, trm_quat Q)
{
    const trm_quat rotation = trm_quat_mul(trm_quat_conj(laid->tip[end].q), axes_at(rod, end, Q));
    return rod->end[end].on_arm ? rotation : trm_quat_conj(rotation);
}

/* Returns the rotation vector of the same rotation that is nearest to `target`. */
static trm_vec3 rotation_near(trm_vec3 r, trm_vec3 target)
{
    const double angle = trm_v3_length(r), turn = 2 * TRM_PI;
    if (!(angle > TRM_SHORTEST_SIDE)) return r;
    return trm_v3_scale(1 + turn * round((trm_v3_dot(r, target) / angle - angle) / turn) / angle, r);
}

/* Finds the two spins at which the axes of a universal joint are at right angles: u . Q w = 0. */
static trm_closure spin_by_universal(const trm_rod_ring *rod, const laid_rod *laid, int end, double tau[2])
{
    const trm_vec3 z = trm_axis(2), x = trm_axis(0);
    const trm_vec3 on_arm = rod->end[end].on_arm ? z : x, on_rod = rod->end[end].on_arm ? x : z;
    const trm_vec3 u = trm_rotate_back(laid->Q_0, trm_rotate(laid->tip[end].q, on_arm));
    const trm_vec3 w = trm_rotate(axes_at(rod, end, trm_quat_identity()), on_rod);
    const double along = trm_v3_dot(w, laid->n);
    const double A = trm_v3_dot(u, trm_v3_add_scaled(w, -along, laid->n)),
                 B = trm_v3_dot(u, trm_v3_cross(laid->n, w)), C = -along * trm_v3_dot(u, laid->n),
                 size = trm_hypot(A, B);
    double half[2];
    if (!(size > TRM_SHORTEST_SIDE)) return TRM_CLOSURE_OPEN;
    if (!trm_chord(0, C, size, half)) return TRM_CLOSURE_NONE;
    tau[0] = trm_atan2(B, A) + trm_atan2(half[0], C);
    tau[1] = trm_atan2(B, A) - trm_atan2(half[0], C);
    return TRM_CLOSURE_FOUND;
}

/* Finds the spin at which a ball joint has the given coordinate, starting from the predicted spin. */
static bool spin_by_ball(const trm_rod_ring *rod, const laid_rod *laid, given g, const double *predicted, double *tau)
{
    const trm_vec3 r_0 = {predicted[0], predicted[1], predicted[2]};
    const trm_quat X = rod->end[g.end].on_arm ? trm_quat_exp(r_0) : trm_quat_conj(trm_quat_exp(r_0));
    trm_quat Q = trm_quat_mul(laid->tip[g.end].q, X);
    if (g.end == 1) Q = trm_quat_mul(Q, trm_quat_conj(rod->across.q));
    const trm_quat left = trm_quat_mul(trm_quat_conj(laid->Q_0), Q);
    *tau = 2 * trm_atan2(trm_v3_dot(trm_v3(left.x, left.y, left.z), laid->n), left.w);

    /* omega in axes of A */
    const trm_vec3 on_rod = trm_rotate_back(axes_at(rod, g.end, trm_quat_identity()), laid->n);
    const trm_vec3 omega = rod->end[g.end].on_arm ? trm_rotate_back(laid->tip[g.end].q, laid->d) : trm_v3_neg(on_rod);
    for (int i = 0; i < MOST_SPIN; i++) {
        const trm_vec3 r = rotation_near(trm_quat_log(joint_rotation(rod, laid, g.end, turned(laid, *tau))), r_0);
        const double error = trm_v3_dot(trm_v3_sub(r, r_0), trm_axis(g.component));
        if (fabs(error) <= SPIN_ROUNDING * (1 + trm_v3_length(r))) return true;
        *tau -= error / trm_v3_dot(trm_mat_vec(trm_exp_jacobian_inverse(r), omega), trm_axis(g.component));
        if (!isfinite(*tau)) return false;
    }
    return true;
}

/* ---- Candidates --------------------------------------------------------------------------- */

/* Computes the coordinates of an end; angles and rotation vectors are those nearest to the prediction. */
static void read_end(const trm_joint *joint, trm_quat rotation, const double *predicted, double *q)
{
    const trm_pose X_AB = {rotation, {0, 0, 0}};
    joint->type->coordinates_from(joint, X_AB, q);
    if (joint->type == &trm_joint_ball) {
        const trm_vec3 r = rotation_near(trm_v3(q[0], q[1], q[2]), trm_v3(predicted[0], predicted[1], predicted[2]));
        q[0] = r.x, q[1] = r.y, q[2] = r.z;
    } else
        for (int k = 0; k < joint->coordinates; k++) q[k] = trm_angle_near(q[k], predicted[k]);
}

static void measure(const trm_ring *ring, const double *y, candidate *c)
{
    c->distance = 0;
    for (int i = 0; i < ring->count; i++)
        for (int k = 0; k < ring->joints[i].count; k++) {
            const double off = c->coordinates[i][k] - y[ring->joints[i].at + k];
            c->distance += off * off;
        }
}

/* Computes the coordinates of the ends at a spin; keeps the candidate if it is the nearest so far. */
static void try_spin(const trm_closed_place *place, const laid_rod *laid, double tau, const double *y, candidate *c,
                     candidate *nearest)
{
    const trm_rod_ring *rod = &place->rod;
    for (int e = 0; e < 2; e++) {
        const trm_ring_joint *joint = &place->ring.joints[rod->end[e].joint];
        if (joint->count == 0) continue;
        read_end(joint->joint, joint_rotation(rod, laid, e, turned(laid, tau)), y + joint->at,
                 c->coordinates[rod->end[e].joint]);
    }
    measure(&place->ring, y, c);
    if (c->distance < nearest->distance) *nearest = *c;
}

/* Places the rod from tip to tip, and tries all spins that are possible there. */
static trm_closure try_rod(const trm_closed_place *place, given g, laid_rod *laid, const double *y, candidate *c,
                           candidate *nearest)
{
    const trm_rod_ring *rod = &place->rod;
    const bool spins = g.end >= 0;
    double tau[2];
    trm_closure found = TRM_CLOSURE_FOUND;
    laid->n = trm_v3_unit(rod->across.p);
    laid->d = trm_v3_unit(trm_v3_sub(laid->tip[1].p, laid->tip[0].p));
    laid->Q_0 = trm_quat_between(laid->n, laid->d);
    if (!spins)
        found = spin_by_universal(rod, laid, rod->end[0].universal ? 0 : 1, tau);
    else if (!spin_by_ball(rod, laid, g, y + place->ring.joints[rod->end[g.end].joint].at, tau))
        found = TRM_CLOSURE_OPEN;
    for (int i = 0; found == TRM_CLOSURE_FOUND && i < (spins ? 1 : 2); i++)
        try_spin(place, laid, tau[i], y, c, nearest);
    return found;
}

/* Tries all poses with these coordinates of both arms. */
static trm_closure try_arms(const trm_closed_place *place, given g, const double q[2], const double *y,
                            candidate *nearest)
{
    const trm_rod_ring *rod = &place->rod;
    laid_rod laid = {.tip = {tip_of(&rod->arm[0], q[0]), tip_of(&rod->arm[1], q[1])}};
    candidate c = {.distance = 0};
    for (int a = 0; a < 2; a++) {
        const trm_ring_joint *joint = &place->ring.joints[rod->arm[a].joint];
        const double near = joint->count > 0 ? y[joint->at] : 0;
        c.coordinates[rod->arm[a].joint][0] = a == g.arm || rod->arm[a].slides ? q[a] : trm_angle_near(q[a], near);
    }
    if (!rod->massless) return try_rod(place, g, &laid, y, &c, nearest);
    measure(&place->ring, y, &c);
    if (c.distance < nearest->distance) *nearest = c;
    return TRM_CLOSURE_FOUND;
}

/* Copies the dependent coordinates of a candidate into y. Independent ones stay bit-identical. */
static void copy_dependent(const trm_loop *loop, const trm_ring *ring, const candidate *c, double *y)
{
    for (int i = 0; i < ring->count; i++)
        for (int k = 0; k < ring->joints[i].count; k++)
            if (!trm_loop_is_independent(loop, ring->joints[i].at + k))
                y[ring->joints[i].at + k] = c->coordinates[i][k];
}

static trm_closure solve(const trm_loop *loop, const trm_closed_place *place, double *y)
{
    const trm_rod_ring *rod = &place->rod;
    candidate nearest = {.distance = INFINITY};
    double other[2], q[2];
    given g;
    if (!find_given(loop, place, &g)) return TRM_CLOSURE_OPEN;
    q[g.arm] = y[place->ring.joints[rod->arm[g.arm].joint].at];
    const trm_vec3 tip = tip_of(&rod->arm[g.arm], q[g.arm]).p;
    const trm_closure found = find_arm(&rod->arm[1 - g.arm], tip, rod->length, other);
    if (found != TRM_CLOSURE_FOUND) return found;
    bool open = false;
    for (int c = 0; c < 2; c++) {
        q[1 - g.arm] = other[c];
        if (try_arms(place, g, q, y, &nearest) == TRM_CLOSURE_OPEN) open = true;
    }
    if (!(nearest.distance < INFINITY)) return open ? TRM_CLOSURE_OPEN : TRM_CLOSURE_NONE;
    copy_dependent(loop, &place->ring, &nearest, y);
    return TRM_CLOSURE_FOUND;
}

const trm_closed_form trm_closed_form_rssr = {"rssr", recognise, solve};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "motion/free.h"

#include "math/four.h"
#include "math/rotation.h"
#include "motion/asymmetric.h"

/* rad: largest rotation of a Taylor step. For larger rotations several steps with fewer terms are cheaper. Ten times
 * larger, the series loses digits (test physics_free_motion); a smaller one takes more steps. */
static const double LARGEST_ROTATION = 0.5;
/* Largest number of parts of a step. A step in which a body rotates farther is too long to resolve its motion in any
 * case. */
enum { MOST_PARTS = 4096 };
/* rad: half the distance between the two rotations of a central difference. Its relative error is the square of this,
 * 1e-10, and that of rounding 1e-16 divided by this. A larger one has larger errors, a smaller one more rounding.
 * Tests pass with a tenth and with ten times of it. */
static const double HALF_DIFFERENCE = 1e-5;

/* ---- Two equal moments -------------------------------------------------------------------- */

/* Rotates q for twice the time `half`: by the precession about L and by the body's own spin about its axis, a in the
 * world. The length of the result is one except for rounding. */
static inline trm_quat turn_symmetric(int axis, trm_quat q, double half, trm_vec3 omega, trm_vec3 a, double own_spin)
{
    const trm_vec3 precession = trm_v3_add_scaled(omega, -own_spin, a);
    const trm_quat turned = trm_quat_mul(trm_quat_exp_half(trm_v3_scale(half, precession)), q);
    const double spun = half * own_spin;
    if (fabs(spun) < TRM_BELOW_ROUNDING) return turned;
    return trm_quat_mul(turned, trm_quat_exp_half(trm_v3_scale(spun, trm_axis(axis))));
}

/* ---- Taylor ------------------------------------------------------------------------------- */

typedef struct series {
    trm_vec3 u[TRM_TAYLOR_HIGHEST + 1], Ju[TRM_TAYLOR_HIGHEST + 1];
    trm_quat p[TRM_TAYLOR_HIGHEST + 1];
} series;

static trm_quat add_product(trm_quat sum, trm_quat p, trm_vec3 u)
{
    const trm_quat product = trm_quat_mul(p, (trm_quat){0, u.x, u.y, u.z});
    return (trm_quat){sum.w + product.w, sum.x + product.x, sum.y + product.y, sum.z + product.z};
}

/* Computes u_(k+1) and p_(k+1) from all terms before. */
static void next_term(const trm_body *body, series *s, int k)
{
    const double divisor = 1.0 / (k + 1);
    trm_vec3 cross = {0, 0, 0};
    trm_quat product = {0, 0, 0, 0};
    for (int j = 0; j <= k; j++) {
        cross = trm_v3_add(cross, trm_v3_cross(s->u[j], s->Ju[k - j]));
        product = add_product(product, s->p[j], s->u[k - j]);
    }
    s->u[k + 1] = trm_v3_scale(-divisor, trm_v3_times(body->inverse_inertia, cross));
    s->Ju[k + 1] = trm_v3_scale(-divisor, cross);
    const double half = 0.5 * divisor;
    s->p[k + 1] = (trm_quat){half * product.w, half * product.x, half * product.y, half * product.z};
}

/* Returns Q w - w for a small rotation Q = (c, u) without cancellation: 2 c (u x w) + 2 u x (u x w). */
static trm_vec3 rotation_change(trm_quat Q, trm_vec3 w)
{
    const trm_vec3 u = {Q.x, Q.y, Q.z};
    const trm_vec3 t = trm_v3_scale(2, trm_v3_cross(u, w));
    return trm_v3_add_scaled(trm_v3_cross(u, t), Q.w, t);
}

/* Rotates q and omega by a series of this order over h. The new omega is the old one plus the change R(0) (Q w(h) -
 * w(0)). Rotating the whole w(h) would cause the same rounding error in every step, and the energy would drift. */
static void turn_by_series(const trm_body *body, double h, int order, trm_quat *q, trm_vec3 *omega)
{
    series s;
    const trm_vec3 w = trm_rotate_back(*q, *omega);
    s.u[0] = trm_v3_scale(h, w);
    s.Ju[0] = trm_v3_times(body->inertia, s.u[0]);
    s.p[0] = trm_quat_identity();
    for (int k = 0; k < order; k++) next_term(body, &s, k);

    trm_vec3 added = {0, 0, 0};
    trm_quat Q = {0, 0, 0, 0};
    for (int k = order; k >= 0; k--) { /* small terms first */
        if (k > 0) added = trm_v3_add(added, s.u[k]);
        Q = (trm_quat){Q.w + s.p[k].w, Q.x + s.p[k].x, Q.y + s.p[k].y, Q.z + s.p[k].z};
    }
    Q = trm_quat_unit(Q);
    const trm_vec3 w_change = h != 0 ? trm_v3(added.x / h, added.y / h, added.z / h) : added;
    const trm_vec3 change = trm_v3_add(rotation_change(Q, trm_v3_add(w, w_change)), w_change);
    *omega = trm_v3_add(*omega, trm_rotate(*q, change));
    *q = trm_quat_mul(*q, Q);
}

/* ---- Three different moments -------------------------------------------------------------- */

static double turn_of(double h, trm_vec3 omega)
{
    return fabs(h) * trm_v3_length(omega);
}

/* Rotates one body in parts that are short enough for the series. The length of q is one except for rounding. */
static void turn_in_parts(const trm_body *body, double h, trm_quat *q, trm_vec3 *omega)
{
    const double turn = turn_of(h, *omega);
    const int parts = turn > LARGEST_ROTATION ? (int)fmin(ceil(turn / LARGEST_ROTATION), MOST_PARTS) : 1;
    const trm_body *const bodies[TRM_LANES] = {body, body, body, body};
    const trm_four none = {0}, part = none + h / parts;
    trm_four_quat Q = {none + q->w, none + q->x, none + q->y, none + q->z};
    trm_four_vec3 w = {none + omega->x, none + omega->y, none + omega->z};
    for (int i = 0; i < parts; i++) trm_turn_asymmetric(bodies, &part, &Q, &w);
    *q = (trm_quat){Q.w[0], Q.x[0], Q.y[0], Q.z[0]};
    *omega = trm_v3(w.x[0], w.y[0], w.z[0]);
}

/* Rotates q of a body without an axis of symmetry, or by a series of a given order. Returns the new omega. */
static trm_vec3 turn(const trm_body *body, double h, int order, trm_quat *q, trm_vec3 omega)
{
    if (body->kind != TRM_BODY_RIGID) return omega;
    if (order == TRM_TAYLOR_AUTO)
        turn_in_parts(body, h, q, &omega);
    else
        turn_by_series(body, h, order, q, &omega);
    return omega;
}

/* ---- Look-ahead --------------------------------------------------------------------------- */

trm_flight trm_flight_from(const trm_body *body, trm_vec3 gravity, double h, int order, const trm_pose *X)
{
    trm_flight from = {.body = body,
                       .h = h,
                       .order = order,
                       .q = X->q,
                       .fallen = trm_v3_add_scaled(X->p, 0.5 * h * h, gravity),
                       .symmetry_axis = -1};
    if (body->kind == TRM_BODY_RIGID && body->symmetry_axis >= 0 && order == TRM_TAYLOR_AUTO) {
        from.symmetry_axis = body->symmetry_axis;
        from.spin_share = trm_spin_share(body);
        from.a = trm_rotate(X->q, trm_axis(body->symmetry_axis));
    }
    return from;
}

void trm_look_ahead(trm_flight *from, const trm_spatial *V, trm_pose *ahead)
{
    ahead->p = trm_v3_add_scaled(from->fallen, from->h, V->lin);
    ahead->q = from->q;
    if (from->symmetry_axis >= 0) {
        const double own_spin = from->spin_share * trm_v3_dot(V->ang, from->a);
        ahead->q = turn_symmetric(from->symmetry_axis, from->q, 0.5 * from->h, V->ang, from->a, own_spin);
    } else {
        from->spin = turn(from->body, from->h, from->order, &ahead->q, V->ang);
    }
}

/* Four bodies at once. Each lane does the operations of trm_look_ahead in the same order; none is fused or omitted.
 * So the bits of a lane do not depend on the other lanes. Four bodies are computed together if all or none have an
 * axis of symmetry and none rotates too far for one series. All others are computed one after the other. */

/* Rotates the lanes about their own axes, unless the angle is below rounding. Returns false if one rotates too
 * far. */
TRM_FOUR_KERNEL bool spin_four(const trm_flight *from, const int *i, trm_four spun, trm_four_quat *q)
{
    const trm_four_flags still = (spun < TRM_BELOW_ROUNDING) & (-spun < TRM_BELOW_ROUNDING);
    if (trm_four_all(still)) return true;
    trm_four_vec3 axis;
    for (int k = 0; k < TRM_LANES; k++) {
        const trm_vec3 of_one = trm_axis(from[i[k]].symmetry_axis);
        axis.x[k] = of_one.x, axis.y[k] = of_one.y, axis.z[k] = of_one.z;
    }
    trm_four_quat turn;
    if (!trm_four_quat_exp_half(trm_four_scale(spun, axis), &turn)) return false;
    turn = trm_four_quat_mul(*q, turn);
    *q = (trm_four_quat){trm_four_choose(still, q->w, turn.w), trm_four_choose(still, q->x, turn.x),
                         trm_four_choose(still, q->y, turn.y), trm_four_choose(still, q->z, turn.z)};
    return true;
}

/* Computes four bodies with an axis of symmetry. Returns false, and writes nothing, if one rotates too far. */
static bool look_ahead_four(const trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *i)
{
    const trm_four h = TRM_GATHER(from, i, h), half = 0.5 * h;
    const trm_four_vec3 omega = TRM_GATHER_VEC3(V, i, ang), a = TRM_GATHER_VEC3(from, i, a);
    const trm_four own_spin = TRM_GATHER(from, i, spin_share) * trm_four_dot(omega, a);
    trm_four_quat q;
    if (!trm_four_quat_exp_half(trm_four_scale(half, trm_four_add_scaled(omega, -own_spin, a)), &q)) return false;
    q = trm_four_quat_mul(q, TRM_GATHER_QUAT(from, i, q));
    if (!spin_four(from, i, half * own_spin, &q)) return false;
    const trm_four_vec3 p = trm_four_add_scaled(TRM_GATHER_VEC3(from, i, fallen), h, TRM_GATHER_VEC3(V, i, lin));
    for (int k = 0; k < TRM_LANES; k++)
        ahead[i[k]] = (trm_pose){{q.w[k], q.x[k], q.y[k], q.z[k]}, {p.x[k], p.y[k], p.z[k]}};
    return true;
}

/* Computes four bodies without an axis of symmetry; missing ones are replaced by the last. Returns false, and writes
 * nothing, if one rotates too far or is a point, or if the series has a given order. */
static bool turn_four(trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *i)
{
    const trm_body *body[TRM_LANES];
    for (int k = 0; k < TRM_LANES; k++) {
        const trm_flight *of = &from[i[k]];
        body[k] = of->body;
        if (body[k]->kind != TRM_BODY_RIGID || of->order != TRM_TAYLOR_AUTO) return false;
        if (!(turn_of(of->h, V[i[k]].ang) <= LARGEST_ROTATION)) return false;
    }
    const trm_four h = TRM_GATHER(from, i, h);
    trm_four_quat q = TRM_GATHER_QUAT(from, i, q);
    trm_four_vec3 omega = TRM_GATHER_VEC3(V, i, ang);
    trm_turn_asymmetric(body, &h, &q, &omega);
    for (int k = 0; k < TRM_LANES; k++) {
        trm_flight *of = &from[i[k]];
        of->spin = trm_v3(omega.x[k], omega.y[k], omega.z[k]);
        ahead[i[k]] = (trm_pose){{q.w[k], q.x[k], q.y[k], q.z[k]}, trm_v3_add_scaled(of->fallen, of->h, V[i[k]].lin)};
    }
    return true;
}

/* Computes n bodies of one kind, at most four. */
static void look_ahead_some(trm_flight *from, const trm_spatial *V, trm_pose *ahead, int *i, int n)
{
    const bool symmetric = n > 0 && from[i[0]].symmetry_axis >= 0;
    for (int k = n; n > 0 && k < TRM_LANES; k++) i[k] = i[n - 1];
    if (n == TRM_LANES && symmetric && look_ahead_four(from, V, ahead, i)) return;
    if (n > 1 && !symmetric && turn_four(from, V, ahead, i)) return;
    for (int k = 0; k < n; k++) trm_look_ahead(&from[i[k]], &V[i[k]], &ahead[i[k]]);
}

void trm_look_ahead_all(trm_flight *from, const trm_spatial *V, trm_pose *ahead, const int *bodies, int count)
{
    int i[2][TRM_LANES], n[2] = {0, 0}; /* with an axis of symmetry, and without */
    for (int k = 0; k < count; k++) {
        const int kind = from[bodies[k]].symmetry_axis < 0;
        i[kind][n[kind]++] = bodies[k];
        if (n[kind] < TRM_LANES) continue;
        look_ahead_some(from, V, ahead, i[kind], n[kind]);
        n[kind] = 0;
    }
    for (int kind = 0; kind < 2; kind++) look_ahead_some(from, V, ahead, i[kind], n[kind]);
}

/* Returns D for two equal moments: R(h) = exp(h p) R(0) exp(h k (omega . a) a_body) with p = omega - k (omega . a) a,
 * so that D = T(h p) (1 - k a a^T) + k a(h) a^T, T being the derivative of exp and a(h) = exp(h p) a. */
static trm_mat3 symmetric_derivative(const trm_flight *from, trm_vec3 omega)
{
    const double k = from->spin_share;
    const trm_vec3 turn = trm_v3_scale(from->h, trm_v3_add_scaled(omega, -k * trm_v3_dot(omega, from->a), from->a));
    const trm_vec3 a_ahead = trm_rotate(trm_quat_exp(turn), from->a);
    const trm_mat3 across = trm_mat_add_scaled(trm_diag(trm_v3(1, 1, 1)), -k, trm_outer(from->a, from->a));
    return trm_mat_add_scaled(trm_mat_mul(trm_exp_jacobian(turn), across), k, trm_outer(a_ahead, from->a));
}

/* Returns the orientation after a look-ahead with an additional angular velocity. */
static trm_quat turned_with(const trm_flight *from, const trm_spatial *V, double added, trm_vec3 direction)
{
    const trm_spatial other = {trm_v3_add_scaled(V->ang, added, direction), V->lin};
    trm_flight flight = *from;
    trm_pose ahead;
    trm_look_ahead(&flight, &other, &ahead);
    return ahead.q;
}

trm_mat3 trm_look_ahead_derivative(const trm_flight *from, const trm_spatial *V)
{
    if (from->symmetry_axis >= 0) return symmetric_derivative(from, V->ang);
    const double added = HALF_DIFFERENCE / from->h;
    trm_vec3 column[3] = {trm_axis(0), trm_axis(1), trm_axis(2)};
    for (int k = 0; k < 3 && from->body->kind == TRM_BODY_RIGID; k++) {
        const trm_quat more = turned_with(from, V, added, trm_axis(k)),
                       less = turned_with(from, V, -added, trm_axis(k));
        column[k] = trm_v3_scale(0.5 / HALF_DIFFERENCE, trm_quat_log(trm_quat_mul(more, trm_quat_conj(less))));
    }
    return trm_columns(column[0], column[1], column[2]);
}

void trm_arrive(const trm_flight *from, trm_vec3 gravity, const trm_pose *ahead, trm_pose *X, trm_spatial *V)
{
    X->p = ahead->p;
    V->lin = trm_v3_add_scaled(V->lin, from->h, gravity);
    if (from->body->kind != TRM_BODY_RIGID) return;
    X->q = trm_quat_unit(ahead->q);
    if (from->symmetry_axis < 0) {
        V->ang = from->spin;
    } else {
        const double own_spin = from->spin_share * trm_v3_dot(V->ang, from->a);
        V->ang = trm_symmetric_spin(from->symmetry_axis, V->ang, own_spin, from->a, X->q);
    }
}

void trm_free_motion(const trm_body *body, trm_vec3 gravity, double h, int order, trm_pose *X, trm_spatial *V)
{
    trm_flight from = trm_flight_from(body, gravity, h, order, X);
    trm_pose ahead;
    trm_look_ahead(&from, V, &ahead);
    trm_arrive(&from, gravity, &ahead, X, V);
}

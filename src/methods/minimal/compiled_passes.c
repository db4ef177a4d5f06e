/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The recursions over a compiled tree (compiled.h).
 *
 * Outwards, with w, v the twist of a node, m, mc, I its mass, moment and inertia about its origin:
 *
 *     h = I w + mc x v,   f = m v + w x mc,   p = (w x h + v x f,  w x f)
 *
 * Inwards, with the armature j of the coordinate, U = I S, D = S^T U + j, u = tau - S^T p:
 *
 *     I_a = I - U D^-1 U^T,   p_a = p + I_a c + U D^-1 u
 *
 * Both are rotated by E, shifted by r, and added to the parent's. With primes for rotated quantities,
 *
 *     C_p = C',   B_p = B' + [r] C',   A_p = A' + [r] B'^T - B_p [r],    f_p = f',   n_p = n' + r x f'
 *
 * Outwards again: a' = X a_p + c,  D (d2q/dt2) = u - U^T a',  a = a' + S d2q/dt2; the ground accelerates by -g.
 *
 * A rotation exp q has the twist w = T(-q) dq/dt in the node's axes, with T the left Jacobian of the exponential.
 * Hence d2q/dt2 = T(-q)^-1 (dw/dt - (dT(-q)/dt) dq/dt), and a force tau along q is the torque T(q)^-1 tau. */

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "methods/minimal/compiled_nodes.h"
#include "trammel/elementary.h"

/* ---- Outwards: places and twists ---------------------------------------------------------- */

static void turn_axes(const node_axes *from, double q, node_axes *E)
{
    const trm_sine_cosine turn = trm_sin_cos(q);
    const double cos_q = turn.cosine, sin_q = turn.sine;
    E->x = trm_v3(cos_q * from->x.x + sin_q * from->y.x, cos_q * from->x.y + sin_q * from->y.y,
                  cos_q * from->x.z + sin_q * from->y.z);
    E->y = trm_v3(cos_q * from->y.x - sin_q * from->x.x, cos_q * from->y.y - sin_q * from->x.y,
                  cos_q * from->y.z - sin_q * from->x.z);
    E->z = from->z;
}

/* Rotates axes by exp q: the new axes are the old ones combined by the columns of the rotation. */
static void spin_axes(const node_axes *from, trm_vec3 q, node_axes *E)
{
    const trm_mat3 R = trm_quat_matrix(trm_quat_exp(q));
    const trm_vec3 x = trm_column(R, 0), y = trm_column(R, 1), z = trm_column(R, 2);
    E->x = node_inwards(from, x);
    E->y = node_inwards(from, y);
    E->z = node_inwards(from, z);
}

/* Places a node at q and computes its maps if it is a SPIN or FREE node. */
static void place_node(const node_fixture *f, node_motion *m, trm_exp_maps *maps, const double *q)
{
    m->r = f->origin;
    switch (f->kind) {
    case NODE_TURN: turn_axes(&f->axes, f->sign * q[0], &m->E); break;
    case NODE_SHIFT:
        m->E = f->axes;
        m->r = trm_v3_add_scaled(f->origin, f->sign * q[0], f->axes.z);
        break;
    case NODE_SCREW:
        turn_axes(&f->axes, f->sign * q[0], &m->E);
        m->r = trm_v3_add_scaled(f->origin, f->sign * f->pitch * q[0], f->axes.z);
        break;
    case NODE_SPIN:
        maps[f->spin] = trm_exp_maps_of(node_triple(q, -f->sign));
        spin_axes(&f->axes, node_triple(q, f->sign), &m->E);
        break;
    case NODE_FREE:
        maps[f->spin] = trm_exp_maps_of(node_triple(q + 3, -1));
        spin_axes(&f->axes, node_triple(q + 3, 1), &m->E);
        m->r = trm_v3_add(f->origin, node_inwards(&f->axes, node_triple(q, 1)));
        break;
    }
}

/* Adds the node's own twist S qd to V; c = V x S qd. */
static void move_node(const node_fixture *f, node_motion *m, const trm_exp_maps *maps, const double *qd)
{
    const double rate = f->sign * qd[0];
    trm_spatial *V = &m->V;
    switch (f->kind) {
    case NODE_TURN:
        m->c = trm_sp(trm_v3(rate * V->ang.y, -rate * V->ang.x, 0), trm_v3(rate * V->lin.y, -rate * V->lin.x, 0));
        V->ang.z += rate;
        break;
    case NODE_SHIFT:
        m->c = trm_sp(trm_v3(0, 0, 0), trm_v3(rate * V->ang.y, -rate * V->ang.x, 0));
        V->lin.z += rate;
        break;
    case NODE_SCREW: {
        const double along = f->pitch * rate;
        m->c = trm_sp(trm_v3(rate * V->ang.y, -rate * V->ang.x, 0),
                      trm_v3(rate * V->lin.y + along * V->ang.y, -rate * V->lin.x - along * V->ang.x, 0));
        V->ang.z += rate;
        V->lin.z += along;
        break;
    }
    case NODE_SPIN:
        m->rate = trm_mat_vec(maps[f->spin].T, node_triple(qd, f->sign));
        m->c = trm_sp(trm_v3_cross(V->ang, m->rate), trm_v3_cross(V->lin, m->rate));
        V->ang = trm_v3_add(V->ang, m->rate);
        break;
    case NODE_FREE: /* its parent is at rest */
        m->rate = trm_mat_vec(maps[f->spin].T, node_triple(qd + 3, 1));
        m->c = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
        *V = trm_sp(m->rate, node_outwards(&m->E, node_inwards(&f->axes, node_triple(qd, 1))));
        break;
    }
}

static trm_spatial bias_wrench(const node_fixture *f, trm_spatial V)
{
    const trm_vec3 h = trm_v3_add(node_times(&f->inertia, V.ang), trm_v3_cross(f->moment, V.lin));
    const trm_vec3 l = trm_v3_add(trm_v3_scale(f->mass, V.lin), trm_v3_cross(V.ang, f->moment));
    return trm_sp(trm_v3_add(trm_v3_cross(V.ang, h), trm_v3_cross(V.lin, l)), trm_v3_cross(V.ang, l));
}

static void twist_node(trm_compiled *c, int i)
{
    const node_fixture *f = &c->fixture[i];
    node_motion *m = &c->motion[i];
    if (f->parent >= 0) {
        const trm_spatial V = c->motion[f->parent].V;
        m->V =
            trm_sp(node_outwards(&m->E, V.ang), node_outwards(&m->E, trm_v3_add(V.lin, trm_v3_cross(V.ang, m->r))));
    } else {
        m->V = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    }
    move_node(f, m, c->maps, c->yd + f->first);
    m->p = bias_wrench(f, m->V);
}

void trm_compiled_move(trm_compiled *c, const double *y, const double *yd)
{
    c->y = y, c->yd = yd;
    for (int i = 0; i < c->node_count; i++) {
        place_node(&c->fixture[i], &c->motion[i], c->maps, y + c->fixture[i].first);
        twist_node(c, i);
    }
}

void trm_compiled_place(trm_compiled *c, const double *y)
{
    c->y = y;
    for (int i = 0; i < c->node_count; i++)
        place_node(&c->fixture[i], &c->motion[i], c->maps, y + c->fixture[i].first);
}

void trm_compiled_twist(trm_compiled *c, const double *yd)
{
    c->yd = yd;
    for (int i = 0; i < c->node_count; i++) twist_node(c, i);
}

/* ---- Poses in the world ------------------------------------------------------------------- */

static trm_quat turn_of(const node_fixture *f, const double *q)
{
    switch (f->kind) {
    case NODE_TURN:
    case NODE_SCREW: {
        const trm_sine_cosine half = trm_sin_cos(0.5 * f->sign * q[0]);
        return (trm_quat){half.cosine, 0, 0, half.sine};
    }
    case NODE_SPIN: return trm_quat_exp(node_triple(q, f->sign));
    case NODE_FREE: return trm_quat_exp(node_triple(q + 3, 1));
    case NODE_SHIFT: break;
    }
    return trm_quat_identity();
}

void trm_compiled_pose(trm_compiled *c, trm_tree *tree)
{
    for (int i = 0; i < c->node_count; i++) {
        const node_fixture *f = &c->fixture[i];
        const trm_quat own = trm_quat_mul(f->turn, turn_of(f, c->y + f->first));
        const trm_pose X = {own, c->motion[i].r};
        c->world[i] = f->parent >= 0 ? trm_pose_mul(c->world[f->parent], X) : X;
    }
    for (int i = 0; i < c->body_count; i++) {
        const node_body *b = &c->bodies[i];
        trm_pose *pose = &tree->pose[b->body];
        *pose = b->node >= 0 ? trm_pose_mul(c->world[b->node], b->principal) : b->principal;
        pose->q = trm_quat_unit(pose->q);
    }
    for (int i = 0; i < c->rotor_count; i++) tree->pose[c->rotors[i].body].p.z = c->y[c->rotors[i].coordinate];
}

static void write_velocities(const trm_compiled *c, trm_tree *tree)
{
    for (int i = 0; i < c->body_count; i++) {
        const node_body *b = &c->bodies[i];
        const trm_spatial none = {{0, 0, 0}, {0, 0, 0}};
        tree->velocity[b->body] = none;
        if (b->node < 0) continue;
        const trm_spatial V = c->motion[b->node].V;
        const trm_quat axes = c->world[b->node].q;
        tree->velocity[b->body] =
            trm_sp(trm_rotate(axes, V.ang), trm_rotate(axes, trm_v3_add(V.lin, trm_v3_cross(V.ang, b->principal.p))));
    }
    for (int i = 0; i < c->rotor_count; i++) tree->velocity[c->rotors[i].body].lin.z = c->yd[c->rotors[i].coordinate];
}

void trm_compiled_write(trm_compiled *c, trm_tree *tree, bool placed)
{
    if (!placed) trm_compiled_pose(c, tree);
    write_velocities(c, tree);
}

/* Computes alpha and a = dv/dt + w x v + alpha x o + w x (w x o) from the rate of the twist in the node's axes, to
 * which the ground contributes -g. */
trm_spatial trm_compiled_acceleration(const trm_compiled *c, int link, trm_vec3 gravity)
{
    const node_body *b = &c->bodies[link];
    if (b->node < 0) return trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    const trm_spatial a = c->articulation[b->node].a, V = c->motion[b->node].V;
    const trm_vec3 o = b->principal.p, v = trm_v3_add(V.lin, trm_v3_cross(V.ang, o));
    const trm_vec3 lin = trm_v3_add(trm_v3_add(a.lin, trm_v3_cross(a.ang, o)), trm_v3_cross(V.ang, v));
    const trm_quat axes = c->world[b->node].q;
    return trm_sp(trm_rotate(axes, a.ang), trm_v3_add(trm_rotate(axes, lin), gravity));
}

void trm_compiled_apply_wrenches(trm_compiled *c, const trm_spatial *wrench)
{
    for (int i = 0; i < c->body_count; i++) {
        const node_body *b = &c->bodies[i];
        if (b->node < 0) continue;
        const trm_quat axes = c->world[b->node].q;
        const trm_vec3 f = trm_rotate_back(axes, wrench[b->body].lin);
        const trm_vec3 n = trm_v3_add(trm_rotate_back(axes, wrench[b->body].ang), trm_v3_cross(b->principal.p, f));
        trm_spatial *p = &c->motion[b->node].p;
        *p = trm_sp(trm_v3_sub(p->ang, n), trm_v3_sub(p->lin, f));
    }
}

/* ---- Inwards: articulated inertia --------------------------------------------------------- */

static void begin_node(const node_fixture *f, const node_motion *m, node_articulation *a)
{
    const trm_vec3 mc = f->moment;
    a->I.A = f->inertia;
    a->I.B[0] = trm_v3(0, -mc.z, mc.y);
    a->I.B[1] = trm_v3(mc.z, 0, -mc.x);
    a->I.B[2] = trm_v3(-mc.y, mc.x, 0);
    a->I.C = (node_symmetric){f->mass, f->mass, f->mass, 0, 0, 0};
    a->p = m->p;
}

/* S <- S - s u u^T */
static inline void subtract_square(node_symmetric *S, double s, trm_vec3 u)
{
    const trm_vec3 v = trm_v3_scale(s, u);
    S->xx -= u.x * v.x, S->yy -= u.y * v.y, S->zz -= u.z * v.z;
    S->xy -= u.x * v.y, S->xz -= u.x * v.z, S->yz -= u.y * v.z;
}

static inline trm_vec3 column_of_B(const node_inertia *I, int k)
{
    return k == 0   ? trm_v3(I->B[0].x, I->B[1].x, I->B[2].x)
           : k == 1 ? trm_v3(I->B[0].y, I->B[1].y, I->B[2].y)
                    : trm_v3(I->B[0].z, I->B[1].z, I->B[2].z);
}

static inline trm_spatial inertia_times(const node_inertia *I, trm_spatial V)
{
    return trm_sp(trm_v3_add(node_times(&I->A, V.ang), node_rows_times(I->B, V.lin)),
                  trm_v3_add(node_B_transposed_times(I->B, V.ang), node_times(&I->C, V.lin)));
}

/* Computes U, D, u of one coordinate along z, then I_a and p_a. */
static void articulate_one(const node_fixture *f, const node_motion *m, node_articulation *a, double tau)
{
    node_inertia *I = &a->I;
    const trm_spatial turn = {{I->A.xz, I->A.yz, I->A.zz}, I->B[2]};
    const trm_spatial shift = {column_of_B(I, 2), {I->C.xz, I->C.yz, I->C.zz}};
    double along_p;
    switch (f->kind) {
    case NODE_SHIFT: a->U = shift, a->D = shift.lin.z, along_p = a->p.lin.z; break;
    case NODE_SCREW:
        a->U = trm_sp_add_scaled(turn, f->pitch, shift);
        a->D = a->U.ang.z + f->pitch * a->U.lin.z;
        along_p = a->p.ang.z + f->pitch * a->p.lin.z;
        break;
    default: a->U = turn, a->D = turn.ang.z, along_p = a->p.ang.z; break;
    }
    a->D += f->armature;
    a->u = f->sign * tau - along_p;
    if (f->parent < 0) return;
    const double inverse = 1 / a->D;
    const trm_vec3 scaled = trm_v3_scale(inverse, a->U.lin);
    subtract_square(&I->A, inverse, a->U.ang);
    subtract_square(&I->C, inverse, a->U.lin);
    I->B[0] = trm_v3_add_scaled(I->B[0], -a->U.ang.x, scaled);
    I->B[1] = trm_v3_add_scaled(I->B[1], -a->U.ang.y, scaled);
    I->B[2] = trm_v3_add_scaled(I->B[2], -a->U.ang.z, scaled);
    a->p = trm_sp_add_scaled(a->p, 1, inertia_times(I, m->c));
    a->p = trm_sp_add_scaled(a->p, inverse * a->u, a->U);
}

/* Returns S^-1 of a positive definite S, by cofactors. */
static node_symmetric inverse_of(const node_symmetric *S)
{
    const double xx = S->yy * S->zz - S->yz * S->yz, xy = S->xz * S->yz - S->xy * S->zz,
                 xz = S->xy * S->yz - S->xz * S->yy;
    const double s = 1 / (S->xx * xx + S->xy * xy + S->xz * xz);
    return (node_symmetric){s * xx, s * (S->xx * S->zz - S->xz * S->xz), s * (S->xx * S->yy - S->xy * S->xy), s * xy,
                            s * xz, s * (S->xy * S->xz - S->xx * S->yz)};
}

/* Returns C - B^T A^-1 B from the given A^-1. */
static node_symmetric without_rotation(const node_inertia *I, const node_symmetric *inverse)
{
    const trm_vec3 x = column_of_B(I, 0), y = column_of_B(I, 1), z = column_of_B(I, 2);
    const trm_vec3 to_x = node_times(inverse, x), to_y = node_times(inverse, y), to_z = node_times(inverse, z);
    return (node_symmetric){I->C.xx - trm_v3_dot(x, to_x), I->C.yy - trm_v3_dot(y, to_y),
                            I->C.zz - trm_v3_dot(z, to_z), I->C.xy - trm_v3_dot(x, to_y),
                            I->C.xz - trm_v3_dot(x, to_z), I->C.yz - trm_v3_dot(y, to_z)};
}

/* Articulates a rotation, which transmits no torque: A_a = B_a = 0, C_a = C - B^T A^-1 B. */
static void articulate_spin(const node_fixture *f, const node_motion *m, node_articulation *a, trm_vec3 torque)
{
    node_inertia *I = &a->I;
    a->inverse = inverse_of(&I->A);
    a->torque = trm_v3_sub(torque, a->p.ang);
    memcpy(a->coupling, I->B, sizeof a->coupling);
    if (f->parent < 0) return;
    const trm_vec3 w = node_times(&a->inverse, a->torque);
    const trm_vec3 lin = trm_v3_add(a->p.lin, node_B_transposed_times(I->B, w));
    I->C = without_rotation(I, &a->inverse);
    I->A = (node_symmetric){0};
    memset(I->B, 0, sizeof I->B);
    a->p = trm_sp(torque, trm_v3_add(lin, node_times(&I->C, m->c.lin)));
}

/* Adds I_a and p_a, rotated and shifted, to those of the parent. */
static void add_to_parent(const node_motion *m, const node_articulation *a, node_articulation *to)
{
    const node_axes *E = &m->E;
    const trm_vec3 r = m->r;
    const node_symmetric A = node_turned_inwards(E, &a->I.A), C = node_turned_inwards(E, &a->I.C);
    trm_vec3 row[3], B[3];
    for (int k = 0; k < 3; k++) row[k] = node_inwards(E, a->I.B[k]); /* B E */
    B[0] = trm_v3_add_scaled(trm_v3_add_scaled(trm_v3_scale(E->x.x, row[0]), E->y.x, row[1]), E->z.x, row[2]);
    B[1] = trm_v3_add_scaled(trm_v3_add_scaled(trm_v3_scale(E->x.y, row[0]), E->y.y, row[1]), E->z.y, row[2]);
    B[2] = trm_v3_add_scaled(trm_v3_add_scaled(trm_v3_scale(E->x.z, row[0]), E->y.z, row[1]), E->z.z, row[2]);

    /* B_p = B' + [r] C' */
    const trm_vec3 Cx = {C.xx, C.xy, C.xz}, Cy = {C.xy, C.yy, C.yz}, Cz = {C.xz, C.yz, C.zz};
    const trm_vec3 P[3] = {trm_v3_add(B[0], trm_v3_sub(trm_v3_scale(r.y, Cz), trm_v3_scale(r.z, Cy))),
                           trm_v3_add(B[1], trm_v3_sub(trm_v3_scale(r.z, Cx), trm_v3_scale(r.x, Cz))),
                           trm_v3_add(B[2], trm_v3_sub(trm_v3_scale(r.x, Cy), trm_v3_scale(r.y, Cx)))};
    for (int k = 0; k < 3; k++) to->I.B[k] = trm_v3_add(to->I.B[k], P[k]);
    to->I.C.xx += C.xx, to->I.C.yy += C.yy, to->I.C.zz += C.zz;
    to->I.C.xy += C.xy, to->I.C.xz += C.xz, to->I.C.yz += C.yz;

    /* A_p = A' + [r] B'^T - B_p [r]: rows of B' and of B_p crossed with r */
    const trm_vec3 x = trm_v3_cross(r, B[0]), y = trm_v3_cross(r, B[1]), z = trm_v3_cross(r, B[2]);
    const trm_vec3 X = trm_v3_cross(r, P[0]), Y = trm_v3_cross(r, P[1]), Z = trm_v3_cross(r, P[2]);
    to->I.A.xx += A.xx + x.x + X.x, to->I.A.yy += A.yy + y.y + Y.y, to->I.A.zz += A.zz + z.z + Z.z;
    to->I.A.xy += A.xy + y.x + X.y, to->I.A.xz += A.xz + z.x + X.z, to->I.A.yz += A.yz + z.y + Y.z;

    const trm_vec3 f = node_inwards(E, a->p.lin), n = node_inwards(E, a->p.ang);
    to->p = trm_sp(trm_v3_add(to->p.ang, trm_v3_add(n, trm_v3_cross(r, f))), trm_v3_add(to->p.lin, f));
}

static void articulate_free(node_articulation *a)
{
    a->inverse = inverse_of(&a->I.A);
    const node_symmetric C = without_rotation(&a->I, &a->inverse);
    a->lin = inverse_of(&C);
}

static void articulate_node(const trm_compiled *c, int i, const double *tau)
{
    const node_fixture *f = &c->fixture[i];
    const double *own = tau ? tau + f->first : NULL;
    switch (f->kind) {
    case NODE_SPIN: {
        const trm_vec3 torque =
            own ? trm_mat_t_vec(c->maps[f->spin].inverse, node_triple(own, f->sign)) : trm_v3(0, 0, 0);
        articulate_spin(f, &c->motion[i], &c->articulation[i], torque);
        break;
    }
    case NODE_FREE: articulate_free(&c->articulation[i]); break; /* the rest follows in the outward pass */
    default: articulate_one(f, &c->motion[i], &c->articulation[i], own ? own[0] : 0); break;
    }
}

/* ---- Outwards: accelerations -------------------------------------------------------------- */

/* Computes d2q/dt2 of a rotation from its angular acceleration in the node's axes. */
static void spin_acceleration(const trm_exp_maps *maps, double sign, const double *qd, trm_vec3 alpha, double *qdd)
{
    const trm_vec3 rest = trm_v3_add(alpha, trm_exp_maps_rate(maps, node_triple(qd, -sign)));
    const trm_vec3 a = trm_mat_vec(maps->inverse, rest);
    qdd[0] = sign * a.x, qdd[1] = sign * a.y, qdd[2] = sign * a.z;
}

/* Returns the acceleration I^-1 F of a free body, by blocks. */
trm_spatial node_free_acceleration(const node_articulation *a, trm_spatial F)
{
    const trm_vec3 w = node_times(&a->inverse, F.ang);
    const trm_vec3 v = node_times(&a->lin, trm_v3_sub(F.lin, node_B_transposed_times(a->I.B, w)));
    return trm_sp(trm_v3_sub(w, node_times(&a->inverse, node_rows_times(a->I.B, v))), v);
}

static void accelerate_free(trm_compiled *c, int i, trm_spatial above, const double *tau, double *ydd)
{
    const node_fixture *f = &c->fixture[i];
    const node_motion *m = &c->motion[i];
    node_articulation *a = &c->articulation[i];
    const double *qd = c->yd + f->first;
    trm_spatial F = trm_sp(trm_v3_neg(a->p.ang), trm_v3_neg(a->p.lin));
    if (tau) {
        const trm_vec3 turn = trm_mat_t_vec(c->maps[f->spin].inverse, node_triple(tau + f->first + 3, 1));
        const trm_vec3 force = node_outwards(&m->E, node_inwards(&f->axes, node_triple(tau + f->first, 1)));
        F = trm_sp(trm_v3_add(F.ang, turn), trm_v3_add(F.lin, force));
    }
    a->a = node_free_acceleration(a, F);
    const trm_spatial own = trm_sp_add_scaled(a->a, -1, above);
    const trm_vec3 lin = trm_v3_add(own.lin, trm_v3_cross(m->V.ang, m->V.lin));
    const trm_vec3 shift = node_outwards(&f->axes, node_inwards(&m->E, lin));
    ydd[f->first] = shift.x, ydd[f->first + 1] = shift.y, ydd[f->first + 2] = shift.z;
    spin_acceleration(&c->maps[f->spin], 1, qd + 3, own.ang, ydd + f->first + 3);
}

static void accelerate_one(const node_fixture *f, node_articulation *a, trm_spatial above, double *ydd)
{
    const double qdd = (a->u - trm_sp_dot(a->U, above)) / a->D;
    a->a = above;
    if (f->kind != NODE_SHIFT) a->a.ang.z += qdd;
    if (f->kind == NODE_SHIFT) a->a.lin.z += qdd;
    if (f->kind == NODE_SCREW) a->a.lin.z += f->pitch * qdd;
    ydd[f->first] = f->sign * qdd;
}

static void accelerate_spin(trm_compiled *c, int i, trm_spatial above, double *ydd)
{
    const node_fixture *f = &c->fixture[i];
    node_articulation *a = &c->articulation[i];
    const trm_vec3 left = trm_v3_sub(a->torque, node_rows_times(a->coupling, above.lin));
    const trm_vec3 ang = node_times(&a->inverse, left);
    a->a = trm_sp(ang, above.lin);
    spin_acceleration(&c->maps[f->spin], f->sign, c->yd + f->first, trm_v3_sub(ang, above.ang), ydd + f->first);
}

static void accelerate_node(trm_compiled *c, int i, trm_vec3 gravity, const double *tau, double *ydd)
{
    const node_fixture *f = &c->fixture[i];
    const node_motion *m = &c->motion[i];
    const trm_spatial ground = trm_sp(trm_v3(0, 0, 0), trm_v3_neg(gravity));
    const trm_spatial from = f->parent >= 0 ? c->articulation[f->parent].a : ground;
    const trm_spatial above = {
        trm_v3_add(node_outwards(&m->E, from.ang), m->c.ang),
        trm_v3_add(node_outwards(&m->E, trm_v3_add(from.lin, trm_v3_cross(from.ang, m->r))), m->c.lin)};
    switch (f->kind) {
    case NODE_SPIN: accelerate_spin(c, i, above, ydd); break;
    case NODE_FREE: accelerate_free(c, i, above, tau, ydd); break;
    default: accelerate_one(f, &c->articulation[i], above, ydd); break;
    }
}

static void articulate(trm_compiled *c, const double *tau)
{
    for (int i = 0; i < c->node_count; i++) begin_node(&c->fixture[i], &c->motion[i], &c->articulation[i]);
    for (int i = c->node_count - 1; i >= 0; i--) {
        articulate_node(c, i, tau);
        const int parent = c->fixture[i].parent;
        if (parent >= 0) add_to_parent(&c->motion[i], &c->articulation[i], &c->articulation[parent]);
    }
}

bool trm_compiled_articulate(trm_compiled *c)
{
    articulate(c, NULL);
    for (int i = 0; i < c->node_count; i++) {
        const node_articulation *a = &c->articulation[i];
        const bool rotates = c->fixture[i].kind == NODE_SPIN || c->fixture[i].kind == NODE_FREE;
        if (!(rotates ? a->inverse.xx > 0 && isfinite(a->inverse.xx) : a->D > 0)) return false;
    }
    return true;
}

void trm_compiled_accelerate(trm_compiled *c, trm_vec3 gravity, const double *tau, double *ydd)
{
    articulate(c, tau);
    for (int i = 0; i < c->node_count; i++) accelerate_node(c, i, gravity, tau, ydd);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Responses of a compiled tree (compiled.h) to wrenches and to forces along coordinates, by its articulated
 * inertias (compiled_passes.c).
 *
 * A row g along the coordinates is the projection of wrenches F on bodies: S^T F at each node, with F passed
 * inwards as other wrenches are.
 *
 * a = M^-1 tau is the articulated-body recursion without velocities and gravity: inwards u = tau - S^T p, p_a = p
 * + U D^-1 u, outwards a' = X a_p, d2q/dt2 = D^-1 (u - U^T a'), a = a' + S d2q/dt2.
 *
 * The diagonal of M^-1. With the mobility O of a node, the accelerations (w, v) that wrenches (n, f) on it cause,
 * and O' = X O_p X^T,
 *
 *     W = D^-1 + D^-1 U^T O' U D^-1,     O = (1 - S D^-1 U^T) O' (1 - U D^-1 S^T) + S D^-1 S^T
 *
 * W is the block of M^-1 of the node's coordinates (Rodriguez, Jain, Kreutz-Delgado 1992). A rotation has w = A^-1
 * (n - B v), so that with K = A^-1 B and O' = [a b; b^T c]
 *
 *     W = A^-1 + a + K b^T + b K^T + K c K^T,     O = [A^-1 + K c K^T, -K c; ., c]
 *
 * in the node's axes; the block of the coordinates is T^-1 W T^-T. */

#include <string.h>

#include "methods/minimal/compiled_nodes.h"
#include "model/joint.h"

/* ---- Rows --------------------------------------------------------------------------------- */

static void add_triple(double *row, double sign, trm_vec3 v)
{
    row[0] += sign * v.x, row[1] += sign * v.y, row[2] += sign * v.z;
}

/* Adds S^T F to the row, with F in the node's axes at its origin. */
static void project_on_node(const trm_compiled *c, int i, trm_spatial F, double *row)
{
    const node_fixture *f = &c->fixture[i];
    double *own = row + (f->first - c->first);
    switch (f->kind) {
    case NODE_TURN: own[0] += f->sign * F.ang.z; break;
    case NODE_SHIFT: own[0] += f->sign * F.lin.z; break;
    case NODE_SCREW: own[0] += f->sign * (F.ang.z + f->pitch * F.lin.z); break;
    case NODE_SPIN: add_triple(own, f->sign, trm_mat_t_vec(c->maps[f->spin].T, F.ang)); break;
    case NODE_FREE:
        add_triple(own, 1, node_outwards(&f->axes, node_inwards(&c->motion[i].E, F.lin)));
        add_triple(own + 3, 1, trm_mat_t_vec(c->maps[f->spin].T, F.ang));
        break;
    }
}

void trm_compiled_project(const trm_compiled *c, int link, const trm_spatial *F, int count, double *rows)
{
    const node_body *b = &c->bodies[link];
    trm_spatial at[TRM_JOINT_ROWS];
    if (b->node < 0) return;
    const trm_quat axes = c->world[b->node].q;
    for (int r = 0; r < count; r++) {
        const trm_vec3 f = trm_rotate_back(axes, F[r].lin);
        at[r] = trm_sp(trm_v3_add(trm_rotate_back(axes, F[r].ang), trm_v3_cross(b->principal.p, f)), f);
    }
    for (int i = b->node; i >= 0; i = c->fixture[i].parent) {
        const node_motion *m = &c->motion[i];
        for (int r = 0; r < count; r++) {
            project_on_node(c, i, at[r], rows + (size_t)r * (size_t)c->coordinates);
            const trm_vec3 f = node_inwards(&m->E, at[r].lin), n = node_inwards(&m->E, at[r].ang);
            at[r] = trm_sp(trm_v3_add(n, trm_v3_cross(m->r, f)), f);
        }
    }
}

/* ---- Responses ---------------------------------------------------------------------------- */

/* along returns S^T p of one coordinate, add_motion returns a + S by. */
static double along(const node_fixture *f, trm_spatial p)
{
    if (f->kind == NODE_SHIFT) return p.lin.z;
    return f->kind == NODE_SCREW ? p.ang.z + f->pitch * p.lin.z : p.ang.z;
}

static trm_spatial add_motion(const node_fixture *f, trm_spatial a, double by)
{
    if (f->kind != NODE_SHIFT) a.ang.z += by;
    if (f->kind == NODE_SHIFT) a.lin.z += by;
    if (f->kind == NODE_SCREW) a.lin.z += f->pitch * by;
    return a;
}

/* Replaces p by p_a. */
static void respond_inwards(trm_compiled *c, int i, const double *tau)
{
    const node_fixture *f = &c->fixture[i];
    const node_articulation *a = &c->articulation[i];
    node_response *s = &c->response[i];
    switch (f->kind) {
    case NODE_SPIN: {
        const trm_vec3 torque = trm_mat_t_vec(c->maps[f->spin].inverse, node_triple(tau, f->sign));
        s->left = trm_v3_sub(torque, s->p.ang);
        const trm_vec3 w = node_times(&a->inverse, s->left);
        s->p = trm_sp(torque, trm_v3_add(s->p.lin, node_B_transposed_times(a->coupling, w)));
        break;
    }
    case NODE_FREE: {
        const trm_vec3 turn = trm_mat_t_vec(c->maps[f->spin].inverse, node_triple(tau + 3, 1));
        const trm_vec3 force = node_outwards(&c->motion[i].E, node_inwards(&f->axes, node_triple(tau, 1)));
        s->p = trm_sp(trm_v3_sub(turn, s->p.ang), trm_v3_sub(force, s->p.lin));
        break;
    }
    default:
        s->u = (f->sign * tau[0] - along(f, s->p)) / a->D;
        s->p = trm_sp_add_scaled(s->p, s->u, a->U);
        break;
    }
    if (f->parent < 0) return;
    const node_motion *m = &c->motion[i];
    const trm_vec3 lin = node_inwards(&m->E, s->p.lin), ang = node_inwards(&m->E, s->p.ang);
    trm_spatial *to = &c->response[f->parent].p;
    *to = trm_sp(trm_v3_add(to->ang, trm_v3_add(ang, trm_v3_cross(m->r, lin))), trm_v3_add(to->lin, lin));
}

static void respond_outwards(trm_compiled *c, int i, double *qdd)
{
    const node_fixture *f = &c->fixture[i];
    const node_motion *m = &c->motion[i];
    const node_articulation *a = &c->articulation[i];
    node_response *s = &c->response[i];
    trm_spatial above = {{0, 0, 0}, {0, 0, 0}};
    if (f->parent >= 0) {
        const trm_spatial from = c->response[f->parent].a;
        above = trm_sp(node_outwards(&m->E, from.ang),
                       node_outwards(&m->E, trm_v3_add(from.lin, trm_v3_cross(from.ang, m->r))));
    }
    switch (f->kind) {
    case NODE_SPIN: {
        const trm_vec3 ang = node_times(&a->inverse, trm_v3_sub(s->left, node_rows_times(a->coupling, above.lin)));
        s->a = trm_sp(ang, above.lin);
        qdd[0] = qdd[1] = qdd[2] = 0;
        add_triple(qdd, f->sign, trm_mat_vec(c->maps[f->spin].inverse, trm_v3_sub(ang, above.ang)));
        break;
    }
    case NODE_FREE:
        s->a = node_free_acceleration(a, s->p);
        memset(qdd, 0, 6 * sizeof *qdd);
        add_triple(qdd, 1, node_outwards(&f->axes, node_inwards(&m->E, s->a.lin)));
        add_triple(qdd + 3, 1, trm_mat_vec(c->maps[f->spin].inverse, s->a.ang));
        break;
    default: {
        const double own = s->u - trm_sp_dot(a->U, above) / a->D;
        s->a = add_motion(f, above, own);
        qdd[0] = f->sign * own;
        break;
    }
    }
}

void trm_compiled_respond(trm_compiled *c, const double *tau, double *a)
{
    for (int i = 0; i < c->node_count; i++) c->response[i].p = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    for (int i = c->node_count - 1; i >= 0; i--) respond_inwards(c, i, tau + (c->fixture[i].first - c->first));
    for (int i = 0; i < c->node_count; i++) respond_outwards(c, i, a + (c->fixture[i].first - c->first));
}

/* ---- The diagonal of M^-1 ----------------------------------------------------------------- */

static trm_mat3 full(const node_symmetric *S)
{
    return (trm_mat3){{{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}}};
}

static node_symmetric symmetric(trm_mat3 m)
{
    return (node_symmetric){m.m[0][0], m.m[1][1], m.m[2][2], m.m[0][1], m.m[0][2], m.m[1][2]};
}

static trm_mat3 rows_of(const trm_vec3 *B)
{
    return trm_transpose(trm_columns(B[0], B[1], B[2]));
}

static void put_rows(trm_mat3 m, trm_vec3 *B)
{
    for (int k = 0; k < 3; k++) B[k] = trm_v3(m.m[k][0], m.m[k][1], m.m[k][2]);
}

/* Returns E m E^T; the rows of E are the node's axes. */
static trm_mat3 turned_outwards(const node_axes *E, trm_mat3 m)
{
    const trm_mat3 R = trm_transpose(trm_columns(E->x, E->y, E->z));
    return trm_mat_mul(R, trm_mat_mul(m, trm_transpose(R)));
}

/* Returns X O_p X^T: (w, v) -> (E w, E (v - [r] w)). */
static node_inertia seen_from(const node_motion *m, const node_inertia *O)
{
    const trm_mat3 r = trm_skew(m->r), a = full(&O->A), b = rows_of(O->B);
    const trm_mat3 shifted = trm_mat_add_scaled(b, 1, trm_mat_mul(a, r)); /* b + a [r] */
    trm_mat3 c = trm_mat_add_scaled(full(&O->C), -1, trm_mat_mul(r, shifted));
    c = trm_mat_add_scaled(c, 1, trm_mat_mul(trm_transpose(b), r));
    node_inertia seen = {.A = symmetric(turned_outwards(&m->E, a)), .C = symmetric(turned_outwards(&m->E, c))};
    put_rows(turned_outwards(&m->E, shifted), seen.B);
    return seen;
}

/* Replaces O' by O. Returns W. */
static double articulate_mobility(const node_fixture *f, const node_articulation *a, node_inertia *O)
{
    const double s = f->kind == NODE_SHIFT ? 0 : 1, t = f->kind == NODE_SHIFT   ? 1
                                                        : f->kind == NODE_SCREW ? f->pitch
                                                                                : 0;
    const trm_vec3 ang =
        trm_v3_scale(1 / a->D, trm_v3_add(node_times(&O->A, a->U.ang), node_rows_times(O->B, a->U.lin)));
    const trm_vec3 lin =
        trm_v3_scale(1 / a->D, trm_v3_add(node_B_transposed_times(O->B, a->U.ang), node_times(&O->C, a->U.lin)));
    const double W = (1 + trm_v3_dot(a->U.ang, ang) + trm_v3_dot(a->U.lin, lin)) / a->D;
    O->A.xz -= s * ang.x, O->A.yz -= s * ang.y, O->A.zz -= 2 * s * ang.z - s * s * W;
    O->C.xz -= t * lin.x, O->C.yz -= t * lin.y, O->C.zz -= 2 * t * lin.z - t * t * W;
    O->B[2] = trm_v3_add_scaled(O->B[2], -s, lin);
    O->B[0].z -= t * ang.x, O->B[1].z -= t * ang.y, O->B[2].z -= t * ang.z - s * t * W;
    return W;
}

/* Writes the diagonal of T m T^T. */
static void put_diagonal(trm_mat3 T, trm_mat3 m, double *diagonal)
{
    const trm_mat3 W = trm_mat_mul(T, trm_mat_mul(m, trm_transpose(T)));
    for (int k = 0; k < 3; k++) diagonal[k] = W.m[k][k];
}

/* Computes O of a rotation whose translations have the mobility c: K = A^-1 B. */
static trm_mat3 spin_mobility(const node_symmetric *inverse, const trm_vec3 *B, const node_symmetric *c,
                              node_inertia *O)
{
    const trm_mat3 K = trm_mat_mul(full(inverse), rows_of(B)), Kc = trm_mat_mul(K, full(c));
    const trm_mat3 none = {{{0}}};
    O->C = *c;
    O->A = symmetric(trm_mat_add_scaled(full(inverse), 1, trm_mat_mul(Kc, trm_transpose(K))));
    put_rows(trm_mat_add_scaled(none, -1, Kc), O->B);
    return K;
}

static void spin_diagonal(const trm_compiled *c, int i, node_inertia *O, double *diagonal)
{
    const node_articulation *a = &c->articulation[i];
    const trm_mat3 above = full(&O->A), b = rows_of(O->B);
    const node_symmetric lin = O->C;
    const trm_mat3 K = spin_mobility(&a->inverse, a->coupling, &lin, O);
    const trm_mat3 mixed = trm_mat_mul(K, trm_transpose(b));
    trm_mat3 W = trm_mat_add_scaled(full(&O->A), 1, above);
    W = trm_mat_add_scaled(trm_mat_add_scaled(W, 1, mixed), 1, trm_transpose(mixed));
    put_diagonal(c->maps[c->fixture[i].spin].inverse, W, diagonal);
}

static void free_diagonal(const trm_compiled *c, int i, node_inertia *O, double *diagonal)
{
    const node_fixture *f = &c->fixture[i];
    const node_articulation *a = &c->articulation[i];
    const node_axes *E = &c->motion[i].E;
    const trm_mat3 back =
        trm_mat_mul(trm_transpose(trm_columns(f->axes.x, f->axes.y, f->axes.z)), trm_columns(E->x, E->y, E->z));
    spin_mobility(&a->inverse, a->I.B, &a->lin, O);
    put_diagonal(back, full(&O->C), diagonal);
    put_diagonal(c->maps[f->spin].inverse, full(&O->A), diagonal + 3);
}

void trm_compiled_diagonal(trm_compiled *c, double *diagonal)
{
    for (int i = 0; i < c->node_count; i++) {
        const node_fixture *f = &c->fixture[i];
        node_inertia *O = &c->mobility[i];
        double *own = diagonal + (f->first - c->first);
        if (f->parent >= 0)
            *O = seen_from(&c->motion[i], &c->mobility[f->parent]);
        else
            *O = (node_inertia){.A = {0}};
        switch (f->kind) {
        case NODE_SPIN: spin_diagonal(c, i, O, own); break;
        case NODE_FREE: free_diagonal(c, i, O, own); break;
        default: own[0] = articulate_mobility(f, &c->articulation[i], O); break;
        }
    }
}

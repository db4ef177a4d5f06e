/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse dynamics and mass matrix of a compiled tree (Featherstone 2008, sections 5.3 and 6.2).
 *
 * Outwards, with the rate s of a node's own twist and the bias wrench p of trm_compiled_move:
 *
 *     a = X a_p + c + s,     F = I a + p,      the ground accelerates by -g
 *
 * Inwards: tau = S^T F + j qdd, F_p += X^T F. The mass matrix needs the composite inertia of each node with all
 * nodes that it carries, and the twists S of all coordinates, both in the world's axes at one common origin: M_ij =
 * S_i^T (I_j S_j) for all coordinates i between j and the root.
 *
 * A rotation exp q has s = T(-q) qdd + (dT(-q)/dt) qd and tau = T(-q)^T n; a FREE node moves its origin by axes that
 * do not turn with it, hence s = E (axes qdd) - w x v there. */

#include "methods/minimal/compiled_nodes.h"

/* ---- Inverse dynamics --------------------------------------------------------------------- */

/* Returns the rate of the twist of a rotation in the node's axes. */
static trm_vec3 spin_rate(const trm_exp_maps *maps, double sign, const double *qd, const double *qdd)
{
    const trm_vec3 bias = trm_exp_maps_rate(maps, node_triple(qd, -sign));
    return qdd ? trm_v3_sub(trm_mat_vec(maps->T, node_triple(qdd, sign)), bias) : trm_v3_neg(bias);
}

/* Returns s of a node. */
static trm_spatial own_rate(const trm_compiled *c, int i, const double *qdd)
{
    const node_fixture *f = &c->fixture[i];
    const node_motion *m = &c->motion[i];
    const double *qd = c->yd + f->first, *own = qdd ? qdd + f->first : NULL;
    const double rate = own ? f->sign * own[0] : 0;
    trm_spatial s = {{0, 0, 0}, {0, 0, 0}};
    switch (f->kind) {
    case NODE_TURN: s.ang.z = rate; break;
    case NODE_SHIFT: s.lin.z = rate; break;
    case NODE_SCREW: s.ang.z = rate, s.lin.z = f->pitch * rate; break;
    case NODE_SPIN: s.ang = spin_rate(&c->maps[f->spin], f->sign, qd, own); break;
    case NODE_FREE:
        s.ang = spin_rate(&c->maps[f->spin], 1, qd + 3, own ? own + 3 : NULL);
        if (own) s.lin = node_outwards(&m->E, node_inwards(&f->axes, node_triple(own, 1)));
        s.lin = trm_v3_sub(s.lin, trm_v3_cross(m->V.ang, m->V.lin));
        break;
    }
    return s;
}

static void carry_outwards(trm_compiled *c, int i, trm_vec3 gravity, const double *qdd)
{
    const node_fixture *f = &c->fixture[i];
    const node_motion *m = &c->motion[i];
    node_response *r = &c->response[i];
    const trm_spatial ground = trm_sp(trm_v3(0, 0, 0), trm_v3_neg(gravity));
    const trm_spatial from = f->parent >= 0 ? c->response[f->parent].a : ground, s = own_rate(c, i, qdd);
    const trm_vec3 lin = node_outwards(&m->E, trm_v3_add(from.lin, trm_v3_cross(from.ang, m->r)));
    r->a.ang = trm_v3_add(trm_v3_add(node_outwards(&m->E, from.ang), m->c.ang), s.ang);
    r->a.lin = trm_v3_add(trm_v3_add(lin, m->c.lin), s.lin);
    const trm_vec3 n = trm_v3_add(node_times(&f->inertia, r->a.ang), trm_v3_cross(f->moment, r->a.lin));
    const trm_vec3 l = trm_v3_add(trm_v3_scale(f->mass, r->a.lin), trm_v3_cross(r->a.ang, f->moment));
    r->p = trm_sp(trm_v3_add(n, m->p.ang), trm_v3_add(l, m->p.lin));
}

static void put_triple(trm_vec3 v, double sign, double *to)
{
    to[0] = sign * v.x, to[1] = sign * v.y, to[2] = sign * v.z;
}

/* Projects a wrench on the own coordinates of a node. */
static void project_node(const trm_compiled *c, int i, trm_spatial F, double *own)
{
    const node_fixture *f = &c->fixture[i];
    switch (f->kind) {
    case NODE_TURN: own[0] = f->sign * F.ang.z; break;
    case NODE_SHIFT: own[0] = f->sign * F.lin.z; break;
    case NODE_SCREW: own[0] = f->sign * (F.ang.z + f->pitch * F.lin.z); break;
    case NODE_SPIN: put_triple(trm_mat_t_vec(c->maps[f->spin].T, F.ang), f->sign, own); break;
    case NODE_FREE:
        put_triple(node_outwards(&f->axes, node_inwards(&c->motion[i].E, F.lin)), 1, own);
        put_triple(trm_mat_t_vec(c->maps[f->spin].T, F.ang), 1, own + 3);
        break;
    }
}

static trm_spatial inwards(const node_motion *m, trm_spatial F)
{
    const trm_vec3 f = node_inwards(&m->E, F.lin);
    return trm_sp(trm_v3_add(node_inwards(&m->E, F.ang), trm_v3_cross(m->r, f)), f);
}

static bool has_one_coordinate(const node_fixture *f)
{
    return f->kind != NODE_SPIN && f->kind != NODE_FREE;
}

void trm_compiled_inverse(trm_compiled *c, trm_vec3 gravity, const double *ydd, double *tau)
{
    for (int i = 0; i < c->node_count; i++) carry_outwards(c, i, gravity, ydd);
    for (int i = c->node_count - 1; i >= 0; i--) {
        const node_fixture *f = &c->fixture[i];
        project_node(c, i, c->response[i].p, tau + f->first);
        if (ydd && has_one_coordinate(f)) tau[f->first] += f->armature * ydd[f->first];
        if (f->parent < 0) continue;
        trm_spatial *to = &c->response[f->parent].p;
        *to = trm_sp_add_scaled(*to, 1, inwards(&c->motion[i], c->response[i].p));
    }
}

/* ---- Mass matrix -------------------------------------------------------------------------- */

/* Places a node in the world's axes, relative to the origin of the first node: digits are then kept far from the
 * world's origin. */
static void place_composite(trm_compiled *c, int i)
{
    const node_motion *m = &c->motion[i];
    const int parent = c->fixture[i].parent;
    node_composite *at = &c->composite[i];
    if (parent < 0) {
        at->axes = m->E;
        at->origin = trm_v3_sub(m->r, c->motion[0].r);
        return;
    }
    const node_composite *from = &c->composite[parent];
    at->axes = (node_axes){node_inwards(&from->axes, m->E.x), node_inwards(&from->axes, m->E.y),
                           node_inwards(&from->axes, m->E.z)};
    at->origin = trm_v3_add(from->origin, node_inwards(&from->axes, m->r));
}

/* Computes mass, moment and inertia of the node's own bodies about the common origin, in the world's axes:
 * I = E^T I E + (2 r.h - r h^T - h r^T) + m (r.r - r r^T),  h = E^T mc. */
static void begin_composite(const node_fixture *f, node_composite *to)
{
    const trm_vec3 r = to->origin, h = node_inwards(&to->axes, f->moment), g = trm_v3_add_scaled(h, f->mass, r);
    const node_symmetric S = node_turned_inwards(&to->axes, &f->inertia);
    const double x = h.x * r.x + r.x * g.x, y = h.y * r.y + r.y * g.y, z = h.z * r.z + r.z * g.z;
    to->inertia = (node_symmetric){S.xx + y + z,
                                   S.yy + x + z,
                                   S.zz + x + y,
                                   S.xy - (h.x * r.y + r.x * g.y),
                                   S.xz - (h.x * r.z + r.x * g.z),
                                   S.yz - (h.y * r.z + r.y * g.z)};
    to->moment = g;
    to->mass = f->mass;
}

static void add_composite(const node_composite *from, node_composite *to)
{
    to->inertia.xx += from->inertia.xx, to->inertia.yy += from->inertia.yy, to->inertia.zz += from->inertia.zz;
    to->inertia.xy += from->inertia.xy, to->inertia.xz += from->inertia.xz, to->inertia.yz += from->inertia.yz;
    to->moment = trm_v3_add(to->moment, from->moment);
    to->mass += from->mass;
}

static int coordinates_of(const node_fixture *f)
{
    return f->kind == NODE_FREE ? 6 : f->kind == NODE_SPIN ? 3 : 1;
}

/* Returns the twist of a node per unit rate of its coordinate k, in its own axes. */
static trm_spatial direction(const trm_compiled *c, int i, int k)
{
    const node_fixture *f = &c->fixture[i];
    const trm_vec3 none = {0, 0, 0}, along = {0, 0, f->sign};
    double unit[3] = {0, 0, 0};
    unit[k % 3] = 1;
    switch (f->kind) {
    case NODE_TURN: return trm_sp(along, none);
    case NODE_SHIFT: return trm_sp(none, along);
    case NODE_SCREW: return trm_sp(along, trm_v3_scale(f->pitch, along));
    case NODE_SPIN: return trm_sp(trm_mat_vec(c->maps[f->spin].T, node_triple(unit, f->sign)), none);
    case NODE_FREE: break;
    }
    if (k < 3) return trm_sp(none, node_outwards(&c->motion[i].E, node_inwards(&f->axes, node_triple(unit, 1))));
    return trm_sp(trm_mat_vec(c->maps[f->spin].T, node_triple(unit, 1)), none);
}

/* Computes the twists of all coordinates of a node at the common origin, in the world's axes. */
static void find_directions(trm_compiled *c, int i)
{
    const node_composite *at = &c->composite[i];
    trm_spatial *to = c->direction + (c->fixture[i].first - c->first);
    for (int k = 0; k < coordinates_of(&c->fixture[i]); k++) {
        const trm_spatial S = direction(c, i, k);
        const trm_vec3 w = node_inwards(&at->axes, S.ang);
        to[k] = trm_sp(w, trm_v3_add(node_inwards(&at->axes, S.lin), trm_v3_cross(at->origin, w)));
    }
}

/* Writes the column of a coordinate of a node, and by symmetry its row. */
static void put_column(const trm_compiled *c, int node, int column, double *M, int n)
{
    const node_composite *I = &c->composite[node];
    const trm_spatial S = c->direction[column];
    const trm_spatial F = trm_sp(trm_v3_add(node_times(&I->inertia, S.ang), trm_v3_cross(I->moment, S.lin)),
                                 trm_v3_add(trm_v3_scale(I->mass, S.lin), trm_v3_cross(S.ang, I->moment)));
    for (int i = node; i >= 0; i = c->fixture[i].parent) {
        const int row = c->fixture[i].first - c->first, end = row + coordinates_of(&c->fixture[i]);
        for (int r = row; r < end; r++) M[r * n + column] = M[column * n + r] = trm_sp_dot(c->direction[r], F);
    }
}

void trm_compiled_mass(trm_compiled *c, double *M, int n)
{
    for (int i = 0; i < c->node_count; i++) {
        place_composite(c, i);
        begin_composite(&c->fixture[i], &c->composite[i]);
        find_directions(c, i);
    }
    for (int i = c->node_count - 1; i >= 0; i--) {
        const node_fixture *f = &c->fixture[i];
        const int first = f->first - c->first;
        if (f->parent >= 0) add_composite(&c->composite[i], &c->composite[f->parent]);
        for (int k = 0; k < coordinates_of(f); k++) put_column(c, i, first + k, M, n);
        if (has_one_coordinate(f)) M[first * (n + 1)] += f->armature;
    }
}

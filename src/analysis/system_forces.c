/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Applied forces at a pose, their derivatives, and joints that are springs: l = -k c - d dc/dt along each of their
 * rows. */

#include <math.h>
#include <string.h>

#include "analysis/system.h"
#include "math/rotation.h"

static void add_wrench(trm_system *s, int body, trm_spatial F, double *g)
{
    const int i = s->first[body];
    if (i < 0) return;
    const bool rigid = s->model->bodies[body].kind == TRM_BODY_RIGID;
    const double xi[6] = {F.ang.x, F.ang.y, F.ang.z, F.lin.x, F.lin.y, F.lin.z};
    for (int k = 0; k < (rigid ? 6 : 3); k++) {
        const double part = s->unit[i + k] * xi[rigid ? k : k + 3];
        g[i + k] += part;
        s->sizes[i + k] += fabs(part);
    }
}

/* ---- Soft joints -------------------------------------------------------------------------- */

static bool is_soft(const trm_system *s, int joint)
{
    return s->state->attached[joint] && trm_joint_is_spring(&s->model->joints[joint]);
}

/* Computes l of each row at these poses and velocities; J: the rows. */
static void soft_forces(const trm_joint_at *at, trm_spatial *J, double *l)
{
    double c[TRM_JOINT_ROWS], c_t[TRM_JOINT_ROWS];
    const trm_joint *joint = at->joint;
    trm_joint_residual(at, c);
    trm_joint_rate(at, c_t);
    trm_joint_jacobian(at, J);
    for (int r = 0; r < joint->rows; r++) {
        double rate = c_t[r];
        for (int b = 0; b < joint->body_count; b++) rate += trm_sp_dot(J[r * joint->body_count + b], at->V[b]);
        l[r] = -joint->spring_stiffness * c[r] - joint->spring_damping * rate;
        if (joint->one_sided && c[r] <= 0) l[r] = 0;
    }
}

/* ---- One element: a force or a soft joint -------------------------------------------------- */

typedef struct element {
    int force, joint; /* index of one of them; -1: the other kind */
} element;

static int bodies_of(const trm_system *s, element e, const int **bodies)
{
    if (e.joint >= 0) {
        *bodies = s->model->joints[e.joint].body;
        return s->model->joints[e.joint].body_count;
    }
    *bodies = s->model->forces[e.force].body;
    return s->model->forces[e.force].body_count;
}

/* Computes the wrenches of an element at these poses and velocities, one per body of the element. */
static void wrenches_of(const trm_system *s, element e, const trm_pose *poses, const trm_spatial *V, trm_spatial *F)
{
    const trm_state *state = s->state;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double l[TRM_JOINT_ROWS];
    if (e.force >= 0) {
        const trm_force_at at =
            trm_force_at_poses(&s->model->forces[e.force], poses, V, state->clock->time, state->memory);
        at.force->type->wrench(&at, F);
        return;
    }
    const trm_joint *joint = &s->model->joints[e.joint];
    const trm_joint_at at =
        trm_joint_at_poses(joint, poses, V, state->clock->time, state->memory + joint->memory_offset);
    soft_forces(&at, J, l);
    for (int b = 0; b < joint->body_count; b++) {
        F[b] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
        for (int r = 0; r < joint->rows; r++) F[b] = trm_sp_add_scaled(F[b], l[r], J[r * joint->body_count + b]);
    }
}

static element element_at(const trm_system *s, int index)
{
    const bool force = index < s->model->force_count;
    return (element){force ? index : -1, force ? -1 : index - s->model->force_count};
}

static int element_count(const trm_system *s)
{
    return s->model->force_count + s->model->joint_count;
}

static bool acts(const trm_system *s, element e)
{
    return e.force >= 0 ? trm_force_acts(s->state, e.force) : is_soft(s, e.joint);
}

/* ---- All of them -------------------------------------------------------------------------- */

/* Sets g to the sum of all forces, or only of those without a potential. */
static void add_forces(trm_system *s, bool nonconservative_only, double *g)
{
    memset(g, 0, (size_t)s->n * sizeof *g);
    memset(s->sizes, 0, (size_t)s->n * sizeof *s->sizes);
    for (int i = 0; i < element_count(s); i++) {
        const element e = element_at(s, i);
        const int *bodies;
        trm_spatial F[TRM_JOINT_BODIES];
        if (!acts(s, e)) continue;
        if (nonconservative_only && e.force >= 0 && s->model->forces[e.force].type->potential) continue;
        wrenches_of(s, e, s->state->pose, s->state->velocity, F);
        const int count = bodies_of(s, e, &bodies);
        for (int b = 0; b < count; b++) add_wrench(s, bodies[b], F[b], g);
    }
}

void trm_system_forces(trm_system *s, double *g)
{
    add_forces(s, false, g);
    s->strength = 0;
    for (int i = 0; i < s->n; i++) s->strength = fmax(s->strength, s->sizes[i]);
}

void trm_system_nonconservative(trm_system *s, double *g)
{
    add_forces(s, true, g);
}

double trm_system_potential(trm_system *s)
{
    double sum = 0;
    for (int i = 0; i < s->model->force_count; i++) {
        if (!trm_force_acts(s->state, i)) continue;
        const trm_force_at at = trm_force_now(s->state, i);
        sum += trm_force_potential(&at);
    }
    return sum;
}

/* ---- Slopes ------------------------------------------------------------------------------- */

/* Returns the length over which an element changes, m: the distance between its bodies, else the reach of its
 * frames, else the size of the machine. */
static double length_of(const trm_system *s, element e)
{
    if (e.joint >= 0) return s->size;
    const trm_force *force = &s->model->forces[e.force];
    if (force->type->bodies < 2 || force->host) return s->size;
    const trm_force_at at = trm_force_now(s->state, e.force);
    const double length = trm_v3_length(trm_v3_sub(at.X[1].p, at.X[0].p));
    return length > 1e-6 * s->size ? fmin(length, s->size) : s->size;
}

/* Subtracts the wrenches F of an element, times factor, from the column of a coordinate. */
static void subtract_column(const trm_system *s, element e, const trm_spatial *F, double factor, int coordinate,
                            double *K)
{
    const int *bodies;
    const int count = bodies_of(s, e, &bodies);
    for (int b = 0; b < count; b++) {
        const int i = s->first[bodies[b]];
        if (i < 0) continue;
        const bool rigid = s->model->bodies[bodies[b]].kind == TRM_BODY_RIGID;
        const double xi[6] = {F[b].ang.x, F[b].ang.y, F[b].ang.z, F[b].lin.x, F[b].lin.y, F[b].lin.z};
        for (int r = 0; r < (rigid ? 6 : 3); r++)
            K[(size_t)(i + r) * (size_t)s->n + (size_t)coordinate] -=
                factor * s->unit[i + r] * s->unit[coordinate] * xi[rigid ? r : r + 3];
    }
}

/* Returns the part of coordinate k: 0 to 2 rotations, 3 to 5 displacements. */
static int part_of(const trm_system *s, int body, int k)
{
    return s->model->bodies[body].kind == TRM_BODY_RIGID ? k : k + 3;
}

/* Adds -d(wrenches)/d(coordinate k of body) by differences of order 4. */
static void add_slope(trm_system *s, element e, int body, int k, double h, double *K)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};
    const int part = part_of(s, body, k);
    const trm_pose kept = s->state->pose[body];
    trm_spatial F[TRM_JOINT_BODIES];
    for (int i = 0; i < 4; i++) {
        const trm_vec3 step = trm_v3_scale(at[i] * h, trm_axis(part % 3));
        if (part < 3)
            s->state->pose[body].q = trm_quat_mul(trm_quat_exp(step), kept.q);
        else
            s->state->pose[body].p = trm_v3_add(kept.p, step);
        wrenches_of(s, e, s->state->pose, s->state->velocity, F);
        s->state->pose[body] = kept;
        subtract_column(s, e, F, weight[i] / h, s->first[body] + k, K);
    }
}

/* Adds -d(wrenches)/d(velocity k of body). Wrenches are linear in velocities, except for a servo at its force
 * limit. */
static void add_rate_slope(trm_system *s, element e, int body, int k, double *C)
{
    /* m/s, rad/s. Forces are linear in velocities, so that a larger or smaller value only changes rounding; a servo
     * at its limit leaves the linear part if it is much larger. Tests pass with a tenth and with ten times of it. */
    static const double STEP = 1e-4;
    const int part = part_of(s, body, k);
    trm_spatial *V = &s->state->velocity[body], F[TRM_JOINT_BODIES];
    const trm_spatial kept = *V;
    for (int side = -1; side <= 1; side += 2) {
        trm_vec3 *v = part < 3 ? &V->ang : &V->lin;
        *v = trm_v3_add_scaled(*v, side * STEP, trm_axis(part % 3));
        wrenches_of(s, e, s->state->pose, s->state->velocity, F);
        *V = kept;
        subtract_column(s, e, F, side / (2 * STEP), s->first[body] + k, C);
    }
}

/* Adds the chart's part of a torque: -[tau]/2. */
static void add_chart_term(trm_system *s, int body, trm_vec3 tau, double *K)
{
    const int i = s->first[body];
    if (i < 0 || s->model->bodies[body].kind != TRM_BODY_RIGID) return;
    const trm_mat3 skew = trm_skew(tau);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            K[(size_t)(i + r) * (size_t)s->n + (size_t)(i + c)] -=
                0.5 * s->unit[i + r] * s->unit[i + c] * skew.m[r][c];
}

/* Returns whether body b of an element moves and occurs for the first time. */
static bool is_new(const trm_system *s, const int *bodies, int b)
{
    for (int k = 0; k < b; k++)
        if (bodies[k] == bodies[b]) return false;
    return s->first[bodies[b]] >= 0;
}

void trm_system_add_stiffness(trm_system *s, double *K)
{
    /* rad, or fraction of the element's length. A larger value shows the curvature of forces in their stiffness, with
     * its square; a smaller one loses digits to rounding, with its inverse. Tests pass with a tenth and with ten
     * times of it. */
    static const double STEP = 1e-3;
    for (int i = 0; i < element_count(s); i++) {
        const element e = element_at(s, i);
        const int *bodies;
        trm_spatial F[TRM_JOINT_BODIES];
        if (!acts(s, e)) continue;
        if (e.force >= 0 && s->model->forces[e.force].type->built_in) continue; /* gravity is uniform */
        const double length = length_of(s, e);
        const int count = bodies_of(s, e, &bodies);
        wrenches_of(s, e, s->state->pose, s->state->velocity, F);
        for (int b = 0; b < count; b++) {
            add_chart_term(s, bodies[b], F[b].ang, K);
            const int freedoms = trm_body_freedoms(&s->model->bodies[bodies[b]]);
            for (int k = 0; is_new(s, bodies, b) && k < freedoms; k++)
                add_slope(s, e, bodies[b], k, part_of(s, bodies[b], k) < 3 ? STEP : STEP * length, K);
        }
    }
}

void trm_system_add_damping(trm_system *s, double *C)
{
    for (int i = 0; i < element_count(s); i++) {
        const element e = element_at(s, i);
        const int *bodies;
        if (!acts(s, e) || (e.force >= 0 && !trm_force_depends_on_velocity(&s->model->forces[e.force]))) continue;
        const int count = bodies_of(s, e, &bodies);
        for (int b = 0; b < count; b++)
            for (int k = 0; is_new(s, bodies, b) && k < trm_body_freedoms(&s->model->bodies[bodies[b]]); k++)
                add_rate_slope(s, e, bodies[b], k, C);
    }
}

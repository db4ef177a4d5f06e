/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions for all joint types: parts in sequence, gaps, coordinates with their rows and turns.
 *
 * Coordinate rows. The twist of frame B relative to A, seen from A at the origin of B, is
 *     V_rel = R_a^T ( omega_b - omega_a,  dx_b/dt - v_a - omega_a x d ),      d = x_b - s_a
 * and V_rel = S dq/dt on the constraint surface, so dq/dt = S+ V_rel with the pseudo-inverse S+ = (S^T S)^-1 S^T.
 * Its time derivative gives d2q/dt2 = S+ (dV_rel/dt - (dS/dt) dq/dt); without the bodies' accelerations
 *     dV_rel/dt = R_a^T ( omega_b x omega_a,
 *                         omega_b x (omega_b x r_b) - 2 omega_a x (dx_b/dt - v_a) + omega_a x (omega_a x d) ). */

#include "model/joint.h"

#include <string.h>

#include "linalg/dense.h"
#include "math/rotation.h"
#include "model/joints/parts.h"
#include "trammel/elementary.h"

/* ---- The list ----------------------------------------------------------------------------- */

/* rad: if a step rotates by less than this, turns are counted without the rate. A value larger than pi would lose
 * turns, a smaller one computes the rate more often, which costs time. Tests pass with a tenth and with ten times of
 * it. */
static const double SMALL_TURN = 1;

static const trm_joint_type *const types[] = {
#define TRM_JOINT_TYPE(name) &trm_joint_##name,
#include "model/joints/list.h"
#undef TRM_JOINT_TYPE
};

int trm_joint_type_count(void)
{
    return (int)(sizeof types / sizeof types[0]);
}

const trm_joint_type *trm_joint_type_at(int index)
{
    return index >= 0 && index < trm_joint_type_count() ? types[index] : NULL;
}

const char *trm_joint_type_name(int index)
{
    const trm_joint_type *type = trm_joint_type_at(index);
    return type ? type->name : NULL;
}

const trm_joint_type *trm_find_joint_type(const char *name)
{
    for (int i = 0; i < trm_joint_type_count(); i++)
        if (strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}

/* ---- Parts in sequence -------------------------------------------------------------------- */

#define FOR_EACH_PART(part, row, joint_type)                                                                         \
    for (int index_ = 0, row = 0; index_ < TRM_JOINT_PARTS && (joint_type)->parts[index_];                           \
         row += (joint_type)->parts[index_++]->rows)                                                                 \
        for (const trm_part *part = (joint_type)->parts[index_]; part; part = NULL)

int trm_type_rows(const trm_joint_type *type)
{
    int rows = 0;
    FOR_EACH_PART(part, row, type) rows = row + part->rows;
    return rows;
}

const char *trm_type_row_name(const trm_joint_type *type, int wanted)
{
    FOR_EACH_PART(part, row, type)
    if (wanted >= row && wanted < row + part->rows) return part->row_names[wanted - row];
    return "";
}

void trm_joint_residual(const trm_joint_at *at, double *c)
{
    FOR_EACH_PART(part, row, at->joint->type) part->residual(at, c + row);
}

void trm_joint_jacobian(const trm_joint_at *at, trm_spatial *J)
{
    FOR_EACH_PART(part, row, at->joint->type) part->jacobian(at, J + row * at->joint->body_count);
}

void trm_joint_gamma(const trm_joint_at *at, double *gamma)
{
    FOR_EACH_PART(part, row, at->joint->type) part->gamma(at, gamma + row);
}

void trm_joint_rate(const trm_joint_at *at, double *c_t)
{
    FOR_EACH_PART(part, row, at->joint->type)
    {
        memset(c_t + row, 0, (size_t)part->rows * sizeof *c_t);
        if (part->rate) part->rate(at, c_t + row);
    }
}

double trm_joint_most(const trm_joint_at *at)
{
    if (!at->joint->varies || !at->memory) return at->joint->most;
    const double *m = at->memory + trm_friction_offset(at->joint);
    return fmax(0, m[TRM_FRICTION_NOW] + m[TRM_FRICTION_RATE] * (at->t - m[TRM_FRICTION_TIME]));
}

double trm_joint_friction_law(const trm_joint_at *at, trm_vec3 F, double speed)
{
    const trm_coordinate_law *law = &at->joint->host->law[at->joint->coordinate];
    const bool turns = at->joint->host->type->kind[at->joint->coordinate] != TRM_COORDINATE_LENGTH;
    trm_spatial G[TRM_JOINT_BODIES];
    double sum = law->friction;
    if (law->static_friction > law->friction) {
        const double part = speed / law->stribeck_velocity;
        sum += (law->static_friction - law->friction) * trm_exp(-part * part);
    }
    if (!(law->mu > 0)) return sum;
    trm_joint_jacobian(at, G);
    const trm_vec3 axis = trm_v3_unit(turns ? G[1].ang : G[1].lin);
    const double across = trm_v3_length(trm_v3_add_scaled(F, -trm_v3_dot(F, axis), axis));
    return sum + law->mu * (turns ? law->radius : 1) * across;
}

double trm_capstan_friction(const trm_joint *coupling, double T)
{
    const double e = trm_exp(-coupling->law[0].mu * coupling->wrap);
    return 2 * T * (1 - e) / (1 + e);
}

void trm_joint_slip_force(const trm_joint_at *at, trm_spatial *F)
{
    const double most = trm_joint_most(at), force = at->mode == TRM_PLUS ? -most : at->mode == TRM_MINUS ? most : 0;
    trm_joint_jacobian(at, F);
    for (int b = 0; b < at->joint->body_count; b++) F[b] = trm_sp_scale(force, F[b]);
}

bool trm_joint_is_friction(const trm_joint *joint)
{
    return (joint->type == &trm_joint_motor && !joint->velocity.first) || joint->type == &trm_joint_slip;
}

bool trm_joint_acts_on(const trm_joint *joint, const trm_joint *host)
{
    for (int k = 0; k < joint->term_count; k++)
        if (joint->terms[k].host == host) return true;
    return joint->host == host ||
           (joint->host && joint->host->term_count > 0 && trm_joint_acts_on(joint->host, host));
}

bool trm_joint_is_rheonomic(const trm_joint *joint)
{
    const trm_part *const *parts = joint->type->parts;
    for (int i = 0; i < TRM_JOINT_PARTS && parts[i]; i++)
        if (parts[i]->rate) return true;
    return false;
}

/* ---- Gaps --------------------------------------------------------------------------------- */

static bool is_angular(const trm_joint *joint, const trm_part *part, int row)
{
    if (part->row_is_angular) return part->row_is_angular(joint, row);
    const bool has_host = part->of_host && joint->host; /* a faulty joint may have no host */
    return has_host ? joint->host->type->kind[joint->coordinate] != TRM_COORDINATE_LENGTH : part->angular;
}

static int count_coordinates(const trm_joint *joint)
{
    const trm_joint_type *type = joint->type;
    int count = 0;
    if (!(joint->b_is_point && type->points_on_a)) return type->coordinates;
    while (count < type->coordinates && type->kind[count] != TRM_COORDINATE_ROTATION) count++;
    return count;
}

void trm_joint_set_row_counts(trm_joint *joint)
{
    joint->coordinates = count_coordinates(joint);
    joint->rows = trm_type_rows(joint->type);
    joint->lengths = joint->origins = true;
    joint->one_sided = joint->rope || joint->side != 0;
    joint->point = joint->type->parts[0] == &trm_part_point && !joint->type->parts[1];
    FOR_EACH_PART(part, row, joint->type)
    {
        for (int i = row; i < row + part->rows; i++) {
            joint->angular[i] = is_angular(joint, part, i - row);
            joint->lengths = joint->lengths && !joint->angular[i];
        }
        joint->origins = joint->origins && part->origins;
    }
}

/* Adds the square of a row's value to the sum of the rows in metres or to that of the rows in radians. */
static void add_square(const trm_joint *joint, int row, double value, trm_gap *squares)
{
    if (joint->angular[row])
        squares->angle += value * value;
    else
        squares->position += value * value;
}

static trm_gap roots(trm_gap squares)
{
    return (trm_gap){sqrt(squares.position), sqrt(squares.angle)};
}

trm_gap trm_joint_gap(const trm_joint_at *at)
{
    double c[TRM_JOINT_ROWS];
    trm_gap squares = {0, 0};
    if (at->mode == TRM_PLUS || at->mode == TRM_MINUS) return squares; /* it slips */
    trm_joint_residual(at, c);
    for (int i = 0; i < at->joint->rows; i++)
        if (!(at->joint->one_sided && c[i] < 0)) add_square(at->joint, i, c[i], &squares);
    if (at->joint->type->unreached) {
        const trm_gap more = at->joint->type->unreached(at);
        squares.position += more.position * more.position;
        squares.angle += more.angle * more.angle;
    }
    return roots(squares);
}

trm_gap trm_joint_velocity_gap(const trm_joint_at *at)
{
    const int bodies = at->joint->body_count;
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    double c[TRM_JOINT_ROWS] = {0}, c_dot[TRM_JOINT_ROWS] = {0};
    trm_gap squares = {0, 0};
    if (at->mode == TRM_PLUS || at->mode == TRM_MINUS) return squares; /* it slips */
    trm_joint_residual(at, c);
    trm_joint_rate(at, c_dot);
    trm_joint_jacobian(at, J);
    for (int i = 0; i < at->joint->rows; i++) {
        for (int b = 0; b < bodies; b++) c_dot[i] += trm_sp_dot(J[i * bodies + b], at->V[b]);
        if (!(at->joint->one_sided && (c[i] < 0 || c_dot[i] < 0))) add_square(at->joint, i, c_dot[i], &squares);
    }
    return roots(squares);
}

/* ---- Coordinates -------------------------------------------------------------------------- */

trm_pose trm_joint_relative_pose(const trm_joint_at *at)
{
    return trm_pose_mul(trm_pose_inverse(at->X[0]), at->X[1]);
}

/* Returns d = x_b - s_a: from the centre of mass of A to the origin of frame B. */
static trm_vec3 arm_of_a(const trm_joint_at *at)
{
    return trm_v3_add(at->r[0], trm_joint_offset(at));
}

/* Returns dx_b/dt - v_a. */
static trm_vec3 origin_velocity_against_a(const trm_joint_at *at)
{
    return trm_v3_sub(trm_v3_add(at->V[1].lin, trm_v3_cross(at->V[1].ang, at->r[1])), at->V[0].lin);
}

static trm_spatial turned_into_a(const trm_joint_at *at, trm_spatial world)
{
    return trm_sp(trm_rotate_back(at->X[0].q, world.ang), trm_rotate_back(at->X[0].q, world.lin));
}

trm_spatial trm_joint_relative_twist(const trm_joint_at *at)
{
    const trm_vec3 shared = trm_v3_cross(at->V[0].ang, arm_of_a(at));
    return turned_into_a(
        at, trm_sp(trm_v3_sub(at->V[1].ang, at->V[0].ang), trm_v3_sub(origin_velocity_against_a(at), shared)));
}

/* Returns dV_rel/dt without the bodies' accelerations (see the head of the file). */
static trm_spatial relative_twist_bias(const trm_joint_at *at)
{
    const trm_vec3 a = at->V[0].ang, b = at->V[1].ang;
    trm_vec3 lin = trm_v3_cross(b, trm_v3_cross(b, at->r[1]));
    lin = trm_v3_add_scaled(lin, -2, trm_v3_cross(a, origin_velocity_against_a(at)));
    lin = trm_v3_add(lin, trm_v3_cross(a, trm_v3_cross(a, arm_of_a(at))));
    return turned_into_a(at, trm_sp(trm_v3_cross(b, a), lin));
}

/* Computes the rows of S+, each a spatial vector in axes of A, or the type's own rows for its coordinates. */
static void reading_rows(const trm_joint *joint, const double *q, trm_spatial *P)
{
    const int n = joint->coordinates;
    trm_spatial S[TRM_JOINT_COORDINATES];
    double gram[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES],
        inverse[TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES];
    if (n == 0) return;
    if (joint->type->readings) {
        joint->type->readings(joint, q, P);
        return;
    }
    joint->type->subspace(joint, q, S);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) gram[i * n + k] = trm_sp_dot(S[i], S[k]);
    trm_dense_inverse(gram, n, inverse);
    for (int i = 0; i < n; i++) {
        P[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
        for (int k = 0; k < n; k++) P[i] = trm_sp_add_scaled(P[i], inverse[i * n + k], S[k]);
    }
}

static trm_measured measured(const trm_joint_at *at)
{
    trm_measured m;
    at->joint->type->measure(at, &m);
    return m;
}

/* Computes q in (-pi, pi], then adds the turns that bring it nearest to the expected value. */
static void coordinates_near(const trm_joint_at *at, const double *expected, double *q)
{
    const trm_joint_type *type = at->joint->type;
    double all[TRM_JOINT_COORDINATES]; /* all coordinates of the type, which may have more than the joint */
    if (at->joint->coordinates == 0) return;
    if (type->measure) {
        q[0] = measured(at).q;
        return;
    }
    memcpy(all, at->joint->start_memory, sizeof all); /* without memory the start values are used */
    if (expected) memcpy(all, expected, (size_t)at->joint->coordinates * sizeof *all);
    type->coordinates_from(at->joint, trm_joint_relative_pose(at), all);
    memcpy(q, all, (size_t)at->joint->coordinates * sizeof *q);
    for (int k = 0; k < at->joint->coordinates; k++)
        if (type->kind[k] == TRM_COORDINATE_TURN) q[k] = trm_angle_near(q[k], expected ? expected[k] : 0);
}

void trm_joint_coordinates(const trm_joint_at *at, double *q)
{
    coordinates_near(at, at->memory, q);
}

void trm_joint_coordinate_rates(const trm_joint_at *at, double *qd)
{
    if (at->joint->type->measure) {
        const trm_measured m = measured(at);
        qd[0] = 0;
        for (int b = 0; b < at->joint->body_count; b++) qd[0] += trm_sp_dot(m.G[b], at->V[b]);
        return;
    }
    double q[TRM_JOINT_COORDINATES] = {0};
    trm_spatial P[TRM_JOINT_COORDINATES];
    const trm_spatial twist = trm_joint_relative_twist(at);
    trm_joint_coordinates(at, q);
    reading_rows(at->joint, q, P);
    for (int k = 0; k < at->joint->coordinates; k++) qd[k] = trm_sp_dot(P[k], twist);
}

void trm_joint_coordinate_rows(const trm_joint_at *at, trm_spatial *G)
{
    if (at->joint->type->measure) {
        const trm_measured m = measured(at);
        memcpy(G, m.G, (size_t)at->joint->body_count * sizeof *G);
        return;
    }
    double q[TRM_JOINT_COORDINATES] = {0};
    trm_spatial P[TRM_JOINT_COORDINATES];
    trm_joint_coordinates(at, q);
    reading_rows(at->joint, q, P);
    for (int k = 0; k < at->joint->coordinates; k++) {
        const trm_vec3 ang = trm_rotate(at->X[0].q, P[k].ang), lin = trm_rotate(at->X[0].q, P[k].lin);
        G[2 * k] = trm_sp(trm_v3_neg(trm_v3_add(ang, trm_v3_cross(arm_of_a(at), lin))), trm_v3_neg(lin));
        G[2 * k + 1] = trm_sp(trm_v3_add(ang, trm_v3_cross(at->r[1], lin)), lin);
    }
}

void trm_joint_coordinate_bias(const trm_joint_at *at, double *bias)
{
    if (at->joint->type->measure) {
        bias[0] = at->joint->type->measured_bias(at);
        return;
    }
    double q[TRM_JOINT_COORDINATES] = {0}, qd[TRM_JOINT_COORDINATES] = {0};
    trm_spatial P[TRM_JOINT_COORDINATES];
    trm_joint_coordinates(at, q);
    trm_joint_coordinate_rates(at, qd);
    reading_rows(at->joint, q, P);
    const trm_spatial turning = at->joint->type->subspace_rate(at->joint, q, qd);
    const trm_spatial rest = trm_sp_add_scaled(relative_twist_bias(at), -1, turning);
    for (int k = 0; k < at->joint->coordinates; k++) bias[k] = trm_sp_dot(P[k], rest);
}

double trm_joint_coordinate(const trm_joint_at *at, int k)
{
    double q[TRM_JOINT_COORDINATES];
    trm_joint_coordinates(at, q);
    return q[k];
}

double trm_joint_coordinate_rate(const trm_joint_at *at, int k)
{
    double qd[TRM_JOINT_COORDINATES];
    trm_joint_coordinate_rates(at, qd);
    return qd[k];
}

void trm_joint_coordinate_row(const trm_joint_at *at, int k, trm_spatial *G)
{
    const int bodies = at->joint->body_count;
    trm_spatial all[2 * TRM_JOINT_COORDINATES];
    trm_joint_coordinate_rows(at, all);
    memcpy(G, all + bodies * k, (size_t)bodies * sizeof *G);
}

double trm_joint_coordinate_bias_of(const trm_joint_at *at, int k)
{
    double bias[TRM_JOINT_COORDINATES];
    trm_joint_coordinate_bias(at, bias);
    return bias[k];
}

double trm_joint_start_coordinate(const trm_joint *joint, int k)
{
    return joint->term_count > 0 ? trm_terms_start_sum(joint) : joint->start_memory[k];
}

static void count_turns(const trm_joint_at *at, double dt, double *memory)
{
    const int n = at->joint->coordinates;
    const double turn = fabs(dt) * trm_v3_length(trm_v3_sub(at->V[1].ang, at->V[0].ang));
    double q[TRM_JOINT_COORDINATES], qd[TRM_JOINT_COORDINATES], expected[TRM_JOINT_COORDINATES];
    memcpy(expected, memory, (size_t)n * sizeof *expected);
    /* several angles, or a large one; a single angle changes by at most the relative rotation of the bodies */
    if (n > 1 || !(turn < SMALL_TURN)) {
        trm_joint_coordinate_rates(at, qd);
        for (int k = 0; k < n; k++) expected[k] += dt * qd[k];
    }
    coordinates_near(at, expected, q);
    memcpy(memory, q, (size_t)n * sizeof *q);
}

void trm_joint_remember(const trm_joint_at *at, double dt, double *memory)
{
    if (at->joint->type->remember)
        at->joint->type->remember(at, dt, memory);
    else
        count_turns(at, dt, memory);
}

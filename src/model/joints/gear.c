/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gear and coupling: they couple coordinates q_k of other joints, the hosts.
 *
 *     c = sum_k f_k(q_k) - offset,    J = sum_k f_k'(q_k) (the row of q_k)
 *     gamma = -sum_k (f_k' bias_k + f_k'' (dq_k/dt)^2)
 *
 * with polynomials f_k(q) = a_1 q + a_2 q^2 + ... A gear has two hosts and f_1 = q, f_2 = -ratio q. With two hinges
 * it is a pair of wheels, with a slider and a hinge a rack and pinion.
 *
 * Bodies and frames 2k, 2k + 1 are those of host k. A body that occurs in several hosts, the ground or a carrier,
 * has its whole row at its first occurrence and zero at later ones, so that methods can treat all bodies as
 * different.
 *
 * The memory holds c at an earlier time, and the angles, rates and the time of that moment. The change of each
 * coordinate since then is that of its angle plus the number of turns that brings it nearest to rate times elapsed
 * time, even if a step makes several turns. c is computed from these changes, so it keeps all its digits after
 * thousands of turns. If a polynomial is not of first degree, the memory also holds the coordinates with their turns.
 *
 * Slip is the friction of a rope of two spans around a pulley. Its coordinate is the distance by which the rope has
 * slid, u = a (q_1 - q_2)/2. While the rope sticks, c = u - u_0 = 0; while it slips, c is always 0.
 *
 * Tendon has no row. It measures q = f_1(q_1) + f_2(q_2) + ..., on which limits, friction, springs, servos and drives
 * act as on the coordinate of any other joint: the row of q is that of the residual, its bias -gamma. */

#include <string.h>

#include "model/joints/parts.h"

/* Indices in the memory of a joint with n terms: angles, rates, coordinates with turns (unless all is linear),
 * time, c. */
static int rates_of(const trm_joint *joint)
{
    return joint->term_count;
}

static int wholes_of(const trm_joint *joint)
{
    return 2 * joint->term_count;
}

static int end_of(const trm_joint *joint)
{
    return joint->varies ? trm_friction_offset(joint) : joint->memory_count;
}

static int time_of(const trm_joint *joint)
{
    return end_of(joint) - 2;
}

static int residual_of(const trm_joint *joint)
{
    return end_of(joint) - 1;
}

/* ---- Hosts -------------------------------------------------------------------------------- */

static trm_joint_at host_at(const trm_joint_at *at, int k)
{
    trm_joint_at host = *at;
    host.joint = at->joint->terms[k].host;
    host.memory = trm_host_memory(at, host.joint);
    for (int b = 0; b < 2; b++) {
        host.X[b] = at->X[2 * k + b];
        host.r[b] = at->r[2 * k + b];
        host.V[b] = at->V[2 * k + b];
    }
    return host;
}

static bool turns(const trm_term *term)
{
    return term->host->type->kind[term->coordinate] == TRM_COORDINATE_TURN;
}

/* Returns a coordinate without its turns. */
static double coordinate(const trm_joint_at *at, int k)
{
    const trm_joint_at host = host_at(at, k);
    return trm_joint_coordinate(&host, at->joint->terms[k].coordinate);
}

/* Returns the change of a coordinate since `then`, with the number of turns nearest to the expected change. */
static double change(const trm_joint_at *at, int k, double then, double expected)
{
    const double by = coordinate(at, k) - then;
    return turns(&at->joint->terms[k]) ? by + 2 * TRM_PI * round((expected - by) / (2 * TRM_PI)) : by;
}

static double change_since(const trm_joint_at *at, int k)
{
    const double *m = at->memory;
    const double dt = at->t - m[time_of(at->joint)];
    return change(at, k, m[k], dt * m[rates_of(at->joint) + k]);
}

/* ---- Polynomials -------------------------------------------------------------------------- */

/* Returns f, f' and f''. */
static trm_jet polynomial(const trm_term *term, double q)
{
    trm_jet f = {0, 0, 0};
    for (int i = term->degree; i >= 0; i--) {
        f.dd = f.dd * q + 2 * f.d;
        f.d = f.d * q + f.v;
        f.v = f.v * q + (i > 0 ? term->a[i - 1] : 0);
    }
    return f;
}

/* Returns f(q + by) - f(q). If f is linear, q is not used, because it may be many turns. */
static double rise(const trm_term *term, double q, double by)
{
    return term->degree == 1 ? term->a[0] * by : polynomial(term, q + by).v - polynomial(term, q).v;
}

/* Returns f' and f'' at the current coordinate. */
static trm_jet slopes(const trm_joint_at *at, int k)
{
    const trm_term *term = &at->joint->terms[k];
    if (term->degree == 1) return (trm_jet){0, term->a[0], 0};
    return polynomial(term,
                      at->memory ? at->memory[wholes_of(at->joint) + k] + change_since(at, k) : coordinate(at, k));
}

/* ---- Rows --------------------------------------------------------------------------------- */

static double whole_of(const trm_joint *joint, const double *memory, int k)
{
    return joint->terms[k].degree > 1 ? memory[wholes_of(joint) + k] : 0;
}

static void residual(const trm_joint_at *at, double *c)
{
    const trm_joint *joint = at->joint;
    c[0] = at->memory ? at->memory[residual_of(joint)] : 0;
    for (int k = 0; k < joint->term_count; k++)
        c[0] += at->memory ? rise(&joint->terms[k], whole_of(joint, at->memory, k), change_since(at, k))
                           : polynomial(&joint->terms[k], coordinate(at, k)).v;
    if (!at->memory) c[0] -= joint->offset;
}

/* Returns the index of a body at its first occurrence in the hosts. */
static int first_place(const trm_joint *joint, int b)
{
    for (int a = 0; a < b - b % 2; a++)
        if (joint->body[a] == joint->body[b]) return a;
    return b;
}

static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    for (int b = 0; b < at->joint->body_count; b++) J[b] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    for (int k = 0; k < at->joint->term_count; k++) {
        trm_spatial G[2];
        const trm_joint_at host = host_at(at, k);
        const double slope = slopes(at, k).d;
        trm_joint_coordinate_row(&host, at->joint->terms[k].coordinate, G);
        for (int b = 0; b < 2; b++) {
            const int place = first_place(at->joint, 2 * k + b);
            J[place] = trm_sp_add_scaled(J[place], slope, G[b]);
        }
    }
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    double sum = 0;
    for (int k = 0; k < at->joint->term_count; k++) {
        const trm_joint_at host = host_at(at, k);
        const int coordinate = at->joint->terms[k].coordinate;
        const trm_jet f = slopes(at, k);
        sum += f.d * trm_joint_coordinate_bias_of(&host, coordinate);
        if (f.dd == 0) continue;
        const double rate = trm_joint_coordinate_rate(&host, coordinate);
        sum += f.dd * rate * rate;
    }
    gamma[0] = -sum;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void remember(const trm_joint_at *at, double dt, double *memory)
{
    const trm_joint *joint = at->joint;
    double *rates = memory + rates_of(joint);
    for (int k = 0; k < joint->term_count; k++) {
        const trm_joint_at host = host_at(at, k);
        const double rate = trm_joint_coordinate_rate(&host, joint->terms[k].coordinate);
        const double by = change(at, k, memory[k], 0.5 * dt * (rates[k] + rate));
        memory[residual_of(joint)] += rise(&joint->terms[k], whole_of(joint, memory, k), by);
        if (joint->terms[k].degree > 1) memory[wholes_of(joint) + k] += by;
        memory[k] = coordinate(at, k);
        rates[k] = rate;
    }
    memory[time_of(joint)] = at->t;
}

static void know(const trm_joint *joint, const double *q, double t, double *memory)
{
    double c = 0;
    for (int k = 0; k < joint->term_count; k++) {
        memory[k] = turns(&joint->terms[k]) ? remainder(q[k], 2 * TRM_PI) : q[k];
        memory[rates_of(joint) + k] = 0;
        if (joint->terms[k].degree > 1) memory[wholes_of(joint) + k] = q[k];
        c += polynomial(&joint->terms[k], q[k]).v;
    }
    memory[residual_of(joint)] = c - joint->offset;
    memory[time_of(joint)] = t;
}

int trm_terms_memory(const trm_joint *joint)
{
    bool linear = true;
    for (int k = 0; k < joint->term_count; k++) linear = linear && joint->terms[k].degree == 1;
    return (linear ? 2 : 3) * joint->term_count + 2;
}

void trm_terms_start(trm_joint *joint, const double *q, const double *qd)
{
    know(joint, q, 0, joint->start_memory);
    memcpy(joint->start_memory, q, (size_t)joint->term_count * sizeof *q);
    memcpy(joint->start_memory + rates_of(joint), qd, (size_t)joint->term_count * sizeof *qd);
}

double trm_terms_sum(const trm_joint *joint, const double *q)
{
    double sum = 0;
    for (int k = 0; k < joint->term_count; k++) sum += polynomial(&joint->terms[k], q[k]).v;
    return sum;
}

static const trm_part part_geared = {
    .rows = 1,
    .of_host = true,
    .row_names = {"geared coordinates"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_gear = {
    .name = "gear",
    .leaves = "all but the ratio of two coordinates",
    .takes = TRM_TAKES_JOINTS,
    .parts = {&part_geared},
    .memory = 6, /* trm_terms_memory */
    .remember = remember,
    .know = know,
};

const trm_joint_type trm_joint_coupling = {
    .name = "coupling",
    .leaves = "all but a sum of coordinates and their powers",
    .takes = TRM_TAKES_TERMS,
    .parts = {&part_geared},
    .memory = 2,
    .remember = remember,
    .know = know,
};

static void remember_slip(const trm_joint_at *at, double dt, double *memory)
{
    remember(at, dt, memory);
    if (at->mode != TRM_HELD) memory[residual_of(at->joint)] = 0;
}

static void know_slip(const trm_joint *joint, const double *q, double t, double *memory)
{
    know(joint, q, t, memory);
    memory[residual_of(joint)] = 0;
}

static const trm_part part_sliding = {
    .rows = 1,
    .of_host = true,
    .row_names = {"slip of the rope"},
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

const trm_joint_type trm_joint_slip = {
    .name = "slip",
    .leaves = "all but the slip of a rope, within its friction",
    .takes = TRM_TAKES_TERMS,
    .parts = {&part_sliding},
    .memory = 2,
    .remember = remember_slip,
    .know = know_slip,
};

/* ---- Tendons ------------------------------------------------------------------------------ */

double trm_terms_start_sum(const trm_joint *joint)
{
    return joint->start_memory[residual_of(joint)] + joint->offset;
}

/* The offset of a tendon is 0, so that its residual is its coordinate. */
static void measure(const trm_joint_at *at, trm_measured *m)
{
    residual(at, &m->q);
    jacobian(at, m->G);
}

static double bias(const trm_joint_at *at)
{
    double gamma;
    gamma_of(at, &gamma);
    return -gamma;
}

#define TENDON(quantity)                                                                                             \
    {                                                                                                                \
        .name = "tendon", .leaves = "everything; its coordinate is a sum of functions of coordinates",               \
        .takes = TRM_TAKES_SUM | TRM_TAKES_LIMITS, .coordinates = 1, .kind = {quantity}, .memory = 2,                \
        .remember = remember, .know = know, .measure = measure, .measured_bias = bias,                               \
    }

const trm_joint_type trm_joint_tendon = TENDON(TRM_COORDINATE_LENGTH);
const trm_joint_type trm_joint_tendon_of_angles = TENDON(TRM_COORDINATE_TILT); /* its turns are in its memory */

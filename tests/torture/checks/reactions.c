/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Newton's and Euler's equations hold for every body: the forces of joints and others are those that accelerate it,
 *
 *     m a = sum of forces,     I alpha + omega x I omega = sum of torques about the centre of mass
 *
 * and the accelerations keep the joints closed, J a = gamma. */

#include "check.h"
#include "model/model.h"
#include "motion/state.h"

static const double DIGITS = 1e-7; /* fraction of the largest force and torque in the machine */

typedef struct balance {
    double worst; /* residual over the allowed one */
    int body;
    bool reached;
    double length; /* m: length of the machine */
} balance;

typedef struct wrenches {
    trm_spatial sum[MOST_BODIES + 1];
    double force, torque; /* the largest */
} wrenches;

static void act(wrenches *w, int body, trm_spatial F)
{
    w->sum[body] = trm_sp_add_scaled(w->sum[body], 1, F);
    w->force = fmax(w->force, trm_v3_length(F.lin));
    w->torque = fmax(w->torque, trm_v3_length(F.ang));
}

static void joints_act(const trm_state *state, wrenches *w)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        const trm_joint_at at = trm_joint_now(state, j);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], F[TRM_JOINT_BODIES] = {0};
        if (!state->attached[j] || state->mode[j] == TRM_SLACK) continue;
        if (state->mode[j] == TRM_HELD) {
            trm_joint_jacobian(&at, J);
            for (int r = 0; r < joint->rows; r++)
                for (int b = 0; b < joint->body_count; b++)
                    F[b] =
                        trm_sp_add_scaled(F[b], state->reaction[joint->row_offset + r], J[r * joint->body_count + b]);
        } else
            trm_joint_slip_force(&at, F);
        for (int b = 0; b < joint->body_count; b++) act(w, joint->body[b], F[b]);
    }
}

static void forces_act(const trm_state *state, wrenches *w)
{
    for (int f = 0; f < state->model->force_count; f++) {
        const trm_force *force = &state->model->forces[f];
        if (!trm_force_acts(state, f)) continue;
        const trm_force_at at = trm_force_now(state, f);
        trm_spatial F[2] = {0};
        force->type->wrench(&at, F);
        for (int b = 0; b < force->type->bodies; b++) act(w, force->body[b], F[b]);
    }
}

/* Returns the rates of momentum and of angular momentum about the centre of mass. */
static trm_spatial momentum_rate(const trm_state *state, int body)
{
    const trm_body *b = &state->model->bodies[body];
    const trm_spatial a = state->acceleration[body];
    const trm_quat q = state->pose[body].q;
    const trm_vec3 w = trm_rotate_back(q, state->velocity[body].ang), alpha = trm_rotate_back(q, a.ang);
    const trm_mat3 I = trm_diag(b->inertia);
    const trm_vec3 torque = trm_v3_add(trm_mat_vec(I, alpha), trm_v3_cross(w, trm_mat_vec(I, w)));
    return trm_sp(trm_rotate(q, torque), trm_v3_scale(b->mass, a.lin));
}

/* Returns omega . I omega, J: the size of gyroscopic torques, which may cancel. */
static double spin_energy(const trm_state *state, int body)
{
    const trm_vec3 w = trm_rotate_back(state->pose[body].q, state->velocity[body].ang);
    return trm_v3_dot(w, trm_mat_vec(trm_diag(state->model->bodies[body].inertia), w));
}

static void look_at_row(void *context, trm_sim *sim)
{
    balance *worst = context;
    const trm_state *state = trm_sim_state(sim);
    wrenches w = {0};
    double size = 0;
    joints_act(state, &w);
    forces_act(state, &w);
    worst->reached = true;
    for (int i = 1; i < state->model->body_count; i++) {
        if (state->model->bodies[i].inverse_mass == 0) continue;
        const trm_spatial rate = momentum_rate(state, i);
        w.force = fmax(w.force, trm_v3_length(rate.lin));
        w.torque = fmax(w.torque, fmax(trm_v3_length(rate.ang), spin_energy(state, i)));
        size = fmax(size, trm_v3_length(trm_v3_sub(state->pose[i].p, state->pose[1].p)));
    }
    for (int i = 1; i < state->model->body_count; i++) {
        const trm_body *b = &state->model->bodies[i];
        if (b->inverse_mass == 0) continue;
        const trm_spatial off = trm_sp_add_scaled(w.sum[i], -1, momentum_rate(state, i));
        const double force = trm_v3_length(off.lin) / (DIGITS * (w.force + w.torque / worst->length) + 1e-300);
        const double torque =
            b->kind == TRM_BODY_POINT ? 0 : trm_v3_length(off.ang) / (DIGITS * (w.torque + w.force * size) + 1e-300);
        if (fmax(force, torque) <= worst->worst) continue;
        worst->worst = fmax(force, torque);
        worst->body = i;
    }
}

static finding look(const subject *s)
{
    if (traits_of(s) & HAS_CONTACTS) return not_told("contacts");
    balance worst = {.length = s->m->length};
    run_def def = run_plain(s);
    def.reactions = true;
    def.row = look_at_row;
    def.context = &worst;
    def.every = 10 * def.options.step;
    const motion run = run_machine(s, &def);
    if (!worst.reached || !run.accepted) return not_told(run.why);
    if (worst.worst <= 1) return holds();
    return fails(
        "", DIGITS * worst.worst, DIGITS,
        "of body number %d mass times acceleration and the sum of forces differ by %.3g of the largest force",
        worst.body, DIGITS * worst.worst);
}

const check check_reactions = {"reactions", "reactions, forces and accelerations obey Newton and Euler", look, false,
                               0};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces of a step, and the work of impulses.
 *
 * Forces act with their values at the start of the step, for its whole length. For forces that depend on
 * velocities this is stable while  h (d + h k) J W  of their rows is small; stiffer rows become soft rows of the
 * problem. Gyroscopic torque, in axes of the body with L = I omega:
 *
 *     explicit   I (omega+ - omega) = h L x omega
 *     implicit   (I - h [L]x) omega+ = L               as ODE does; it never gains energy
 *
 * An impulse p along a row changes the kinetic energy by p times the mean of the row's speeds before and after the
 * step. The work is therefore exact, and the remainder of the energy balance is the error of the method. */

#include "math/rotation.h"
#include "methods/lcp/lcp.h"

/* Limit of h (d + h k) J W, the relative change of a row's own speed in an explicit step. With a larger value
 * explicit dampers overshoot; a smaller one treats more of them implicitly than ODE would. Tests pass with a tenth
 * and with ten times of it. */
static const double STIFF = 0.1;

bool trm_lcp_is_stiff(const trm_lcp_method *w, const trm_maximal_damper *d)
{
    const trm_maximal *m = w->machine;
    const double slope = d->row.damping + d->row.brake + fabs(w->h) * d->row.stiffness;
    if (!trm_force_acts(m->stepper->state, d->force)) return false;
    return m->stepper->model->forces[d->force].treatment == TRM_TREAT_IMPLICIT || fabs(w->h) * slope * d->own > STIFF;
}

/* ---- Forces ------------------------------------------------------------------------------- */

/* Returns omega, in axes of the body, after the gyroscopic torque of a step. The inverse of I - [g]x, with g = h
 * L, is (det(I) I^-1 + g g^T + [I g]x) / (det(I) + g . I g). */
static trm_vec3 gyrate(const trm_lcp_method *w, trm_vec3 I, trm_vec3 omega)
{
    const trm_vec3 L = trm_v3_times(I, omega), g = trm_v3_scale(w->h, L), Ig = trm_v3_times(I, g);
    const trm_vec3 torque = trm_v3_cross(L, omega);
    if (w->gyroscopic == TRM_GYRO_EXPLICIT)
        return trm_v3_add_scaled(omega, w->h, trm_v3(torque.x / I.x, torque.y / I.y, torque.z / I.z));
    const trm_vec3 straight = trm_v3_times(trm_v3(I.y * I.z, I.z * I.x, I.x * I.y), L);
    const trm_vec3 sum = trm_v3_add(trm_v3_add_scaled(straight, trm_v3_dot(g, L), g), trm_v3_cross(Ig, L));
    return trm_v3_scale(1 / (I.x * I.y * I.z + trm_v3_dot(g, Ig)), sum);
}

/* Applies gravity, and gyroscopic torque at the velocity before the step. */
static void apply_gravity_and_gyration(const trm_lcp_method *w, int i)
{
    trm_state *state = w->machine->stepper->state;
    const trm_body *body = &state->model->bodies[i];
    trm_spatial *V = &state->velocity[i];
    if (w->machine->held[i]) return;
    V->lin = trm_v3_add_scaled(V->lin, w->h, body->gravity);
    if (body->kind != TRM_BODY_RIGID || w->gyroscopic == TRM_GYRO_NONE) return;
    const trm_vec3 before = trm_rotate_back(state->pose[i].q, w->before[i].ang);
    const trm_vec3 change = trm_v3_sub(gyrate(w, body->inertia, before), before);
    V->ang = trm_v3_add(V->ang, trm_rotate(state->pose[i].q, change));
}

/* Evaluates all forces before it applies any. */
bool trm_lcp_apply_forces(trm_lcp_method *w, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    for (int i = 0; i < m->dampers.count; i++) {
        trm_maximal_damper *d = &m->dampers.list[i];
        const bool acts = trm_force_acts(m->stepper->state, d->force) && !trm_lcp_is_stiff(w, d);
        d->impulse = acts ? w->h * trm_force_pull(&d->row, trm_maximal_rate_along(m, d)) : 0;
    }
    for (int i = 0; i < m->stepper->called_count; i++)
        if (!trm_maximal_caller_force(m, i, &m->forces.called[i], outcome)) return false;
    if (!trm_maximal_kick(m, w->h, TRM_FORCES_OF_POSITION, outcome)) return false;
    for (int i = 0; i < m->dampers.count; i++)
        trm_maximal_apply_damper_impulse(m, &m->dampers.list[i], m->dampers.list[i].impulse);
    for (int i = 0; i < m->stepper->called_count; i++) {
        const trm_spatial F = m->forces.called[i];
        trm_maximal_apply_impulse(m, m->stepper->called[i].body, trm_sp_scale(w->h, F));
    }
    for (int i = 0; i < m->stepper->model->body_count; i++) apply_gravity_and_gyration(w, i);
    return true;
}

/* ---- Work --------------------------------------------------------------------------------- */

/* Returns the mean of a body's velocities before and after the step. */
static trm_spatial mean(const trm_lcp_method *w, int body)
{
    const trm_spatial sum = trm_sp_add_scaled(w->before[body], 1, w->machine->stepper->state->velocity[body]);
    return trm_sp_scale(0.5, sum);
}

/* Adds the work of a bounded row on all its bodies. The work that bodies with prescribed motion do on it is input. */
static void add_work_of_row(const trm_lcp_method *w, const trm_lcp_row *row, trm_works *sum)
{
    double free = 0, held = 0;
    for (int b = 0; row->works != TRM_LCP_WORKS_NOT && b < row->bodies; b++)
        *(w->machine->held[row->body[b]] ? &held : &free) += row->x * trm_sp_dot(row->J[b], mean(w, row->body[b]));
    sum->input -= held;
    switch (row->works) {
    case TRM_LCP_WORKS_NOT: break;
    case TRM_LCP_WORKS_AS_INPUT: sum->input += free + held; break;
    case TRM_LCP_WORKS_AS_FRICTION: sum->friction += free + held; break;
    case TRM_LCP_WORKS_AS_IMPACT: sum->impact += free + held; break;
    case TRM_LCP_WORKS_AS_CONTACT: sum->contact += free + held; break;
    }
}

/* Returns the work of a force that depends on velocities, without the change of its potential. */
static double work_of_damper(const trm_lcp_method *w, const trm_maximal_damper *d)
{
    const trm_model *model = w->machine->stepper->model;
    const trm_force *force = &model->forces[d->force];
    double rate = 0;
    for (int b = 0; b < force->body_count; b++) {
        if (model->bodies[force->body[b]].motion) return 0; /* counted with forces of positions */
        rate += trm_sp_dot(d->row.J[b], mean(w, force->body[b]));
    }
    const double stored = force->type->potential ? w->h * d->row.stiffness * (d->row.c + 0.5 * w->h * rate) : 0;
    return rate * (d->impulse + stored);
}

/* Returns the work of a drive: its prescribed rate times its impulse. For a joint that is a spring, returns the
 * work of its impulse plus the energy that it stores. */
static double work_of_joint(const trm_lcp_method *w, const trm_maximal_joint *j)
{
    const trm_maximal *m = w->machine;
    const int n = j->joint->body_count;
    const bool spring = trm_joint_is_spring(j->joint);
    double c[TRM_JOINT_ROWS], work = 0;
    if (!j->on || !(j->driven || spring)) return 0;
    const trm_state *state = m->stepper->state;
    if (spring) trm_joint_residual_at(j->joint, state->pose, state->clock->time, state->memory, c);
    for (int r = 0; r < j->joint->rows; r++) {
        const double x = m->accelerations.lambda[j->joint->row_offset + r];
        double moved = 0, rate = j->driven ? j->c_t[r] : 0;
        for (int b = 0; spring && b < n; b++) {
            const double along = trm_sp_dot(j->J[r * n + b], mean(w, j->joint->body[b]));
            moved += m->held[j->joint->body[b]] ? 0 : along;
            rate += along;
        }
        work += spring ? x * moved + w->h * j->joint->spring_stiffness * (c[r] + 0.5 * w->h * rate) * rate
                       : x * j->drive[r];
    }
    return work;
}

trm_works trm_lcp_work(const trm_lcp_method *w)
{
    const trm_maximal *m = w->machine;
    trm_works work = {0};
    for (int i = 0; i < w->row_count; i++) add_work_of_row(w, &w->rows[i], &work);
    for (int i = 0; i < m->dampers.count; i++) {
        const bool passive = m->stepper->model->forces[m->dampers.list[i].force].type->passive;
        *(passive ? &work.damping : &work.input) += work_of_damper(w, &m->dampers.list[i]);
    }
    for (int i = 0; i < m->stepper->called_count; i++)
        if (!m->held[m->stepper->called[i].body])
            work.input += w->h * trm_sp_dot(m->forces.called[i], mean(w, m->stepper->called[i].body));
    for (int j = 0; j < m->joint_count; j++) {
        const bool spring = trm_joint_is_spring(m->joints[j].joint) && !m->joints[j].driven;
        *(spring ? &work.damping : &work.input) += work_of_joint(w, &m->joints[j]);
    }
    return work;
}

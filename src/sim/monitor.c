/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The monitor: errors of energy, momentum and joints.
 *
 *     energy     |E - E0 - W|
 *     momentum   of a free system: P = P0 + M g t, L = L0 + M (s0 t + P0/M t^2/2) x g,  s0 the first centre of
 *                mass; the largest difference is stored
 *     gaps       the largest residual of any joint, in position and in velocity
 *     passive    friction, dampers, impacts and contacts only dissipate: increases of their work are summed
 *
 * The expected size of |E - E0 - W| follows from the steps themselves. A symplectic step conserves a modified energy
 * (Hairer, Lubich, Wanner IX.3; docs/impulse.md says when the impulse step is symplectic). For kick, drift and kick
 * without joints, of a potential U, it is
 *
 *     E + h^2 (v.U'' v/12 - a.M a/24) + O(h^4)
 *
 * The change dV = h a of the velocities in a step measures the second term: it is A/12 with A = dV.M dV/2. The first
 * term is as large: the energy of a harmonic oscillator swings by 3 A/12. So A/12 is the size of the error, not a
 * bound; bench/verdict.sh prints how it compares with the errors of all examples. For order p the estimate is
 * S (A/(12 S))^(p/2), S being the energy that the machine exchanges: (h w)^p S with a rate w of the motion, without the
 * error constant of the method. The work of bodies with prescribed motion is summed by the trapezoidal rule. With the
 * acceleration a_p of their motion and their force F it is off by at most h^2 F . a_p/12: A includes the impulse h F,
 * estimated by m (|dV| + g h) of the bodies on which it may act, times the change h a_p of the prescribed velocity
 * where they are. A step whose velocities are projected at its start and not at its end contains only half
 * of the joint impulses: it is counted when they are projected, or by its acceleration a(t) below if they never are.
 *
 * S is the largest kinetic energy T, change of the potential energy U, or change of the work of inputs. T and inputs
 * are taken after every step, so that S does not depend on the spacing of rows. U is taken at rows only, which is
 * enough: T + U - W is constant, so U changes by more than T and the inputs do only where energy is dissipated, and
 * that never returns. Velocities that are not projected lack half of the joint impulse p = W lambda (in velocities) of
 * a step: T is too large by p.M p/8 there, which is of order h^2 as well.
 *
 * Errors of poses. The poses of leapfrog satisfy q(t+h) - 2 q(t) + q(t-h) = h^2 a, exact ones up to h^4 q''''/12. So their
 * error obeys e'' = (da/dq) e - h^2 q''''/12. Without the first term each step adds h^3 |v''|/12 to it, besides a
 * constant velocity. That is neither the error h^3 v''/6 of one step from exact values nor a bound: the first term may
 * magnify it. The step shows it by the distance from where the mean velocity of its ends would lead:
 *
 *     D = |q(t+h) - q(t) - h (v(t) + v(t+h))/2| = h^2 |a(t+h) - a(t)|/4 = h^3 |v''|/4 + ...
 *
 * D is three times h^3 |v''|/12. So the sum of D/3 estimates the error at order 2. Rotations do not commute: the mean
 * velocity w of a step leads to its end only up to h^2 (w(t+h) x w(t))/12. D follows from poses and velocities if
 * velocities are projected at both ends of the step. Elsewhere the accelerations a(t) of two equal steps in a row give
 * v'' = (a(t) - a(t-h))/h:
 *
 *     a(t) = (v(t+h) - v(t))/h                   velocities are projected at neither end: both lack half a joint impulse
 *     a(t) = 2 ((q(t+h) - q(t))/h - v(t))/h      velocities are projected at the start
 *
 * At other orders, and in steps of changing length, the error is estimated by the rate w = dv/(h v) at which a
 * velocity v changes. The derivative of order p of v is about w^p v, and the error of the step (h w)^p h v/12, which
 * is h dv^p/(12 v^(p-1)). dv is the largest of all bodies, v that of the whole run.
 *
 * Impacts in time-stepping happen at ends of steps, up to h too early or late. The bodies are off by h dv/2 then. As
 * they turn at a rate w, the direction of dv is off by h w/2: an error h w dv/2 of the velocity, which persists. So does
 * the change h a/2 of the velocity of a body with prescribed motion that they hit.
 * Several impacts of a body in one step act at once, although they happen one after the other: another error of the
 * velocity (methods/contact/landings.c). Such errors have any sign: squares are added. */

#include "sim/monitor.h"
#include <float.h>

#include "base/larger.h"
#include "math/rotation.h"
#include "trammel/elementary.h"

/* Fraction of the weight times the size of a machine: the least energy scale, because little energy is exchanged in
 * the first steps from rest. A larger value hides errors of machines that move little, a smaller one calls a machine
 * at rest bad because of rounding. Tests pass with a tenth and with ten times of it. */
static const double LEAST_SCALE = 0.01;
/* Fraction of dV.M dV/2: the size of the energy error of leapfrog. It is a coefficient of the method: a larger or
 * smaller value would estimate another error. */
static const double ERROR_PER_CHANGE = 1.0 / 12;
/* Fraction of the defect of a leapfrog step that the step adds to the error of poses. It is a coefficient of the
 * method: a larger or smaller value would estimate another error. */
static const double ERROR_PER_DEFECT = 1.0 / 3;
/* Fraction of h^(p+1) times the derivative of order p of a velocity: the error of a step of order p. It is the
 * coefficient of order 2: a larger or smaller value would estimate another error. */
static const double ERROR_PER_DERIVATIVE = 1.0 / 12;
/* Fraction of a step: lengths that differ by less are equal. A larger value counts differences of unequal steps as
 * changes of the acceleration, a smaller one never finds two equal steps because times are rounded. Tests pass with a
 * tenth and with ten times of it. */
static const double EQUAL_STEPS = 1e-6;
/* In units of gravity: bodies in contact whose velocities change faster have an impact. A larger value counts soft
 * landings as smooth motion, a smaller one counts pushes of neighbours as impacts. Tests pass with a tenth and with
 * ten times of it. */
static const double FASTER_THAN_GRAVITY = 3;
/* Fraction of the momenta and the energy of a body: smaller changes are rounding. A step of a method that
 * approximates free rotation changes more. A larger value counts bodies as free on which a weak force acts, a smaller
 * one never finds a free body. */
static const double NO_CHANGE = 1e-10;
enum { ROUNDINGS = 64 };

/* Fraction of its distance from the origin within which a body is in the centre of mass up to rounding. A larger
 * value takes small machines far from the origin for points, a smaller one takes rounding for the size of a point
 * mass. Tests pass with a tenth and with ten times of it. */
static const double ROUNDED_PLACE = 1e-14;

/* Returns whether shapes may come into contact with a fixed or moving body. */
static bool may_contact_fixed_bodies(const trm_model *model)
{
    for (int i = 0; model->collisions.may_collide && i < model->body_count; i++)
        for (int k = 0; model->bodies[i].inverse_mass == 0 && k < model->bodies[i].shape_count; k++)
            if (model->bodies[i].shapes[k].collide) return true;
    return false;
}

static bool nothing_is_held(const trm_model *model)
{
    if (may_contact_fixed_bodies(model)) return false;
    for (int j = 0; j < model->shown_joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++)
            if (model->bodies[model->joints[j].body[k]].inverse_mass == 0) return false;
    for (int i = 1; i < model->shown_body_count; i++) /* momentum does not change by M g t */
        if (model->bodies[i].mass > 0 && trm_v3_length(trm_v3_sub(model->bodies[i].gravity, model->gravity)) > 0)
            return false;
    for (int f = 0; f < model->force_count; f++) {
        const trm_force *force = &model->forces[f];
        if (force->type == &trm_force_gravity) continue;
        if (force->type->bodies == 1) return false;
        for (int k = 0; k < force->body_count; k++)
            if (model->bodies[force->body[k]].inverse_mass == 0) return false;
    }
    return true;
}

/* Returns half the extent of all bodies, the longest lever arm of a joint, or the largest radius of gyration. 0: the
 * machine is a single point mass, whose centre of mass is rounded. */
static double size_of(const trm_state *state, trm_vec3 middle)
{
    double size = 0;
    for (int i = 0; i < state->model->shown_body_count; i++) {
        const trm_body *body = &state->model->bodies[i];
        if (body->inverse_mass == 0) continue;
        const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
        const double off = trm_v3_length(trm_v3_sub(state->pose[i].p, middle));
        if (off > ROUNDED_PLACE * trm_v3_length(middle)) size = fmax(size, off);
        size = fmax(size, sqrt(largest * body->inverse_mass));
    }
    for (int j = 0; j < state->model->shown_joint_count; j++) {
        const trm_joint_at at = trm_joint_now(state, j);
        for (int b = 0; b < at.joint->body_count; b++)
            if (state->model->bodies[at.joint->body[b]].inverse_mass > 0) size = fmax(size, trm_v3_length(at.r[b]));
    }
    return size;
}

void trm_monitor_start(trm_monitor *monitor)
{
    monitor->result.gap_joint = monitor->result.velocity_gap_joint = -1;
}

static void start(trm_monitor *monitor, const trm_state *state)
{
    const trm_energy energy = trm_state_energy(state);
    trm_vec3 moment = {0, 0, 0};
    monitor->start = trm_state_momentum(state);
    monitor->start_time = state->clock->time;
    for (int i = 0; i < state->model->shown_body_count; i++) {
        monitor->mass += state->model->bodies[i].mass;
        moment = trm_v3_add_scaled(moment, state->model->bodies[i].mass, state->pose[i].p);
    }
    monitor->start_com = monitor->mass > 0 ? trm_v3_scale(1 / monitor->mass, moment) : moment;
    /* member by member: padding stays zero, and equal runs save to equal bytes */
    monitor->result.energy_start = energy.kinetic + energy.potential - trm_works_sum(state->clock->work);
    monitor->result.is_free = !monitor->acted_on && nothing_is_held(state->model);
    monitor->result.works = state->clock->work;
    monitor->potential[0] = monitor->potential[1] = energy.potential;
    monitor->input[0] = monitor->input[1] = state->clock->work.input;
    monitor->size = size_of(state, monitor->start_com);
    monitor->least_scale = LEAST_SCALE * monitor->mass * trm_v3_length(state->model->gravity) * monitor->size;
}

/* Counts an impact on a body that has a contact in the step. Smooth motion of bodies in contact is not counted.
 * Returns whether there was one. */
static bool count_jump(const trm_spatial *dV, double turning, double smooth, trm_change *change)
{
    const double jump = trm_v3_length(dV->lin), rate = trm_v3_length(dV->ang);
    if (!(jump > smooth)) return false;
    change->jump = trm_larger(change->jump, jump);
    change->jump_rate = trm_larger(change->jump_rate, rate);
    change->bend = trm_larger(change->bend, jump * turning);
    change->bend_rate = trm_larger(change->bend_rate, rate * turning);
    return true;
}

/* Returns the turn from one pose of a body to another, rad. Poses show it but for whole turns about its axis: it is
 * the one nearest to that of the given angular velocity. */
static trm_vec3 turn_between(const trm_state *from, const trm_state *to, int body, trm_vec3 expected)
{
    const trm_vec3 least = trm_quat_log(trm_quat_mul(to->pose[body].q, trm_quat_conj(from->pose[body].q)));
    const double angle = trm_v3_length(least), along = trm_v3_length(expected);
    const trm_vec3 axis = angle > 0   ? trm_v3_scale(1 / angle, least)
                          : along > 0 ? trm_v3_scale(1 / along, expected)
                                      : expected;
    return trm_v3_add_scaled(least, trm_angle_near(angle, trm_v3_dot(axis, expected)) - angle, axis);
}

/* Returns the mean velocity of a body in a step, as its poses show it. */
static trm_spatial mean_velocity(const trm_state *from, const trm_state *to, int body, double h)
{
    const trm_vec3 moved = trm_v3_sub(to->pose[body].p, from->pose[body].p);
    const trm_vec3 both = trm_v3_add(from->velocity[body].ang, to->velocity[body].ang);
    const trm_vec3 turned = turn_between(from, to, body, trm_v3_scale(0.5 * h, both));
    return (trm_spatial){trm_v3_scale(1 / h, turned), trm_v3_scale(1 / h, moved)};
}

/* Returns the change of a body's velocity in a step that impacts explain. Velocities that are not projected contain the
 * forces of half a step, which a contact has not yet balanced: between one of these and a projected one only the poses
 * show the change. If the step begins with them, nothing does, unless an impact is known: it changes velocities by more
 * than such forces. */
static trm_spatial change_by_impacts(const trm_state *from, const trm_state *to, int body, double h,
                                     const trm_spatial *dV, bool impacted)
{
    const bool before = from->clock->velocities_projected, after = to->clock->velocities_projected;
    if (before == after || (!before && impacted)) return *dV;
    if (!before) return (trm_spatial){0};
    return trm_sp_add_scaled(mean_velocity(from, to, body, h), -1, from->velocity[body]);
}

/* Returns whether a body has moved as its velocities say: forces that cancel within a step displace it. The velocity of
 * a free rotation is constant only about a fixed axis; about others it differs from the mean by less than it changes. */
static bool moved_freely(const trm_state *from, const trm_state *to, int body, double h)
{
    const trm_spatial *before = &from->velocity[body], *after = &to->velocity[body];
    const trm_spatial mean = mean_velocity(from, to, body, h), sum = trm_sp_add_scaled(*before, 1, *after),
                      off = trm_sp_add_scaled(mean, -0.5, sum);
    const double rounding = ROUNDINGS * DBL_EPSILON / fabs(h), far = trm_v3_length(to->pose[body].p);
    const double turned = trm_v3_length(trm_v3_sub(after->ang, before->ang));
    return trm_v3_length(off.lin) <= NO_CHANGE * trm_v3_length(sum.lin) + rounding * far &&
           trm_v3_length(off.ang) <= NO_CHANGE * trm_v3_length(sum.ang) + rounding + turned;
}

/* Returns whether only gravity acted on a body in a step, and its momenta and its energy of rotation show no
 * error. */
static bool flies_freely(const trm_state *from, const trm_state *to, int body, double h)
{
    const trm_spatial *before = &from->velocity[body], *after = &to->velocity[body];
    const trm_vec3 fall = trm_v3_scale(h, to->model->bodies[body].gravity);
    const trm_vec3 off = trm_v3_sub(trm_v3_sub(after->lin, before->lin), fall);
    const trm_vec3 spin = trm_spin_momentum(from, body), spin_after = trm_spin_momentum(to, body);
    const double energy = trm_v3_dot(spin, before->ang);
    return trm_v3_length(off) <= NO_CHANGE * (trm_v3_length(before->lin) + trm_v3_length(fall)) &&
           trm_v3_length(trm_v3_sub(spin_after, spin)) <= NO_CHANGE * trm_v3_length(spin) &&
           fabs(trm_v3_dot(spin_after, after->ang) - energy) <= NO_CHANGE * energy && moved_freely(from, to, body, h);
}

/* Source of the defects of a step. */
typedef enum defect_source { UNKNOWN_DEFECTS, DEFECTS_OF_POSES, DEFECTS_OF_SLOPES } defect_source;

static defect_source source_of_defects(const trm_state *from, const trm_state *to, double h, const trm_slopes *slopes)
{
    if (trm_all_velocities_projected(from) && trm_all_velocities_projected(to)) return DEFECTS_OF_POSES;
    if (!slopes || !slopes->body || slopes->step == 0 || trm_all_velocities_projected(to)) return UNKNOWN_DEFECTS;
    const bool equal = fabs(slopes->step - h) <= EQUAL_STEPS * fabs(h);
    const bool follows = fabs(from->clock->time - slopes->time - h) <= EQUAL_STEPS * fabs(h);
    return equal && follows ? DEFECTS_OF_SLOPES : UNKNOWN_DEFECTS;
}

/* Returns the defect of a rotation. A body that turns by a constant velocity between the ends of a step, and changes the
 * axis of its rotation, lacks the rotation h^2 (w1 x w0)/12 (Magnus). Its error is that whole part of the defect. */
static trm_vec3 defect_of_rotation(trm_vec3 defect, trm_vec3 before, trm_vec3 after, double h)
{
    const trm_vec3 turning = trm_v3_scale(h * h / 12, trm_v3_cross(after, before));
    const trm_vec3 rest = trm_v3_sub(defect, turning);
    const double lacking = fmin(trm_v3_length(turning), trm_v3_length(rest)), length = trm_v3_length(rest);
    return lacking > 0 ? trm_v3_scale(1 + (1 / ERROR_PER_DEFECT - 1) * lacking / length, rest) : rest;
}

/* Returns the defect of a body in a step. Replaces its slope by that of this step: the acceleration at the start of
 * the step, if the step does not end with projected velocities. */
static trm_spatial defect_of(const trm_state *from, const trm_state *to, int body, double h, defect_source source,
                             trm_slopes *slopes)
{
    if (source == DEFECTS_OF_POSES) {
        const trm_spatial *V0 = &from->velocity[body], *V1 = &to->velocity[body];
        const trm_spatial sum = trm_sp_add_scaled(*V0, 1, *V1);
        trm_spatial D = trm_sp_scale(h, trm_sp_add_scaled(mean_velocity(from, to, body, h), -0.5, sum));
        D.ang = defect_of_rotation(D.ang, V0->ang, V1->ang, h);
        return D;
    }
    if (!slopes || !slopes->body || trm_all_velocities_projected(to)) return (trm_spatial){0};
    const trm_spatial before = slopes->body[body], V = from->velocity[body];
    const trm_spatial now = trm_all_velocities_projected(from)
                                ? trm_sp_scale(2 / h, trm_sp_add_scaled(mean_velocity(from, to, body, h), -1, V))
                                : trm_sp_scale(1 / h, trm_sp_add_scaled(to->velocity[body], -1, V));
    slopes->body[body] = now;
    return trm_sp_scale(0.25 * h * h, trm_sp_add_scaled(now, -1, before));
}

/* Adds a body on which no contact acts and that does not fly freely. */
static void add_free_body(const trm_spatial *dV, double energy, const trm_spatial *defect, trm_change *change)
{
    change->free_energy += energy;
    change->speed = trm_larger(change->speed, trm_v3_length(dV->lin));
    change->rate = trm_larger(change->rate, trm_v3_length(dV->ang));
    change->defect = trm_larger(change->defect, trm_v3_length(defect->lin));
    change->defect_angle = trm_larger(change->defect_angle, trm_v3_length(defect->ang));
}

/* Returns the velocity that a body with prescribed motion has at the place of another one. */
static trm_vec3 carrying_velocity(const trm_state *state, int carrier, int body)
{
    const trm_spatial V = state->velocity[carrier];
    return trm_v3_add(V.lin, trm_v3_cross(V.ang, trm_v3_sub(state->pose[body].p, state->pose[carrier].p)));
}

/* Returns the impulses by which bodies with prescribed motion may act on a body whose velocity changes by dV, times
 * the changes of the prescribed velocities, J. */
static double change_of_carriers(const trm_state *from, const trm_state *to, int body, const trm_spatial *dV,
                                 double h)
{
    const trm_body *bodies = to->model->bodies;
    const double impulse =
        bodies[body].mass * (trm_v3_length(dV->lin) + fabs(h) * trm_v3_length(bodies[body].gravity));
    double sum = 0;
    for (int i = 0; i < to->model->body_count; i++)
        if (bodies[i].motion)
            sum +=
                impulse * trm_v3_length(trm_v3_sub(carrying_velocity(to, i, body), carrying_velocity(from, i, body)));
    return sum;
}

/* Counts by how much the velocity of bodies with prescribed motion changes in half a step where they may hit a body. */
static void count_carriers(const trm_state *from, const trm_state *to, int body, trm_change *change)
{
    for (int i = 0; i < to->model->body_count; i++) {
        if (!to->model->bodies[i].motion) continue;
        const trm_vec3 dv = trm_v3_sub(carrying_velocity(to, i, body), carrying_velocity(from, i, body));
        change->landing = trm_larger(change->landing, 0.5 * trm_v3_length(dv));
    }
}

trm_change trm_change_of(const trm_state *from, const trm_state *to, const trm_step_context *step, double h,
                         trm_slopes *slopes)
{
    const defect_source source = source_of_defects(from, to, h, slopes);
    trm_change change = {.step = fabs(h), .known = source != UNKNOWN_DEFECTS};
    change.half = from->clock->velocities_projected && !to->clock->velocities_projected;
    const double smooth = FASTER_THAN_GRAVITY * trm_v3_length(to->model->gravity) * fabs(h);
    bool moving = false; /* some body has a prescribed motion */
    for (int i = 0; i < to->model->body_count; i++) moving = moving || to->model->bodies[i].motion;
    for (int i = 0; i < to->model->body_count; i++) {
        if (to->model->bodies[i].inverse_mass == 0) continue;
        const trm_spatial defect = defect_of(from, to, i, h, source, slopes);
        const bool by_slope =
            change.half && slopes && slopes->body; /* joints have acted with half of their impulses */
        const trm_spatial dV =
            by_slope ? trm_sp_scale(h, slopes->body[i]) : trm_sp_add_scaled(to->velocity[i], -1, from->velocity[i]);
        const double energy = trm_energy_of_velocity(to, i, &dV);
        change.energy += energy + (moving ? change_of_carriers(from, to, i, &dV, h) : 0);
        change.kinetic += trm_energy_of_velocity(to, i, &to->velocity[i]);
        change.fastest = trm_larger(change.fastest, trm_v3_length(to->velocity[i].lin));
        change.fastest_rate = trm_larger(change.fastest_rate, trm_v3_length(to->velocity[i].ang));
        if (step->landed) {
            change.landing = trm_larger(change.landing, trm_v3_length(step->landed[i].lin));
            change.landing_rate = trm_larger(change.landing_rate, trm_v3_length(step->landed[i].ang));
        }
        if (step->in_contact && step->in_contact[i]) {
            const trm_spatial jump = change_by_impacts(from, to, i, h, &dV, step->impacted && step->impacted[i]);
            const double turning = fmax(trm_v3_length(from->velocity[i].ang), trm_v3_length(to->velocity[i].ang));
            if (count_jump(&jump, turning, smooth, &change) && moving) count_carriers(from, to, i, &change);
        } else if (!flies_freely(from, to, i, h))
            add_free_body(&dV, energy, &defect, &change);
    }
    if (slopes) slopes->time = from->clock->time, slopes->step = trm_all_velocities_projected(to) ? 0 : h;
    change.input = to->clock->work.input;
    return change;
}

double trm_change_error(const trm_change *change)
{
    return change->known ? ERROR_PER_DEFECT * trm_larger(change->defect, change->defect_angle) : INFINITY;
}

/* Updates the energy scale by the energies at a step or row. */
static void watch_scale(trm_monitor *monitor, double kinetic, double input)
{
    monitor->kinetic = trm_larger(monitor->kinetic, kinetic);
    monitor->input[0] = fmin(monitor->input[0], input);
    monitor->input[1] = trm_larger(monitor->input[1], input);
    const double moved =
        trm_larger(monitor->potential[1] - monitor->potential[0], monitor->input[1] - monitor->input[0]);
    monitor->result.energy_scale = trm_larger(monitor->least_scale, trm_larger(monitor->kinetic, moved));
}

static void add_change(trm_monitor *monitor, const trm_change *change, double order)
{
    const double h = change->step;
    if (monitor->result.observed > 0 && !isnan(change->energy)) watch_scale(monitor, change->kinetic, change->input);
    monitor->change = trm_larger(monitor->change, change->energy);
    monitor->free_change = trm_larger(monitor->free_change, change->free_energy);
    monitor->fastest = trm_larger(monitor->fastest, fmax(change->fastest, change->speed));
    monitor->fastest_rate = trm_larger(monitor->fastest_rate, fmax(change->fastest_rate, change->rate));
    if (change->known && order == 2) {
        monitor->defects.position += change->defect;
        monitor->defects.angle += change->defect_angle;
    } else {
        double position = h, angle = h; /* h dv^p */
        for (int k = 1; k <= (int)order; k++) position *= change->speed, angle *= change->rate;
        monitor->drift.position += position;
        monitor->drift.angle += angle;
    }
    monitor->jumps += 0.25 * h * h * change->jump * change->jump;
    monitor->jumps_angle += 0.25 * h * h * change->jump_rate * change->jump_rate;
    monitor->bends += 0.25 * h * h * change->bend * change->bend + change->landing * change->landing;
    monitor->bends_angle +=
        0.25 * h * h * change->bend_rate * change->bend_rate + change->landing_rate * change->landing_rate;
}

void trm_monitor_step(trm_monitor *monitor, const trm_change *change, double order)
{
    if (monitor->half.step > 0) add_change(monitor, &monitor->half, order); /* it was never completed */
    monitor->half = (trm_change){0};
    if (change->half)
        monitor->half = *change;
    else
        add_change(monitor, change, order);
}

void trm_monitor_complete(trm_monitor *monitor, const trm_change *change, double order)
{
    if (monitor->half.step > 0) add_change(monitor, change, order);
    monitor->half = (trm_change){0};
}

trm_gap trm_monitor_drift(const trm_monitor *monitor, double order)
{
    const double speed = monitor->fastest, rate = monitor->fastest_rate;
    const double way = speed > 0 ? monitor->drift.position / trm_pow(speed, order - 1) : 0;
    const double angle = rate > 0 ? monitor->drift.angle / trm_pow(rate, order - 1) : 0;
    return (trm_gap){ERROR_PER_DERIVATIVE * way + ERROR_PER_DEFECT * monitor->defects.position,
                     ERROR_PER_DERIVATIVE * angle + ERROR_PER_DEFECT * monitor->defects.angle};
}

trm_gap trm_monitor_jumps(const trm_monitor *monitor, double time)
{
    const double lasts = time - monitor->start_time;
    return (trm_gap){sqrt(monitor->jumps + lasts * lasts * monitor->bends),
                     sqrt(monitor->jumps_angle + lasts * lasts * monitor->bends_angle)};
}

double trm_monitor_energy(const trm_monitor *monitor, double order)
{
    const double S = monitor->result.energy_scale, share = ERROR_PER_CHANGE * monitor->change / S;
    return share > 0 ? S * trm_pow(share, 0.5 * order) : share == 0 ? 0 : NAN;
}

static double gain(double sum, double before, double now)
{
    return trm_larger(sum, sum + (now - before));
}

static void watch_works(trm_monitor *monitor, const trm_works *now)
{
    trm_works *sum = &monitor->result.gains;
    const trm_works *before = &monitor->result.works;
    sum->friction = gain(sum->friction, before->friction, now->friction);
    sum->damping = gain(sum->damping, before->damping, now->damping);
    sum->impact = gain(sum->impact, before->impact, now->impact);
    sum->contact = gain(sum->contact, before->contact, now->contact);
}

static void watch_energy(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    const trm_energy energy = trm_state_energy(state);
    a->energy_end = energy.kinetic + energy.potential;
    watch_works(monitor, &state->clock->work);
    monitor->potential[0] = fmin(monitor->potential[0], energy.potential);
    monitor->potential[1] = trm_larger(monitor->potential[1], energy.potential);
    watch_scale(monitor, energy.kinetic, state->clock->work.input);
    a->works = state->clock->work;
    a->work = trm_works_sum(a->works);
    const double off = a->energy_end - a->energy_start - a->work, error = fabs(off);
    monitor->error[0] = fmin(monitor->error[0], off);
    monitor->error[1] = trm_larger(monitor->error[1], off);
    a->energy_error_max = trm_larger(a->energy_error_max, error);
    monitor->energy_error_sum += error;
    a->energy_error_mean = monitor->energy_error_sum / (double)a->observed;
}

static void watch_momentum(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    const trm_momentum now = trm_state_momentum(state);
    const double t = state->clock->time - monitor->start_time;
    const trm_vec3 g = state->model->gravity;
    const trm_vec3 arm =
        trm_v3_add_scaled(trm_v3_scale(monitor->mass * t, monitor->start_com), 0.5 * t * t, monitor->start.linear);
    const trm_vec3 linear = trm_v3_add_scaled(monitor->start.linear, monitor->mass * t, g);
    const trm_vec3 angular = trm_v3_add(monitor->start.angular, trm_v3_cross(arm, g));
    double sum = 0, spin = 0;
    for (int i = 0; i < state->model->shown_body_count; i++) {
        const trm_body *body = &state->model->bodies[i];
        const double inertia = trm_v3_length(body->inertia), turn = trm_v3_length(state->velocity[i].ang),
                     p = body->mass * trm_v3_length(state->velocity[i].lin);
        sum += p + sqrt(body->mass * inertia) * turn;
        spin += p * trm_v3_length(state->pose[i].p) + inertia * turn;
    }
    monitor->momentum = trm_larger(monitor->momentum, sum);
    monitor->spin = trm_larger(monitor->spin, spin);
    a->linear_error = trm_larger(a->linear_error, trm_v3_length(trm_v3_sub(now.linear, linear)));
    a->angular_error = trm_larger(a->angular_error, trm_v3_length(trm_v3_sub(now.angular, angular)));
}

static void keep_larger(trm_gap gap, int joint, trm_gap *largest, double *size, int *largest_joint)
{
    largest->position = trm_larger(largest->position, gap.position);
    largest->angle = trm_larger(largest->angle, gap.angle);
    if (trm_hypot(gap.position, gap.angle) <= *size || isnan(*size)) return;
    *size = trm_hypot(gap.position, gap.angle);
    *largest_joint = joint;
}

static void watch_gaps(trm_monitor *monitor, const trm_state *state)
{
    trm_accuracy *a = &monitor->result;
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        const int shown = joint->shown;
        if (!state->attached[j] || trm_joint_is_spring(joint)) continue;
        keep_larger(trm_position_gap(state, j), shown, &a->gap, &monitor->largest_gap, &a->gap_joint);
        keep_larger(trm_velocity_gap(state, j), shown, &a->velocity_gap, &monitor->largest_velocity_gap,
                    &a->velocity_gap_joint);
    }
}

void trm_monitor_observe(trm_monitor *monitor, const trm_state *state)
{
    if (monitor->result.observed == 0) start(monitor, state);
    monitor->result.observed++;
    watch_energy(monitor, state);
    if (monitor->result.is_free) watch_momentum(monitor, state);
    watch_gaps(monitor, state);
    for (int i = 0; i < state->model->shown_body_count; i++)
        monitor->reach = trm_larger(monitor->reach, trm_v3_length(state->pose[i].p));
}

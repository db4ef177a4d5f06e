/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Friction in joints that depends on the load or on the speed (trm_joint_friction_law).
 *
 * The limit R(F, qd) of a friction row is computed at the end of each step and at events, with projected velocities:
 * reactions F, then R, repeated until R does not change, because the friction of a slipping joint is part of its
 * load. With a lever arm of the load L the change shrinks by mu radius / L in each round. Within the next step R is
 * continued by its last slope, so that half kicks at both ends of a step have R to second order. A joint at rest
 * sticks by a row as long as its multiplier is within R, as with constant friction: it does not creep.
 *
 * F across the axis is unique if no self-stress of the rows contributes to it: with S the null space of J^T, S^T g =
 * 0 for the two rows g that give the force across the axis from the multipliers. In a planar linkage of hinges, for
 * example, forces in the plane are unique, although rows are redundant. */

#include <math.h>

#include "base/message.h"
#include "base/print.h"
#include "sim/self_stress.h"

/* Fraction of the largest limit: smaller changes are rounding. A larger value leaves friction that does not match the
 * load, a smaller one iterates on rounding up to MOST_ROUNDS. */
static const double SETTLED = 1e-13;
/* Fraction of the largest limit: a larger change at one time is a jump. A larger value overlooks jumps of the load, a
 * smaller one counts rounding as a jump. */
static const double JUMP = 1e-9;
/* Part of a unit self-stress: less across the axis is rounding. A larger one calls friction unique that is not, a
 * smaller one warns of rounding. Tests pass with a tenth and with ten times of it. */
static const double STRESSED = 1e-8;
enum { MOST_ROUNDS = 30, MOST_DENSE = 3000 };

/* ---- Limits -------------------------------------------------------------------------------- */

static double *memory_of(const trm_state *state, int joint)
{
    const trm_joint *j = &state->model->joints[joint];
    return state->memory + j->memory_offset + (j->varies ? trm_friction_offset(j) : 0);
}

/* Returns the mean tension of the two ends of a rope: the multiplier of its coupling times the factor of both. */
static double tension_of(const trm_state *state, int coupling)
{
    const trm_joint *joint = &state->model->joints[coupling];
    return fabs(state->reaction[joint->row_offset] * joint->terms[0].a[0]);
}

static double law_now(const trm_sim *sim, int joint)
{
    const trm_state *state = sim->state;
    const trm_joint_at at = trm_joint_now(state, joint);
    const int host = (int)(at.joint->host - state->model->joints);
    if (at.joint->type == &trm_joint_slip)
        return trm_capstan_friction(at.joint->host, state->attached[host] ? tension_of(state, host) : 0);
    const double speed = at.mode == TRM_HELD ? 0 : trm_joint_speed(state, joint);
    const trm_vec3 F = state->attached[host] ? trm_joint_reaction(state, host).lin : trm_v3(0, 0, 0);
    return trm_joint_friction_law(&at, F, speed);
}

/* Makes one round: computes the limits at the present reactions. Returns the largest change as a fraction of the
 * largest limit. */
static double take_limits(trm_sim *sim)
{
    trm_state *state = sim->state;
    double change = 0, largest = 0;
    for (int j = 0; j < state->model->joint_count; j++) {
        if (!state->model->joints[j].varies || !state->attached[j]) continue;
        double *m = memory_of(state, j);
        const double found = law_now(sim, j), before = m[TRM_FRICTION_NOW];
        m[TRM_FRICTION_NOW] = found;
        change = fmax(change, fabs(found - before)), largest = fmax(largest, fabs(found));
    }
    return largest > 0 ? change / largest : 0;
}

/* Ends the extrapolation by the last slopes: the limits are now those of the present time. */
static void begin_slopes(trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        double *m = memory_of(state, j);
        if (!joint->varies || !(state->clock->time > m[TRM_FRICTION_TIME])) continue;
        const trm_joint_at at = trm_joint_now(state, j);
        const double continued = trm_joint_most(&at);
        m[TRM_FRICTION_BEFORE] = m[TRM_FRICTION_NOW], m[TRM_FRICTION_TIME_BEFORE] = m[TRM_FRICTION_TIME];
        m[TRM_FRICTION_NOW] = continued, m[TRM_FRICTION_TIME] = state->clock->time;
    }
}

/* Begins the next slopes. jumped: limits have changed at one time, so that their slopes are unknown. */
static void end_slopes(trm_state *state, bool jumped)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        double *m = memory_of(state, j);
        if (!joint->varies) continue;
        const double dt = m[TRM_FRICTION_TIME] - m[TRM_FRICTION_TIME_BEFORE];
        m[TRM_FRICTION_RATE] = dt > 0 && !jumped ? (m[TRM_FRICTION_NOW] - m[TRM_FRICTION_BEFORE]) / dt : 0;
        if (!jumped) continue;
        m[TRM_FRICTION_BEFORE] = m[TRM_FRICTION_NOW], m[TRM_FRICTION_TIME_BEFORE] = m[TRM_FRICTION_TIME];
    }
}

static bool is_at_time(const trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++)
        if (state->model->joints[j].varies) return memory_of(state, j)[TRM_FRICTION_TIME] == state->clock->time;
    return false;
}

bool trm_sim_find_friction(trm_sim *sim, trm_outcome *outcome)
{
    if (!sim->events.friction_varies) return true;
    const bool again = is_at_time(sim->state);
    bool jumped = false;
    begin_slopes(sim->state);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!sim->method->reactions(sim->workspace, outcome)) return false;
        const double change = take_limits(sim);
        if (change <= SETTLED) break;
        jumped = jumped || (again && change > JUMP);
    }
    end_slopes(sim->state, jumped);
    return true;
}

/* ---- Unsupported loads --------------------------------------------------------------------- */

/* Returns the largest multiplier of a coupling among all unit self-stresses. */
static double stress_along(const trm_self_stress *s, int coupling)
{
    double most = 0;
    for (int c = s->null->rank; s->row_of_joint[coupling] >= 0 && c < s->rows; c++)
        most = fmax(most, fabs(s->null->Q[(size_t)s->row_of_joint[coupling] * (size_t)s->rows + (size_t)c]));
    return most;
}

/* Returns the largest force of the host across the axis among all unit self-stresses. */
static double stress_across(const trm_self_stress *s, const trm_joint *friction)
{
    const trm_joint *host = friction->host;
    const int index = (int)(host - s->sim->state->model->joints), free = s->rows - s->null->rank;
    if (friction->type == &trm_joint_slip) return stress_along(s, index);
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], G[TRM_JOINT_BODIES];
    const trm_joint_at at = trm_joint_now(s->sim->state, index);
    trm_joint_jacobian(&at, J);
    trm_joint_coordinate_row(&at, friction->coordinate, G);
    const bool turns = host->type->kind[friction->coordinate] != TRM_COORDINATE_LENGTH;
    const trm_vec3 axis = trm_v3_unit(turns ? G[1].ang : G[1].lin);
    double most = 0;
    for (int c = 0; c < free; c++) {
        trm_vec3 F = {0, 0, 0};
        for (int r = 0; r < host->rows; r++) {
            const size_t at_row = (size_t)(s->row_of_joint[index] + r) * (size_t)s->rows;
            F = trm_v3_add_scaled(F, s->null->Q[at_row + (size_t)(s->null->rank + c)],
                                  J[r * host->body_count + 1].lin);
        }
        most = fmax(most, trm_v3_length(trm_v3_add_scaled(F, -trm_v3_dot(F, axis), axis)));
    }
    return most;
}

static bool find_stresses(trm_self_stress *s, const trm_joint *host, trm_arena *scratch)
{
    s->island = -1;
    for (int b = 0; b < host->body_count; b++)
        s->island = s->island_of_body[host->body[b]] > s->island ? s->island_of_body[host->body[b]] : s->island;
    return trm_find_self_stress(s, MOST_DENSE, scratch);
}

static trm_status refuse(trm_messages *messages, const trm_joint *joint, const char *why)
{
    char element[120];
    trm_print(element, sizeof element, "joint '%s'", joint->name);
    trm_add_message(messages, TRM_ERROR, joint->source, element, "%s", why);
    return TRM_BAD_INPUT;
}

trm_status trm_sim_refuse_load(const trm_sim *sim, const trm_analysis *analysis, trm_messages *messages)
{
    const trm_model *model = sim->state->model;
    trm_status status = TRM_OK;
    for (int j = 0; j < model->joint_count && status == TRM_OK; j++) {
        const trm_joint *joint = &model->joints[j];
        if (!joint->varies) continue;
        if (sim->stepper.bounded_rows)
            return refuse(messages, joint,
                          "friction that depends on load or speed needs event-driven contact; use --impact event");
        if (sim->steps.composition.stages > 1 || sim->steps.extrapolation > 0)
            return refuse(messages, joint,
                          "friction that depends on load or speed is of order 2; leave out the order");
        if (!(joint->host->law[joint->coordinate].mu > 0) || analysis->redundant_count == 0) continue;
        trm_arena scratch;
        trm_arena_init(&scratch, &sim->arena.allocator);
        trm_self_stress s = {.sim = sim, .island_of_body = analysis->island_of_body};
        const bool found = find_stresses(&s, joint->host, &scratch);
        if (!found && scratch.failed)
            status = TRM_OUT_OF_MEMORY;
        else if (!found || stress_across(&s, joint) > STRESSED)
            status =
                refuse(messages, joint,
                       found ? "\"mu\" needs the force in the joint, which is not unique: rows of its loop are "
                               "redundant; replace a joint of the loop by one that leaves more free (a ball or a "
                               "cylinder), or give \"friction\" in N or N m"
                             : "\"mu\" needs the force in the joint, and whether it is unique cannot be found in "
                               "a loop with this many rows; give \"friction\"");
        trm_arena_destroy(&scratch);
    }
    return status;
}

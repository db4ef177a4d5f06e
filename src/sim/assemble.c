/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Assembly: moves a state that violates its joints to the nearest one that satisfies them, by project_positions and
 * project_velocities of the impulse method, whatever method runs it afterwards.
 *
 * Gaps within the tolerance are ignored. Gaps as small as the rounding of a file's digits are closed without a
 * message. If they cannot be closed, because redundant joints may disagree in their last digits, they are left to
 * the first step. Slack ropes are left out. */

#include <stdio.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "sim/sim.h"

enum { MOST_NAMED = 8 };

/* ---- Open joints -------------------------------------------------------------------------- */

static bool exceeds(trm_gap gap, double position, double angle)
{
    return !(gap.position <= position && gap.angle <= angle); /* NaN too */
}

/* Returns whether a joint must be closed at the start. Springs may be deflected there. */
static bool must_be_closed(const trm_state *state, int joint)
{
    return state->attached[joint] && !trm_joint_is_spring(&state->model->joints[joint]);
}

static bool some_joint_is_open(const trm_state *state, double position, double angle)
{
    for (int j = 0; j < state->model->joint_count; j++)
        if (must_be_closed(state, j) && exceeds(trm_position_gap(state, j), position, angle)) return true;
    return false;
}

static bool some_velocity_is_open(const trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++)
        if (must_be_closed(state, j) && exceeds(trm_velocity_gap(state, j), TRM_FILE_DIGITS, TRM_FILE_DIGITS))
            return true;
    return false;
}

/* ---- Messages ----------------------------------------------------------------------------- */

static void element_of(const trm_joint *joint, char *text, size_t size)
{
    snprintf(text, size, "%s '%s'", joint->type->among_forces ? joint->type->name : "joint", joint->name);
}

/* Returns whether no body moves initially. Then only drives violate velocities. The machine starts at their speed,
 * which needs no message because the report states it. */
static bool is_at_rest(const trm_state *state)
{
    for (int i = 1; i < state->model->body_count; i++) {
        const trm_spatial V = state->velocity[i];
        if (!state->model->bodies[i].motion && (trm_v3_length(V.lin) > 0 || trm_v3_length(V.ang) > 0)) return false;
    }
    return true;
}

/* Returns whether a joint takes part in assembly: a one-sided one, if it is violated by more than the tolerance.
 * Rounding must not decide whether a rope that is just taut loses its speed here, or rebounds in the first step. */
static bool takes_part(const trm_state *state, int joint, const trm_simulation_def *o)
{
    return !state->model->joints[joint].one_sided ||
           exceeds(trm_position_gap(state, joint), o->position_tolerance, o->angle_tolerance);
}

/* Names the first joints that were open at the start. */
static void report_open_joints(const trm_state *start, const trm_simulation_def *tolerances, trm_messages *messages)
{
    const bool speeds_matter = !is_at_rest(start);
    int count = 0;
    for (int j = 0; j < start->model->joint_count; j++) {
        const trm_joint *joint = &start->model->joints[j];
        const trm_gap gap = trm_position_gap(start, j), speed = trm_velocity_gap(start, j);
        char element[120];
        element_of(joint, element, sizeof element);
        if (!start->attached[j] || !takes_part(start, j, tolerances)) continue;
        const bool open = exceeds(gap, TRM_FILE_DIGITS, TRM_FILE_DIGITS);
        const bool speeds = speeds_matter && exceeds(speed, TRM_FILE_DIGITS, TRM_FILE_DIGITS);
        count += open || speeds;
        if (count > MOST_NAMED) continue;
        if (open && joint->one_sided)
            trm_add_message(messages, TRM_WARNING, joint->source, element,
                            "is beyond its limit initially, by %.6g m and %.6g rad; bodies were moved to obey it",
                            gap.position, gap.angle);
        else if (open)
            trm_add_message(messages, TRM_WARNING, joint->source, element,
                            "is open initially, by %.6g m and %.6g rad; bodies were moved to close it", gap.position,
                            gap.angle);
        else if (speeds)
            trm_add_message(
                messages, TRM_WARNING, joint->source, element,
                "the initial velocities violate it by %.6g m/s and %.6g rad/s and were projected onto the joints",
                speed.position, speed.angle);
    }
    if (count > MOST_NAMED)
        trm_add_warning(messages, (trm_place){0}, "%d more joints are open initially", count - MOST_NAMED);
}

static void report_displacement(const trm_model *model, const trm_assembly *done, trm_messages *messages)
{
    if (done->position > TRM_FILE_DIGITS || done->angle > TRM_FILE_DIGITS)
        trm_add_warning(
            messages, (trm_place){0},
            "the initial pose was assembled: body '%s' moved most, by %.6g m; body '%s' turned most, by %.6g rad",
            model->bodies[done->position_body].name, done->position, model->bodies[done->angle_body].name,
            done->angle);
}

/* Names joints that stay open. nearest: the state at which the search for a consistent state ended. */
static void report_open_rest(const trm_state *start, const trm_state *nearest, trm_messages *messages)
{
    for (int j = 0; j < start->model->joint_count; j++) {
        const trm_joint *joint = &start->model->joints[j];
        const trm_gap gap = trm_position_gap(start, j), left = trm_position_gap(nearest, j);
        char element[120];
        element_of(joint, element, sizeof element);
        if (!start->attached[j] ||
            (!exceeds(gap, TRM_FILE_DIGITS, TRM_FILE_DIGITS) && !exceeds(left, TRM_FILE_DIGITS, TRM_FILE_DIGITS)))
            continue;
        trm_add_message(
            messages, TRM_ERROR, joint->source, element,
            "is open initially and cannot be closed: by %.6g m and %.6g rad, and by %.6g m and "
            "%.6g rad where the search for a nearby pose ended; move the bodies, or correct its anchors, axes, "
            "length or motion",
            gap.position, gap.angle, left.position, left.angle);
    }
}

/* ---- Projection --------------------------------------------------------------------------- */

static trm_assembly measure(const trm_state *from, const trm_state *to)
{
    trm_assembly done = {.position_body = -1, .angle_body = -1};
    for (int i = 1; i < to->model->shown_body_count; i++) {
        const double way = trm_v3_length(trm_v3_sub(to->pose[i].p, from->pose[i].p));
        const double turn = trm_v3_length(trm_quat_log(trm_quat_mul(to->pose[i].q, trm_quat_conj(from->pose[i].q))));
        const trm_spatial change = trm_sp_add_scaled(to->velocity[i], -1, from->velocity[i]);
        if (done.position_body < 0 || way > done.position) done.position = way, done.position_body = i;
        if (done.angle_body < 0 || turn > done.angle) done.angle = turn, done.angle_body = i;
        if (to->model->bodies[i].motion) continue;
        done.speed = fmax(done.speed, trm_v3_length(change.lin));
        done.angular_speed = fmax(done.angular_speed, trm_v3_length(change.ang));
    }
    return done;
}

/* Activates one-sided joints that are violated. Springs do not act, and joints of limited force slip: such a force
 * has no impulse, so that a drive that starts at speed moves a joint with friction. */
static void activate_taut_joints(trm_state *state, const trm_simulation_def *tolerances)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        if (joint->one_sided) state->mode[j] = takes_part(state, j, tolerances) ? TRM_HELD : TRM_SLACK;
        if (trm_joint_is_spring(joint)) state->mode[j] = TRM_SLACK;
        if (trm_joint_can_slip(joint)) state->mode[j] = TRM_PLUS;
    }
}

/* Activates springs again. Joints that slipped keep the position that assembly found: their reference moves along.
 * Stops are left to the first step. */
static void release(trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        const trm_joint_at at = trm_joint_now(state, j);
        if (trm_joint_can_slip(joint)) trm_joint_remember(&at, 0, state->memory + joint->memory_offset);
        if (trm_joint_is_spring(joint)) state->mode[j] = TRM_HELD;
        if (joint->one_sided) state->mode[j] = TRM_SLACK;
    }
}

typedef enum projection { PROJECTED, NOT_PROJECTED, NO_MEMORY } projection;

/* Projects positions, then velocities. The state becomes the nearest consistent one that was found. The first step
 * determines which ropes and stops are slack. */
static projection project_state(trm_state *state, const trm_simulation_def *tolerances, trm_arena *arena)
{
    trm_simulation_def options = *tolerances;
    trm_counters counters = {0};
    trm_outcome outcome;
    options.method = "impulse";
    options.solver = "direct";
    trm_stepper stepper = {
        .model = state->model, .state = state, .options = &options, .counters = &counters, .arena = arena};
    activate_taut_joints(state, tolerances);
    void *workspace = trm_method_impulse.create(&stepper);
    bool fits = workspace && trm_method_impulse.project_positions(workspace, &outcome);
    fits = fits && trm_method_impulse.project_velocities(workspace, &outcome);
    release(state);
    if (!workspace) return NO_MEMORY;
    return fits && !some_joint_is_open(state, TRM_FILE_DIGITS, TRM_FILE_DIGITS)
               ? PROJECTED
               : NOT_PROJECTED; /* a rope, whole turns */
}

/* Copies the nearest state into the given one, except what assembly must not change. */
static void accept(trm_state *state, const trm_state *nearest)
{
    for (int i = 0; i < state->model->body_count; i++) {
        state->pose[i] = nearest->pose[i];
        state->velocity[i] = nearest->velocity[i];
    }
    for (int i = 0; i < state->model->memory_count; i++) state->memory[i] = nearest->memory[i];
    trm_state_stick_or_slip(state);
    state->clock->velocities_projected = 0;
}

/* Reports why assembly failed. Distances that contradict each other are a better reason than the gaps that they
 * leave. */
static trm_status report_why_not(const trm_state *start, const trm_state *nearest, trm_arena *arena,
                                 trm_messages *messages)
{
    const trm_contradiction found = trm_report_contradictions(start, arena, messages);
    if (found == TRM_CONTRADICTION_NO_MEMORY) return TRM_OUT_OF_MEMORY;
    if (found == TRM_NO_CONTRADICTION) report_open_rest(start, nearest, messages);
    return trm_messages_status(messages);
}

static trm_status assemble(trm_state *state, const trm_simulation_def *tolerances, trm_state *nearest,
                           trm_arena *arena, trm_messages *messages, trm_assembly *done)
{
    const bool rounding = !some_joint_is_open(state, TRM_FILE_DIGITS, TRM_FILE_DIGITS);
    trm_state_copy(nearest, state);
    projection found = project_state(nearest, tolerances, arena);
    if (found == NOT_PROJECTED) found = project_state(nearest, tolerances, arena); /* with ropes that became taut */
    if (found == NO_MEMORY) return TRM_OUT_OF_MEMORY;
    if (found == NOT_PROJECTED && rounding) return TRM_OK;
    if (found == NOT_PROJECTED) return report_why_not(state, nearest, arena, messages);
    *done = measure(state, nearest);
    report_open_joints(state, tolerances, messages);
    report_displacement(state->model, done, messages);
    accept(state, nearest);
    return trm_messages_status(messages);
}

trm_status trm_assemble_within(trm_state *state, const trm_simulation_def *tolerances, const trm_allocator *allocator,
                               trm_messages *messages, trm_assembly *done)
{
    const trm_simulation_def *o = tolerances;
    *done = (trm_assembly){.position_body = -1, .angle_body = -1};
    if (!some_joint_is_open(state, o->position_tolerance, o->angle_tolerance) && !some_velocity_is_open(state))
        return TRM_OK;
    trm_arena arena;
    trm_arena_init(&arena, allocator);
    trm_state *nearest = trm_state_create(state->model, allocator);
    const trm_status status =
        nearest ? assemble(state, tolerances, nearest, &arena, messages, done) : TRM_OUT_OF_MEMORY;
    trm_state_destroy(nearest);
    trm_arena_destroy(&arena);
    return status;
}

trm_status trm_assemble(trm_state *state, const trm_allocator *allocator, trm_messages *messages, trm_assembly *done)
{
    trm_assembly ignored;
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_simulation_def tolerances = state->model->simulation;
    trm_fill_tolerances(&tolerances, state);
    return trm_assemble_within(state, &tolerances, &from, messages, done ? done : &ignored);
}

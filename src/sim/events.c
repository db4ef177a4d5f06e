/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events: joints go taut and slack, stick and slip, and break at exact times.
 *
 * While a step is made every joint keeps its mode. If one is beyond its next event after the step, the step is
 * repeated to find the length at which the first event happens (event_time.c). That step has the order of the scheme
 * and ends at the event. The new modes of all joints that can change there are found together (settle.c).
 *
 * A stop opens when its force ends, so that its acceleration c'' begins at zero and c = (h^3/6) dc''/dt. A step of
 * order 2 has an error of the same size, and may find c > 0 for a stop that opens. The speed is reliable: its error
 * is of order h^3, and the speed itself is of order h^2. So a stop that begins a step at its bound has an impact
 * only when it also approaches. One that opens although c > 0 is put back to its bound, which moves bodies by no
 * more than the error of the step. */

#include "base/check.h"
#include "sim/sim.h"

/* Largest number of events that are located in one planned step: usually, and within SOON steps after it was
 * exceeded. The rest of a step with more events is made by time-stepping. So are the next planned steps: FIRST_BUSY
 * of them, and twice as many, up to MOST_BUSY, each time the limit is exceeded again soon. */
enum { MOST_EVENTS = 100, MOST_EVENTS_SOON = 8, FIRST_BUSY = 1, MOST_BUSY = 16, SOON = 16 };
/* Product of solver iterations and contacts of the largest island that takes about as long as an event of a small
 * machine. Work counts like events, because in a wall that collapses one event takes as long as a hundred elsewhere.
 * With a larger value such events take minutes, with a smaller one impacts of large islands lose their times to
 * time-stepping. */
static const double WORK_OF_EVENT = 1e4;
/* "auto" makes time-stepping steps while an island has more contacts than MANY_CONTACTS in all parts of a planned
 * step, and for CROWDED_STEPS planned steps after that. Events and rolling rims divide planned steps into parts. The
 * contacts of an island count once per part, with the mean number of parts over MEAN_STEPS planned steps. Where
 * events chatter or take much work, "auto" stays with time-stepping longer, up to MOST_BUSY_AUTO steps. */
enum { MANY_CONTACTS = 48, CROWDED_STEPS = 16, MEAN_STEPS = 16, MOST_BUSY_AUTO = 256 };
/* Number of steps of order 2 after a step in which contacts could not keep their modes, because they rarely can in
 * the next ones. */
enum { FIRST_PLAIN = 8, MOST_PLAIN = 64 };
/* A step has order 2 after more events in a row than MOST_IN_ROW, or if it is shorter than the fraction TOO_SHORT of
 * the step of the options: a higher order gains nothing there. */
enum { MOST_IN_ROW = 3 };
static const double TOO_SHORT = 1e-3;
/* m, rad: a joint with a larger gap is not attached. With ten times of it, bodies are moved far between two steps
 * (test methods_rebuilding); a smaller value refuses docking with usual guidance. Documented in trammel/sim.h. */
static const double MOST_GAP = 0.1;
/* Fraction of the step of the options: an event that is nearer to the start happens at the start. A larger value
 * shifts events by as much of a step, a smaller one makes steps whose length is rounding. Tests pass with a tenth and
 * with ten times of it. */
static const double SHORTEST = 1e-8;

/* Fraction of the kinetic energies of both ends: a step with contacts that gains more energy than this without work
 * is shortened, by at most MOST_FOR_BALANCE halvings. A larger value keeps steps that throw bodies apart, a smaller
 * one halves steps whose error is that of their order. Tests pass with a tenth and with ten times of it. */
static const double MOST_GAIN = 1e-2;
enum { MOST_FOR_BALANCE = 6 };
/* Number of halvings after which a step that fails is made by time-stepping. With more halvings a run spends its time
 * in short steps that fail; with fewer, impact times are lost that a somewhat shorter step would have found. A machine
 * that nothing drives must not reach the halvings after which a step is given up (HOPELESS in step.c). */
enum { HALVED_FOR_EVENTS = 6, HALVED_IF_PASSIVE = 2, MOST_HALVED_IF_PASSIVE = 8 };
/* m/s, m, rad: in very short steps, contacts and joints with smaller residuals count as held. A larger value accepts
 * contacts that are not held, a smaller one repeats steps that are good. Tests pass with a tenth and with ten times
 * of it. */
static const double NEARLY_HELD = 1e-6;

/* ---- One joint ---------------------------------------------------------------------------- */

bool trm_sim_has_events(const trm_sim *sim)
{
    return sim->events.start || sim->state->model->schedule.timed > 0;
}

double trm_sim_nearness(const trm_sim *sim, int joint)
{
    return sim->state->model->joints[joint].angular[0] ? sim->events.nearness.angle : sim->events.nearness.position;
}

bool trm_joint_can_change(const trm_joint *joint)
{
    return joint->one_sided || trm_joint_can_slip(joint) || trm_joint_can_break(joint);
}

bool trm_sim_is_watched(const trm_sim *sim, const trm_joint *joint)
{
    return sim->stepper.bounded_rows ? trm_joint_can_break(joint) : trm_joint_can_change(joint);
}

/* ---- Actions of events -------------------------------------------------------------------- */

/* Attaches or detaches a joint and all joints that act on its coordinate. Settling determines which of them slip or
 * are slack. */
static void set_attached(trm_state *state, int joint, bool attached)
{
    const trm_joint *j = &state->model->joints[joint];
    for (int i = 0; i < state->model->joint_count; i++) {
        const trm_joint *other = &state->model->joints[i];
        if (i != joint && !trm_joint_acts_on(other, j)) continue;
        for (int b = 0; b < other->body_count; b++) trm_state_wake(state, other->body[b]);
        state->attached[i] = attached && !trm_joint_lacks_host(state, other);
        trm_state_move_rotor(state, i);
        const trm_gap gap = trm_position_gap(state, i);
        if (other->one_sided) state->mode[i] = gap.position > 0 || gap.angle > 0 ? TRM_HELD : TRM_SLACK;
        if (trm_joint_can_slip(other)) state->mode[i] = TRM_PLUS;
        for (int r = 0; r < other->rows; r++) state->force[other->row_offset + r] = 0;
    }
}

static double energy_of(const trm_sim *sim)
{
    const trm_energy energy = trm_state_energy(sim->state);
    return energy.kinetic + energy.potential;
}

static void take_note(trm_sim *sim, const char *what, int joint, const char *name, double before)
{
    trm_sim_keep_note(sim, (trm_event_note){sim->state->clock->time, what,
                                            joint >= 0 ? trm_sim_joint(sim, joint)->name : name, joint, before,
                                            energy_of(sim)});
}

void trm_sim_keep_note(trm_sim *sim, trm_event_note note)
{
    if (sim->notes.count++ < TRM_NOTES_KEPT) sim->notes.list[sim->notes.count - 1] = note;
}

void trm_sim_detach_now(trm_sim *sim, const char *what, int joint)
{
    trm_outcome unheard = {.ok = true};
    if (!sim->state->attached[joint]) return;
    if (sim->workspace)
        sim->method->project_velocities(sim->workspace, &unheard); /* velocities before must satisfy the joint */
    const double before = energy_of(sim);
    set_attached(sim->state, joint, false);
    /* forces in the joint lose their potential energy */
    trm_add_work(sim->state, 1, (trm_works){.input = energy_of(sim) - before});
    take_note(sim, what, joint, NULL, before);
}

void trm_sim_break_overloaded(trm_sim *sim)
{
    for (int j = 0; j < sim->state->model->shown_joint_count; j++)
        if (sim->state->attached[j] && trm_joint_can_break(trm_sim_joint(sim, j)) &&
            trm_sim_bearing_excess(sim, j) > 1)
            trm_sim_detach_now(sim, "broke", j);
}

/* Returns whether the remaining gap is small enough to be closed by moving bodies. */
static bool can_close(const trm_sim *sim, int joint, const char *when, trm_outcome *outcome)
{
    const trm_gap gap = trm_position_gap(sim->state, joint);
    if (gap.position <= MOST_GAP && gap.angle <= MOST_GAP) return true;
    return trm_fail(outcome, NAN, "joint", trm_sim_joint(sim, joint)->name,
                    "is open by %.3g m and %.3g rad %s: that is too far", gap.position, gap.angle, when);
}

/* Returns whether the joint can be attached at the present state. */
static bool can_attach(const trm_sim *sim, int joint, trm_outcome *outcome)
{
    if (!trm_joint_lacks_host(sim->state, trm_sim_joint(sim, joint)))
        return can_close(sim, joint, "when it is to be attached", outcome);
    return trm_fail(outcome, NAN, "joint", trm_sim_joint(sim, joint)->name,
                    "is to be attached, but the joint that it acts on is not attached");
}

/* Projects positions and velocities and settles all joints, after the machine has changed. Returns false on
 * failure. */
static bool project_all(trm_sim *sim, trm_outcome *outcome)
{
    trm_sim_release_limited(sim);
    if (!sim->method->project_positions(sim->workspace, outcome)) return false;
    if (!sim->method->capture(sim->workspace, outcome)) return false;
    trm_remember_turns(sim->state, 0, NULL);
    return !sim->events.start || trm_sim_settle(sim, -1, outcome);
}

/* Makes a joint keep the present relative pose of its bodies. */
static void align(trm_sim *sim, int joint)
{
    const trm_joint *j = trm_sim_joint(sim, joint);
    trm_joint_align(j, sim->state->pose, sim->state->memory + j->memory_offset);
}

/* Closes the remaining gap by moving to the nearest poses, and projects velocities. The energy lost in the projection
 * is work of an impact; the rest is input of the caller who moves the bodies. */
bool trm_sim_attach_now(trm_sim *sim, int joint, trm_outcome *outcome)
{
    if (sim->state->attached[joint]) return true;
    if (!sim->method->project_velocities(sim->workspace, outcome)) return false;
    const double before = energy_of(sim), kinetic = trm_state_energy(sim->state).kinetic;
    const trm_works work = sim->state->clock->work;
    if (trm_sim_joint(sim, joint)->aligns) align(sim, joint);
    if (!can_attach(sim, joint, outcome)) return false;
    set_attached(sim->state, joint, true);
    if (!project_all(sim, outcome)) return false;
    const double lost = fmin(trm_state_energy(sim->state).kinetic - kinetic, 0);
    sim->state->clock->work = work;
    trm_add_work(sim->state, 1, (trm_works){.impact = lost, .input = energy_of(sim) - before - lost});
    take_note(sim, "attached", joint, NULL, before);
    return true;
}

/* Sets a number of the model. A drive whose new motion does not continue from its position closes the gap, as an
 * attached joint does. Returns false on failure. */
static bool choose(trm_sim *sim, const trm_choice *choice, trm_outcome *outcome)
{
    if (!sim->method->project_velocities(sim->workspace, outcome)) return false;
    const double before = energy_of(sim);
    const trm_works work = sim->state->clock->work;
    sim->state->memory[choice->memory] = choice->number;
    for (int j = 0; j < sim->state->model->shown_joint_count; j++)
        if (sim->state->attached[j] && !can_close(sim, j, "when it is set", outcome)) return false;
    if (!project_all(sim, outcome)) return false;
    sim->state->clock->work = work;
    trm_add_work(sim->state, 1, (trm_works){.input = energy_of(sim) - before});
    take_note(sim, "set", -1, choice->name, before);
    return true;
}

/* Projects velocities onto the present constraints, then calls take(sim, what), which changes inputs or settings.
 * Afterwards the method computes its data at the present time again, because motors may need an impulse. Returns the
 * outcome. */
static trm_outcome take_from_caller(trm_sim *sim, void (*take)(trm_sim *sim, const void *what), const void *what)
{
    trm_outcome outcome = {.ok = true, .time = sim->state->clock->time};
    if (sim->workspace && !sim->method->project_velocities(sim->workspace, &outcome)) return outcome;
    const double before = energy_of(sim);
    const trm_works work = sim->state->clock->work;
    take(sim, what);
    if (!sim->workspace || !sim->method->capture) return outcome;
    outcome.ok = project_all(sim, &outcome);
    sim->state->clock->work = work;
    if (outcome.ok) trm_add_work(sim->state, 1, (trm_works){.input = energy_of(sim) - before});
    return outcome;
}

static void take_inputs(trm_sim *sim, const void *what)
{
    const double *values = what;
    for (int i = 0; i < sim->state->model->input_count; i++) {
        const double *range = sim->state->model->inputs[i].range;
        if (!isnan(values[i])) sim->state->memory[i] = fmax(range[0], fmin(range[1], values[i]));
    }
}

trm_outcome trm_sim_inputs(trm_sim *sim, const double *values)
{
    return take_from_caller(sim, take_inputs, values);
}

typedef struct new_setting {
    int setting;
    double value;
} new_setting;

static void take_setting(trm_sim *sim, const void *what)
{
    const new_setting *set = what;
    const trm_setting_place *place = &sim->state->model->settings[set->setting];
    double *memory = sim->state->memory + place->memory_offset + place->chosen->memory;
    memory[0] = isnan(set->value) ? 0 : TRM_CHOSEN_BY_CALLER;
    memory[1] = isnan(set->value) ? 0 : set->value;
}

trm_outcome trm_sim_set(trm_sim *sim, int setting, double value)
{
    TRM_ASSERT(setting >= 0 && setting < sim->state->model->setting_count && !isinf(value));
    return take_from_caller(sim, take_setting, &(new_setting){setting, value});
}

/* Performs all actions of an event. Returns false on failure, with the state restored. */
bool trm_sim_carry_out(trm_sim *sim, const trm_event *event, trm_outcome *outcome)
{
    bool done = true;
    if (event->stop) {
        trm_sim_set_stopped(sim, true);
        take_note(sim, "stopped", -1, "run", energy_of(sim));
    }
    trm_state_copy(sim->steps.before, sim->state);
    if (event->detach >= 0) trm_sim_detach_now(sim, "detached", event->detach);
    if (event->attach >= 0) done = trm_sim_attach_now(sim, event->attach, outcome);
    for (int i = 0; done && i < event->choice_count; i++) done = choose(sim, &event->choices[i], outcome);
    if (!done) trm_state_copy(sim->state, sim->steps.before);
    return done;
}

bool trm_sim_apply_timed_events(trm_sim *sim, trm_outcome *outcome)
{
    trm_clock *clock = sim->state->clock;
    const trm_model *model = sim->state->model;
    for (; clock->events < model->schedule.timed && trm_is_due(model->schedule.events[clock->events].at, clock->time);
         clock->events++)
        if (!trm_sim_carry_out(sim, &model->schedule.events[clock->events], outcome)) return false;
    return true;
}

/* Applies the events that wait for a contact, if that contact is closed now. Returns false on failure. */
static bool apply_contact_events(trm_sim *sim, trm_outcome *outcome)
{
    const trm_model *model = sim->state->model;
    for (int i = model->schedule.timed; i < model->schedule.count; i++) {
        bool contact_search;
        if (sim->state->happened[i] || model->schedule.events[i].bodies[0] < 0) continue;
        if (!trm_sim_in_contact(sim, &model->schedule.events[i], &contact_search)) return false;
        if (!contact_search) continue;
        if (!trm_sim_trigger(sim, i, outcome)) return false;
    }
    return true;
}

bool trm_sim_impact(trm_sim *sim, trm_outcome *outcome)
{
    if (!sim->stepper.collider) return true;
    if (!sim->method->project_velocities(sim->workspace, outcome) || !apply_contact_events(sim, outcome))
        return false;
    if (sim->stepper.window) return true;
    trm_sim_release_limited(sim);
    if (!trm_sim_impact_of_shapes(sim, outcome)) return false;
    trm_sim_note_bounces(sim);
    return true;
}

/* Applies an event at the present time. joint: joint of the event; -1: a new contact, or the end of a slide. Returns
 * false on failure. */
static bool apply_event(trm_sim *sim, int joint, trm_outcome *outcome)
{
    if (joint >= 0 && trm_sim_is_condition(sim, joint)) {
        if (!trm_sim_trigger(sim, joint - sim->state->model->joint_count, outcome)) return false;
        joint = -1;
    }
    if (joint >= 0 && trm_joint_can_break(trm_sim_joint(sim, joint)) && trm_sim_is_held(sim, joint) &&
        trm_sim_bearing_excess(sim, joint) >= -1)
        trm_sim_detach_now(sim, "broke", joint);
    return trm_sim_impact(sim, outcome) && trm_sim_settle(sim, joint, outcome) && trm_sim_find_friction(sim, outcome);
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Returns the tolerance to which a joint is closed, in m or rad. */
static double tolerance_of(const trm_sim *sim, const trm_joint *joint)
{
    return joint->angular[0] ? sim->options.angle_tolerance : sim->options.position_tolerance;
}

/* Activates stops that open although c > 0, while they are put back to their bounds. Returns whether there are
 * any. */
static bool activate_opening_stops(trm_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->events.watched_count; i++) {
        const int joint = sim->events.watched[i];
        const trm_joint *j = trm_sim_joint(sim, joint);
        if (!j->one_sided || !sim->state->attached[joint] || trm_sim_is_held(sim, joint)) continue;
        if (!(trm_first_residual(sim->state, joint) > tolerance_of(sim, j)) || !trm_sim_begins_at_bound(sim, joint))
            continue;
        sim->state->mode[joint] = TRM_HELD;
        any = true;
    }
    return any;
}

/* Puts stops that open although c > 0 back to their bounds. If the joints do not allow that, nothing changes. */
static bool put_back(trm_sim *sim, trm_outcome *outcome)
{
    trm_outcome unheard = {.ok = true};
    const int joints = sim->state->model->joint_count;
    for (int j = 0; j < joints; j++) sim->settling.was[j] = sim->state->mode[j];
    if (!activate_opening_stops(sim)) return true;
    trm_state_copy(sim->steps.before, sim->state);
    if (!sim->method->project_positions(sim->workspace, &unheard)) trm_state_copy(sim->state, sim->steps.before);
    for (int j = 0; j < joints; j++) sim->state->mode[j] = sim->settling.was[j];
    return sim->method->project_velocities(sim->workspace, outcome);
}

/* Counts immediate repetitions of a joint's event. At a kink of a function of time, or where forces of several
 * joints reach their bounds at once, the new mode is only determined a little later. */
static void count_repetitions(trm_sim *sim, int joint, double h)
{
    if (trm_sim_is_condition(sim, joint)) {
        sim->memory.repeated = 0;
        return;
    }
    const bool again = joint == sim->memory.last_joint &&
                       sim->events.start->clock->time - sim->memory.last_time <= TRM_NO_TIME * h * 10;
    const bool by_force = sim->events.start->mode[joint] == TRM_HELD;
    sim->memory.repeated = again && by_force && sim->memory.events_in_row > 2 ? sim->memory.repeated + 1 : 0;
}

/* Moves an event very close to the start of a step of length `most` to that start, because a step to it would only
 * close gaps of rounding. If that has not changed the modes before, moves the event a little farther each time. */
static bool avoid_short_step(trm_sim *sim, int joint, double most, double *h, trm_outcome *outcome)
{
    const double shortest = SHORTEST * sim->options.step;
    double unused;
    if (*h >= shortest) return true;
    *h = sim->memory.repeated > 0 ? fmin(most, ldexp(shortest, sim->memory.repeated)) : 0;
    return trm_sim_try_length(sim, joint, *h, &unused, outcome);
}

bool trm_sim_apply_first_event(trm_sim *sim, trm_outcome *outcome)
{
    const double step = sim->state->clock->time - sim->events.start->clock->time;
    double h = step;
    const long long steps = sim->counters.steps;
    bool touches;
    if (sim->stepper.window && !apply_contact_events(sim, outcome)) return false;
    if (!trm_sim_shorten_to_contact(sim, &h, &touches, outcome) || !trm_sim_find_event_forces(sim, outcome) ||
        !trm_sim_shorten_to_passing(sim, &h, outcome))
        return false;
    int joint = -1, next = trm_sim_first_passed(sim, h);
    sim->memory.events_in_row = next < 0 && !touches ? 0 : sim->memory.events_in_row + 1;
    if (sim->memory.events_in_row == 0) return put_back(sim, outcome) && trm_sim_arm_conditions(sim, outcome);
    for (; next >= 0; next = h > 0 && sim->memory.repeated == 0 ? trm_sim_first_passed(sim, h) : -1) {
        joint = next;
        count_repetitions(sim, joint, h);
        if (!trm_sim_find_event(sim, joint, &h, outcome)) return false;
    }
    if (joint >= 0 && !avoid_short_step(sim, joint, step, &h, outcome)) return false;
    sim->memory.last_joint = joint;
    sim->memory.last_time = sim->state->clock->time;
    sim->counters.steps = steps - (h == 0); /* trials are not counted */
    return put_back(sim, outcome) && apply_event(sim, joint, outcome) && trm_sim_arm_conditions(sim, outcome);
}

double trm_sim_gap_energy(const trm_sim *sim)
{
    const trm_model *model = sim->state->model;
    double mass = 0;
    for (int i = 0; i < model->body_count; i++) mass += model->bodies[i].mass;
    return TRM_CONTACT_DISTANCE * sim->events.nearness.position * mass * trm_v3_length(model->gravity);
}

static bool gains_energy(const trm_sim *sim)
{
    const trm_state *start = sim->events.start, *end = sim->state;
    const double kinetic = trm_state_energy(start).kinetic + trm_state_energy(end).kinetic;
    return trm_unexplained_energy(start, end) > MOST_GAIN * kinetic + trm_sim_gap_energy(sim);
}

/* Returns false, so that the step is shortened, if a step with contacts gained energy without work, because they
 * moved too far in it. Machines with joints are not checked: velocities that violate joints have other energies, and
 * the work of drives from rest is known only to the order of the step. */
static bool is_balanced(const trm_sim *sim, trm_outcome *outcome)
{
    if (!sim->stepper.collider || sim->stepper.window || sim->steps.halved >= MOST_FOR_BALANCE) return true;
    if (trm_stepper_is_divided(&sim->stepper) || sim->state->model->joint_count > 0 || !gains_energy(sim))
        return true;
    outcome->time = sim->events.start->clock->time;
    return trm_fail(outcome, INFINITY, "contacts", NULL, "a step gained %.3g J without work",
                    trm_unexplained_energy(sim->events.start, sim->state));
}

/* Sets the next steps to order 2, because contacts could not keep their modes. Their number grows if that has
 * happened recently, because a failed search for modes takes longer than many steps. */
static void suspend_modes(trm_sim *sim)
{
    trm_event_memory *m = &sim->memory;
    const bool again = m->frozen_steps < SOON && m->last_plain > 0;
    m->last_plain = !again ? FIRST_PLAIN : m->last_plain < MOST_PLAIN ? 2 * m->last_plain : MOST_PLAIN;
    m->plain = m->last_plain;
    m->frozen_steps = 0;
}

/* Returns whether contacts keep their modes in a step of length h (frozen.c). */
static bool can_freeze(const trm_sim *sim, double h)
{
    return sim->modes.end && !sim->stepper.window && sim->memory.plain == 0 &&
           sim->memory.events_in_row <= MOST_IN_ROW && fabs(h) > TOO_SHORT * sim->options.step;
}

/* Makes the rest of a planned step by time-stepping. Modes of contacts rarely last after it, so that the next steps
 * have order 2. */
static trm_outcome step_over_events(trm_sim *sim, double h, double goal)
{
    const long long contacts = sim->counters.contacts;
    if (!sim->contact_search.window) trm_sim_end_bounces(sim, goal);
    const trm_outcome outcome = trm_sim_step_over_events(sim, h, goal);
    if (sim->modes.end && sim->counters.contacts > contacts) suspend_modes(sim);
    return outcome;
}

/* Returns the number of events since the last part of a step without an event, or their work in units of
 * WORK_OF_EVENT if that is more. */
static double effort_of_events(trm_sim *sim)
{
    if (sim->memory.events_in_row == 0) sim->events.newton = sim->counters.newton;
    const double newton = (double)(sim->counters.newton - sim->events.newton);
    return fmax(sim->memory.events_in_row, newton * sim->stepper.largest_island / WORK_OF_EVENT);
}

/* Returns whether there are too many events to locate them all. */
static bool is_busy(trm_sim *sim)
{
    const double effort = effort_of_events(sim);
    if (sim->memory.busy > 0) return true;
    const bool again = sim->memory.calm < SOON && sim->memory.last_busy > 0;
    const bool costly = effort > sim->memory.events_in_row;
    const int longest = sim->contact_search.automatic || costly ? MOST_BUSY_AUTO : MOST_BUSY;
    if (effort <= (again ? MOST_EVENTS_SOON : MOST_EVENTS)) return false;
    sim->memory.busy = sim->memory.last_busy =
        again ? (sim->memory.last_busy < longest ? 2 * sim->memory.last_busy : longest) : FIRST_BUSY;
    return true;
}

static bool is_crowded(const trm_sim *sim)
{
    return sim->contact_search.automatic && sim->memory.parts * sim->stepper.largest_island > MANY_CONTACTS;
}

/* Returns whether the step after this time-stepping step to goal is event-driven. */
static bool events_follow(const trm_sim *sim, double goal)
{
    return trm_is_due(goal, sim->state->clock->time) && sim->memory.busy <= 1 && sim->memory.crowded <= 1 &&
           !is_crowded(sim);
}

/* Sets the number of next planned steps that "auto" makes by time-stepping, at the end of a planned step. parts:
 * number of parts of that step; time-stepping steps are not counted. */
static void count_crowded(trm_sim *sim, int parts)
{
    if (sim->memory.crowded == 0 && sim->memory.busy == 0)
        sim->memory.parts = fmax(1, sim->memory.parts + (parts - sim->memory.parts) / MEAN_STEPS);
    if (is_crowded(sim))
        sim->memory.crowded = CROWDED_STEPS;
    else if (sim->memory.crowded > 0)
        sim->memory.crowded--;
}

static void count_busy(trm_sim *sim)
{
    sim->memory.calm = sim->memory.busy > 0 ? 0 : sim->memory.calm < SOON ? sim->memory.calm + 1 : SOON;
    if (sim->memory.busy > 0) sim->memory.busy--;
    sim->memory.events_in_row = 0;
}

/* Returns whether a body or joint has a prescribed motion. Friction and stops are passive. */
static bool has_drive(const trm_model *model)
{
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].motion) return true;
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        if (trm_joint_is_rheonomic(joint) && !trm_joint_is_friction(joint) && !joint->one_sided) return true;
    }
    return false;
}

/* Returns whether a time-stepping step accepts the accuracy that it reached, because shorter steps hardly help:
 * contacts were nearly held in a very short step, or nothing drives the machine and a shorter step left more than a
 * longer one. Stops and contacts that clamp a limb from all sides may contradict each other by the error of the last
 * step, which no step can remove. A drive that contradicts contacts leaves far more. */
static bool steps_over_failure(const trm_sim *sim, const trm_outcome *outcome)
{
    if (outcome->ok || !sim->stepper.collider || sim->stepper.window) return false;
    if (!trm_outcome_may_improve(outcome)) return false;
    const double left = outcome->residual * sim->options.velocity_tolerance;
    if (sim->steps.halved >= HALVED_FOR_EVENTS && left < NEARLY_HELD) return true;
    const bool hopeless = sim->steps.halved >= HALVED_IF_PASSIVE && outcome->residual > sim->steps.last_residual;
    return (hopeless || sim->steps.halved >= MOST_HALVED_IF_PASSIVE) && !has_drive(sim->state->model);
}

/* ---- Attempts ----------------------------------------------------------------------------- */

/* A step, and the way in which it is tried. Several ways are tried until one succeeds. */
typedef struct attempt {
    /* TO_EVENT: up to the first event in it, at first with contacts that keep their modes if the order is higher than 2.
     * TIME_STEPPING: the same, as with "impact": "window". OVER_EVENTS: dissipative, without locating events. */
    enum { TO_EVENT, TIME_STEPPING, OVER_EVENTS } way;
    double h, goal;
    long long contacts; /* counted before it */
    bool impacts;       /* those at its start have happened */
    bool rows;          /* value of stepper.bounded_rows if it is not made by time-stepping */
} attempt;

static void begin_time_stepping(trm_sim *sim, double goal)
{
    trm_sim_end_bounces(sim, goal);
    sim->stepper.window = sim->stepper.bounded_rows = true;
}

/* Ends a time-stepping step. Its rows have bounds instead of modes, so that a stop and the friction of the same joint
 * may both hold and contradict each other by rounding. Therefore modes are settled before events are searched
 * again. */
static void end_time_stepping(trm_sim *sim, const attempt *a, trm_outcome *outcome)
{
    sim->stepper.window = false;
    sim->stepper.bounded_rows = a->rows;
    if (outcome->ok && events_follow(sim, a->goal)) {
        outcome->ok = apply_event(sim, -1, outcome) && trm_sim_is_finite(sim, outcome);
        if (!outcome->ok) trm_state_copy(sim->state, sim->events.start);
    }
    sim->counters.time_stepping += outcome->ok;
}

/* Chooses how a step is tried first. */
static attempt first_attempt(trm_sim *sim, double h, double goal)
{
    attempt a = {.h = h, .goal = goal, .contacts = sim->counters.contacts, .rows = sim->stepper.bounded_rows};
    const bool busy = is_busy(sim), by_time = sim->contact_search.automatic && (busy || sim->memory.crowded > 0);
    sim->stepper.largest_island = 0;
    a.way = by_time ? TIME_STEPPING : busy ? OVER_EVENTS : TO_EVENT;
    if (a.way == OVER_EVENTS) return a;
    if (a.way == TIME_STEPPING) begin_time_stepping(sim, goal);
    if (sim->memory.events_in_row == 0) trm_sim_pass_bounces(sim);
    sim->modes.freezes = can_freeze(sim, h);
    sim->counters.plain += !sim->modes.freezes && sim->modes.end && sim->memory.plain > 0;
    return a;
}

static void begin_attempt(trm_sim *sim)
{
    trm_state_copy(sim->events.start, sim->state);
    sim->stepper.impacts = false;
}

/* Applies the impacts at the start of a step before the step. Returns false on failure. */
static bool begin_with_impacts(trm_sim *sim, trm_outcome *outcome)
{
    *outcome = (trm_outcome){.ok = true};
    trm_state_copy(sim->state, sim->events.start);
    outcome->ok = apply_event(sim, -1, outcome) && trm_sim_is_finite(sim, outcome);
    return outcome->ok;
}

/* Chooses how a step that failed is tried next. If contacts could not keep a mode, the step has order 2. Returns
 * false if the step is not tried again. */
static bool choose_next(trm_sim *sim, attempt *a, const trm_outcome *outcome)
{
    if (a->way != TO_EVENT || !trm_outcome_may_improve(outcome)) return false;
    if (sim->modes.freezes) {
        sim->modes.freezes = false;
        suspend_modes(sim);
        sim->counters.plain++;
    } else if (steps_over_failure(sim, outcome))
        a->way = OVER_EVENTS;
    else
        return false;
    a->contacts = sim->counters.contacts;
    a->impacts = false;
    return true;
}

/* Returns to the first event in the step and applies it. On failure the state is restored. Returns whether the step
 * has to be tried again. */
static bool must_try_again(trm_sim *sim, attempt *a, trm_outcome *outcome)
{
    if (a->way == OVER_EVENTS) return false;
    if (sim->stepper.impacts && !a->impacts) {
        a->impacts = true;
        if (begin_with_impacts(sim, outcome)) return true;
    }
    if (outcome->ok) outcome->ok = trm_sim_apply_first_event(sim, outcome) && trm_sim_is_finite(sim, outcome);
    if (outcome->ok && sim->counters.contacts > a->contacts) outcome->ok = is_balanced(sim, outcome);
    if (!outcome->ok) trm_state_copy(sim->state, sim->events.start);
    if (a->way == TIME_STEPPING) end_time_stepping(sim, a, outcome);
    return !outcome->ok && choose_next(sim, a, outcome);
}

/* ---- Planned steps ------------------------------------------------------------------------ */

/* Updates counters at the end of a planned step. */
static void end_step(trm_sim *sim, double goal, int parts, bool reached)
{
    if (reached) sim->state->clock->time = goal; /* the rest is rounding */
    if (reached) count_crowded(sim, parts);
    if (reached) count_busy(sim);
    if (sim->memory.plain > 0)
        sim->memory.plain--;
    else if (sim->memory.frozen_steps < SOON)
        sim->memory.frozen_steps++;
    sim->modes.freezes = false;
}

trm_outcome trm_sim_advance(trm_sim *sim, double h, double goal)
{
    trm_outcome outcome = {.ok = true};
    int parts = 0;
    for (; outcome.ok && !trm_sim_is_stopped(sim) && !trm_is_due(goal, sim->state->clock->time); parts++) {
        const double due = trm_sim_next_delayed(sim), length = due < goal ? due - sim->state->clock->time : h;
        attempt a = first_attempt(sim, length, fmin(due, goal));
        do {
            begin_attempt(sim);
            outcome = a.way == OVER_EVENTS ? step_over_events(sim, a.h, a.goal) : trm_sim_try(sim, a.h, a.goal);
        } while (must_try_again(sim, &a, &outcome));
        if (outcome.ok) outcome.ok = trm_sim_apply_delayed_events(sim, &outcome);
        trm_sim_check_run_end(sim, outcome.ok);
        h = goal - sim->state->clock->time; /* an event came in between */
    }
    const bool stopped = outcome.ok && trm_sim_is_stopped(sim);
    end_step(sim, goal, parts, outcome.ok && !stopped);
    return stopped ? trm_sim_stopped(sim) : outcome;
}

trm_outcome trm_sim_advance_to_event(trm_sim *sim, double h, double goal, bool *met)
{
    trm_outcome outcome;
    attempt a = first_attempt(sim, h, goal);
    do {
        begin_attempt(sim);
        outcome = a.way == OVER_EVENTS ? step_over_events(sim, h, goal) : trm_sim_try(sim, h, goal);
    } while (must_try_again(sim, &a, &outcome));
    *met = outcome.ok && sim->memory.events_in_row > 0;
    if (!outcome.ok || trm_is_due(goal, sim->state->clock->time)) end_step(sim, goal, 1, outcome.ok);
    sim->modes.freezes = false;
    return outcome;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The impulse method: forces and joints act as impulses at the ends of a step, and between them every body moves
 * freely. A look-ahead over one step gives the joint impulses (Schmitt 2003, P-steps 1 to 4). With velocities projected
 * at its ends this is RATTLE (docs/impulse.md). */

#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "methods/contact/frozen.h"
#include "methods/hierarchy/hierarchy.h"

/* Tries of a time-stepping step in which bodies meet that were not known to. */
enum { MOST_TRIES = 3 };

/* ---- Initial velocities and work ------------------------------------------------------------ */

/* Projects initial velocities, or velocities that the caller has set, where something reads them. Returns false,
 * with the reason in outcome, if it fails. */
static bool prepare_velocities(trm_maximal *w, trm_outcome *outcome)
{
    const int64_t projected = w->stepper->state->clock->velocities_projected;
    if (w->needs.velocities) return projected == TRM_ALL_PROJECTED || trm_maximal_correct_velocities(w, 0, outcome);
    return !w->needs.velocities_of_shapes || projected != TRM_NONE_PROJECTED ||
           trm_contact_set_project_shaped(w, outcome);
}

/* W += P h/2 at either end of the step, for forces other than gravity. */
static void add_half_work(trm_maximal *w, double half)
{
    trm_add_work(w->stepper->state, half, trm_maximal_power(w, TRM_ALL_FORCES));
}

/* ---- Contacts ----------------------------------------------------------------------------- */

/* Notes the speeds of the contacts of a time-stepping step before the forces at the end of the last step, which are part
 * of velocities that were not projected: the work of a contact that only bears these forces is 0. */
static bool note_speeds_before_forces(trm_maximal *w, trm_outcome *outcome)
{
    trm_clock *clock = w->stepper->state->clock;
    const int64_t projected = clock->velocities_projected;
    if (!w->stepper->window || projected != TRM_NONE_PROJECTED || clock->step == 0 || w->contact_set->count == 0)
        return true;
    trm_contact_set_save_start(w);
    if (!trm_maximal_kick(w, -0.5 * clock->step, TRM_FORCES_OF_POSITION, outcome)) return false;
    trm_contact_set_note_speeds(w);
    trm_contact_set_restore_start(w);
    clock->velocities_projected = projected;
    return true;
}

/* Finds the contacts that act in the step. Event-driven steps (not `window`) apply impacts first. With frozen modes
 * (methods/contact/frozen.h) the contacts of the whole step are known. Returns false, with the reason in outcome, if
 * it fails. */
static bool find_contacts(trm_maximal *w, double h, trm_outcome *outcome)
{
    if (w->contact_set->modes.frozen) return trm_frozen_follow(w) || trm_fail_memory(outcome, "contacts");
    trm_contact_set_disengage(w);
    bool found = trm_contact_set_find_closed(w, h);
    if (found && !w->stepper->window && w->contact_set->approached) { /* impacts come first */
        if (!trm_contact_set_impacts(w, outcome)) return false;
        w->stepper->impacts = true;
        found = trm_contact_set_find_closed(w, h);
    }
    if (found && w->contact_set->count == 0) trm_contact_set_remember(w, 0);
    if (found) trm_contact_set_engage(w, h);
    return found ? note_speeds_before_forces(w, outcome) : trm_fail_memory(outcome, "contacts");
}

/* V += W lambda such that c(q(t+h)) = 0: closes joints and active contacts in the look-ahead. */
static bool close_contacts(trm_maximal *w, double h, trm_outcome *outcome)
{
    return w->contact_set->modes.frozen ? trm_frozen_close(w, h, outcome) : trm_contact_set_close(w, h, outcome);
}

/* Returns whether contacts require corrected velocities at the end of the step: contacts rebound, bounded rows are
 * engaged, or (time-stepping) energy lent at the start must be returned, or an impact must be completed. The look-ahead
 * only closes the gap of an impact, and in the next step the point may be past the edge that it hit. Piles skip this:
 * most of their contacts last, and it would take 25 % of their time. */
static bool contacts_need_velocities(const trm_maximal *w)
{
    if (w->contact_set->count > 0 && w->stepper->window && w->contact_set->lends) return true;
    if (w->exempt.engaged) return true; /* bounds are kept at both ends of a step */
    for (int i = 0; i < w->contact_set->count; i++) {
        const trm_step_contact *contact = &w->contact_set->contacts[i];
        if (contact->rebound < 0 ||
            (w->stepper->window && !contact->pile && contact->impacts && contact->lambda[0] > 0))
            return true;
    }
    return false;
}

/* V += W mu such that J V + c_t = 0: projects velocities onto joints and the listed contacts. all: of all islands,
 * else only of islands with shapes. */
static bool project_found(trm_maximal *w, double dt, double span, bool all, trm_outcome *outcome)
{
    if (!w->contact_set) return trm_maximal_correct_velocities(w, dt, outcome);
    return w->contact_set->modes.frozen && w->contact_set->count > 0
               ? trm_frozen_project_velocities(w, dt, all, outcome)
               : trm_contact_set_project_velocities(w, dt, span, all, outcome);
}

/* Projects velocities at the end of a step, for the contacts that were closed in it. Islands without shapes are
 * projected only if something other than contacts reads velocities. */
static bool project_at_end(trm_maximal *w, double dt, trm_outcome *outcome)
{
    if (w->contact_set && !w->stepper->window) trm_contact_set_follow(w);
    return project_found(w, dt, dt, w->needs.velocities || w->stepper->velocities_required, outcome);
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Begins a step: reads t, q, V; writes V(t+) and the look-ahead q(t+h). Half of each force acts at the start of
 * the step. */
static bool begin_step(trm_maximal *w, double h, trm_outcome *outcome)
{
    /* V += W mu such that J V + c_t = 0, where something reads velocities;  contacts, J, W, A at q(t) */
    const trm_clock *clock = w->stepper->state->clock;
    const bool reads = w->needs.velocities || w->needs.velocities_of_shapes;
    if (reads && !prepare_velocities(w, outcome)) return false;
    if (w->contact_set && !find_contacts(w, h, outcome)) return false;
    w->look.span = trm_maximal_impulse_span(clock, clock->velocities_projected != TRM_NONE_PROJECTED, h);
    w->look.unprojected_span = trm_maximal_impulse_span(clock, clock->velocities_projected == TRM_ALL_PROJECTED, h);
    trm_maximal_rows(w);

    /* V += M^-1 F h/2, F at q(t);  work += P h/2 */
    if (trm_maximal_has_power(w)) add_half_work(w, 0.5 * h);
    if (!trm_maximal_kick(w, 0.5 * h, TRM_ALL_FORCES, outcome)) return false;

    /* q(t+h) = free(q(t), V, h);  V += W lambda such that c(q(t+h)) = 0 */
    trm_maximal_look_ahead(w, h);
    return w->contact_set && trm_contact_set_is_active(w->contact_set) ? close_contacts(w, h, outcome)
                                                                       : trm_maximal_correct_joints(w, h, outcome);
}

/* Closes joints after a dissipative step. */
static bool close_after_dissipation(trm_maximal *w, trm_outcome *outcome)
{
    const trm_arena_mark mark = trm_arena_get_mark(w->stepper->arena);
    const bool good = trm_contact_set_project(w) || trm_fail_memory(outcome, "contacts");
    trm_arena_reset(w->stepper->arena, mark);
    return good;
}

/* Prepares contacts and bounded rows for the end of a time-stepping step. The work of impulses uses the mean of
 * the speeds before the forces at that end and after everything. */
static void follow_time_stepping(trm_maximal *w)
{
    trm_contact_set_follow(w);
    trm_contact_set_note_bounded(w);
    trm_contact_set_open_bounded(w);
}

/* Ends a step. Half of each force acts at the end; velocity-dependent forces are computed together with the
 * resulting velocities. */
static bool end_step(trm_maximal *w, double h, trm_outcome *outcome)
{
    /* t, q, V are those of the look-ahead */
    if (w->dampers.spring_count > 0) trm_maximal_integrate_springs(w);
    trm_maximal_advance(w, h);
    const bool dissipates = w->contact_set && w->stepper->step.dissipative;
    if (dissipates && !close_after_dissipation(w, outcome)) return false;
    const bool projects = dissipates || w->needs.velocities || w->stepper->velocities_required ||
                          w->needs.velocities_of_shapes || (w->contact_set && contacts_need_velocities(w));
    if (projects && w->contact_set && w->stepper->window) follow_time_stepping(w);

    /* J, W, A at q(t+h);  V += M^-1 F h/2, F there */
    trm_maximal_rows(w);
    if (!trm_maximal_kick(w, 0.5 * h, TRM_FORCES_OF_POSITION, outcome)) return false;
    if (!projects) return true;

    /* V += W mu such that J V + c_t = 0;  work += P h/2 */
    if (!project_at_end(w, 0.5 * h, outcome)) return false;
    if (trm_maximal_has_power(w)) add_half_work(w, 0.5 * h);
    return true;
}

/* If no force can keep a sliding contact closed, applies an impact at t and begins the step again (jam.c). */
static bool begin_step_again(trm_maximal *w, double h, trm_outcome *outcome)
{
    int jammed;
    if (!trm_contact_set_find_jam(w, &jammed, outcome)) return false;
    if (jammed < 0) return true;
    trm_contact_set_restore_start(w);
    w->stepper->state->clock->velocities_projected = 1;
    return trm_contact_set_impact_jam(w, jammed, outcome) && begin_step(w, h, outcome);
}

/* Time-stepping: begins the step again if bodies meet in it that were not known to. Contacts are sought from the
 * velocities at t, and forces, motors and other bodies may make a body faster in the step. */
static bool begin_step_with_unforeseen(trm_maximal *w, double h, trm_outcome *outcome)
{
    bool good = true, any = true;
    for (int tries = 1; good && any && tries < MOST_TRIES; tries++) {
        if (!trm_contact_set_find_unforeseen(w, &any)) return trm_fail_memory(outcome, "contacts");
        if (!any) break;
        trm_contact_set_restore_start(w);
        w->contact_set->repeats = true;
        good = begin_step(w, h, outcome);
    }
    w->contact_set->repeats = false;
    return good;
}

/* Without contacts a step is begin_step followed by end_step, in the lines of docs/impulse.md:
 *
 *     trm_maximal_rows                  J, W, A at q(t)
 *     trm_maximal_kick                  V += M^-1 F h/2
 *     trm_maximal_look_ahead            free motion to t + h
 *     trm_maximal_correct_joints        V += W lambda such that c(q(t+h)) = 0
 *     trm_maximal_advance               t, q, V are those of the look-ahead
 *     trm_maximal_kick                  V += M^-1 F h/2
 *     trm_maximal_correct_velocities    V += W mu such that J V + c_t = 0, where something reads velocities */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    const bool window = w->contact_set && w->stepper->window;
    const bool may_jam = w->contact_set && !window && !w->contact_set->modes.frozen && h > 0;
    if (may_jam || window) trm_contact_set_save_start(w);
    if (!begin_step(w, h, outcome) || (may_jam && !begin_step_again(w, h, outcome))) return false;
    if (!w->contact_set) return end_step(w, h, outcome);
    if (window && !begin_step_with_unforeseen(w, h, outcome)) return false;
    w->stepper->step.in_contact = w->stepper->window ? trm_contact_set_mark_impacts(w) : NULL;
    w->stepper->step.impacted = w->contact_set->marks.impacted;
    w->stepper->step.landed = window ? trm_contact_set_find_landings(w) : NULL;
    w->contact_set->modes.begun = true;
    trm_contact_set_find_sleep_candidates(w);
    if (!end_step(w, h, outcome)) return false;
    trm_contact_set_sleep(w);
    return true;
}

/* Begins a step and returns the poses of its look-ahead to t + h. Returns NULL, with the reason in outcome, if it
 * fails. */
static const trm_pose *look_ahead(trm_maximal *w, double h, trm_outcome *outcome)
{
    if (!begin_step(w, h, outcome)) return NULL;
    for (int i = 0; i < w->body_count; i++) trm_maximal_update_look_ahead(w, w->bodies[i]);
    return w->look.ahead;
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    trm_contact_set_disengage(workspace);
    return trm_maximal_project_positions(workspace, outcome);
}

/* Projects velocities; those that satisfy the constraints already do not change. They are checked, because the
 * caller may have set some. With time-stepping the contacts are found once. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    trm_contact_set_disengage(w);
    if (!w->contact_set || !w->stepper->window || w->stepper->state->clock->velocities_projected)
        return trm_maximal_correct_velocities(w, 0, outcome);
    if (!trm_contact_set_find_loaded(w)) return trm_fail_memory(outcome, "contacts");
    if (!note_speeds_before_forces(w, outcome)) return false;
    memset(w->contact_set->ledger, 0, (size_t)w->stepper->model->body_count * sizeof *w->contact_set->ledger);
    const bool dissipative = w->stepper->step.dissipative;
    w->stepper->step.dissipative = true; /* no step can be repeated if energy is added */
    const bool good = project_found(w, 0, 0.5 * w->stepper->state->clock->step, true, outcome);
    w->stepper->step.dissipative = dissipative;
    return good;
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    trm_maximal *w = workspace;
    trm_contact_set_disengage(w);
    if (w->contact_set) {
        memset(w->accelerations.contact_wrench, 0,
               (size_t)w->stepper->model->body_count * sizeof *w->accelerations.contact_wrench);
        trm_contact_set_add_wrenches(w, w->accelerations.contact_wrench);
    }
    return trm_maximal_reactions(w, outcome);
}

static int bounces(const trm_maximal *w, const trm_bounce **list)
{
    *list = w->contact_set->log.bounces;
    return w->contact_set->log.bounce_count;
}

/* ---- Frozen modes ------------------------------------------------------------------------- */

/* Solves the contacts of a step to find their modes. Succeeds also if the friction cones have no solution, because
 * fixed modes may still be solvable. Fails if there is no residual either. */
static bool solve_modes(trm_maximal *w, double h, trm_outcome *outcome)
{
    w->contact_set->modes.solved = begin_step(w, h, outcome);
    if (!w->contact_set->modes.solved && isnan(outcome->residual)) return false;
    outcome->ok = true;
    return true;
}

static bool find_forces(trm_maximal *w, double h, bool at_start, trm_outcome *outcome)
{
    if (!begin_step(w, h, outcome)) return false;
    trm_frozen_find_forces(w, h, at_start);
    return true;
}

static void release(trm_maximal *w, bool keep_forces)
{
    w->contact_set->modes.frozen = false;
    if (keep_forces) trm_contact_set_remember(w, 1);
}

static const trm_frozen_modes FROZEN = {
    .solve_modes = solve_modes,
    .adopt = trm_frozen_take,
    .rewind = trm_frozen_rewind,
    .find_forces = find_forces,
    .first_ended = trm_frozen_first_ended,
    .excess = trm_frozen_excess,
    .change = trm_frozen_change,
    .turns = trm_frozen_turns,
    .project = trm_frozen_project,
    .release = release,
};

/* ---- Reports and options ------------------------------------------------------------------ */

static const char *const NEWTON[] = {"frozen", "exact", NULL};
static const char *const COORDINATES[] = {"body", "joint", "auto", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "rounds",
     .whole = true,
     .description =
         "number of rounds over the joints in each step, whatever gaps remain; 0: until all are within tolerance"},
    {.name = "newton",
     .words = NEWTON,
     .word = "frozen",
     .quiet = true,
     .description = "matrix of the direct solver: from the start of the step, or recomputed in every round"},
    {.name = "coordinates",
     .words = COORDINATES,
     .word = "body",
     .quiet = true,
     .description =
         "unknowns of the direct solver: impulses of all joints, or motions along the joints of trees; auto: the "
         "latter where it takes fewer operations"},
    {.name = "taylor",
     .whole = true,
     .quiet = true,
     .description =
         "order of the series for free rotation, 1 to 30; 0: all terms above rounding, or the closed form"},
    TRM_HIERARCHY_OPTIONS,
    {0},
};

/* A series of order p makes steps of order p, and is not symmetric in time. */
static void check_taylor(const trm_simulation_def *options, trm_messages *messages)
{
    const double taylor = trm_option_number(&trm_method_impulse, options, "taylor");
    if (taylor > TRM_TAYLOR_HIGHEST)
        trm_add_error(messages, (trm_place){0}, "impulse.taylor is %g; it can be at most %d", taylor,
                      TRM_TAYLOR_HIGHEST);
    else if (taylor > 0 && options->order > taylor)
        trm_add_warning(messages, (trm_place){0},
                        "rotations of order %g reduce order %g to at most %g; leave out impulse.taylor", taylor,
                        options->order, taylor);
}

/* Exact matrices and a given number of rounds are those of body coordinates. */
static void check_coordinates(const trm_simulation_def *options, trm_messages *messages)
{
    if (!trm_option_is_given(&trm_method_impulse, options, "coordinates")) return;
    if (strcmp(trm_option_word(&trm_method_impulse, options, "newton"), "exact") == 0)
        trm_warn_of_option(messages, &trm_method_impulse, "coordinates", "newton", "exact");
    if (trm_option_number(&trm_method_impulse, options, "rounds") > 0)
        trm_warn_of_option(messages, &trm_method_impulse, "coordinates", "rounds", "given");
}

/* Warns of options without effect. With one, two, ... rounds the remaining gaps have order 3, 4, ... */
static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    static const char *const of_solver[][2] = {
        {"tree", "hierarchy"}, {"leaf", "hierarchy"}, {"newton", "direct"}, {"coordinates", "direct"}};
    for (size_t i = 0; i < sizeof of_solver / sizeof *of_solver; i++)
        if (trm_option_is_given(&trm_method_impulse, options, of_solver[i][0]) &&
            strcmp(options->solver, of_solver[i][1]) != 0)
            trm_warn_of_option(messages, &trm_method_impulse, of_solver[i][0], "the solver", options->solver);
    check_taylor(options, messages);
    check_coordinates(options, messages);
    const double rounds = trm_option_number(&trm_method_impulse, options, "rounds");
    if (rounds > 0 && options->order > rounds + 2)
        trm_add_warning(messages, (trm_place){0},
                        "%g rounds leave gaps that reduce order %g to at most %g; leave out impulse.rounds", rounds,
                        options->order, rounds + 2);
}

static const trm_maximal_solver *solver_of(const trm_simulation_def *options)
{
    const trm_maximal_solver *solver = trm_maximal_solver_of(options);
    const bool exact = strcmp(trm_option_word(&trm_method_impulse, options, "newton"), "exact") == 0;
    const char *coordinates = trm_option_word(&trm_method_impulse, options, "coordinates");
    if (solver != &trm_maximal_direct) return solver;
    if (exact) return &trm_maximal_exact;
    if (strcmp(coordinates, "joint") == 0) return &trm_maximal_in_joints;
    return strcmp(coordinates, "auto") == 0 ? &trm_maximal_in_cheaper : solver;
}

static void *create(trm_stepper *stepper)
{
    trm_maximal *w = trm_maximal_create(stepper, solver_of(stepper->options));
    if (w && stepper->collider) {
        w->contact_set = trm_contact_set_create(w, stepper->collider);
        w->accelerations.contact_wrench = TRM_NEW_ARRAY(stepper->arena, trm_spatial, stepper->model->body_count);
        if (!w->contact_set || !w->accelerations.contact_wrench) return NULL;
        w->needs.velocities_of_shapes = !w->stepper->window; /* velocities decide on impacts and slip */
    }
    if (w) w->look.taylor = (int)trm_option_number(&trm_method_impulse, stepper->options, "taylor");
    if (w) w->look.rounds = (int)fmin(trm_option_number(&trm_method_impulse, stepper->options, "rounds"), INT_MAX);
    return w;
}

const trm_method trm_method_impulse = {
    .name = "impulse",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK | TRM_CAN_EVENTS | TRM_CAN_IMPLICIT |
           TRM_CAN_CONTACT | TRM_CAN_CONTACT_LAW | TRM_CAN_LOAD | TRM_CAN_INTEGRAL,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .capture = project_velocities,
    .contacts = &(const trm_method_contacts){trm_contact_set_report, trm_contact_set_impacts, look_ahead,
                                             trm_contact_set_slide_ends, bounces, &FROZEN},
    .dropped = trm_maximal_dropped,
    .gather = trm_maximal_gather,
    .options = OPTIONS,
    .check_options = check_options,
};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Creates and destroys simulations. Combinations of options and model elements that are not supported are refused by
 * name. Then memory is allocated for everything that steps need, the machine is assembled, and overlapping shapes
 * are reported. */

#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/message.h"
#include "base/parallel.h"
#include "model/def.h"
#include "trammel/arrays.h"

static trm_status refuse_unsupported(const trm_sim *sim, const trm_state *state, const trm_allocator *allocator,
                                     trm_messages *messages)
{
    const trm_method *method = sim->method;
    char why[300];
    trm_analysis *analysis = trm_analyse(state, allocator);
    if (!analysis) return TRM_OUT_OF_MEMORY;
    bool can = trm_method_can_run(method, state, analysis, why, sizeof why);
    if (can && method->accepts && !method->accepts(&sim->stepper, why, sizeof why)) can = false;
    if (!can && !why[0]) {
        trm_analysis_destroy(analysis);
        return TRM_OUT_OF_MEMORY;
    }
    if (!can) {
        trm_add_error(messages, (trm_place){0}, "the method \"%s\" cannot run this model: %s", method->name, why);
        trm_mark_message(messages, TRM_MESSAGE_REFUSED, why);
    }
    const trm_status refused = can ? trm_sim_refuse_load(sim, analysis, messages) : TRM_BAD_INPUT;
    trm_analysis_destroy(analysis);
    return refused;
}

/* Warns of joint parameters of the method lcp that have no effect with other methods. */
static void warn_of_softness(const trm_method *method, const trm_model *model, trm_messages *messages)
{
    for (int i = 0; !(method->can & TRM_CAN_SOFT) && i < model->shown_joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        const bool erp = !isnan(joint->erp), cfm = !isnan(joint->cfm);
        char element[120];
        if (!erp && !cfm) continue;
        snprintf(element, sizeof element, "%s '%s'", joint->type->among_forces ? joint->type->name : "joint",
                 joint->name);
        if (erp && cfm)
            trm_add_message(
                messages, TRM_WARNING, joint->source, element,
                "has \"erp\" and \"cfm\", which belong to the method lcp; %s keeps it closed without them",
                method->name);
        else
            trm_add_message(messages, TRM_WARNING, joint->source, element,
                            "has \"%s\", which belongs to the method lcp; %s keeps it closed without it",
                            erp ? "erp" : "cfm", method->name);
        return;
    }
}

/* Reports options that cannot be combined with contacts. Returns whether there are any. */
static bool refuse_with_contacts(const trm_sim *sim, const trm_model *model, trm_messages *messages)
{
    if (!sim->stepper.collider) return false;
    if (sim->steps.start && sim->contact_search.window) {
        trm_add_error(
            messages, (trm_place){0},
            "body '%s' may collide, and the error of time-stepping impacts is not known; leave out the error, "
            "or use \"impact\": \"event\"",
            model->collisions.may_collide);
        return true;
    }
    if (sim->steps.composition.stages > 1 && sim->contact_search.window) {
        trm_add_error(messages, (trm_place){0},
                      "body '%s' may collide, and time-stepping contacts are of order 2; leave out the order, or use "
                      "\"impact\": \"event\"",
                      model->collisions.may_collide);
        return true;
    }
    int body[2];
    if (sim->steps.composition.stages > 1 && trm_find_turning_friction(model, body)) {
        trm_add_error(
            messages, (trm_place){0},
            "the contact of '%s' and '%s' has rolling or torsional friction, which is of order 2; leave out "
            "the order",
            model->bodies[body[0]].name, model->bodies[body[1]].name);
        return true;
    }
    for (int i = 0; i < model->force_count; i++)
        if (model->forces[i].treatment != TRM_TREAT_EXPLICIT) {
            const char *name = model->forces[i].name;
            const bool integral = model->forces[i].treatment == TRM_TREAT_INTEGRAL;
            trm_add_error(messages, (trm_place){0},
                          "force '%s' is to be %s, which is not supported in models whose shapes may collide; use "
                          "\"treatment\": \"explicit\" and a shorter step",
                          name ? name : model->forces[i].type->name, integral ? "integrated" : "applied implicitly");
            return true;
        }
    return false;
}

/* Warns of options that have no effect with this method. */
static void warn_of_unused(const trm_sim *sim, double order, const char *sleep, trm_messages *messages)
{
    const trm_simulation_def *o = &sim->options;
    if (sim->method->own_order && order != o->order && order != trm_default_simulation_def().order) {
        trm_add_warning(messages, (trm_place){0}, "order %g has no effect: the method \"%s\" has order %g", order,
                        sim->method->name, o->order);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "order");
    }
    if (sim->stepper.collider && !trm_method_has_impacts(sim->method) && strcmp(sleep, "on") == 0) {
        trm_add_warning(messages, (trm_place){0}, "sleep has no effect: with the method \"%s\" nothing sleeps",
                        sim->method->name);
        trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, "sleep");
    }
}

/* Allocates memory for the scheme and for error control. Returns false if out of memory. */
static bool prepare_steps(trm_sim *sim, const trm_model *model, const trm_allocator *allocator)
{
    const bool controlled = !isnan(sim->options.error) && !trm_sim_method_controls_error(sim);
    sim->steps.controlled = sim->options.step;
    if (!(sim->steps.sampling.interval > 0)) sim->steps.sampling.interval = sim->options.step;
    sim->steps.sampling.longest = trm_model_remembering_force(model) ? sim->steps.sampling.interval : INFINITY;
    if (!trm_model_varies_with_time(model)) sim->steps.sampling.interval = INFINITY;
    sim->steps.sampling.error = sim->options.error;
    sim->stepper.sampling = sim->steps.sampling;
    for (int i = 0; i + 1 < sim->steps.extrapolation; i++)
        if (!(sim->steps.coarse[i] = trm_state_create(model, allocator))) return false;
    sim->steps.slopes.body = TRM_NEW_ARRAY(&sim->arena, trm_spatial, model->body_count);
    if (!controlled) return sim->steps.slopes.body;
    sim->steps.size = trm_machine_size(sim->state);
    sim->steps.by_defects = !sim->method->own_order && sim->options.order == 2 && sim->steps.extrapolation == 0 &&
                            sim->steps.composition.stages == 1 && !trm_model_is_driven(model);
    for (int i = 0; i < model->shown_body_count; i++) sim->steps.mass += model->bodies[i].mass;
    sim->steps.start = trm_state_create(model, allocator);
    sim->steps.whole = trm_state_create(model, allocator);
    return sim->steps.slopes.body && sim->steps.start && sim->steps.whole;
}

/* Lists the joints whose mode may change. Returns false if out of memory. */
static bool prepare_events(trm_sim *sim, const trm_model *model, const trm_allocator *allocator,
                           trm_messages *messages)
{
    sim->events.watched = TRM_NEW_ARRAY(&sim->arena, int, model->joint_count);
    sim->contact_search.window = sim->stepper.window =
        !trm_method_has_impacts(sim->method) || strcmp(sim->options.impact, "window") == 0;
    sim->contact_search.automatic =
        !sim->contact_search.window && model->collisions.may_collide && strcmp(sim->options.impact, "auto") == 0;
    sim->stepper.bounded_rows =
        sim->contact_search.window && trm_method_has_impacts(sim->method) && model->collisions.may_collide;
    for (int j = 0; sim->events.watched && j < model->joint_count; j++)
        if (!sim->method->within_steps && trm_sim_is_watched(sim, &model->joints[j]))
            sim->events.watched[sim->events.watched_count++] = j;
    for (int j = 0; j < model->joint_count; j++)
        sim->events.friction_varies = sim->events.friction_varies || model->joints[j].varies;
    trm_sim_choose_tolerances(sim, messages);
    sim->notes.list = TRM_NEW_ARRAY(&sim->arena, trm_event_note, TRM_NOTES_KEPT);
    if (sim->events.watched_count > 0 || model->schedule.conditions > 0 || model->schedule.delayed > 0 ||
        (model->collisions.may_collide &&
         (!sim->contact_search.window || model->schedule.timed < model->schedule.count)))
        sim->events.start = trm_state_create(model, allocator);
    const size_t n = (size_t)sim->events.watched_count;
    sim->settling.candidates = TRM_NEW_ARRAY(&sim->arena, int, n);
    sim->settling.responses = TRM_NEW_ARRAY(&sim->arena, trm_spatial, n * (size_t)model->body_count);
    sim->settling.was = TRM_NEW_ARRAY(&sim->arena, signed char, model->joint_count);
    sim->stepping.chosen = TRM_NEW_ARRAY(&sim->arena, signed char, model->joint_count);
    sim->stepping.changes = TRM_NEW_ARRAY(&sim->arena, int, model->joint_count);
    sim->settling.box = TRM_NEW_ARRAY(&sim->arena, double, n *n + 4 * n);
    const bool wanted = sim->events.watched_count > 0 || model->schedule.conditions > 0 ||
                        (model->collisions.may_collide && !sim->contact_search.window);
    return !sim->arena.failed && sim->events.watched && sim->notes.list && (!wanted || sim->events.start);
}

/* Returns the value of `sleep` that "auto" stands for. Bodies do not sleep if contacts keep their modes for a
 * composed step. */
static const char *choose_sleep(const trm_sim *sim)
{
    const bool automatic = strcmp(sim->options.sleep, "auto") == 0;
    if (!trm_method_has_impacts(sim->method) || sim->steps.composition.stages > 1 ||
        (automatic && !sim->contact_search.window))
        return "off";
    return automatic ? "on" : sim->options.sleep;
}

/* Allocates memory for shapes that may collide. Returns false if out of memory. */
static bool prepare_contacts(trm_sim *sim, const trm_model *model)
{
    if (!model->collisions.may_collide || !sim->method->contacts) return true;
    sim->stepper.collider = trm_collider_create(model, &sim->arena);
    sim->contact_search.reach = TRM_NEW_ARRAY(&sim->arena, double, model->body_count);
    sim->contact_search.travel = TRM_NEW_ARRAY(&sim->arena, double, model->body_count);
    sim->contact_search.pose = TRM_NEW_ARRAY(&sim->arena, trm_pose, model->body_count);
    for (int i = 0; sim->contact_search.reach && i < model->body_count; i++)
        sim->contact_search.reach[i] =
            model->bodies[i].inverse_mass > 0 || model->bodies[i].motion ? trm_body_reach(&model->bodies[i]) : 0;
    if (sim->steps.composition.stages > 1) {
        sim->modes.end = trm_state_create(model, &sim->arena.allocator);
        sim->modes.results = trm_extrapolation_results(sim->options.order);
    }
    for (int i = 0; i + 1 < sim->modes.results; i++)
        if (!(sim->steps.coarse[i] = trm_state_create(model, &sim->arena.allocator))) return false;
    return sim->stepper.collider && sim->contact_search.reach && sim->contact_search.travel &&
           sim->contact_search.pose && (sim->steps.composition.stages == 1 || sim->modes.end);
}

/* Names the bodies that are not where a pose places them, because a joint carries them. */
static void warn_of_carried(const trm_sim *sim, const trm_pose_def *pose, trm_messages *messages)
{
    for (int i = 0; i < pose->body_count; i++) {
        const trm_pose X = trm_body_pose(sim->state, trm_find_body(sim->state->model, pose->bodies[i].name));
        const double size = 1 + trm_v3_length(pose->bodies[i].position);
        if (trm_v3_length(trm_v3_sub(X.p, pose->bodies[i].position)) <= 1e-9 * size) continue;
        trm_add_warning(messages, (trm_place){0},
                        "pose '%s': the body '%s' is not placed: a joint carries it; give the joint's coordinates",
                        pose->name, pose->bodies[i].name);
    }
}

/* Sets the initial pose that the options name. Assembly closes loops afterwards. */
static trm_status take_pose(trm_sim *sim, trm_messages *messages)
{
    const char *name = sim->options.start;
    const int pose = name ? trm_find_pose(sim->state->model, name) : -1;
    if (!name) return TRM_OK;
    if (pose >= 0) {
        const trm_status status = trm_set_pose(sim->state, pose);
        if (status == TRM_OK) warn_of_carried(sim, &sim->state->model->poses[pose], messages);
        return status;
    }
    trm_add_error(messages, (trm_place){0}, "the model has no pose '%s' to start with", name);
    return TRM_BAD_INPUT;
}

static trm_status prepare(trm_sim *sim, const trm_model *model, trm_sim_demand demand, const trm_allocator *allocator,
                          trm_messages *messages)
{
    if (!trm_sim_take_options(sim, messages)) return TRM_BAD_INPUT;
    sim->state = trm_state_create(model, allocator);
    sim->steps.before = trm_state_create(model, allocator);
    sim->steps.unprojected = trm_state_create(model, allocator);
    if (!sim->state || !sim->steps.before || !sim->steps.unprojected) return TRM_OUT_OF_MEMORY;
    const trm_status posed = take_pose(sim, messages);
    if (posed != TRM_OK) return posed;
    sim->stepper = (trm_stepper){
        .model = model,
        .state = sim->state,
        .options = &sim->options,
        .counters = &sim->counters,
        .arena = &sim->arena,
        .most_operations = demand.most_operations,
    };
    sim->steps.sampling.interval = demand.sampling;
    const double order = sim->options.order;
    trm_sim_choose_scheme(sim);
    if (!prepare_steps(sim, model, allocator) || !prepare_events(sim, model, allocator, messages) ||
        !prepare_contacts(sim, model))
        return TRM_OUT_OF_MEMORY;
    sim->stepper.velocities_required = sim->steps.start != NULL;
    warn_of_unused(sim, order, sim->options.sleep, messages);
    sim->options.sleep = choose_sleep(sim);
    if (trm_sim_refuse_order(sim, messages) || refuse_with_contacts(sim, model, messages)) return TRM_BAD_INPUT;
    const trm_status status = trm_assemble_within(sim->state, &sim->options, allocator, messages, &sim->assembly);
    if (status != TRM_OK) return status;
    if (!trm_sim_find_overlaps(sim, messages)) return TRM_OUT_OF_MEMORY;
    if (trm_error_count(messages) > 0) return TRM_BAD_INPUT;
    const trm_status refused = refuse_unsupported(sim, sim->state, allocator, messages);
    if (refused == TRM_OK) warn_of_softness(sim->method, model, messages);
    return refused == TRM_OK && messages ? trm_messages_status(messages) : refused;
}

/* Copies the options of methods, with room for one more. */
static trm_option *copy_method_options(const trm_simulation_def *options, trm_arena *arena)
{
    trm_option *own = TRM_NEW_ARRAY(arena, trm_option, options->option_count + 1);
    for (int i = 0; own && i < options->option_count; i++) {
        const trm_option *given = &options->options[i];
        own[i] = (trm_option){.method = trm_arena_text(arena, given->method),
                              .name = trm_arena_text(arena, given->name),
                              .text = given->text ? trm_arena_text(arena, given->text) : NULL,
                              .number = given->number};
    }
    return own;
}

/* Copies the options and their texts. Returns false if out of memory. */
static bool copy_options(trm_sim *sim, const trm_simulation_def *options)
{
    sim->options = *options;
    sim->options.options = sim->method_options = copy_method_options(options, &sim->arena);
    sim->options.start = trm_arena_text(&sim->arena, options->start);
    sim->options.method = trm_arena_text(&sim->arena, options->method);
    sim->options.solver = trm_arena_text(&sim->arena, options->solver);
    sim->options.scheme = trm_arena_text(&sim->arena, options->scheme);
    sim->options.impact = trm_arena_text(&sim->arena, options->impact);
    sim->options.sleep = trm_arena_text(&sim->arena, options->sleep);
    sim->options.place.file = NULL;
    return !sim->arena.failed;
}

trm_status trm_sim_create_named(const trm_model *model, const trm_simulation_def *options, trm_sim_demand demand,
                                const trm_allocator *allocator, trm_messages *messages, trm_sim **sim)
{
    *sim = NULL;
    trm_sim *made = trm_owner_create(allocator, sizeof *made);
    if (!made) return TRM_OUT_OF_MEMORY;
    made->steps.trouble.ok = true;
    trm_monitor_start(&made->monitor);
    const bool copied = copy_options(made, options);
    const trm_status status =
        copied ? prepare(made, model, demand, &made->arena.allocator, messages) : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK)
        *sim = made;
    else
        trm_sim_destroy(made);
    return status;
}

trm_status trm_sim_create_sized(const trm_model *model, trm_sized given, const trm_allocator *allocator,
                                trm_messages *messages, trm_sim **sim)
{
    trm_simulation_def options = model->simulation;
    if (given.def) trm_read_def(TRM_DEF_SIMULATION, given, &options);
    if (options.method && strcmp(options.method, TRM_METHOD_AUTO) == 0)
        return trm_sim_create_automatic(model, &options, allocator, messages, sim);
    return trm_sim_create_named(model, &options, (trm_sim_demand){0}, allocator, messages, sim);
}

/* Calls the caller's allocator, from one thread at a time. */
static void *allocate_alone(void *context, size_t bytes)
{
    const trm_allocator *from = context;
    trm_lock_library();
    void *memory = from->allocate(from->context, bytes);
    trm_unlock_library();
    return memory;
}

static void release_alone(void *context, void *memory, size_t bytes)
{
    const trm_allocator *from = context;
    trm_lock_library();
    from->release(from->context, memory, bytes);
    trm_unlock_library();
}

/* Prepares the arenas of the threads. They stay empty until a step needs them. */
static void set_up_scratch(trm_sim *sim)
{
    const int threads = trm_most_threads();
    sim->alone = (trm_allocator){allocate_alone, release_alone, &sim->arena.allocator};
    for (int i = 0; i < TRM_MOST_SCRATCH; i++) trm_arena_init(&sim->scratch[i], &sim->alone);
    trm_arena_init(&sim->kept, &sim->arena.allocator);
    sim->stepper.kept = &sim->kept;
    sim->stepper.scratch = sim->scratch;
    sim->stepper.scratch_count = threads < TRM_MOST_SCRATCH ? threads : TRM_MOST_SCRATCH;
}

bool trm_sim_make_workspace(trm_sim *sim)
{
    if (sim->workspace) return true;
    set_up_scratch(sim);
    if (!trm_sim_find_replicated(sim)) return false;
    sim->workspace = sim->method->create(&sim->stepper);
    return sim->workspace != NULL;
}

void trm_sim_destroy(trm_sim *sim)
{
    if (!sim) return;
    trm_state_destroy(sim->state);
    trm_state_destroy(sim->steps.before);
    trm_state_destroy(sim->steps.unprojected);
    for (int i = 0; i < TRM_MOST_SEQUENCES - 1; i++) trm_state_destroy(sim->steps.coarse[i]);
    trm_state_destroy(sim->modes.end);
    trm_state_destroy(sim->steps.start);
    trm_state_destroy(sim->steps.whole);
    trm_state_destroy(sim->events.start);
    trm_state_destroy(sim->rows.older);
    trm_state_destroy(sim->rows.older_still);
    trm_state_destroy(sim->rows.between);
    for (int i = 0; i < TRM_MOST_SCRATCH; i++) trm_arena_destroy(&sim->scratch[i]);
    trm_arena_destroy(&sim->kept);
    trm_owner_destroy(sim, sizeof *sim);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The impulse method: forces and joints act as impulses at the ends of a step, and between them every body moves as
 * if it were free. Joint impulses are found by looking ahead one step (Schmitt 2003, P-steps 1 to 4). */

#include "methods/impulse/impulse.h"

#include <string.h>

#include "base/parallel.h"
#include "model/topology.h"

/* ---- The step ----------------------------------------------------------------------------- */

/* Velocities of a start, or what the caller has set, are made to fit before something reads them. */
static bool velocities_are_ready(trm_impulse *w, trm_outcome *outcome)
{
    return !w->velocities_needed || w->stepper->state->clock->velocities_fit ||
           trm_impulse_correct_velocities(w, 0, outcome);
}

/* A force in a joint acts in the impulses of a look-ahead for half of this step and, where velocities were not made to
 * fit at its beginning, for half of the last one too. Steps that nearly cancel, as composed ones may, tell nothing. */
static double span_of_impulses(const trm_impulse *w, double h)
{
    const trm_clock *clock = w->stepper->state->clock;
    const double span = clock->velocities_fit ? 0.5 * h : 0.5 * (clock->step + h);
    return fabs(span) > 0.1 * fabs(h) ? span : 0;
}

/* W += P h/2 at either end of the step. */
static void count_work(trm_impulse *w, double half)
{
    w->stepper->state->clock->work += half * trm_impulse_power(w);
}

/* Reads t, q, V; writes q(t+h), V(t+h). Half of each force acts at the beginning, half at the end; the second half of
 * a force that depends on velocities is found together with the velocities that it makes. */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_impulse *w = workspace;
    const double half = 0.5 * h;

    /* J, W, A <- q(t);  V <- forces at q(t) */
    if (!velocities_are_ready(w, outcome)) return false;
    w->span = span_of_impulses(w, h);
    trm_impulse_rows(w);
    count_work(w, half);
    if (!trm_impulse_kick(w, half, TRM_ALL_FORCES, outcome)) return false;

    /* q(t+h) <- V;  V <- c(q(t+h));  t, q, V <- look-ahead */
    trm_impulse_look_ahead(w, h);
    if (!trm_impulse_correct_joints(w, h, outcome)) return false;
    trm_impulse_advance(w, h);

    /* V <- forces at q(t+h);  V <- J V + c_t, where something reads velocities */
    if (!trm_impulse_kick(w, half, TRM_FORCES_OF_POSITION, outcome)) return false;
    if (!w->velocities_needed && !w->stepper->velocities_wanted) return true;
    if (!trm_impulse_correct_velocities(w, half, outcome)) return false;
    count_work(w, half);
    return true;
}

static bool fit_positions(void *workspace, trm_outcome *outcome)
{
    return trm_impulse_fit_positions(workspace, outcome);
}

/* Velocities that fit stay what they are; whether they do is looked up, for the caller may have set some. */
static bool fit_velocities(void *workspace, trm_outcome *outcome)
{
    return trm_impulse_correct_velocities(workspace, 0, outcome);
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    return trm_impulse_reactions(workspace, outcome);
}

static int dropped(const void *workspace, trm_row_name *rows, int most)
{
    const trm_impulse *w = workspace;
    return w->solver->dropped ? w->solver->dropped(w, rows, most) : 0;
}

/* ---- The workspace ------------------------------------------------------------------------ */

static bool reads_velocities(const trm_model *model)
{
    for (int i = 0; i < model->force_count; i++)
        if (trm_force_does_work(&model->forces[i])) return true;
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].kind == TRM_BODY_MOVING) return true;
    for (int i = 0; i < model->joint_count; i++)
        if (trm_joint_is_rheonomic(&model->joints[i])) return true;
    return false;
}

static bool is_driven(const trm_model *model, const trm_joint *joint)
{
    for (int b = 0; b < joint->body_count; b++)
        if (model->bodies[joint->body[b]].motion) return true;
    return trm_joint_is_rheonomic(joint);
}

static void make_joint(trm_impulse *w, int index, trm_arena *arena, trm_impulse_joint *made)
{
    const trm_joint *joint = &w->stepper->model->joints[index];
    const int rows = joint->rows;
    const bool driven = is_driven(w->stepper->model, joint);
    *made = (trm_impulse_joint){
        .joint = joint,
        .index = index,
        .J = TRM_NEW_ARRAY(arena, trm_spatial, rows * joint->body_count),
        .W = TRM_NEW_ARRAY(arena, trm_spatial, rows * joint->body_count),
        .inverse = w->solver->wants_inverse ? TRM_NEW_ARRAY(arena, double, rows *rows) : NULL,
        .driven = driven,
        .drive = driven ? TRM_NEW_ARRAY(arena, double, rows) : NULL,
        .c_t = driven ? TRM_NEW_ARRAY(arena, double, rows) : NULL,
    };
}

/* Counting sort of the attached joints by island; islands without joints are none. */
static bool sort_joints(trm_impulse *w, const trm_topology *topology, trm_arena *arena, trm_arena *scratch)
{
    const int joints = w->stepper->model->joint_count;
    int *next = TRM_NEW_ARRAY(scratch, int, topology->island_count + 1);
    w->first_joint = TRM_NEW_ARRAY(arena, int, topology->island_count + 1);
    w->joints = TRM_NEW_ARRAY(arena, trm_impulse_joint, joints);
    if (!next || !w->first_joint || !w->joints) return false;
    for (int j = 0; j < joints; j++)
        if (topology->island_of_joint[j] >= 0) next[topology->island_of_joint[j]]++;
    for (int i = 0; i < topology->island_count; i++) {
        const int here = next[i];
        next[i] = w->joint_count;
        w->joint_count += here;
        if (here > 0) w->first_joint[++w->island_count] = w->joint_count;
    }
    for (int j = 0; j < joints; j++)
        if (topology->island_of_joint[j] >= 0)
            make_joint(w, j, arena, &w->joints[next[topology->island_of_joint[j]]++]);
    return !arena->failed;
}

static bool make_joints(trm_impulse *w, trm_arena *arena)
{
    trm_arena scratch;
    trm_topology topology;
    trm_arena_init(&scratch, &arena->allocator);
    const bool made = trm_topology_find(w->stepper->model, w->stepper->state->attached, &scratch, &topology) &&
                      sort_joints(w, &topology, arena, &scratch);
    trm_arena_destroy(&scratch);
    return made;
}

static bool make_dampers(trm_impulse *w, trm_arena *arena)
{
    const trm_model *model = w->stepper->model;
    w->dampers = TRM_NEW_ARRAY(arena, trm_impulse_damper, model->force_count);
    for (int i = 0; w->dampers && i < model->force_count; i++)
        if (model->forces[i].type->row && trm_force_depends_on_velocity(&model->forces[i]))
            w->dampers[w->damper_count++] = (trm_impulse_damper){.force = i};
    return w->dampers != NULL;
}

static void *create(trm_stepper *stepper)
{
    const int bodies = stepper->model->body_count;
    trm_arena *arena = stepper->arena;
    trm_impulse *w = TRM_NEW(arena, trm_impulse);
    if (!w) return NULL;
    w->stepper = stepper;
    w->solver = strcmp(stepper->options->solver, "direct") == 0 ? &trm_impulse_direct : &trm_impulse_iterative;
    w->outlook = TRM_NEW_ARRAY(arena, trm_outlook, bodies);
    w->ahead = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->moved = TRM_NEW_ARRAY(arena, bool, bodies);
    w->held = TRM_NEW_ARRAY(arena, bool, bodies);
    w->inverse_inertia = TRM_NEW_ARRAY(arena, trm_mat3, bodies);
    w->acceleration = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->gamma = TRM_NEW_ARRAY(arena, double, stepper->model->row_count);
    w->wrench = TRM_NEW_ARRAY(arena, trm_spatial, 2 * stepper->model->force_count);
    w->called = TRM_NEW_ARRAY(arena, trm_spatial, stepper->called_count);
    w->rows_pose = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->rows_time = NAN;
    w->per_tolerance = (trm_gap){1 / stepper->options->position_tolerance, 1 / stepper->options->angle_tolerance};
    w->threads = bodies >= TRM_IMPULSE_MANY ? trm_most_threads() : 1;
    w->velocities_needed = stepper->called_count > 0 || reads_velocities(stepper->model);
    for (int i = 0; w->held && i < bodies; i++) w->held[i] = stepper->model->bodies[i].inverse_mass == 0;
    if (arena->failed || !make_joints(w, arena) || !make_dampers(w, arena)) return NULL;
    if (w->solver->create && !w->solver->create(w)) return NULL;
    return w;
}

enum {
    CAN = TRM_CAN_LOOPS | TRM_CAN_REDUNDANT | TRM_CAN_RHEONOMIC | TRM_CAN_DAMPING | TRM_CAN_RIGID | TRM_CAN_DISTANCE
};

const trm_method trm_method_impulse = {
    .name = "impulse",
    .can = CAN,
    .create = create,
    .step = step,
    .fit_positions = fit_positions,
    .fit_velocities = fit_velocities,
    .reactions = reactions,
    .dropped = dropped,
};

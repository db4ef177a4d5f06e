/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "methods/maximal/maximal.h"

#include <string.h>

#include "base/parallel.h"
#include "methods/ranks/rank_map.h"
#include "model/topology.h"

/* Returns whether forces, moving bodies or joints of the model read velocities in every step. */
static bool reads_velocities(const trm_model *model)
{
    for (int i = 0; i < model->force_count; i++)
        if (trm_force_does_work(&model->forces[i])) return true;
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].kind == TRM_BODY_MOVING) return true;
    for (int i = 0; i < model->joint_count; i++)
        if (trm_joint_is_rheonomic(&model->joints[i]) || isfinite(model->joints[i].most)) return true;
    return false;
}

static bool is_driven(const trm_model *model, const trm_joint *joint)
{
    for (int b = 0; b < joint->body_count; b++)
        if (model->bodies[joint->body[b]].motion) return true;
    return trm_joint_is_rheonomic(joint);
}

static void make_rows(const trm_maximal *w, trm_arena *arena, trm_maximal_joint *made)
{
    const trm_joint *joint = made->joint;
    const int rows = joint->rows;
    const bool driven = is_driven(w->stepper->model, joint);
    *made = (trm_maximal_joint){
        .joint = joint,
        .index = made->index,
        .J = TRM_NEW_ARRAY(arena, trm_spatial, rows * joint->body_count),
        .W = TRM_NEW_ARRAY(arena, trm_spatial, rows * joint->body_count),
        .inverse = w->solver->needs_inverse ? TRM_NEW_ARRAY(arena, double, rows *rows) : NULL,
        .driven = driven,
        .drive = driven ? TRM_NEW_ARRAY(arena, double, rows) : NULL,
        .c_t = driven ? TRM_NEW_ARRAY(arena, double, rows) : NULL,
    };
}

/* Sorts the joints by island (counting sort); only islands with joints count. Joints that are not attached are
 * included, because they may be attached later. */
static bool sort_joints(trm_maximal *w, const trm_topology *topology, trm_arena *arena, trm_arena *scratch)
{
    const int joints = w->stepper->model->joint_count;
    int *next = TRM_NEW_ARRAY(scratch, int, topology->island_count + 1);
    w->first_joint = TRM_NEW_ARRAY(arena, int, topology->island_count + 1);
    w->joints = TRM_NEW_ARRAY(arena, trm_maximal_joint, joints);
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
            w->joints[next[topology->island_of_joint[j]]++] =
                (trm_maximal_joint){.joint = &w->stepper->model->joints[j], .index = j};
    return true;
}

/* With several ranks, keeps only the known joints, in their order. */
static bool keep_known_joints(trm_maximal *w, trm_arena *arena)
{
    int kept = 0;
    for (int i = 0, from = 0; i < w->island_count; i++) {
        const int to = w->first_joint[i + 1];
        for (int j = from; j < to; j++)
            if (trm_rank_map_knows_joint(w->rank_map, w->joints[j].index)) w->joints[kept++] = w->joints[j];
        w->first_joint[i + 1] = kept;
        from = to;
    }
    w->joint_count = kept;
    for (int j = 0; j < kept; j++) make_rows(w, arena, &w->joints[j]);
    return !arena->failed;
}

static bool list_known_bodies(trm_maximal *w, trm_arena *arena)
{
    w->bodies = TRM_NEW_ARRAY(arena, int, w->stepper->model->body_count);
    for (int i = 0; w->bodies && i < w->stepper->model->body_count; i++)
        if (trm_rank_map_knows_body(w->rank_map, i)) w->bodies[w->body_count++] = i;
    return w->bodies != NULL;
}

static bool find_island_of_bodies(trm_maximal *w, trm_arena *arena)
{
    const trm_model *model = w->stepper->model;
    w->island_of = TRM_NEW_ARRAY(arena, int, model->body_count);
    for (int i = 0; w->island_of && i < model->body_count; i++) w->island_of[i] = -1;
    for (int i = 0; w->island_of && i < w->island_count; i++)
        for (int j = w->first_joint[i]; j < w->first_joint[i + 1]; j++)
            for (int b = 0; b < w->joints[j].joint->body_count; b++) {
                const int body = w->joints[j].joint->body[b];
                if (model->bodies[body].inverse_mass > 0) w->island_of[body] = i;
            }
    return w->island_of != NULL;
}

bool trm_maximal_list_joints(trm_maximal *w, trm_arena *arena)
{
    trm_arena scratch;
    trm_topology topology;
    trm_arena_init(&scratch, &arena->allocator);
    bool *all = TRM_NEW_ARRAY(&scratch, bool, w->stepper->model->joint_count);
    for (int j = 0; all && j < w->stepper->model->joint_count; j++) all[j] = true;
    const bool made = all && trm_topology_find(w->stepper->model, all, &scratch, &topology) &&
                      sort_joints(w, &topology, arena, &scratch) && find_island_of_bodies(w, arena);
    trm_arena_destroy(&scratch);
    return made;
}

/* Returns the number of rows of a force, which does not depend on the pose. */
static int rows_of_force(const trm_maximal *w, int force)
{
    trm_force_row rows[TRM_FORCE_ROWS];
    const trm_force_at at = trm_force_now(w->stepper->state, force);
    return trm_force_depends_on_velocity(at.force) ? at.force->type->rows(&at, rows) : 0;
}

static bool make_dampers(trm_maximal *w, trm_arena *arena)
{
    const trm_model *model = w->stepper->model;
    int most = 0;
    for (int i = 0; i < model->force_count; i++) most += rows_of_force(w, i);
    w->dampers.list = TRM_NEW_ARRAY(arena, trm_maximal_damper, most);
    for (int i = 0; w->dampers.list && i < model->force_count; i++)
        for (int row = 0, rows = rows_of_force(w, i); row < rows; row++)
            w->dampers.list[w->dampers.count++] = (trm_maximal_damper){.force = i, .index = row};
    return w->dampers.list != NULL;
}

/* Returns the number of forces without gravity forces, which come last. */
static int count_forces(const trm_model *model)
{
    int count = model->force_count;
    while (count > 0 && model->forces[count - 1].type == &trm_force_gravity) count--;
    return count;
}

/* At most this many rows of forces are solved together. */
enum { MOST_TOGETHER = 64 };

static bool list_springs(trm_maximal *w, trm_arena *arena)
{
    const int n = w->dampers.count;
    w->dampers.springs = TRM_NEW_ARRAY(arena, int, n);
    for (int i = 0; w->dampers.springs && i < n; i++)
        if (w->stepper->model->forces[w->dampers.list[i].force].treatment != TRM_TREAT_EXPLICIT)
            w->dampers.springs[w->dampers.spring_count++] = i;
    w->dampers.residuals = TRM_NEW_ARRAY(arena, double, n);
    if (n > MOST_TOGETHER) return !arena->failed;
    w->dampers.responses = TRM_NEW_ARRAY(arena, double, n *n);
    w->dampers.matrix = TRM_NEW_ARRAY(arena, double, 2 * n * n);
    return !arena->failed;
}

static bool list_slips(trm_maximal *w, trm_arena *arena)
{
    const trm_model *model = w->stepper->model;
    w->forces.slips = TRM_NEW_ARRAY(arena, int, model->joint_count);
    for (int j = 0; w->forces.slips && j < model->joint_count; j++)
        if (isfinite(model->joints[j].most)) w->forces.slips[w->forces.slip_count++] = j;
    return w->forces.slips != NULL;
}

const trm_maximal_solver *trm_maximal_solver_of(const trm_simulation_def *options)
{
    static const trm_maximal_solver *const solvers[] = {&trm_maximal_direct, &trm_maximal_iterative,
                                                        &trm_maximal_hierarchy};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (strcmp(options->solver, solvers[i]->name) == 0) return solvers[i];
    return &trm_maximal_direct;
}

int trm_maximal_dropped(const trm_maximal *w, trm_row_name *rows, int most)
{
    return w->solver->dropped ? w->solver->dropped(w, rows, most) : 0;
}

trm_maximal *trm_maximal_create(trm_stepper *stepper, const trm_maximal_solver *solver)
{
    const int bodies = stepper->model->body_count;
    trm_arena *arena = stepper->arena;
    trm_maximal *w = TRM_NEW(arena, trm_maximal);
    if (!w) return NULL;
    w->stepper = stepper;
    stepper->machine = w;
    w->solver = solver;
    w->look.start = TRM_NEW_ARRAY(arena, trm_flight, bodies);
    w->look.ahead = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->look.moved = TRM_NEW_ARRAY(arena, bool, bodies);
    w->look.spin = TRM_NEW_ARRAY(arena, trm_vec3, bodies);
    w->held = TRM_NEW_ARRAY(arena, bool, bodies);
    w->turned = TRM_NEW_ARRAY(arena, bool, bodies);
    w->inverse_inertia = TRM_NEW_ARRAY(arena, trm_mat3, bodies);
    w->accelerations.a = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->accelerations.lambda = TRM_NEW_ARRAY(arena, double, stepper->model->row_count);
    w->accelerations.gamma = TRM_NEW_ARRAY(arena, double, stepper->model->row_count);
    w->forces.count = count_forces(stepper->model);
    w->forces.wrench = TRM_NEW_ARRAY(arena, trm_spatial, TRM_JOINT_BODIES * (size_t)w->forces.count);
    w->forces.called = TRM_NEW_ARRAY(arena, trm_spatial, stepper->called_count);
    w->rows_at.pose = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->rows_at.inputs = TRM_NEW_ARRAY(arena, double, stepper->model->input_count);
    w->rows_at.choice = TRM_NEW_ARRAY(arena, double, stepper->model->memory_count - stepper->model->choice_start);
    w->rows_at.on = TRM_NEW_ARRAY(arena, bool, stepper->model->joint_count);
    w->rows_at.time = NAN;
    w->per_tolerance = (trm_gap){1 / stepper->options->position_tolerance, 1 / stepper->options->angle_tolerance};
    w->threads = bodies >= TRM_MAXIMAL_MANY ? trm_most_threads() : 1;
    for (int j = 0; j < stepper->model->joint_count; j++)
        w->needs.work |= is_driven(stepper->model, &stepper->model->joints[j]);
    w->needs.velocities = stepper->called_count > 0 || reads_velocities(stepper->model);
    for (int i = 0; w->held && i < bodies; i++) w->held[i] = stepper->model->bodies[i].inverse_mass == 0;
    const bool made = !arena->failed && trm_maximal_list_joints(w, arena) &&
                      (!w->solver->plan || w->solver->plan(w)) && keep_known_joints(w, arena) &&
                      list_known_bodies(w, arena) && make_dampers(w, arena) && list_springs(w, arena) &&
                      list_slips(w, arena) && (!w->solver->create || w->solver->create(w));
    if (w->solver->end_plan) w->solver->end_plan(w);
    return made ? w : NULL;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The coordinates on which goals depend, and the rows of goals, loops and limits (goal_step.h). */

#include <math.h>
#include <string.h>

#include "analysis/goal_step.h"
#include "math/rotation.h"
#include "model/topology.h"

/* ---- Which coordinates -------------------------------------------------------------------- */

/* Visits the coordinates between a body and the root. With `mark`, marks them and returns whether one was new.
 * Without it, returns whether one is marked. */
static bool visit_path(const trm_goal_problem *p, int body, bool mark, bool *marked)
{
    bool found = false;
    for (int i = p->tree->link_of[body]; i >= 0; i = p->tree->link_of[p->tree->links[i].parent])
        for (int k = 0; k < p->tree->links[i].count; k++) {
            bool *here = &marked[p->tree->links[i].first + k];
            found = found || *here != mark;
            if (mark) *here = true;
        }
    return found;
}

static bool touches(const trm_goal_problem *p, const trm_joint *joint, bool *marked)
{
    bool any = false;
    for (int b = 0; b < joint->body_count; b++) any = any || visit_path(p, joint->body[b], false, marked);
    return any;
}

/* Marks the coordinates of goals, and of all joints that close loops with them. */
static void mark_coordinates(const trm_goal_problem *p, bool *marked)
{
    bool grew = true;
    for (int g = 0; g < p->goal_count; g++) visit_path(p, p->goals[g].body, true, marked);
    while (grew) {
        grew = false;
        for (int i = 0; i < p->tree->cut_count; i++) {
            const trm_joint *joint = &p->model->joints[p->tree->cuts[i]];
            if (!touches(p, joint, marked)) continue;
            for (int b = 0; b < joint->body_count; b++) grew = visit_path(p, joint->body[b], true, marked) || grew;
        }
    }
}

static bool is_among(int number, const int *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] == number) return true;
    return false;
}

static bool is_held(const trm_inverse_kinematics_def *def, const trm_link *link)
{
    return link->index >= 0 ? is_among(link->index, def->held, def->held_count)
                            : is_among(link->body, def->held_bodies, def->held_body_count);
}

static void number_coordinates(trm_goal_problem *p, const trm_inverse_kinematics_def *def, const bool *marked)
{
    for (int i = 0; i < p->tree->link_count; i++) {
        const trm_link *link = &p->tree->links[i];
        for (int k = 0; k < link->count; k++) {
            const int at = link->first + k;
            p->column[at] = -1;
            if (!marked[at] || is_held(def, link)) continue;
            p->coordinate[p->n] = at;
            p->unit[p->n] = trm_link_turns(link, k) ? 1 : p->reach;
            p->column[at] = p->n++;
        }
    }
}

/* ---- Which rows --------------------------------------------------------------------------- */

/* Returns whether a joint contributes rows: drives, motors and friction do not. */
static bool takes_part(const trm_joint *joint)
{
    const bool drives = (joint->type->takes & TRM_TAKES_JOINT) && trm_joint_is_rheonomic(joint);
    return !joint->one_sided && !isfinite(joint->most) && !drives;
}

static void list_rows(trm_goal_problem *p, const trm_state *state, const trm_inverse_kinematics_def *def,
                      bool *marked)
{
    for (int i = 0; i < p->tree->cut_count; i++) {
        const trm_joint *joint = &p->model->joints[p->tree->cuts[i]];
        if (!touches(p, joint, marked)) continue;
        p->joints.closing[p->joints.closing_count++] = p->tree->cuts[i];
        p->phi_count += joint->rows;
        if (!is_among(p->tree->cuts[i], def->held, def->held_count)) continue;
        trm_joint_values(p->state, p->tree->cuts[i], p->joints.held_at + p->joints.held_count * TRM_JOINT_COORDINATES,
                         NULL);
        p->joints.held[p->joints.held_count++] = p->tree->cuts[i];
        p->phi_count += joint->coordinates;
    }
    for (int j = 0; j < p->model->joint_count; j++) {
        const trm_joint *joint = &p->model->joints[j];
        if (!joint->one_sided || !state->attached[j] || joint->rows != 1 || !touches(p, joint, marked)) continue;
        p->joints.bounds[p->c_count++] = j;
    }
    for (int g = 0; g < p->goal_count; g++) {
        const trm_vec3 x = p->goals[g].position;
        p->r_count += !isnan(x.x) + !isnan(x.y) + !isnan(x.z) + (p->goals[g].oriented ? 3 : 0);
    }
}

/* ---- Creating ----------------------------------------------------------------------------- */

/* Returns the longest path along the links from the root to a goal, m. */
static double find_reach(const trm_goal_problem *p)
{
    double most = 0;
    for (int g = 0; g < p->goal_count; g++) {
        double sum = trm_v3_length(p->goals[g].frame.p);
        for (int i = p->tree->link_of[p->goals[g].body]; i >= 0; i = p->tree->link_of[p->tree->links[i].parent])
            if (p->tree->links[i].index >= 0)
                sum += trm_v3_length(
                    trm_v3_sub(p->state->pose[p->tree->links[i].body].p, p->state->pose[p->tree->links[i].parent].p));
        most = fmax(most, sum);
    }
    return most > 0 ? most : 1;
}

static bool make_lists(trm_goal_problem *p)
{
    trm_arena *a = &p->arena;
    const int all = p->tree->coordinates, joints = p->model->joint_count;
    p->coordinate = TRM_NEW_ARRAY(a, int, all), p->column = TRM_NEW_ARRAY(a, int, all);
    p->unit = TRM_NEW_ARRAY(a, double, all);
    p->y = TRM_NEW_ARRAY(a, double, all), p->room = TRM_NEW_ARRAY(a, double, all);
    p->start = TRM_NEW_ARRAY(a, double, all), p->tried = TRM_NEW_ARRAY(a, double, all);
    p->memory = trm_arena_copy(a, p->state->memory, (size_t)p->model->memory_count, sizeof *p->memory);
    p->joints.closing = TRM_NEW_ARRAY(a, int, joints), p->joints.held = TRM_NEW_ARRAY(a, int, joints);
    p->joints.held_at = TRM_NEW_ARRAY(a, double, (size_t)joints *TRM_JOINT_COORDINATES);
    p->joints.bounds = TRM_NEW_ARRAY(a, int, joints);
    return !a->failed;
}

static bool make_matrices(trm_goal_problem *p)
{
    trm_arena *a = &p->arena;
    const size_t n = (size_t)p->n;
    const int most = p->phi_count > p->n ? p->phi_count : p->n;
    p->r = TRM_NEW_ARRAY(a, double, p->r_count), p->J = TRM_NEW_ARRAY(a, double, (size_t)p->r_count *n);
    p->phi = TRM_NEW_ARRAY(a, double, p->phi_count), p->G = TRM_NEW_ARRAY(a, double, (size_t)p->phi_count *n);
    p->c = TRM_NEW_ARRAY(a, double, p->c_count), p->A = TRM_NEW_ARRAY(a, double, (size_t)p->c_count *n);
    p->step.d = TRM_NEW_ARRAY(a, double, n), p->step.d0 = TRM_NEW_ARRAY(a, double, n),
    p->step.z = TRM_NEW_ARRAY(a, double, n);
    p->step.right = TRM_NEW_ARRAY(a, double, most), p->step.H = TRM_NEW_ARRAY(a, double, n *n);
    p->step.null = trm_null_space_create(a, p->phi_count, p->n);
    return !a->failed;
}

static bool fill(trm_goal_problem *p, const trm_state *state, const trm_inverse_kinematics_def *def)
{
    char ignored[2]; /* no names are given that could be wrong */
    p->state = trm_state_create(p->model, &p->arena.allocator);
    if (!p->state) return false;
    trm_state_copy(p->state, state);
    for (int j = 0; j < p->model->joint_count; j++)
        p->state->attached[j] = p->state->attached[j] && takes_part(&p->model->joints[j]);
    p->tree = trm_tree_create(p->state, (trm_tree_options){0}, &p->arena, ignored, sizeof ignored);
    if (!p->tree || !make_lists(p)) return false;
    bool *marked = TRM_NEW_ARRAY(&p->arena, bool, p->tree->coordinates);
    if (!marked) return false;
    p->reach = find_reach(p);
    mark_coordinates(p, marked);
    number_coordinates(p, def, marked);
    list_rows(p, state, def, marked);
    trm_tree_set_time(p->tree, state->clock->time);
    trm_tree_read(p->tree, p->state, p->start, p->room);
    memcpy(p->y, p->start, (size_t)p->tree->coordinates * sizeof *p->y);
    return make_matrices(p);
}

bool trm_goal_problem_create(trm_goal_problem *p, const trm_state *state, const trm_goal *goals, int goal_count,
                             const trm_inverse_kinematics_def *def, const trm_allocator *allocator)
{
    *p = (trm_goal_problem){.model = state->model, .goals = goals, .goal_count = goal_count};
    trm_arena_init(&p->arena, allocator);
    trm_arena_init(&p->scratch, allocator);
    return fill(p, state, def);
}

void trm_goal_problem_destroy(trm_goal_problem *p)
{
    trm_state_destroy(p->state);
    trm_arena_destroy(&p->scratch);
    trm_arena_destroy(&p->arena);
}

/* ---- Poses -------------------------------------------------------------------------------- */

void trm_goal_place(trm_goal_problem *p, const double *y, bool restart)
{
    trm_tree *tree = p->tree;
    if (y != p->y) memcpy(p->y, y, (size_t)tree->coordinates * sizeof *y);
    memset(p->room, 0, (size_t)tree->coordinates * sizeof *p->room);
    for (int b = 0; b < tree->branch_count; b++) {
        trm_tree_place(tree, &tree->branches[b], y);
        trm_tree_move(tree, &tree->branches[b], y, p->room);
    }
    trm_tree_write(tree, p->state);
    if (restart) memcpy(p->state->memory, p->memory, (size_t)p->model->memory_count * sizeof *p->memory);
    trm_remember_turns(p->state, 0, NULL);
    for (int b = 0; b < tree->branch_count; b++) trm_tree_set_turns(tree, &tree->branches[b], y, p->state->memory);
}

/* ---- Residuals ---------------------------------------------------------------------------- */

static double unit_of(const trm_goal_problem *p, const trm_joint *joint, int row)
{
    return joint->angular[row] ? 1 : p->reach;
}

static trm_vec3 turn_left(const trm_goal_problem *p, const trm_goal *goal)
{
    const trm_pose X = trm_pose_mul(trm_body_pose(p->state, goal->body), goal->frame);
    return trm_quat_log(trm_quat_mul(trm_quat_unit(goal->orientation), trm_quat_conj(X.q)));
}

static void find_goals_left(trm_goal_problem *p)
{
    double *r = p->r;
    for (int g = 0; g < p->goal_count; g++) {
        const trm_goal *goal = &p->goals[g];
        const trm_vec3 at = trm_point_position(p->state, goal->body, goal->frame.p), turn = turn_left(p, goal);
        const double left[] = {goal->position.x - at.x, goal->position.y - at.y, goal->position.z - at.z};
        for (int k = 0; k < 3; k++)
            if (!isnan(left[k])) *r++ = left[k] / p->reach;
        if (goal->oriented) *r++ = turn.x, *r++ = turn.y, *r++ = turn.z;
    }
}

void trm_goal_residuals(trm_goal_problem *p)
{
    double *phi = p->phi, q[TRM_JOINT_COORDINATES];
    find_goals_left(p);
    for (int i = 0; i < p->joints.closing_count; i++) {
        const trm_joint *joint = &p->model->joints[p->joints.closing[i]];
        trm_joint_residual_at(joint, p->tree->pose, p->tree->t, p->state->memory, phi);
        for (int k = 0; k < joint->rows; k++) *phi++ /= unit_of(p, joint, k);
    }
    for (int i = 0; i < p->joints.held_count; i++) {
        const trm_joint *joint = &p->model->joints[p->joints.held[i]];
        const trm_joint_at at = trm_joint_now(p->state, p->joints.held[i]);
        trm_joint_coordinates(&at, q);
        for (int k = 0; k < joint->coordinates; k++)
            *phi++ = (q[k] - p->joints.held_at[i * TRM_JOINT_COORDINATES + k]) /
                     (joint->type->kind[k] == TRM_COORDINATE_LENGTH ? p->reach : 1);
    }
    for (int i = 0; i < p->c_count; i++) {
        const trm_joint *joint = &p->model->joints[p->joints.bounds[i]];
        trm_joint_residual_at(joint, p->tree->pose, p->tree->t, p->state->memory, &p->c[i]);
        p->c[i] /= unit_of(p, joint, 0);
    }
}

double trm_goal_violation(const trm_goal_problem *p)
{
    double most = 0;
    for (int i = 0; i < p->phi_count; i++) most = fmax(most, fabs(p->phi[i]));
    for (int i = 0; i < p->c_count; i++) most = fmax(most, p->c[i]);
    return most;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Projects a row, given by spatial vectors on bodies, onto the coordinates: per unit of y, divided by the unit of
 * the row. */
static void project(trm_goal_problem *p, const int *bodies, const trm_spatial *J, int count, double unit, double *row)
{
    memset(p->room, 0, (size_t)p->tree->coordinates * sizeof *p->room);
    for (int b = 0; b < count; b++) trm_tree_project(p->tree, bodies[b], J[b], 0, p->room);
    for (int i = 0; i < p->n; i++) row[i] = p->unit[i] * p->room[p->coordinate[i]] / unit;
}

static double *joint_rows(trm_goal_problem *p, const trm_joint *joint, double *to)
{
    trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
    trm_joint_jacobian_at(joint, p->tree->pose, p->tree->t, p->state->memory, J);
    for (int k = 0; k < joint->rows; k++, to += p->n)
        project(p, joint->body, J + k * joint->body_count, joint->body_count, unit_of(p, joint, k), to);
    return to;
}

static double *held_rows(trm_goal_problem *p, int held, double *to)
{
    const trm_joint_at at = trm_joint_now(p->state, held);
    for (int k = 0; k < at.joint->coordinates; k++, to += p->n) {
        trm_spatial G[TRM_JOINT_BODIES];
        trm_joint_coordinate_row(&at, k, G);
        project(p, at.joint->body, G, at.joint->body_count,
                at.joint->type->kind[k] == TRM_COORDINATE_LENGTH ? p->reach : 1, to);
    }
    return to;
}

static double *goal_rows(trm_goal_problem *p, const trm_goal *goal, double *to)
{
    const double wanted[] = {goal->position.x, goal->position.y, goal->position.z};
    const trm_vec3 none = {0, 0, 0};
    const trm_vec3 arm =
        trm_v3_sub(trm_point_position(p->state, goal->body, goal->frame.p), p->tree->pose[goal->body].p);
    for (int k = 0; k < 3; k++) {
        const trm_spatial e = trm_sp(trm_v3_cross(arm, trm_axis(k)), trm_axis(k));
        if (isnan(wanted[k])) continue;
        project(p, &goal->body, &e, 1, p->reach, to);
        to += p->n;
    }
    for (int k = 0; goal->oriented && k < 3; k++, to += p->n) {
        const trm_spatial e = trm_sp(trm_axis(k), none);
        project(p, &goal->body, &e, 1, 1, to);
    }
    return to;
}

void trm_goal_rows(trm_goal_problem *p)
{
    double *J = p->J, *G = p->G, *A = p->A;
    for (int g = 0; g < p->goal_count; g++) J = goal_rows(p, &p->goals[g], J);
    for (int i = 0; i < p->joints.closing_count; i++) G = joint_rows(p, &p->model->joints[p->joints.closing[i]], G);
    for (int i = 0; i < p->joints.held_count; i++) G = held_rows(p, p->joints.held[i], G);
    for (int i = 0; i < p->c_count; i++) A = joint_rows(p, &p->model->joints[p->joints.bounds[i]], A);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method minimal: start, steps and options (minimal.h).
 *
 * A loop may pass poses at which its rows are dependent for an instant. Near such a pose the dependent quantities
 * have errors of the size of rounding over the square of the distance, and an integrator that ends a step there
 * makes ever shorter steps towards the pose. Therefore no step may end there: it is repeated with a shorter length,
 * and the next step passes over the pose. Requested times within that step are interpolated between its ends
 * (between.c). */

#include "methods/minimal/minimal.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "linalg/dense.h"

/* s: the longest first step of the integrator, which adapts it at once. A larger or smaller value changes only the
 * first steps. Tests pass with a tenth and with ten times of it. */
static const double FIRST_STEP = 0.01;
/* At the end of a step at least this fraction of each column of G_D must be independent of the others; the golden
 * ratio varies the length of repeated steps. A larger NEARLY_SINGULAR repeats steps more often, a smaller one loses
 * digits near dead centres. Tests pass with a tenth and with ten times of it. */
static const double NEARLY_SINGULAR = 0.01, GOLDEN = 0.6180339887498949;
/* A step may end near a singular pose if at least this part is left of what was independent at its start. A larger
 * value repeats more steps, a smaller one ends steps where rounding dominates. */
static const double MUCH_NEARER = 0.5;
enum { MOST_STEPS_BACK = 8 };
/* Number of poses near the start at which rows are counted. */
enum { NEARBY_POSES = 3 };
/* m/s, rad/s: largest velocity error of joints. A larger value starts with velocities that violate loops, a smaller
 * one projects velocities that satisfy them. Tests pass with a tenth and with ten times of it. */
static const double VELOCITY_GAP = 1e-9;
/* If less than this fraction of a step remains, the rest is rounding. A larger value ends steps early by as much, a
 * smaller one makes steps of the size of rounding. */
static const double AT_GOAL = 1e-10;
/* Operations per coordinate of the recursions over a tree. A larger or smaller value only affects which method
 * `auto` expects to be faster. */
static const double OPERATIONS_PER_COORDINATE = 200;
/* s, and fraction of the run: length to which an error per second refers before the first phase of the integrator has
 * found the length of its steps. A larger value makes larger errors at the start, a smaller one shorter first
 * steps. */
static const double USUAL_STEP = 0.02;
/* Default relative error of the integrator (--error). A larger value is faster and less accurate, a smaller one
 * slower. Tests pass with a tenth and with ten times of it. */
static const double TOLERANCE = 1e-9;

/* ---- Starting ----------------------------------------------------------------------------- */

static bool fails(trm_outcome *outcome, double residual, const char *element, const char *why)
{
    return trm_fail(outcome, residual, element, NULL, "%s", why);
}

static bool fails_at(const trm_joint *joint, const char *why, trm_outcome *outcome)
{
    char element[80];
    snprintf(element, sizeof element, "joint '%s'", joint->name);
    return fails(outcome, NAN, element, why);
}

static bool cannot_be_closed(const trm_loop *loop, const char *why, trm_outcome *outcome)
{
    return fails_at(loop->joints[0], why, outcome);
}

/* Finds the choices of coordinates of a loop at the pose in y. Returns false when out of memory, or if some
 * coordinate moves no mass. */
static bool find_loop_choices(trm_minimal *w, trm_loop *l, const double *y, trm_loop_choice *choice,
                              trm_arena *scratch)
{
    double *values = TRM_NEW_ARRAY(scratch, double, l->m);
    if (!values) return false;
    trm_loop_place(l, w->tree, y);
    trm_loop_rows(l, w->tree, w->memory);
    trm_loop_free_values(l, w->tree, w->memory, values);
    return trm_loop_factorise_mass(l, w->tree, w->dynamics) && trm_loop_find_weights(l, scratch) &&
           trm_choice_find(l, values, choice, scratch);
}

/* Returns whether the pose is singular: rows are redundant here but not nearby, so the loop has more freedom only
 * here. */
static bool is_singular(trm_minimal *w, trm_loop *l, int rank, trm_arena *scratch)
{
    double *y = TRM_NEW_ARRAY(scratch, double, w->tree->coordinates);
    trm_random random = trm_random_seed(1);
    for (int i = 0; y && i < NEARBY_POSES && rank < l->m && rank < l->n; i++) {
        trm_loop_choice there;
        memcpy(y, w->now.y, (size_t)w->tree->coordinates * sizeof *y);
        if (!trm_loop_find_nearby(l, w->tree, w->memory, y, &random, scratch)) continue;
        if (find_loop_choices(w, l, y, &there, scratch) && there.rank > rank) return true;
    }
    return false;
}

/* Chooses the coordinates of one loop at the pose of w->now. */
static bool choose_for_loop(trm_minimal *w, trm_loop *l, trm_arena *scratch, trm_outcome *outcome)
{
    trm_loop_choice choice;
    if (!find_loop_choices(w, l, w->now.y, &choice, scratch))
        return scratch->failed ? trm_fail_memory(outcome, "method minimal")
                               : cannot_be_closed(l, "closes a loop without mass", outcome);
    const bool singular = is_singular(w, l, choice.rank, scratch);
    if (scratch->failed) return trm_fail_memory(outcome, "method minimal");
    if (singular)
        return cannot_be_closed(l,
                                "closes a loop in a singular pose, where coordinates cannot be chosen; start from a "
                                "nearby pose, or use the method impulse",
                                outcome);
    trm_loop_choose(l, l->n - choice.rank, choice.independent);
    return true;
}

bool trm_minimal_choose(trm_minimal *w, trm_outcome *outcome)
{
    trm_arena *scratch = w->stepper->arena;
    bool good = true;
    w->unknowns = 0;
    for (int b = 0; good && b < w->tree->branch_count; b++) {
        const trm_arena_mark mark = trm_arena_get_mark(scratch);
        if (w->loops[b]) good = choose_for_loop(w, w->loops[b], scratch, outcome);
        w->unknowns += w->loops[b] ? w->loops[b]->f : w->tree->branches[b].count;
        trm_arena_reset(scratch, mark);
    }
    return good;
}

static void read_works(const trm_minimal *w, double *z)
{
    const trm_works *done = &w->stepper->state->clock->work;
    trm_minimal_set_works(w, (const double[]){done->input, done->damping}, z);
}

/* Returns whether the columns of a joint are dependent: it has fewer freedoms here than coordinates. */
static bool has_singular_columns(const trm_link *link)
{
    const int n = link->count;
    enum { SQUARE = TRM_JOINT_COORDINATES * TRM_JOINT_COORDINATES };
    double gram[SQUARE], inverse[SQUARE];
    for (int i = 0; i < n * n; i++) {
        const trm_spatial *a = &link->H[i / n], *b = &link->H[i % n];
        gram[i] = trm_sp_dot(*a, *b) / sqrt(trm_sp_dot(*a, *a) * trm_sp_dot(*b, *b));
    }
    return n > 1 && !trm_dense_inverse_positive(gram, n, inverse);
}

static bool no_accelerations(const trm_minimal *w, trm_outcome *outcome)
{
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) return cannot_be_closed(w->loops[b], "closes a loop that cannot be closed here", outcome);
    for (int i = 0; i < w->tree->link_count; i++)
        if (has_singular_columns(&w->tree->links[i]))
            return fails_at(w->tree->links[i].joint,
                            "is in a singular pose, where its coordinates are undefined; start from a nearby pose, "
                            "or use the method impulse",
                            outcome);
    return fails(outcome, NAN, "method minimal", "the initial accelerations are not finite; check forces and masses");
}

/* Returns the smallest independent part of a column of G_D of all loops; 1 without loops. */
static double least_regular(const trm_minimal *w)
{
    double least = 1;
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) least = fmin(least, w->loops[b]->regular);
    return least;
}

/* Starts from the state without a history. Returns false, with the reason in outcome, if it fails. */
static bool start(trm_minimal *w, trm_outcome *outcome)
{
    trm_state *state = w->stepper->state;
    const bool chosen = w->unknowns > 0 && w->running;
    const int unknowns = w->unknowns;
    w->now.t = w->base.t = state->clock->time;
    trm_tree_set_time(w->tree, w->now.t);
    trm_tree_read(w->tree, state, w->now.y, w->now.yd);
    if (!chosen && !trm_minimal_choose(w, outcome)) return false;
    if (w->unknowns != unknowns) /* memory is allocated for this number */
        return fails(outcome, NAN, "method minimal",
                     "the number of degrees of freedom of the loops has changed since the start");
    memset(w->now.ydd, 0, (size_t)w->tree->coordinates * sizeof *w->now.ydd);
    trm_minimal_copy(w, &w->base, &w->now);
    trm_minimal_gather(w, w->now.y, w->now.yd, w->z);
    read_works(w, w->z);
    if (!trm_minimal_rates(w, w->now.t, w->z, w->rates)) return no_accelerations(w, outcome);
    trm_minimal_copy(w, &w->base, &w->now);
    w->undo.regular = least_regular(w);
    w->ends.count = 0;
    w->running = true;
    if (!w->settings.fixed_steps) trm_adams_start(w->adams, w->now.t, w->z, FIRST_STEP);
    return true;
}

/* Returns whether the state is the one that the last step has left. */
static bool is_unchanged(const trm_minimal *w)
{
    const trm_state *state = w->stepper->state;
    const size_t bodies = (size_t)w->tree->model->body_count;
    return w->running && state->clock->time == w->left.time &&
           memcmp(state->pose, w->left.pose, bodies * sizeof *state->pose) == 0 &&
           memcmp(state->velocity, w->left.velocity, bodies * sizeof *state->velocity) == 0 &&
           memcmp(state->memory, w->left.memory, (size_t)state->model->memory_count * sizeof *state->memory) == 0;
}

static void write_poses(trm_minimal *w)
{
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->compiled[b] && !w->needs_poses) trm_compiled_write(w->compiled[b], w->tree, false);
}

/* Returns whether a joint keeps its memory by itself: it does not follow from coordinates of the tree. */
static bool keeps_memory(const trm_minimal *w, int joint)
{
    return w->counts_turns[joint] && w->tree->model->joints[joint].memory_count > 0;
}

/* Updates the memory of such joints at the end of a step of the integrator. Between two calls of the method, which may
 * be far apart, turns and places on curves would be lost otherwise. */
static void remember_on_the_way(trm_minimal *w)
{
    const trm_tree *tree = w->tree;
    bool written = false;
    for (int j = 0; j < tree->model->joint_count; j++) {
        const trm_joint *joint = &tree->model->joints[j];
        if (!keeps_memory(w, j)) continue;
        if (!written) write_poses(w);
        written = true;
        double *memory = w->memory + joint->memory_offset;
        trm_joint_at at = trm_joint_at_poses(joint, tree->pose, tree->velocity, w->now.t, memory);
        at.mode = (trm_joint_mode)w->stepper->state->mode[j];
        trm_joint_remember(&at, w->now.t - w->memory_time, memory);
    }
    w->memory_time = w->now.t;
}

/* Computes the memory of the state, which already has its new time. */
static void remember(trm_minimal *w)
{
    trm_state *state = w->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        if (keeps_memory(w, j))
            memcpy(state->memory + joint->memory_offset, w->memory + joint->memory_offset,
                   (size_t)joint->memory_count * sizeof *state->memory);
    }
    trm_remember_turns(state, state->clock->time - w->memory_time, w->counts_turns);
    for (int b = 0; b < w->tree->branch_count; b++)
        trm_tree_set_turns(w->tree, &w->tree->branches[b], w->now.y, state->memory);
}

/* Writes the motion at z and t, which must be placed, into the state. The whole turns of the tree's joints are
 * those of its coordinates; other joints count their own. */
static bool write_state(trm_minimal *w, double t, const double *z, double h)
{
    trm_state *state = w->stepper->state;
    const size_t bodies = (size_t)w->tree->model->body_count;
    write_poses(w);
    trm_tree_write(w->tree, state);
    if (w->works > 0) state->clock->work.input = z[2 * w->unknowns];
    if (w->works > 1) state->clock->work.damping = z[2 * w->unknowns + 1];
    state->clock->time = t;
    state->clock->step = h;
    state->clock->velocities_projected = 1;
    remember(w);
    memcpy(w->left.pose, state->pose, bodies * sizeof *w->left.pose);
    memcpy(w->left.velocity, state->velocity, bodies * sizeof *w->left.velocity);
    memcpy(w->left.memory, state->memory, (size_t)state->model->memory_count * sizeof *w->left.memory);
    w->left.time = t;
    return true;
}

static bool some_velocity_is_open(const trm_state *state)
{
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_gap gap = trm_velocity_gap(state, j);
        if (state->attached[j] && !(gap.position <= VELOCITY_GAP && gap.angle <= VELOCITY_GAP)) return true;
    }
    return false;
}

/* Projects velocities that the caller has set onto the joints, as all methods do. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    trm_minimal *w = workspace;
    if (is_unchanged(w) || !some_velocity_is_open(w->stepper->state)) return true;
    if (!w->machine) w->machine = trm_maximal_create(w->stepper, &trm_maximal_direct);
    return w->machine ? trm_maximal_correct_velocities(w->machine, 0, outcome)
                      : trm_fail_memory(outcome, "method minimal");
}

/* ---- Steps -------------------------------------------------------------------------------- */

static bool stuck(const trm_minimal *w, trm_adams_result result, trm_outcome *outcome)
{
    if (result == TRM_ADAMS_TOO_TIGHT)
        return fails(outcome, NAN, "option 'error'", "is below the rounding error; give a larger one");
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b] && w->loops[b]->regular < NEARLY_SINGULAR)
            return cannot_be_closed(w->loops[b],
                                    "closes a loop that has come to a singular pose, which steps cannot pass; use a "
                                    "larger error, or the method impulse",
                                    outcome);
    return fails(outcome, NAN, "method minimal",
                 "steps have become too short: a loop cannot be closed, or a force jumps");
}

/* Undoes a step that ends near a singular pose, and much nearer than it began, and shortens it, each time by another
 * factor, so that the next step passes over the pose. There f is dominated by rounding. Returns false if the step ends
 * elsewhere, or has been repeated often enough. */
static bool undo_step(trm_minimal *w)
{
    const double regular = least_regular(w);
    const bool nearer = regular < NEARLY_SINGULAR && regular < MUCH_NEARER * w->undo.regular;
    if (!nearer || w->undo.steps >= MOST_STEPS_BACK) {
        w->undo.steps = 0;
        w->undo.regular = regular;
        return false;
    }
    const double part = GOLDEN * ++w->undo.steps;
    trm_minimal_restore(w, w->undo.saved);
    trm_adams_set_next(w->adams, (0.5 + 0.4 * (part - floor(part))) * trm_adams_next(w->adams));
    return true;
}

/* Returns whether steps must end at requested times, because the caller may change its own forces between steps. */
static bool ends_at_goals(const trm_minimal *w)
{
    return w->stepper->called_count > 0;
}

/* Shortens the next step to what functions of time allow, and to the goal if it must end there. Where a function
 * stops being smooth, the integrator starts again: its history does not continue there, and points far back in it
 * hide the errors of short steps. */
static void bound_step(trm_minimal *w, double goal)
{
    const double now = trm_adams_time(w->adams), next = trm_adams_next(w->adams);
    const double r = w->stepper->sampling.interval, wanted = ends_at_goals(w) ? fmin(goal - now, next) : next;
    const double longest = trm_model_longest_step(w->tree->model, w->memory, now, wanted, &w->stepper->sampling);
    if (longest <= r && wanted > r && trm_adams_length(w->adams) > r)
        trm_adams_start(w->adams, now, trm_adams_y(w->adams), longest);
    else if (next > longest)
        trm_adams_set_next(w->adams, longest);
}

/* Returns the tolerance of the next step. */
static double tolerance_of_step(const trm_minimal *w)
{
    const double time = w->stepper->options->time;
    if (!w->settings.per_second) return w->settings.tolerance;
    return w->settings.tolerance * trm_adams_usual(w->adams, USUAL_STEP * (time > 0 ? fmin(time, 1) : 1));
}

/* Notes the kinetic energy after a step that ends before the goal: a machine may be at rest at both ends of a long
 * step, and errors of energy are judged by the energy that it exchanges. */
static void watch_kinetic(trm_minimal *w)
{
    trm_step_context *s = &w->stepper->step;
    if (!(trm_adams_time(w->adams) < s->goal)) return;
    write_poses(w);
    s->kinetic = fmax(s->kinetic, trm_minimal_kinetic(w));
}

/* Steps to the goal by Adams' method. Unless it must end there, it passes the goal and interpolates. */
static bool step_by_adams(trm_minimal *w, double h, trm_outcome *outcome)
{
    const double goal = w->stepper->step.goal, rounding = ends_at_goals(w) ? AT_GOAL * h : 0;
    while (goal - trm_adams_time(w->adams) > rounding) {
        bound_step(w, goal);
        if (w->undo.saved) trm_minimal_save(w, w->undo.saved);
        const trm_adams_result result = trm_adams_step(w->adams, trm_minimal_rates, w, tolerance_of_step(w));
        if (undo_step(w)) continue;
        if (result != TRM_ADAMS_DONE) return stuck(w, result, outcome);
        remember_on_the_way(w);
        watch_kinetic(w);
        if (!trm_minimal_end_step(w)) return trm_fail_memory(outcome, "method minimal");
        if (!trm_may_continue(w->stepper)) return fails(outcome, NAN, "method minimal", "the caller ended the step");
    }
    trm_adams_at(w->adams, goal, w->z, w->rates);
    if (!trm_minimal_place(w, goal, w->z) && !trm_minimal_place_between(w, goal))
        return fails(outcome, INFINITY, "method minimal", "a loop cannot be closed");
    return write_state(w, goal, w->z, h);
}

/* Computes k1. Reuses the evaluation at the end of the last step unless the caller's forces may have changed
 * since. */
static bool first_rates(trm_minimal *w, double t)
{
    if (w->stepper->called_count > 0) return trm_minimal_rates(w, t, w->z, w->rates);
    trm_minimal_gather(w, w->base.yd, w->base.ydd, w->rates);
    trm_minimal_set_works(w, w->base.power, w->rates);
    return true;
}

/* next <- z + h sum_(j<i) a_ij k_j of stage i, or with b_i in place of a_ij; zero coefficients are skipped. */
static void combine(const trm_minimal *w, double h, const double *a, int count, double *next)
{
    const int n = trm_minimal_size(w);
    memset(next, 0, (size_t)n * sizeof *next);
    for (int j = 0; j < count; j++) {
        const double *k = w->stages + j * n;
        for (int i = 0; a[j] != 0 && i < n; i++) next[i] += a[j] * k[i];
    }
    for (int i = 0; i < n; i++) next[i] = w->z[i] + h * next[i];
}

/* Computes all stages and the end of the step, into next. Returns false if a loop cannot be closed. */
static bool run_stages(trm_minimal *w, double h, double *next)
{
    const trm_runge_kutta *rule = w->settings.rule;
    const int n = trm_minimal_size(w);
    const double t = w->base.t, goal = w->stepper->step.goal, *a = rule->a;
    if (!first_rates(w, t)) return false;
    memcpy(w->stages, w->rates, (size_t)n * sizeof *w->stages);
    for (int s = 1; s < rule->stages; a += s++) {
        combine(w, h, a, s, next);
        if (!trm_minimal_rates(w, rule->c[s] == 1 ? goal : t + rule->c[s] * h, next, w->stages + s * n)) return false;
    }
    combine(w, h, rule->b, rule->stages, next);
    return trm_minimal_rates(w, goal, next, w->rates);
}

static bool step_by_runge_kutta(trm_minimal *w, double h, trm_outcome *outcome)
{
    double *next = w->stages + w->settings.rule->stages * trm_minimal_size(w);
    trm_minimal_gather(w, w->base.y, w->base.yd, w->z);
    read_works(w, w->z);
    if (!run_stages(w, h, next))
        return fails(outcome, INFINITY, "method minimal", "a loop cannot be closed within the step");
    if (!trm_minimal_end_step(w)) return trm_fail_memory(outcome, "method minimal");
    trm_minimal_gather(w, w->base.y, w->base.yd, w->z);
    trm_minimal_set_works(w, next + 2 * w->unknowns, w->z);
    if (w->has_loops && !trm_minimal_place(w, w->stepper->step.goal, w->z)) /* after an exchange of coordinates */
        return fails(outcome, INFINITY, "method minimal", "a loop cannot be closed");
    return write_state(w, w->stepper->step.goal, w->z, h);
}

static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_minimal *w = workspace;
    const long long before = w->evaluations, failed = w->settings.fixed_steps ? 0 : trm_adams_failures(w->adams);
    memcpy(w->memory, w->stepper->state->memory, (size_t)w->tree->model->memory_count * sizeof *w->memory);
    w->memory_time = w->stepper->state->clock->time;
    trm_minimal_forget_seen(w);
    if (h < 0 && !w->settings.fixed_steps) return fails(outcome, NAN, "method minimal", "runs forward in time only");
    if (!is_unchanged(w) && !project_velocities(w, outcome)) return false;
    if ((!is_unchanged(w) || (ends_at_goals(w) && !w->settings.fixed_steps)) && !start(w, outcome)) return false;
    const bool done = w->settings.fixed_steps ? step_by_runge_kutta(w, h, outcome) : step_by_adams(w, h, outcome);
    w->running = done;
    w->stepper->counters->evaluations += w->evaluations - before;
    w->stepper->counters->rejections += w->settings.fixed_steps ? 0 : trm_adams_failures(w->adams) - failed;
    return done;
}

/* ---- Between steps ------------------------------------------------------------------------ */

/* Does nothing, because minimal coordinates always satisfy the joints. */
static bool positions_satisfy_joints(void *workspace, trm_outcome *outcome)
{
    (void)workspace;
    (void)outcome;
    return true;
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    return trm_minimal_reactions(workspace, outcome);
}

/* Returns the link of a coordinate. */
static const trm_link *link_of(const trm_tree *tree, int coordinate)
{
    for (int i = 0; i < tree->link_count; i++)
        if (coordinate >= tree->links[i].first && coordinate < tree->links[i].first + tree->links[i].count)
            return &tree->links[i];
    return NULL;
}

static bool is_independent(const trm_loop *loop, int coordinate)
{
    for (int k = 0; loop && k < loop->f; k++)
        if (loop->independent[k] == coordinate) return true;
    return !loop;
}

/* Returns cos^2 alpha at the current pose; NAN if it cannot be computed. */
static double criterion_of(trm_minimal *w, trm_loop *loop, int coordinate)
{
    trm_arena *scratch = w->stepper->arena;
    const trm_arena_mark mark = trm_arena_get_mark(scratch);
    double criterion = loop ? NAN : 1;
    trm_loop_choice choice;
    if (loop && find_loop_choices(w, loop, w->now.y, &choice, scratch)) criterion = choice.criteria[coordinate];
    trm_arena_reset(scratch, mark);
    return criterion;
}

static bool coordinate(void *workspace, int index, trm_coordinate_note *note)
{
    trm_minimal *w = workspace;
    const trm_link *link = link_of(w->tree, index);
    if (!link) return false;
    int branch = 0;
    while (index >= w->tree->branches[branch].first + w->tree->branches[branch].count) branch++;
    const int local = index - w->tree->branches[branch].first;
    *note = (trm_coordinate_note){.joint = link->index,
                                  .body = link->body,
                                  .coordinate = index - link->first,
                                  .independent = is_independent(w->loops[branch], local),
                                  .criterion = criterion_of(w, w->loops[branch], local)};
    return true;
}

/* Returns the operations of one evaluation of a loop: of QR, of M^-1 R^T and of R M^-1 R^T in a compiled branch, else of
 * dense matrices (loop.h). The factors are ns per operation, measured by bench_trees --loops. */
static double loop_operations(const trm_loop *l)
{
    const double n = l->n, m = l->m, d = l->n - l->f;
    return l->compiled ? 2 * m * d * d + d * d * n + 50 * n * d : n * n * n + 2 * m * n * n;
}

/* Estimates the arithmetic operations of one evaluation of accelerations. */
static double operations(const trm_minimal *w)
{
    double sum = OPERATIONS_PER_COORDINATE * w->tree->coordinates;
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) sum += loop_operations(w->loops[b]);
    return sum;
}

/* ---- Options ------------------------------------------------------------------------------ */

static const char *const INTEGRATORS[] = {"adams", "rk4", "fehlberg8", NULL};
static const char *const ANGLES[] = {"relative", "absolute", NULL};
static const char *const CLOSURES[] = {"auto", "newton", NULL};
static const char *const CONTROLS[] = {"step", "second", NULL};
static const char *const HISTORIES[] = {"ring", "differences", "restart", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "integrator",
     .words = INTEGRATORS,
     .word = "adams",
     .description = "adams has variable order and step, rk4 and fehlberg8 have fixed steps"},
    {.name = "closure",
     .words = CLOSURES,
     .word = "auto",
     .description = "closure of loops: auto uses a closed form if there is one, newton always Newton's method"},
    {.name = "history",
     .words = HISTORIES,
     .word = "ring",
     .description = "source of the integrator's history after an exchange of coordinates"},
    {.name = "ratio",
     .number = 2,
     .positive = true,
     .description = "coordinates are exchanged if the quality improves by more than this factor, 1 or more"},
    {.name = "angles",
     .words = ANGLES,
     .word = "relative",
     .description = "angles of hinges between bodies, or absolute angles in a planar machine"},
    {.name = "control",
     .words = CONTROLS,
     .word = "step",
     .quiet = true,
     .description = "the error bounds the error of each step, or the sum of the errors of all steps in a second"},
    {.name = "cut", .any = true, .description = "names of the joints at which loops are cut, separated by blanks"},
    {0},
};

static int word(const trm_simulation_def *options, const char *name, const char *const *words)
{
    int i = 0;
    while (strcmp(words[i], trm_option_word(&trm_method_minimal, options, name)) != 0) i++;
    return i;
}

static bool has_fixed_steps(const trm_simulation_def *options)
{
    return word(options, "integrator", INTEGRATORS) > 0;
}

static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    if (has_fixed_steps(options) && !isnan(options->error))
        trm_add_error(messages, (trm_place){0},
                      "minimal.integrator is %s, whose steps are fixed; leave out the error, or use adams",
                      trm_option_word(&trm_method_minimal, options, "integrator"));
    if (trm_option_number(&trm_method_minimal, options, "ratio") < 1)
        trm_add_error(messages, (trm_place){0}, "minimal.ratio is %g; it must be 1 or more",
                      trm_option_number(&trm_method_minimal, options, "ratio"));
}

/* Returns the rule of fixed steps; NULL for adams. */
static const trm_runge_kutta *rule_of(const trm_simulation_def *options)
{
    return trm_find_runge_kutta(trm_option_word(&trm_method_minimal, options, "integrator"));
}

static double own_order(const trm_simulation_def *options)
{
    return has_fixed_steps(options) ? rule_of(options)->order : TRM_ADAMS_ORDERS;
}

static double own_error(const trm_simulation_def *options)
{
    if (has_fixed_steps(options)) return NAN;
    return isnan(options->error) ? TOLERANCE : options->error;
}

/* ---- The workspace ------------------------------------------------------------------------ */

static bool has_dampers(const trm_model *model)
{
    for (int i = 0; i < model->force_count; i++)
        if (model->forces[i].type->passive && trm_force_does_work(&model->forces[i])) return true;
    return false;
}

static bool does_work(const trm_stepper *s)
{
    const trm_model *model = s->model;
    for (int i = 0; i < model->force_count; i++)
        if (trm_force_does_work(&model->forces[i])) return true;
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].motion) return true;
    for (int i = 0; i < model->joint_count; i++)
        if (trm_joint_is_rheonomic(&model->joints[i])) return true;
    return s->called_count > 0;
}

static trm_moment new_moment(trm_arena *arena, int n)
{
    return (trm_moment){.y = TRM_NEW_ARRAY(arena, double, n),
                        .yd = TRM_NEW_ARRAY(arena, double, n),
                        .ydd = TRM_NEW_ARRAY(arena, double, n)};
}

static void read_options(trm_minimal *w, const trm_simulation_def *o)
{
    w->settings.fixed_steps = has_fixed_steps(o);
    w->settings.rule = rule_of(o);
    w->settings.history = (trm_history)word(o, "history", HISTORIES);
    w->settings.ratio = trm_option_number(&trm_method_minimal, o, "ratio");
    w->settings.tolerance = own_error(o);
    w->settings.per_second = word(o, "control", CONTROLS) == 1;
}

static bool make_workspace(trm_minimal *w, trm_arena *arena)
{
    const int n = w->tree->coordinates, bodies = w->stepper->model->body_count, size = 2 * n + 2;
    w->now = new_moment(arena, n);
    w->base = new_moment(arena, n);
    for (int i = 0; i < TRM_ADAMS_POINTS; i++) w->ends.list[i] = new_moment(arena, n);
    w->predicted = TRM_NEW_ARRAY(arena, double, n);
    w->memory = TRM_NEW_ARRAY(arena, double, w->stepper->model->memory_count);
    w->wrench = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->z = TRM_NEW_ARRAY(arena, double, size);
    w->rates = TRM_NEW_ARRAY(arena, double, size);
    w->stages = TRM_NEW_ARRAY(arena, double, w->settings.rule ? (w->settings.rule->stages + 1) * size : 0);
    w->past = TRM_NEW_ARRAY(arena, double, TRM_ADAMS_POINTS *size);
    w->left.pose = TRM_NEW_ARRAY(arena, trm_pose, bodies);
    w->left.velocity = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->left.memory = TRM_NEW_ARRAY(arena, double, w->stepper->model->memory_count);
    return !arena->failed;
}

/* Allocates memory for undoing steps, if there are loops, which may become singular. */
static bool make_saved(trm_minimal *w, trm_arena *arena)
{
    bool any = false;
    for (int b = 0; b < w->tree->branch_count; b++) any = any || w->loops[b];
    return !any || (w->undo.saved = trm_arena_array(arena, trm_minimal_memory(w), 1));
}

/* Creates the workspace. The integrator gets as many unknowns as the start has degrees of freedom. Returns NULL
 * when out of memory, or with the reason in outcome. */
static trm_minimal *make(trm_stepper *stepper, trm_outcome *outcome)
{
    trm_arena *arena = stepper->arena;
    trm_minimal *w = TRM_NEW(arena, trm_minimal);
    const trm_tree_options how = {.cut = trm_option_word(&trm_method_minimal, stepper->options, "cut")};
    *outcome = (trm_outcome){.ok = true};
    if (!w) return NULL;
    w->stepper = stepper;
    read_options(w, stepper->options);
    w->tree = trm_tree_create(stepper->state, how, arena, outcome->why, sizeof outcome->why);
    if (!w->tree || !(w->dynamics = trm_dynamics_create(w->tree, arena))) return NULL;
    if (word(stepper->options, "angles", ANGLES) == 1 &&
        !trm_tree_take_absolute_angles(w->tree, stepper->state, outcome->why, sizeof outcome->why))
        return NULL;
    w->works = does_work(stepper) ? 1 + has_dampers(stepper->model) : 0;
    if (!make_workspace(w, arena) || !trm_minimal_compile(w, arena) ||
        !trm_minimal_make_loops(w, word(stepper->options, "closure", CLOSURES) == 0, arena))
        return NULL;
    trm_tree_set_time(w->tree, stepper->state->clock->time);
    trm_tree_read(w->tree, stepper->state, w->now.y, w->now.yd);
    memcpy(w->memory, stepper->state->memory, (size_t)stepper->model->memory_count * sizeof *w->memory);
    if (!trm_minimal_choose(w, outcome)) return NULL;
    w->adams = trm_adams_create(arena, trm_minimal_size(w));
    return w->adams && make_saved(w, arena) ? w : NULL;
}

static void *create(trm_stepper *stepper)
{
    trm_outcome ignored;
    return make(stepper, &ignored);
}

/* Returns whether an evaluation takes at most as many operations as are allowed. */
static bool is_cheap_enough(const trm_minimal *w, trm_outcome *outcome)
{
    const double count = operations(w), most = w->stepper->most_operations;
    return !(most > 0 && count > most) ||
           trm_fail(outcome, NAN, "", NULL,
                    "loops make minimal coordinates expensive, %.1g operations per evaluation", count);
}

/* Tries to create the method. An empty `why` means out of memory. */
static bool accepts(const trm_stepper *stepper, char *why, size_t size)
{
    trm_arena arena;
    trm_outcome outcome;
    trm_stepper trial = *stepper;
    trm_counters counters = {0};
    trm_arena_init(&arena, &stepper->arena->allocator);
    trial.arena = &arena;
    trial.counters = &counters;
    trm_minimal *w = make(&trial, &outcome);
    const bool good = w && is_cheap_enough(w, &outcome) && start(w, &outcome);
    snprintf(why, size, "%s%s%s", outcome.element, outcome.element[0] ? " " : "", outcome.why);
    if (arena.failed) why[0] = 0;
    trm_arena_destroy(&arena);
    return good;
}

const trm_method trm_method_minimal = {
    .name = "minimal",
    .can = TRM_CAN_SMOOTH | TRM_CAN_DISTANCE,
    .controls_error = true,
    .accepts = accepts,
    .create = create,
    .step = step,
    .project_positions = positions_satisfy_joints,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .coordinate = coordinate,
    .saving = &(const trm_method_saving){trm_minimal_memory, trm_minimal_save, trm_minimal_load},
    .own_order = own_order,
    .own_error = own_error,
    .check_options = check_options,
    .options = OPTIONS,
};

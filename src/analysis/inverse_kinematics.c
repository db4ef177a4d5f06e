/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Inverse kinematics: the Levenberg-Marquardt method on poses that joints and limits allow.
 *
 * From a pose y, each step d of goal_step.h is at most half a radian long and is followed by the shortest return
 * to loops and limits. If |r|^2 has decreased, the pose is accepted and mu is decreased, else mu is increased
 * (Nielsen 1999). A search that ends before all goals are reached is repeated from random coordinates within the
 * limits. Where there are no limits, the range is a whole turn, or the reach of the machine to either side. Every
 * fourth start uses the full range, the others a quarter, half and three quarters of it around the state's pose. */

#include <math.h>
#include <string.h>

#include "analysis/goal_step.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/random.h"
#include "math/rotation.h"
#include "model/def.h"

/* Units of y: longest step. Larger steps jump to other branches of the closure, smaller ones need more iterations. */
static const double LONGEST = 0.5;
/* Units of y: target of the residuals of loops and limits. A larger value shows in the coordinates that are printed,
 * a smaller one is below rounding, and the test after the iteration decides. */
static const double CLOSED = 1e-13;
/* Units of y: largest accepted residual of loops and limits. A larger value accepts poses with visibly open loops, a
 * smaller one refuses poses of machines far from the origin, where rounding is larger. */
static const double CLOSE = 1e-10;
/* Units of y: shorter steps make no progress. A larger value ends the search before the pose is exact, a smaller one
 * repeats steps of rounding until the damping limit ends them. */
static const double SHORTEST = 1e-14;
enum { MOST_CLOSING = 40, MOST_GOALS = 1000 };

trm_gap trm_goal_left_sized(const trm_state *state, trm_sized given)
{
    trm_goal own;
    const trm_goal *goal = &own;
    trm_read_def(TRM_DEF_GOAL, given, &own);
    const trm_pose X = trm_pose_mul(trm_body_pose(state, goal->body), goal->frame);
    const double left[] = {goal->position.x - X.p.x, goal->position.y - X.p.y, goal->position.z - X.p.z};
    double square = 0;
    for (int k = 0; k < 3; k++)
        if (!isnan(left[k])) square += left[k] * left[k];
    const trm_vec3 turn = trm_quat_log(trm_quat_mul(trm_quat_unit(goal->orientation), trm_quat_conj(X.q)));
    return (trm_gap){.position = sqrt(square), .angle = goal->oriented ? trm_v3_length(turn) : 0};
}

/* ---- One search --------------------------------------------------------------------------- */

typedef struct search {
    trm_goal_problem p;
    const trm_inverse_kinematics_def *def;
    trm_inverse_kinematics_result *result;
    double *best; /* y of the best pose found */
    double least; /* |r|^2 there */
    bool failed;  /* out of memory */
} search;

static double square_left(const trm_goal_problem *p)
{
    double sum = 0;
    for (int i = 0; i < p->r_count; i++) sum += p->r[i] * p->r[i];
    return sum;
}

/* Replaces rotation vectors longer than half a turn by the short ones of the same rotation. */
static void shorten_rotation(double *v)
{
    const double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double scale = angle > TRM_PI ? 1 - 2 * TRM_PI * ceil((angle - TRM_PI) / (2 * TRM_PI)) / angle : 1;
    for (int k = 0; k < 3; k++) v[k] *= scale;
}

static void shorten_rotations(const trm_tree *tree, double *y)
{
    for (int i = 0; i < tree->link_count; i++) {
        const trm_link *link = &tree->links[i];
        for (int k = 0; k + 2 < link->count; k++)
            if (link->index < 0 ? k == 3 : link->joint->type->kind[k] == TRM_COORDINATE_ROTATION) {
                shorten_rotation(y + link->first + k);
                k += 2;
            }
    }
}

/* Moves to the pose at y + d, with d shortened to LONGEST. Returns the length of d. */
static double take_step(trm_goal_problem *p, const double *from, double *to)
{
    double longest = 0;
    for (int i = 0; i < p->n; i++) longest = fmax(longest, fabs(p->step.d[i]));
    const double scale = longest > LONGEST ? LONGEST / longest : 1;
    if (to != from) memcpy(to, from, (size_t)p->tree->coordinates * sizeof *to);
    for (int i = 0; i < p->n; i++) to[p->coordinate[i]] += scale * p->unit[i] * p->step.d[i];
    shorten_rotations(p->tree, to);
    trm_goal_place(p, to, false);
    trm_goal_residuals(p);
    return scale * longest;
}

/* Moves from the current pose at y to the nearest pose that loops and limits allow, and updates y. */
static bool close_pose(search *s, double *y)
{
    trm_goal_problem *p = &s->p;
    trm_goal_residuals(p);
    double open = trm_goal_violation(p);
    for (int i = 0; i < MOST_CLOSING && open > CLOSED; i++) {
        if (!trm_goal_find_step(p, false, 1)) return s->failed = true, false;
        const double before = open;
        take_step(p, y, y);
        open = trm_goal_violation(p);
        if (!isfinite(open)) return false;
        if (open <= CLOSE && open >= 0.5 * before) break; /* rounding */
    }
    return open <= CLOSE;
}

static bool is_reached(const search *s, const trm_state *state)
{
    for (int g = 0; g < s->p.goal_count; g++) {
        const trm_gap left = trm_goal_left(state, &s->p.goals[g]);
        if (!(left.position <= s->def->tolerance && left.angle <= s->def->angle_tolerance)) return false;
    }
    return true;
}

/* Descends from a closed pose at y. Returns |r|^2 at the end, whose coordinates y becomes. */
static double descend(search *s, double *y)
{
    trm_goal_problem *p = &s->p;
    double left = square_left(p), mu = 1e-2, growth = 2;
    for (int i = 0; i < s->def->most_iterations && left > 0; i++, s->result->iterations++) {
        trm_goal_place(p, y, false);
        if (!trm_goal_find_step(p, true, mu)) return s->failed = true, left;
        const double length = take_step(p, y, p->tried);
        const double now = close_pose(s, p->tried) ? square_left(p) : INFINITY;
        if (s->failed) return left;
        if (now < left) {
            const double gain = (left - now) / left;
            memcpy(y, p->tried, (size_t)p->tree->coordinates * sizeof *y);
            left = now, growth = 2;
            mu = fmax(1e-15, fmin(mu * (gain > 0.5 ? 0.1 : 0.4), left)); /* quadratic convergence */
            if (length < 1e-9 && gain < 1e-9) break;
        } else {
            if (length < SHORTEST || mu > 1e12) break;
            mu = fmax(mu, 1e-9) * growth, growth *= 2;
        }
    }
    trm_goal_place(p, y, false);
    trm_goal_residuals(p);
    return left;
}

/* ---- Starts ------------------------------------------------------------------------------- */

/* Computes the range from which a coordinate of a link is drawn. */
static void find_ends(const trm_goal_problem *p, const trm_link *link, int k, double ends[2])
{
    const bool length = link->index < 0 ? k < 3 : link->joint->type->kind[k] == TRM_COORDINATE_LENGTH;
    const bool tilt = link->index >= 0 && link->joint->type->kind[k] == TRM_COORDINATE_TILT;
    const double now = p->start[link->first + k], reach = length ? p->reach : tilt ? 1.5 : TRM_PI;
    for (int e = 0; e < 2; e++) {
        const double limit = link->index >= 0 ? link->joint->law[k].limits[e] : INFINITY;
        ends[e] = isfinite(limit) ? limit : (tilt ? 0 : now) + (e ? reach : -reach);
    }
    if (ends[0] > ends[1]) ends[0] = ends[1] = 0.5 * (ends[0] + ends[1]);
}

static void draw_start(search *s, trm_random *random, double part, double *y)
{
    const trm_goal_problem *p = &s->p;
    memcpy(y, p->start, (size_t)p->tree->coordinates * sizeof *y);
    for (int i = 0; i < p->tree->link_count; i++)
        for (int k = 0; k < p->tree->links[i].count; k++) {
            const trm_link *link = &p->tree->links[i];
            double ends[2];
            if (p->column[link->first + k] < 0) continue;
            find_ends(p, link, k, ends);
            y[link->first + k] += part * (trm_random_uniform(random, ends[0], ends[1]) - y[link->first + k]);
        }
    shorten_rotations(p->tree, y);
}

static void keep_best(search *s, const double *y, double left)
{
    if (!(left < s->least)) return;
    s->least = left;
    memcpy(s->best, y, (size_t)s->p.tree->coordinates * sizeof *y);
}

static bool seek(search *s)
{
    trm_random random = trm_random_seed(s->def->seed);
    double *y = TRM_NEW_ARRAY(&s->p.arena, double, s->p.tree->coordinates);
    if (!y) return s->failed = true, false;
    for (int i = 0; i < s->def->starts && !s->failed; i++) {
        if (i == 0)
            memcpy(y, s->p.start, (size_t)s->p.tree->coordinates * sizeof *y);
        else
            draw_start(s, &random, 0.25 * (1 + i % 4), y);
        trm_goal_place(&s->p, y, true);
        s->result->starts++;
        if (!close_pose(s, y)) continue;
        const double left = descend(s, y);
        keep_best(s, y, left);
        if (is_reached(s, s->p.state)) return true;
    }
    return false;
}

/* ---- The result --------------------------------------------------------------------------- */

static void measure_goals(const search *s)
{
    trm_inverse_kinematics_result *r = s->result;
    double most = -1;
    for (int g = 0; g < s->p.goal_count; g++) {
        const trm_gap left = trm_goal_left(s->p.state, &s->p.goals[g]);
        const double units = fmax(left.position / s->def->tolerance, left.angle / s->def->angle_tolerance);
        r->distance = fmax(r->distance, left.position), r->angle = fmax(r->angle, left.angle);
        if (units > most) most = units, r->goal = g;
    }
}

/* Finds the limit that restrains the goals most: the one against whose row they pull. */
static void find_limit(search *s)
{
    trm_goal_problem *p = &s->p;
    double most = 1e-6;
    trm_goal_rows(p);
    for (int i = 0; i < p->c_count; i++) {
        double pull = 0;
        for (int g = 0; p->c[i] > -1e-7 && g < p->r_count; g++)
            for (int k = 0; k < p->n; k++)
                pull +=
                    p->A[(size_t)i * (size_t)p->n + (size_t)k] * p->J[(size_t)g * (size_t)p->n + (size_t)k] * p->r[g];
        if (!(pull > most)) continue;
        most = pull;
        s->result->at_limit = p->model->joints[p->joints.bounds[i]].shown;
    }
}

static void write_best_pose(search *s, trm_state *state)
{
    trm_goal_problem *p = &s->p;
    trm_goal_place(p, s->best, false);
    trm_goal_residuals(p);
    measure_goals(s);
    if (!s->result->found) find_limit(s);
    for (int i = 0; i < p->model->body_count; i++) {
        state->pose[i] = p->state->pose[i];
        if (p->model->bodies[i].inverse_mass > 0) state->velocity[i] = (trm_spatial){{0, 0, 0}, {0, 0, 0}};
    }
    memcpy(state->memory, p->state->memory, (size_t)p->model->memory_count * sizeof *state->memory);
    state->clock->velocities_projected = TRM_NONE_PROJECTED;
}

/* ---- Checks ------------------------------------------------------------------------------- */

static bool check_goal(const trm_model *model, const trm_goal *goal, trm_messages *messages)
{
    const double all[] = {goal->position.x, goal->position.y, goal->position.z};
    const bool known = goal->body >= 0 && goal->body < model->body_count;
    const char *name = known ? model->bodies[goal->body].name : "";
    bool any = goal->oriented, finite = trm_v3_is_finite(goal->frame.p);
    for (int k = 0; k < 3; k++) any = any || !isnan(all[k]), finite = finite && !isinf(all[k]);
    const double length = trm_quat_norm(goal->orientation);
    finite = finite && (!goal->oriented || (isfinite(length) && length > 0));
    const char *why = !known    ? "a goal does not name a body of the model"
                      : !any    ? "the goal gives neither a position nor an orientation"
                      : !finite ? "the goal is not finite"
                      : model->bodies[goal->body].inverse_mass == 0
                          ? "the body cannot move: it is fixed, or its motion is given"
                      : goal->oriented && model->bodies[goal->body].kind == TRM_BODY_POINT
                          ? "a point mass has no orientation; give a position alone"
                          : NULL;
    if (why) trm_add_message(messages, TRM_ERROR, (trm_place){0}, name, "%s", why);
    return !why;
}

static bool check(const trm_model *model, const trm_goal *goals, int count, const trm_inverse_kinematics_def *def,
                  trm_messages *messages)
{
    bool good = count > 0 && count <= MOST_GOALS && def->starts > 0 && def->tolerance > 0 && def->angle_tolerance > 0;
    if (!good)
        trm_add_error(messages, (trm_place){0},
                      "inverse kinematics takes 1 to %d goals, at least one start, and positive tolerances",
                      MOST_GOALS);
    for (int g = 0; good && g < count; g++) good = check_goal(model, &goals[g], messages);
    return good;
}

/* Searches, with all definitions in the library's size. */
static trm_status solve(trm_state *state, const trm_goal *goals, int goal_count,
                        const trm_inverse_kinematics_def *def, const trm_allocator *from, trm_messages *messages,
                        trm_inverse_kinematics_result *result)
{
    search s = {.def = def, .result = result, .least = INFINITY};
    if (!check(state->model, goals, goal_count, s.def, messages)) return TRM_BAD_INPUT;
    s.failed = !trm_goal_problem_create(&s.p, state, goals, goal_count, s.def, from);
    if (!s.failed) s.best = TRM_NEW_ARRAY(&s.p.arena, double, s.p.tree->coordinates);
    s.failed = s.failed || !s.best;
    if (!s.failed) result->found = seek(&s);
    const trm_status status = s.failed ? TRM_OUT_OF_MEMORY : isinf(s.least) ? TRM_BAD_INPUT : TRM_OK;
    if (status == TRM_OK) write_best_pose(&s, state);
    if (status == TRM_BAD_INPUT)
        trm_add_error(
            messages, (trm_place){0},
            "no pose was found in which loops are closed and limits are obeyed; correct the start or the limits");
    trm_goal_problem_destroy(&s.p);
    return status;
}

trm_status trm_inverse_kinematics_sized(trm_state *state, trm_sized goals, int goal_count, trm_sized def,
                                        const trm_allocator *allocator, trm_messages *messages,
                                        trm_inverse_kinematics_result *result)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_arena arena;
    trm_inverse_kinematics_def own;
    trm_arena_init(&arena, &from);
    trm_read_def(TRM_DEF_INVERSE_KINEMATICS, def, &own);
    *result = (trm_inverse_kinematics_result){.at_limit = -1};
    const trm_goal *own_goals = trm_read_defs(TRM_DEF_GOAL, goals, goal_count, &arena);
    const bool failed = goal_count > 0 && !own_goals;
    const trm_status status =
        failed ? TRM_OUT_OF_MEMORY : solve(state, own_goals, goal_count, &own, &from, messages, result);
    trm_arena_destroy(&arena);
    return status;
}

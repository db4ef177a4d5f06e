/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of velocity-level complementarity: semi-implicit Euler, see lcp.h.
 *
 * Rotation: q+ = q + h/2 (0, omega+) o q, normalised (infinitesimal, as ODE does by default), or exp(h omega+) o q
 * (finite). */

#include "methods/lcp/lcp.h"

#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "math/rotation.h"

/* ---- Softness ----------------------------------------------------------------------------- */

/* Returns the softness of a joint, or the common default. */
static trm_softness softness_of(const trm_lcp_method *w, const trm_joint *joint, double h)
{
    if (!isnan(joint->spring_stiffness))
        return trm_softness_of_spring(joint->spring_stiffness, joint->spring_damping, h);
    return (trm_softness){isnan(joint->erp) ? w->erp : joint->erp, isnan(joint->cfm) ? w->cfm : joint->cfm};
}

/* Computes the softness for a step of length h; the factors of the joints' matrix depend on it. */
static void soften(trm_lcp_method *w, double h)
{
    const trm_model *model = w->machine->stepper->model;
    if (h == w->h) return;
    for (int j = 0; j < model->joint_count; j++) {
        const trm_joint *joint = &model->joints[j];
        const trm_softness soft = softness_of(w, joint, h);
        for (int r = joint->row_offset; r < joint->row_offset + joint->rows; r++) {
            w->softness[r] = soft.cfm / h;
            w->reduction[r] = soft.erp / h;
        }
    }
    w->h = h;
    w->machine->rows_at.time = NAN;
}

/* Computes -(c_t + (ERP/h) c) of all two-sided joints. */
static void find_required_rates(trm_lcp_method *w)
{
    const trm_maximal *m = w->machine;
    const trm_state *state = m->stepper->state;
    for (int j = 0; j < m->joint_count; j++) {
        const trm_maximal_joint *joint = &m->joints[j];
        double c[TRM_JOINT_ROWS], *required = w->required + joint->joint->row_offset;
        const double *reduction = w->reduction + joint->joint->row_offset;
        if (joint->on) trm_joint_residual_at(joint->joint, state->pose, state->clock->time, state->memory, c);
        for (int r = 0; r < joint->joint->rows; r++)
            required[r] = joint->on ? -((joint->driven ? joint->c_t[r] : 0) + reduction[r] * c[r]) : 0;
    }
}

/* ---- The end of the step ------------------------------------------------------------------ */

static trm_quat turned(const trm_lcp_method *w, trm_quat q, trm_vec3 omega, double h)
{
    const trm_quat half = {0, 0.5 * h * omega.x, 0.5 * h * omega.y, 0.5 * h * omega.z};
    const trm_quat d = trm_quat_mul(half, q);
    if (w->finite) return trm_quat_unit(trm_quat_mul(trm_quat_exp(trm_v3_scale(h, omega)), q));
    return trm_quat_unit((trm_quat){q.w + d.w, q.x + d.x, q.y + d.y, q.z + d.z});
}

/* t, q <- V+ */
static void advance(trm_lcp_method *w, double h)
{
    const trm_maximal *m = w->machine;
    trm_state *state = m->stepper->state;
    state->clock->time = m->stepper->step.goal;
    state->clock->step = h;
    state->clock->velocities_projected = 1;
    for (int i = 0; i < state->model->body_count; i++) {
        const trm_motion *motion = state->model->bodies[i].motion;
        const trm_spatial V = state->velocity[i];
        if (motion) trm_motion_at(motion, state->clock->time, &state->pose[i], &state->velocity[i], NULL);
        if (m->held[i]) continue;
        state->pose[i].p = trm_v3_add_scaled(state->pose[i].p, h, V.lin);
        if (state->model->bodies[i].kind == TRM_BODY_RIGID) state->pose[i].q = turned(w, state->pose[i].q, V.ang, h);
    }
    trm_remember_turns(state, h, NULL);
}

/* Stores joint forces and accelerations as means of the step. */
static void keep_forces(trm_lcp_method *w, double h)
{
    const trm_maximal *m = w->machine;
    trm_state *state = m->stepper->state;
    for (int j = 0; j < m->joint_count; j++)
        for (int r = 0; m->joints[j].on && r < m->joints[j].joint->rows; r++) {
            const int row = m->joints[j].joint->row_offset + r;
            state->force[row] = m->accelerations.lambda[row] / h;
        }
    for (int i = 0; i < state->model->row_count; i++) state->reaction[i] = state->force[i];
    for (int i = 0; i < state->model->body_count; i++) {
        const trm_spatial change = trm_sp_add_scaled(state->velocity[i], -1, w->before[i]);
        state->acceleration[i] = trm_sp_scale(1 / h, change);
    }
}

/* ---- The step ----------------------------------------------------------------------------- */

/* Removes bounded joints from the joints of the machine. */
static void open_bounded(const trm_lcp_method *w)
{
    const trm_state *state = w->machine->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++)
        if (trm_joint_is_bounded(&state->model->joints[j])) state->mode[j] = TRM_SLACK;
}

/* Marks for the monitor the bodies that have a contact in this step. */
static void mark_contacts(trm_maximal *m)
{
    trm_contact_set_mark_islands(m, 0);
    m->stepper->step.in_contact = m->contact_set->count > 0 ? m->contact_set->marks.body : NULL;
}

/* Reads t, q, V; writes V+, impulses and the memory of contacts. */
static bool solve(trm_lcp_method *w, double h, trm_outcome *outcome)
{
    trm_maximal *m = w->machine;
    trm_state *state = m->stepper->state;
    memcpy(w->before, state->velocity, (size_t)state->model->body_count * sizeof *w->before);

    /* J, W, contacts <- q;  V <- h Q */
    open_bounded(w);
    soften(w, h);
    if (m->contact_set && !trm_contact_set_find_closed(m, h)) return trm_fail_memory(outcome, "contacts");
    if (m->contact_set) mark_contacts(m);
    trm_maximal_rows(m);
    if (m->contact_set) trm_contact_set_recall(m, h);
    if (!trm_lcp_apply_forces(w, outcome)) return false;

    /* x, V <- J V + c_t + (ERP/h) c + (CFM/h) x */
    find_required_rates(w);
    if (!trm_lcp_list_rows(w)) return trm_fail_memory(outcome, "contacts");
    if (!(w->solver == TRM_LCP_PGS ? trm_lcp_sweep(w, outcome) : trm_lcp_eliminate(w, outcome))) return false;
    trm_lcp_distribute_impulses(w);
    if (m->contact_set) m->stepper->step.landed = trm_contact_set_find_landings(m);
    if (m->contact_set) trm_contact_set_remember(m, h);
    return true;
}

/* Updates contacts to the new pose. Keeps those that are closed, and those that have a force although the solver
 * left a gap. */
static void follow_contacts(trm_contact_set *t, trm_maximal *m)
{
    const double near = t->scale.near;
    int kept = 0;
    t->scale.near = INFINITY;
    trm_contact_set_follow(m);
    t->scale.near = near;
    for (int i = 0; i < t->count; i++)
        if (t->contacts[i].at.gap <= near || t->contacts[i].lambda[0] > 0) trm_contact_set_move(t, i, kept++);
    t->count = kept;
}

static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_lcp_method *w = workspace;
    trm_maximal *m = w->machine;
    open_bounded(w); /* the work of friction is that of its row, also in the first step */
    const trm_works power = trm_maximal_power(m, TRM_FORCES_OF_POSITION);
    if (!solve(w, h, outcome)) return false;
    const trm_works work = trm_lcp_work(w);
    keep_forces(w, h);
    advance(w, h);
    if (m->contact_set) follow_contacts(m->contact_set, m);
    trm_maximal_rows(m);
    trm_add_work(m->stepper->state, 1, work);
    trm_add_work(m->stepper->state, 0.5 * h,
                 trm_works_add_scaled(power, 1, trm_maximal_power(m, TRM_FORCES_OF_POSITION)));
    return true;
}

/* ---- Between steps ------------------------------------------------------------------------ */

/* The solver of sweeps, which need no factorisation. */
static const trm_maximal_solver NO_FACTORS = {.name = "none"};

static void set_spring_modes(const trm_lcp_method *w, trm_joint_mode mode)
{
    const trm_state *state = w->machine->stepper->state;
    for (int j = 0; j < state->model->joint_count; j++)
        if (trm_joint_is_spring(&state->model->joints[j]) && !trm_joint_is_bounded(&state->model->joints[j]))
            state->mode[j] = (signed char)mode;
}

/* Projects poses or velocities with rigid joints, however soft they are in steps. Leaves out springs. */
static bool project_rigidly(trm_lcp_method *w, bool (*project)(trm_maximal *, trm_outcome *), trm_outcome *outcome)
{
    open_bounded(w);
    set_spring_modes(w, TRM_SLACK);
    const trm_maximal_solver *of_steps = w->machine->solver;
    w->machine->solver = &trm_maximal_direct;
    w->machine->softness = NULL;
    w->machine->rows_at.time = NAN;
    const bool good = project(w->machine, outcome);
    w->machine->solver = of_steps;
    w->machine->softness = w->softness;
    w->machine->rows_at.time = NAN;
    set_spring_modes(w, TRM_HELD);
    return good;
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    return project_rigidly(workspace, trm_maximal_project_positions, outcome);
}

static bool correct_velocities(trm_maximal *machine, trm_outcome *outcome)
{
    return trm_maximal_correct_velocities(machine, 0, outcome);
}

/* Does nothing: velocities that satisfy the joints of the previous pose are a property of the method and stay
 * visible. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    (void)workspace;
    (void)outcome;
    return true;
}

static bool capture(void *workspace, trm_outcome *outcome)
{
    return project_rigidly(workspace, correct_velocities, outcome);
}

/* Returns the reactions of the last step; before the first step, those of a trial step. */
static bool reactions(void *workspace, trm_outcome *outcome)
{
    trm_lcp_method *w = workspace;
    trm_state *state = w->machine->stepper->state;
    const double h = w->machine->stepper->options->step;
    if (state->clock->step != 0) return true;
    const bool solved = solve(w, h, outcome);
    if (solved) keep_forces(w, h);
    memcpy(state->velocity, w->before, (size_t)state->model->body_count * sizeof *w->before);
    return solved;
}

/* ---- Options ------------------------------------------------------------------------------ */

static const char *const SOLVERS[] = {"dantzig", "lemke", "pgs", NULL};
static const char *const FRICTIONS[] = {"box", "pyramid", NULL};
static const char *const GYROSCOPIC[] = {"implicit", "explicit", "none", NULL};
static const char *const ROTATIONS[] = {"infinitesimal", "finite", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "solver",
     .words = SOLVERS,
     .word = "dantzig",
     .description = "solver of the linear complementarity problem"},
    {.name = "erp", .number = 0.2, .description = "0 to 1: fraction of a gap that is closed in a step"},
    {.name = "cfm", .description = "(m/s)/N: compliance of rows, velocity per force"},
    {.name = "friction",
     .words = FRICTIONS,
     .word = "box",
     .description = "approximation of the friction cone of contacts"},
    {.name = "spread",
     .number = 1e-7,
     .quiet = true,
     .description =
         "0 to 1: compliance of a contact as a fraction of its response, which loads all points of a face"},
    {.name = "directions",
     .number = 8,
     .whole = true,
     .positive = true,
     .description = "directions of the friction pyramid, 3 or more"},
    {.name = "friction_cfm", .description = "(m/s)/N: compliance of contact friction, ODE's slip (default: cfm)"},
    {.name = "bounce", .description = "m/s: slower impacts do not bounce (default: 2 g h)"},
    {.name = "correction",
     .number = INFINITY,
     .description = "m/s: largest separation speed of penetrating contacts"},
    {.name = "iterations", .number = 20, .whole = true, .positive = true, .description = "for pgs: sweeps per step"},
    {.name = "sor", .number = 1.3, .positive = true, .description = "for pgs: over-relaxation, less than 2"},
    {.name = "warm",
     .number = 0.9,
     .description = "for pgs, 0 to 1: fraction of the last impulses with which sweeps start"},
    {.name = "gyroscopic",
     .words = GYROSCOPIC,
     .word = "implicit",
     .description = "integration of the gyroscopic torque"},
    {.name = "rotation", .words = ROTATIONS, .word = "infinitesimal", .description = "integration of orientations"},
    {0},
};

static double number(const trm_simulation_def *options, const char *name)
{
    return trm_option_number(&trm_method_lcp, options, name);
}

static bool is_given(const trm_simulation_def *options, const char *name)
{
    return trm_option_is_given(&trm_method_lcp, options, name);
}

static int word(const trm_simulation_def *options, const char *name, const char *const *words)
{
    int i = 0;
    while (strcmp(words[i], trm_option_word(&trm_method_lcp, options, name)) != 0) i++;
    return i;
}

static bool is_pyramid(const trm_simulation_def *options)
{
    return word(options, "friction", FRICTIONS) == 1;
}

static void read_options(trm_lcp_method *w, const trm_simulation_def *o)
{
    w->solver = (trm_lcp_solver)word(o, "solver", SOLVERS);
    w->gyroscopic = (trm_gyroscopic)word(o, "gyroscopic", GYROSCOPIC);
    w->finite = word(o, "rotation", ROTATIONS) == 1;
    w->directions = is_pyramid(o) ? (int)fmin(number(o, "directions"), INT_MAX) : 0;
    w->erp = number(o, "erp");
    w->cfm = number(o, "cfm");
    w->spread = number(o, "spread");
    w->friction_cfm = number(o, is_given(o, "friction_cfm") ? "friction_cfm" : "cfm");
    w->bounce = is_given(o, "bounce") ? number(o, "bounce") : NAN;
    w->correction = number(o, "correction");
    w->warm = number(o, "warm");
    w->sweeps = (trm_lcp_sweeps){(int)fmin(number(o, "iterations"), INT_MAX), number(o, "sor"), 0};
}

/* Reports that a number must be `what` unless it is right. */
static void require(const trm_simulation_def *options, const char *name, bool right, const char *what,
                    trm_messages *messages)
{
    if (!right)
        trm_add_error(messages, (trm_place){0}, "lcp.%s is %g; it must be %s", name, number(options, name), what);
}

/* Reports options that are out of range, or have no effect with the chosen solver. */
static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    static const char *const of_pgs[] = {"iterations", "sor", "warm",
                                         "spread"}; /* the last one belongs to the other solvers */
    const int solver = word(options, "solver", SOLVERS);
    require(options, "erp", number(options, "erp") <= 1, "0 to 1", messages);
    require(options, "sor", number(options, "sor") < 2, "less than 2", messages);
    require(options, "warm", number(options, "warm") <= 1, "0 to 1", messages);
    require(options, "directions", number(options, "directions") >= 3 && number(options, "directions") <= 1000,
            "3 to 1000", messages);
    if (is_pyramid(options) && solver == TRM_LCP_DANTZIG)
        trm_add_error(
            messages, (trm_place){0},
            "lcp.friction is pyramid, which the solver dantzig does not support; use lcp:solver=lemke or pgs");
    require(options, "spread", number(options, "spread") <= 1, "0 to 1", messages);
    for (int i = 0; i < 4; i++)
        if (is_given(options, of_pgs[i]) && (solver == TRM_LCP_PGS) == (i == 3))
            trm_warn_of_option(messages, &trm_method_lcp, of_pgs[i], "solver", SOLVERS[solver]);
    if (is_given(options, "directions") && !is_pyramid(options))
        trm_warn_of_option(messages, &trm_method_lcp, "directions", "friction", "box");
}

static double own_order(const trm_simulation_def *options)
{
    (void)options;
    return 1;
}

/* ---- The workspace ------------------------------------------------------------------------ */

static bool make_contacts(trm_lcp_method *w, trm_stepper *stepper)
{
    if (!stepper->collider) return true;
    w->machine->contact_set = trm_contact_set_create(w->machine, stepper->collider);
    w->machine->accelerations.contact_wrench = TRM_NEW_ARRAY(stepper->arena, trm_spatial, stepper->model->body_count);
    return w->machine->contact_set && w->machine->accelerations.contact_wrench;
}

static void *create(trm_stepper *stepper)
{
    trm_arena *arena = stepper->arena;
    const int rows = stepper->model->row_count, bodies = stepper->model->body_count;
    trm_lcp_method *w = TRM_NEW(arena, trm_lcp_method);
    if (!w) return NULL;
    read_options(w, stepper->options);
    if (!(w->machine = trm_maximal_create(stepper, &trm_maximal_direct))) return NULL;
    if (w->solver == TRM_LCP_PGS) w->machine->solver = &NO_FACTORS;
    w->softness = TRM_NEW_ARRAY(arena, double, rows);
    w->reduction = TRM_NEW_ARRAY(arena, double, rows);
    w->required = TRM_NEW_ARRAY(arena, double, rows);
    w->before = TRM_NEW_ARRAY(arena, trm_spatial, bodies);
    w->joint_rows = TRM_NEW_ARRAY(arena, trm_lcp_joint_row, trm_lcp_count_joint_rows(stepper->model));
    if (arena->failed || !make_contacts(w, stepper)) return NULL;
    w->machine->softness = w->softness;
    return w;
}

const trm_method trm_method_lcp = {
    .name = "lcp",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_CONTACT | TRM_CAN_EVENTS | TRM_CAN_IMPLICIT |
           TRM_CAN_BREAK | TRM_CAN_SOFT | TRM_CAN_CONTACT_LAW,
    .within_steps = true,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .capture = capture,
    .contacts = &(const trm_method_contacts){.list = trm_contact_set_report},
    .dropped = trm_maximal_dropped,
    .own_order = own_order,
    .check_options = check_options,
    .options = OPTIONS,
};

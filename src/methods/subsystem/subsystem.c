/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of hierarchical subsystems (Kasper, Vlasenko). Accelerations of all bodies follow by reducing
 * subsystem after subsystem to its interface, up the tree and down again (hierarchy.h). A Runge-Kutta rule
 * integrates. Stabilisation uses the same tree (project.c), or the coordinates of a spanning tree as in the paper
 * (generalised.c).
 *
 *     J a = gamma,   a = M^-1 (forces - omega x I omega) + W lambda */

#include "methods/subsystem/subsystem.h"

#include <string.h>

#include "base/message.h"
#include "methods/hierarchy/hierarchy.h"
#include "methods/ranks/rank_map.h"

/* Rows whose error exceeds this fraction of the largest acceleration contradict others. Near singular poses dropped
 * rows leave errors up to the square root of the drop threshold; a shorter step then helps. A larger value accepts
 * drives that contradict joints, a smaller one reports singular poses as contradictions. Tests pass with a tenth
 * and with ten times of it. */
static const double CONTRADICTION = 1e-6;

/* ---- Accelerations --------------------------------------------------------------------------- */

/* Returns the joint with the largest J a - gamma, in units of a contradiction. */
static trm_maximal_worst worst_joint(const trm_maximal *m)
{
    trm_maximal_worst worst = {0, "", "", -1};
    double scale = 1;
    for (int k = 0; k < m->body_count; k++) {
        const trm_spatial a = m->accelerations.a[m->bodies[k]];
        scale = fmax(scale, sqrt(trm_sp_dot(a, a)));
    }
    trm_rank_map_largest(m->rank_map, &scale, NULL);
    for (int j = 0; j < m->joint_count; j++) {
        double gap[TRM_JOINT_ROWS], largest = 0;
        trm_maximal_acceleration_gap(m, &m->joints[j], gap);
        for (int r = 0; r < m->joints[j].joint->rows; r++) largest = fmax(largest, fabs(gap[r]));
        trm_maximal_take_worse_joint(&worst, largest / (CONTRADICTION * scale), &m->joints[j]);
    }
    trm_maximal_agree(m, &worst);
    return worst;
}

static bool is_consistent(const trm_maximal *m, trm_outcome *outcome)
{
    const trm_maximal_worst worst = worst_joint(m);
    if (worst.residual <= 1) return true;
    return trm_fail(outcome, isnan(worst.residual) ? INFINITY : worst.residual, worst.kind, worst.name,
                    "it contradicts other joints: no accelerations satisfy them all");
}

bool trm_subsystems_accelerate(void *subsystems, trm_outcome *outcome)
{
    trm_maximal *m = ((trm_subsystems *)subsystems)->machine;
    if (!trm_maximal_begin_accelerations(m, outcome)) return false;
    trm_maximal_solve_accelerations(m);
    if (trm_rank_map_is_lost(m->rank_map)) return trm_maximal_lost(m, outcome);
    return m->rank.held || is_consistent(m, outcome);
}

static trm_works power_of_all(const void *context)
{
    const trm_subsystems *w = context;
    return trm_maximal_power_of_all(w->machine);
}

/* ---- The step ------------------------------------------------------------------------------ */

/* Reads t, q, V; writes q(t+h), V(t+h). */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_subsystems *w = workspace;
    if (w->generalised) return trm_generalised_step(w, h, outcome);
    const bool done = trm_integrate(w->integration, h, outcome) && trm_subsystems_project(w, outcome);
    trm_maximal_release_rank(w->machine, done);
    return done;
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    const trm_subsystems *w = workspace;
    return trm_maximal_project_positions(w->machine, outcome);
}

static bool capture(void *workspace, trm_outcome *outcome)
{
    const trm_subsystems *w = workspace;
    return trm_maximal_correct_velocities(w->machine, 0, outcome);
}

/* Projects velocities only with TRM_PROJECT_IN_TURN. The velocity errors of other projections are a property of the
 * method and stay visible. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    const trm_subsystems *w = workspace;
    return w->projection != TRM_PROJECT_IN_TURN || w->generalised || capture(workspace, outcome);
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    trm_subsystems *w = workspace;
    if (!trm_subsystems_accelerate(w, outcome)) return false;
    trm_maximal_keep_reactions(w->machine);
    return true;
}

/* ---- Options ------------------------------------------------------------------------------- */

static const char *const RULES[] = {"heun", "midpoint", "rk4", NULL};
static const char *const PROJECTIONS[] = {"sequential", "double", "none", NULL};
static const char *const COORDINATES[] = {"global", "generalised", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "integrator", .words = RULES, .word = "rk4", .description = "the Runge-Kutta rule"},
    {.name = "stabilise",
     .words = PROJECTIONS,
     .word = "sequential",
     .description = "projection of poses and then velocities, of both at once as in the paper, or none"},
    {.name = "passes", .number = 2, .whole = true, .description = "number of passes of the projection in a step"},
    {.name = "coordinates",
     .words = COORDINATES,
     .word = "global",
     .quiet = true,
     .description = "of all bodies, or (planar machines only) the angles and displacements of a spanning tree"},
    TRM_HIERARCHY_OPTIONS,
    {0},
};

static const char *word(const trm_simulation_def *options, const char *name)
{
    return trm_option_word(&trm_method_subsystem, options, name);
}

static bool is_generalised(const trm_simulation_def *options)
{
    return strcmp(word(options, "coordinates"), "generalised") == 0;
}

static double own_order(const trm_simulation_def *options)
{
    const trm_runge_kutta *rule = trm_find_runge_kutta(word(options, "integrator"));
    return rule ? rule->order : 0;
}

static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    if (trm_option_is_given(&trm_method_subsystem, options, "passes") &&
        strcmp(word(options, "stabilise"), "none") == 0)
        trm_warn_of_option(messages, &trm_method_subsystem, "passes", "stabilise", "none");
}

/* ---- The workspace ------------------------------------------------------------------------- */

/* Creates the workspace. Returns NULL with the reason in `why`, or when out of memory. */
static trm_subsystems *make(trm_stepper *stepper, char *why, size_t size)
{
    trm_subsystems *w = TRM_NEW(stepper->arena, trm_subsystems);
    const trm_simulation_def *options = stepper->options;
    if (!w) return NULL;
    w->stepper = stepper;
    stepper->all_known = is_generalised(options);
    w->machine = trm_maximal_create(stepper, &trm_maximal_hierarchy);
    if (!w->machine) return NULL;
    w->integration = trm_integration_create(w->machine, trm_find_runge_kutta(word(options, "integrator")));
    if (!w->integration) return NULL;
    w->integration->accelerate = trm_subsystems_accelerate;
    w->integration->power_of_all = power_of_all;
    w->integration->context = w;
    w->passes = (int)fmin(trm_option_number(&trm_method_subsystem, options, "passes"), 1000);
    while (strcmp(PROJECTIONS[w->projection], word(options, "stabilise")) != 0) w->projection++;
    if (is_generalised(options) && !(w->generalised = trm_generalised_create(w, stepper->arena, why, size)))
        return NULL;
    return w;
}

static void *create(trm_stepper *stepper)
{
    char ignored[200];
    return make(stepper, ignored, sizeof ignored);
}

/* Tries to create generalised coordinates, whose requirements `can` does not cover. */
static bool accepts(const trm_stepper *stepper, char *why, size_t size)
{
    trm_arena arena;
    trm_stepper trial = *stepper;
    trm_counters counters = {0};
    why[0] = 0;
    if (!is_generalised(stepper->options)) return true;
    trm_arena_init(&arena, &stepper->arena->allocator);
    trial.arena = &arena;
    trial.counters = &counters;
    const bool good = make(&trial, why, size);
    trm_arena_destroy(&arena);
    return good;
}

const trm_method trm_method_subsystem = {
    .name = "subsystem",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK | TRM_CAN_EVENTS,
    .accepts = accepts,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .capture = capture,
    .dropped = trm_maximal_dropped,
    .gather = trm_maximal_gather,
    .own_order = own_order,
    .check_options = check_options,
    .options = OPTIONS,
};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of Lagrange multipliers: the second derivatives of the joints give accelerations (stabilise.c), and
 * an explicit Runge-Kutta rule integrates them (maximal/integrate.h). */

#include "methods/lagrange/lagrange.h"

#include <string.h>

#include "base/message.h"

/* ---- The step ----------------------------------------------------------------------------- */

/* Projects poses, then velocities. The projection of velocities may fail near singular poses, where rows are nearly
 * dependent. Then the step fails, because to continue would lose energy. */
static bool project(const trm_lagrange *w, trm_outcome *outcome)
{
    return trm_maximal_project_positions(w->machine, outcome) &&
           trm_maximal_correct_velocities(w->machine, 0, outcome);
}

/* Makes one step: reads t, q, V; writes q(t+h), V(t+h). */
static bool step(void *workspace, double h, trm_outcome *outcome)
{
    trm_lagrange *w = workspace;
    const bool done = trm_integrate(w->integration, h, outcome) &&
                      (w->stabiliser != TRM_STABILISE_PROJECTION || project(w, outcome));
    trm_maximal_release_rank(w->machine, done);
    return done;
}

static trm_works power_of_all(const void *context)
{
    const trm_lagrange *w = context;
    return trm_works_add_scaled(trm_maximal_power_of_all(w->machine), 1, trm_lagrange_contact_power(w));
}

static bool project_positions(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_project_positions(w->machine, outcome);
}

/* Projects velocities only with stabilise=projection: otherwise their drift is a property of the method and stays
 * visible. */
static bool project_velocities(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return w->stabiliser != TRM_STABILISE_PROJECTION || trm_maximal_correct_velocities(w->machine, 0, outcome);
}

static bool reactions(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    if (!trm_lagrange_accelerate(workspace, outcome)) return false;
    trm_maximal_keep_reactions(w->machine);
    return true;
}

static bool capture(void *workspace, trm_outcome *outcome)
{
    const trm_lagrange *w = workspace;
    return trm_maximal_correct_velocities(w->machine, 0, outcome);
}

static int dropped(const trm_maximal *machine, trm_row_name *rows, int most)
{
    const char *stabiliser = trm_option_word(&trm_method_lagrange, machine->stepper->options, "stabilise");
    return strcmp(stabiliser, "penalty") == 0 ? 0 : trm_maximal_dropped(machine, rows, most);
}

static double error_of_step(const void *workspace)
{
    const trm_lagrange *w = workspace;
    return w->integration->error;
}

/* ---- Options ------------------------------------------------------------------------------ */

static const char *const STABILISERS[] = {"none", "baumgarte", "penalty", "projection", "cfm", NULL};

static const trm_method_option OPTIONS[] = {
    {.name = "integrator", .words = trm_runge_kutta_names, .word = "rk4", .description = "the Runge-Kutta rule"},
    {.name = "stabilise",
     .words = STABILISERS,
     .word = "projection",
     .description = "stabilisation that keeps the joints closed"},
    {.name = "beta", .number = 10, .description = "1/s, for baumgarte: factor 2 beta of the gap's rate"},
    {.name = "gamma", .description = "1/s, for baumgarte: factor gamma^2 of the gap (default: beta)"},
    {.name = "alpha",
     .number = 1e7,
     .positive = true,
     .description = "kg, for penalty: factor of the gap's acceleration"},
    {.name = "cfm", .number = 1e-7, .description = "1/kg, for cfm: 1 / alpha"},
    {.name = "omega", .number = 10, .description = "rad/s, for penalty and cfm: natural frequency of gaps"},
    {.name = "mu", .number = 1, .description = "for penalty and cfm: damping ratio of gaps, 1 is critical"},
    {0},
};

static trm_stabiliser stabiliser_named(const char *name)
{
    int i = 0;
    while (strcmp(STABILISERS[i], name) != 0) i++;
    return (trm_stabiliser)i;
}

static double number(const trm_lagrange *w, const char *name)
{
    return trm_option_number(&trm_method_lagrange, w->stepper->options, name);
}

/* Returns gamma, by default beta: critical damping. */
static double gamma_of(const trm_lagrange *w)
{
    return number(w, trm_option_is_given(&trm_method_lagrange, w->stepper->options, "gamma") ? "gamma" : "beta");
}

static void read_options(trm_lagrange *w)
{
    const trm_simulation_def *options = w->stepper->options;
    w->stabiliser = stabiliser_named(trm_option_word(&trm_method_lagrange, options, "stabilise"));
    if (w->stabiliser == TRM_STABILISE_BAUMGARTE) {
        w->damping = 2 * number(w, "beta");
        w->stiffness = gamma_of(w) * gamma_of(w);
    } else if (w->stabiliser == TRM_STABILISE_PENALTY || w->stabiliser == TRM_STABILISE_CFM) {
        w->damping = 2 * number(w, "omega") * number(w, "mu");
        w->stiffness = number(w, "omega") * number(w, "omega");
    }
}

/* Warns of numbers without effect: those of stabilisations that are not chosen. */
static void check_options(const trm_simulation_def *options, trm_messages *messages)
{
    static const struct {
        const char *name;
        unsigned of; /* bits of trm_stabiliser */
    } numbers[] = {
        {"beta", 1 << TRM_STABILISE_BAUMGARTE},
        {"gamma", 1 << TRM_STABILISE_BAUMGARTE},
        {"alpha", 1 << TRM_STABILISE_PENALTY},
        {"cfm", 1 << TRM_STABILISE_CFM},
        {"omega", 1 << TRM_STABILISE_PENALTY | 1 << TRM_STABILISE_CFM},
        {"mu", 1 << TRM_STABILISE_PENALTY | 1 << TRM_STABILISE_CFM},
    };
    const char *chosen = trm_option_word(&trm_method_lagrange, options, "stabilise");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (trm_option_is_given(&trm_method_lagrange, options, numbers[i].name) &&
            !(numbers[i].of >> stabiliser_named(chosen) & 1))
            trm_warn_of_option(messages, &trm_method_lagrange, numbers[i].name, "stabilise", chosen);
}

static double own_order(const trm_simulation_def *options)
{
    const trm_runge_kutta *rule = trm_find_runge_kutta(trm_option_word(&trm_method_lagrange, options, "integrator"));
    return rule ? rule->order : 0;
}

/* ---- The workspace ------------------------------------------------------------------------ */

/* Returns the softness cfm of every row, or NULL when out of memory. */
static const double *equal_softness(const trm_lagrange *w, double cfm)
{
    const int rows = w->stepper->model->row_count;
    double *softness = TRM_NEW_ARRAY(w->stepper->arena, double, rows);
    for (int i = 0; softness && i < rows; i++) softness[i] = cfm;
    return softness;
}

static bool make_contacts(trm_lagrange *w)
{
    trm_stepper *s = w->stepper;
    if (!s->collider) return true;
    w->machine->contact_set = trm_contact_set_create(w->machine, s->collider);
    w->loose = TRM_NEW_ARRAY(s->arena, trm_spatial, s->model->body_count);
    w->gamma = TRM_NEW_ARRAY(s->arena, double, s->model->row_count);
    return w->machine->contact_set && w->loose && w->gamma;
}

static bool integrate_with(trm_lagrange *w, const char *option)
{
    const char *rule = trm_option_word(&trm_method_lagrange, w->stepper->options, option);
    trm_integration *integration = trm_integration_create(w->machine, trm_find_runge_kutta(rule));
    if (!integration) return false;
    integration->accelerate = trm_lagrange_accelerate;
    integration->power_of_all = power_of_all;
    integration->context = w;
    w->integration = integration;
    return true;
}

static void *create(trm_stepper *stepper)
{
    trm_lagrange *w = TRM_NEW(stepper->arena, trm_lagrange);
    if (!w) return NULL;
    w->stepper = stepper;
    read_options(w);
    w->machine = trm_maximal_create(stepper, trm_maximal_solver_of(stepper->options));
    if (!w->machine || !make_contacts(w) || !integrate_with(w, "integrator")) return NULL;
    if (w->stabiliser == TRM_STABILISE_CFM && !(w->machine->softness = equal_softness(w, number(w, "cfm"))))
        return NULL;
    if (w->stabiliser == TRM_STABILISE_PENALTY && !(w->penalty = trm_penalty_create(w->machine, number(w, "alpha"))))
        return NULL;
    return w;
}

const trm_method trm_method_lagrange = {
    .name = "lagrange",
    .can = TRM_CAN_MAXIMAL | TRM_CAN_BOUNDS | TRM_CAN_FRICTION | TRM_CAN_BREAK | TRM_CAN_EVENTS | TRM_CAN_CONTACT |
           TRM_CAN_LOAD,
    .create = create,
    .step = step,
    .project_positions = project_positions,
    .project_velocities = project_velocities,
    .reactions = reactions,
    .capture = capture,
    .contacts = &(const trm_method_contacts){.list = trm_contact_set_report},
    .dropped = dropped,
    .error = error_of_step,
    .own_order = own_order,
    .check_options = check_options,
    .options = OPTIONS,
};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One step of a scheme: how steps S_h of order 2, symmetric in time, make a step of order 4, 6 or 8.
 *
 *     composition     S_(g1 h) S_(g2 h) ... S_(gn h), some g being negative (compose.h)
 *     extrapolation   sum over i of w_i (S_(h/i))^i, i = 1 .. k, all forwards in time (extrapolate.h)
 *     auto            composition, because it conserves energy for long; but extrapolation where a force depends
 *                     on velocities: in a step back in time it would add energy
 *
 * Next to contacts a step is extrapolated with modes that are kept (frozen.c).
 *
 * An implicit spring is applied by a step of order 1 that is not symmetric: neither scheme raises its order. */

#include "base/message.h"
#include "sim/sim.h"

/* ---- Choosing ----------------------------------------------------------------------------- */

/* The order of extrapolation where the options have order 2. */
enum { LEAST_EXTRAPOLATED_ORDER = 4 };

static const trm_force *first_force(const trm_model *model, bool (*has)(const trm_force *force))
{
    for (int i = 0; i < model->force_count; i++)
        if (has(&model->forces[i])) return &model->forces[i];
    return NULL;
}

static bool is_implicit(const trm_force *force)
{
    return force->treatment == TRM_TREAT_IMPLICIT;
}

/* Returns whether a force acts only forwards in time. An integrated spring without damping acts in both
 * directions. */
static bool is_one_way(const trm_force *force)
{
    const bool only_pulls = force->treatment == TRM_TREAT_INTEGRAL && force->damping == 0;
    return trm_force_depends_on_velocity(force) && !only_pulls;
}

static bool goes_one_way(const trm_sim *sim)
{
    return first_force(sim->stepper.model, is_one_way) != NULL;
}

void trm_sim_choose_scheme(trm_sim *sim)
{
    trm_simulation_def *o = &sim->options;
    const bool chosen = strcmp(o->scheme, "auto") != 0;
    if (sim->method->own_order) {
        o->order = sim->method->own_order(o);
        if (trm_model_remembering_force(sim->stepper.model)) o->order = fmin(o->order, 2);
        o->scheme = "composition"; /* with one stage */
        sim->steps.composition = trm_composition_of(2);
        return;
    }
    if (!chosen) o->scheme = o->order > 2 && goes_one_way(sim) ? "extrapolation" : "composition";
    const bool extrapolated = strcmp(o->scheme, "extrapolation") == 0;
    if (extrapolated) o->order = fmax(o->order, LEAST_EXTRAPOLATED_ORDER);
    sim->modes.forwards = extrapolated && sim->stepper.model->collisions.may_collide && sim->method->contacts;
    sim->steps.extrapolation = extrapolated && !sim->modes.forwards ? trm_extrapolation_results(o->order) : 0;
    sim->steps.composition = trm_composition_of(sim->steps.extrapolation > 0 ? 2 : o->order);
}

static bool refuse(const trm_sim *sim, const trm_force *force, const char *why, trm_messages *messages)
{
    trm_add_error(messages, (trm_place){0}, "order %g cannot be reached: force '%s' %s", sim->options.order,
                  force->name ? force->name : force->type->name, why);
    return true;
}

bool trm_sim_refuse_order(const trm_sim *sim, trm_messages *messages)
{
    const trm_model *model = sim->stepper.model;
    const trm_force *implicit = first_force(model, is_implicit);
    const trm_force *one_way = first_force(model, is_one_way);
    if (implicit && (sim->steps.composition.stages > 1 || sim->steps.extrapolation > 0))
        return refuse(sim, implicit, "is applied implicitly, by steps of order 1; take order 2, or an explicit force",
                      messages);
    if (one_way && sim->modes.forwards)
        return refuse(sim, one_way, "depends on velocities, and shapes may collide; take order 2", messages);
    if (one_way && sim->steps.composition.stages > 1)
        return refuse(sim, one_way,
                      "depends on velocities, and composed steps go back in time too; take the scheme extrapolation",
                      messages);
    return false;
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* Contacts that do not keep their modes, and time-stepping steps, get a single stage. */
bool trm_sim_stages(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const bool plain = sim->stepping.active || (sim->stepper.collider && !sim->modes.freezes);
    const trm_composition one = {1, {1}}, *c = plain ? &one : &sim->steps.composition;
    const double start = sim->state->clock->time;
    double passed = 0;
    for (int i = 0; i < c->stages; i++) {
        passed += c->g[i];
        const double end = i + 1 == c->stages ? goal : start + passed * h;
        if (!trm_sim_step_method(sim, c->g[i] * h, end, outcome)) return false;
    }
    return true;
}

static trm_scheme composed(const trm_sim *sim)
{
    return sim->modes.freezes ? trm_sim_compose_frozen : trm_sim_stages;
}

/* Makes (S_(h/n))^n from sim->steps.before. Returns false on failure. */
static bool step_by_parts(trm_sim *sim, double h, double goal, int n, trm_outcome *outcome)
{
    const double start = sim->steps.before->clock->time;
    for (int i = 1; i <= n; i++)
        if (!composed(sim)(sim, h / n, i == n ? goal : start + i * h / n, outcome)) return false;
    return true;
}

static bool extrapolate(trm_sim *sim, double h, double goal, trm_outcome *outcome)
{
    const bool wanted = sim->stepper.velocities_required;
    bool good = true;
    sim->stepper.velocities_required = true;
    for (int n = 1; good && n <= sim->steps.extrapolation; n++) {
        good = step_by_parts(sim, h, goal, n, outcome);
        if (!good || n == sim->steps.extrapolation) break;
        trm_state_copy(sim->steps.coarse[n - 1], sim->state);
        trm_state_copy(sim->state, sim->steps.before);
    }
    sim->stepper.velocities_required = wanted;
    if (!good) return false;
    trm_extrapolate(sim->state, sim->steps.coarse, sim->steps.extrapolation);
    return sim->method->project_positions(sim->workspace, outcome) &&
           sim->method->project_velocities(sim->workspace, outcome);
}

trm_scheme trm_sim_scheme(const trm_sim *sim)
{
    return sim->steps.extrapolation > 0 && !sim->stepping.active ? extrapolate : composed(sim);
}

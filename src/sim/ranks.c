/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A simulation on several ranks: each rank steps the bodies that it knows (methods/ranks/rank_map.h), and all ranks
 * take the same decisions. trm_sim_observe collects the whole state for functions that read it. */

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/message.h"
#include "methods/ranks/rank_map.h"
#include "sim/sim.h"

double trm_sim_largest_of_ranks(const trm_sim *sim, double value)
{
    int ignored = 0;
    return trm_exchange_largest(sim->stepper.exchange, &value, &ignored) ? value : NAN;
}

/* ---- Replicated bodies ----------------------------------------------------------------------- */

static void mark(trm_sim *sim, int body, trm_replicated how)
{
    if (body >= 0 && sim->replicated[body] < (signed char)how) sim->replicated[body] = (signed char)how;
}

static void mark_joint(trm_sim *sim, int joint, trm_replicated how)
{
    const trm_joint *j = joint >= 0 ? &sim->stepper.model->joints[joint] : NULL;
    for (int b = 0; j && b < j->body_count; b++) mark(sim, j->body[b], how);
}

/* Finds the bodies that must be replicated. All ranks compute all forces except weights, and these forces read
 * bodies. Events of a joint, and sensors, may need anything of their island. */
static void find_replicated(trm_sim *sim)
{
    const trm_model *model = sim->stepper.model;
    for (int i = 0; i < model->force_count; i++)
        for (int b = 0; model->forces[i].type != &trm_force_gravity && b < model->forces[i].body_count; b++)
            mark(sim, model->forces[i].body[b], TRM_KNOWN_BODY);
    for (int i = 0; i < sim->stepper.called_count; i++) mark(sim, sim->stepper.called[i].body, TRM_KNOWN_BODY);
    for (int i = 0; i < sim->events.watched_count; i++) mark_joint(sim, sim->events.watched[i], TRM_KNOWN_ISLAND);
    for (int i = 0; i < model->schedule.count; i++) {
        mark_joint(sim, model->schedule.events[i].attach, TRM_KNOWN_ISLAND);
        mark_joint(sim, model->schedule.events[i].detach, TRM_KNOWN_ISLAND);
    }
    for (int i = 0; i < model->observed.sensor_count; i++) {
        for (int b = 0; b < 2; b++) mark(sim, model->observed.sensors[i].body[b], TRM_KNOWN_ISLAND);
        mark_joint(sim, model->observed.sensors[i].joint, TRM_KNOWN_ISLAND);
    }
}

bool trm_sim_find_replicated(trm_sim *sim)
{
    if (!sim->stepper.exchange) return true;
    sim->replicated = TRM_NEW_ARRAY(&sim->arena, signed char, sim->stepper.model->body_count);
    if (!sim->replicated) return false;
    find_replicated(sim);
    sim->stepper.replicated = sim->replicated;
    return true;
}

/* ---- Exchange ------------------------------------------------------------------------------ */

static bool refuse(trm_messages *messages, const char *why)
{
    trm_add_error(messages, (trm_place){0}, "%s", why);
    return false;
}

static bool can_share(const trm_sim *sim, trm_messages *messages)
{
    char why[200];
    if (!sim->method->gather) {
        snprintf(why, sizeof why,
                 "the method \"%s\" runs on one rank; take subsystem, or impulse with the solver hierarchy",
                 sim->method->name);
        return refuse(messages, why);
    }
    if (!sim->method->own_order && strcmp(sim->options.solver, "hierarchy") != 0) {
        snprintf(why, sizeof why, "the solver \"%s\" runs on one rank; take the solver hierarchy",
                 sim->options.solver);
        return refuse(messages, why);
    }
    if (sim->stepper.model->schedule.conditions > 0)
        return refuse(messages,
                      "events wait for conditions, which are checked on one rank only; run without mpiexec");
    if (!sim->stepper.collider) return true;
    snprintf(why, sizeof why, "body '%s' may collide; contacts are found on one rank",
             sim->stepper.model->collisions.may_collide);
    return refuse(messages, why);
}

trm_status trm_sim_distribute(trm_sim *sim, trm_exchange *exchange, trm_messages *messages)
{
    TRM_ASSERT(!sim->workspace);
    if (!exchange || exchange->count == 1) return TRM_OK;
    if (exchange->count > TRM_MOST_RANKS) {
        refuse(messages, "there are too many ranks; use at most 4096");
        return TRM_BAD_INPUT;
    }
    if (!can_share(sim, messages)) return TRM_BAD_INPUT;
    sim->stepper.exchange = exchange;
    return TRM_OK;
}

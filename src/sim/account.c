/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The changes made by each step, as the monitor needs them (monitor.c), and the accuracy that follows from them.
 *
 * A step of the impulse method whose velocities are not projected onto the joints contains only half of the joint
 * impulses that act in it. Where velocities are projected afterwards, as for a row of the results, the whole step is
 * counted. */

#include "base/tolerance.h"
#include "sim/sim.h"

static double energy_beyond_work(const trm_state *state)
{
    const trm_energy e = trm_state_energy(state);
    return e.kinetic + e.potential - trm_works_sum(state->clock->work);
}

double trm_energy_from_nowhere(const trm_state *start, const trm_state *end)
{
    return energy_beyond_work(end) - energy_beyond_work(start);
}

trm_change trm_sim_change(trm_sim *sim, double h)
{
    if (sim->stepper.exchange) return (trm_change){.energy = NAN, .step = fabs(h)};
    trm_change change = trm_change_of(sim->steps.before, sim->state, sim->stepper.in_contact, h, &sim->steps.slopes);
    change.half = sim->steps.before->clock->velocities_fit && !sim->state->clock->velocities_fit;
    return change;
}

void trm_sim_complete_change(trm_sim *sim)
{
    const trm_change *half = &sim->monitor.half;
    const double h = sim->state->clock->time - sim->steps.before->clock->time;
    if (!(half->step > 0) || fabs(fabs(h) - half->step) > TRM_SAME_TIME * half->step) return;
    const trm_change change =
        trm_change_of(sim->steps.before, sim->state, sim->stepper.in_contact, copysign(half->step, h), NULL);
    trm_monitor_complete(&sim->monitor, &change, sim->options.order);
}

trm_accuracy trm_sim_accuracy(const trm_sim *sim)
{
    trm_accuracy a = sim->monitor.result;
    double own = sim->method->own_error ? sim->method->own_error(&sim->options) : NAN;
    if (!isnan(own) && sim->notes.requested > 0) own = sim->notes.requested / sim->notes.size;
    a.energy_expected = isnan(own) ? trm_monitor_energy(&sim->monitor, sim->options.order) : a.energy_scale * own;
    a.motion_expected = trm_monitor_drift(&sim->monitor, sim->options.order);
    return a;
}

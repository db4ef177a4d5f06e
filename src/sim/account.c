/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Energy that a step makes or loses, and the accuracy that follows from all steps (monitor.c). */

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

trm_accuracy trm_sim_accuracy(const trm_sim *sim)
{
    trm_accuracy a = sim->monitor.result;
    double own = sim->method->own_error ? sim->method->own_error(&sim->options) : NAN;
    if (!isnan(own) && sim->notes.requested > 0) own = sim->notes.requested / sim->notes.size;
    a.energy_expected = isnan(own) ? trm_monitor_energy(&sim->monitor, sim->options.order) : a.energy_scale * own;
    a.motion_expected = trm_monitor_drift(&sim->monitor, sim->options.order);
    return a;
}

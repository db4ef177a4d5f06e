/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Detects that the motion diverges under forces of the caller.
 *
 * A controller that is called once per step is a sampled system. If its gains are too large for the step h, the motion
 * grows as mu^n, |mu| > 1, however accurately each step is computed. In the end every step turns bodies by many
 * revolutions and takes seconds. The rate of growth distinguishes this from a machine that a force sets in motion: from
 * rest, forces F ~ t^k give kinetic energies E ~ t^(2k+2), whose peaks over blocks of m steps have the ratios 4, 2.25,
 * 1.78, ... (k = 0), 64, 11.4, 5.6, ... (k = 2), at each m. Peaks that grow by GROWTH three times in a row are
 * exponential. Blocks of 1, 8, 64 and 512 steps detect fast and slow growth.
 *
 * Limits, friction and saturation can stop the growth. Then the controller throws the machine to and fro: nearly
 * every step changes most of its kinetic energy. The angles of such steps are summed; every other step subtracts 1 rad.
 *
 * Fast motion alone is not divergence, and neither is slow motion that changes: both count only in steps in which
 * bodies turn or move by more than a step resolves. */

#include <math.h>

#include "motion/fail.h"
#include "sim/sim.h"

/* Ratio of the peaks of successive blocks. A larger value lets slow instabilities continue, a smaller one stops
 * machines that start under a growing force. */
static const double GROWTH = 10;
/* rad per step, or lever arms per step: slower motion is resolved. A larger value wastes seconds, a smaller one stops
 * controllers that would have caught the machine. */
static const double UNRESOLVED = 1;
/* Fraction of the kinetic energy that a step changes if the machine is thrown to and fro. A larger value lets such
 * runs continue, a smaller one stops fast machines that brake. */
static const double THROWN = 0.5;
/* rad: sum of the angles of steps that throw the machine. A larger value stops later, a smaller one stops controllers
 * that catch the machine after a few bad steps. */
static const double MOST_THROWN = 8;
enum { IN_A_ROW = 3 }; /* peaks that grow */

/* Returns the body that turns or moves farthest in a step of dt, and sets *most to how far, in units of UNRESOLVED.
 * The velocity of a body that turns on a lever arm follows from its rotation. Translations therefore count in units
 * of the size of the machine. */
static int find_fastest(const trm_state *state, double dt, double *most)
{
    const trm_model *model = state->model;
    double size = 0;
    int fastest = 0;
    *most = 0;
    for (int i = 1; i < model->shown_body_count; i++)
        size = fmax(size, trm_v3_length(trm_v3_sub(model->bodies[i].start.p, model->bodies[0].start.p)));
    for (int i = 1; i < model->shown_body_count; i++) {
        if (model->bodies[i].inverse_mass == 0) continue;
        const trm_spatial V = state->velocity[i];
        const double way = fmax(trm_v3_length(V.ang), size > 0 ? trm_v3_length(V.lin) / size : 0) * fabs(dt);
        if (way > *most) *most = way, fastest = i;
    }
    return fastest;
}

/* Ends a block of steps. Returns whether its peak is the last of three that grew. */
static bool end_block(trm_growth_block *b)
{
    const bool grew = b->before > 0 && b->peak >= GROWTH * b->before;
    if (!grew) b->in_a_row = 0, b->first = b->peak;
    if (grew) b->in_a_row++;
    b->before = b->peak;
    b->peak = 0;
    b->steps = 0;
    return b->in_a_row >= IN_A_ROW;
}

/* Reports divergence in outcome. before: the kinetic energy before the growth, J. Returns false. */
static bool report(const trm_sim *sim, int body, double before, trm_outcome *outcome)
{
    return trm_fail(outcome, NAN, "body", sim->state->model->bodies[body].name,
                    "the forces of the caller let the motion diverge: the kinetic energy went from %.3g J to %.3g J, "
                    "%.3g rad/s now; take smaller gains or shorter steps",
                    before, trm_state_energy(sim->state).kinetic, trm_v3_length(sim->state->velocity[body].ang));
}

/* Returns whether the last steps threw the machine to and fro. first: the block of one step, before it ends. */
static bool is_thrown(trm_sim *sim, const trm_growth_block *first, double energy, double way)
{
    const double change = fabs(energy - first->before);
    const bool thrown = way > UNRESOLVED && change > THROWN * fmax(energy, first->before);
    sim->caller.thrown = thrown ? sim->caller.thrown + way : fmax(0, sim->caller.thrown - 1);
    return sim->caller.thrown > MOST_THROWN;
}

bool trm_sim_watch_growth(trm_sim *sim, double dt, trm_outcome *outcome)
{
    const double energy = trm_state_energy(sim->state).kinetic;
    double way;
    const int body = find_fastest(sim->state, dt, &way);
    if (!outcome->ok) return way > UNRESOLVED && report(sim, body, sim->caller.growth[0].first, outcome);
    if (is_thrown(sim, &sim->caller.growth[0], energy, way))
        return report(sim, body, sim->caller.growth[0].before, outcome);
    for (int k = 0, length = 1; k < TRM_GROWTH_SCALES; k++, length *= 8) {
        trm_growth_block *b = &sim->caller.growth[k];
        b->peak = fmax(b->peak, energy);
        if (++b->steps < length || !end_block(b) || way <= UNRESOLVED) continue;
        return report(sim, body, b->first, outcome);
    }
    return true;
}

void trm_sim_forget_growth(trm_sim *sim)
{
    for (int k = 0; k < TRM_GROWTH_SCALES; k++) sim->caller.growth[k] = (trm_growth_block){0};
    sim->caller.thrown = 0;
}

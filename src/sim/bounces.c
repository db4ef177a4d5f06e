/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Notes on the end of a series of bounces (methods/contact/bounces.c).
 *
 * A pair that separates too slowly to bounce stays in contact after its last impact. The bounces that it would still
 * have made take a little longer, and the note has the time at which they end. A pair that should have come back
 * long ago and is in contact without an impact stays in contact, too: its bounces were too low to be detected. Where
 * a step has so many events that the rest of it is made by time-stepping, the pairs that would have come back within
 * it also stay in contact. */

#include <string.h>

#include "sim/sim.h"

static void take_note(trm_sim *sim, const trm_bounce *bounce)
{
    const trm_body *bodies = sim->state->model->bodies;
    const trm_energy energy = trm_state_energy(sim->state);
    const char *a = bodies[bounce->body[0]].name, *b = bodies[bounce->body[1]].name, *pair = NULL;
    if (!isfinite(bounce->ends)) return; /* nothing pulls the pair back */
    if (sim->notes.count < TRM_NOTES_KEPT) pair = trm_arena_format(&sim->arena, "%s on %s", a, b);
    trm_sim_keep_note(sim, (trm_event_note){.time = bounce->ends,
                                            .what = "bounces no more",
                                            .name = pair ? pair : a,
                                            .joint = -1,
                                            .energy_before = energy.kinetic + energy.potential,
                                            .energy_after = energy.kinetic + energy.potential});
}

/* Replaces the last bounce of the pair. The end that was predicted when bounces became lower than the tolerance of
 * positions is kept: the lower the bounces, the larger the rounding in their times. */
static void follow(trm_sim *sim, trm_bounce *bounce)
{
    int kept = 0;
    for (int i = 0; i < sim->memory.bounce_count; i++) {
        const trm_bounce *last = &sim->memory.bounces[i];
        if (memcmp(last->body, bounce->body, sizeof last->body) != 0)
            sim->memory.bounces[kept++] = *last;
        else if (last->high < sim->events.nearness.position)
            bounce->ends = last->ends;
    }
    sim->memory.bounce_count = kept;
}

void trm_sim_note_bounces(trm_sim *sim)
{
    const trm_bounce *list;
    const int count = sim->method->contacts->bounces(sim->stepper.machine, &list);
    for (int i = 0; i < count; i++) {
        trm_bounce bounce = list[i];
        follow(sim, &bounce);
        if (bounce.held)
            take_note(sim, &bounce);
        else if (sim->memory.bounce_count < TRM_BOUNCES_KEPT)
            sim->memory.bounces[sim->memory.bounce_count++] = bounce;
    }
}

/* Returns whether the pair is in contact now. If out of memory, only a note is lost. */
static bool is_in_contact(trm_sim *sim, const trm_bounce *bounce)
{
    bool contact_search = false;
    const trm_event of_pair = {.bodies = {bounce->body[0], bounce->body[1]}};
    return trm_sim_in_contact(sim, &of_pair, &contact_search) && contact_search;
}

void trm_sim_pass_bounces(trm_sim *sim)
{
    int kept = 0;
    for (int i = 0; i < sim->memory.bounce_count; i++) {
        const trm_bounce *bounce = &sim->memory.bounces[i];
        const bool long_ago = sim->state->clock->time - bounce->back > bounce->back - bounce->at;
        if (!long_ago)
            sim->memory.bounces[kept++] = *bounce;
        else if (is_in_contact(sim, bounce))
            take_note(sim, bounce);
    }
    sim->memory.bounce_count = kept;
}

void trm_sim_end_bounces(trm_sim *sim, double goal)
{
    for (int i = 0; i < sim->memory.bounce_count; i++)
        if (sim->memory.bounces[i].back < goal) take_note(sim, &sim->memory.bounces[i]);
    sim->memory.bounce_count = 0;
}

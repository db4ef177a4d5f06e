/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The numbers of a report: energies and their error, gaps, coordinates, forces in joints, contacts. Machines with very many
 * joints have those of the first ones. */

#include "io/report.h"
#include "motion/state.h"

enum { MOST_JOINTS = 100 };

/* ---- Values -------------------------------------------------------------------------------- */

static double kinetic(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    (void)r, (void)s;
    return trm_state_energy(state).kinetic;
}

static double potential(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    (void)r, (void)s;
    return trm_state_energy(state).potential;
}

static double total(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    return kinetic(r, s, state) + potential(r, s, state);
}

static double energy_error(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    return fabs(total(r, s, state) - r->energy_start - state->clock->work);
}

static double work(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    (void)r, (void)s;
    return state->clock->work;
}

/* index 0: metres, 1: radians */
static double part_of_gap(trm_gap gap, int index)
{
    return index == 0 ? gap.position : gap.angle;
}

static double largest_gap(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    double largest = 0;
    (void)r;
    for (int j = 0; j < state->model->shown_joint_count; j++)
        if (state->attached[j]) largest = fmax(largest, part_of_gap(trm_position_gap(state, j), s->index));
    return largest;
}

static double gap_of_joint(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    (void)r;
    return state->attached[s->joint] ? part_of_gap(trm_position_gap(state, s->joint), 0) : 0;
}

static double coordinate(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    double q[TRM_JOINT_COORDINATES];
    (void)r;
    trm_joint_values(state, s->joint, q, NULL);
    return q[s->index];
}

/* index 0: force, 1: torque */
static double reaction(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    const trm_spatial F = trm_joint_reaction(state, s->joint);
    (void)r;
    return trm_length(s->index == 0 ? F.lin : F.ang);
}

static double contacts(const trm_report *r, const trm_report_series *s, const trm_state *state)
{
    (void)r;
    return (double)(s->index == 0 ? state->clock->touched : state->clock->strikes);
}

/* ---- The list ------------------------------------------------------------------------------ */

static bool add(trm_report *r, trm_report_series series)
{
    trm_report_series *list = trm_arena_grow(&r->arena, r->series, r->series_count, sizeof *list);
    if (!list) return false;
    list[r->series_count++] = series;
    r->series = list;
    return true;
}

static bool add_energies(trm_report *r)
{
    return add(r, (trm_report_series){"error |E - E0 - W|", "J", "energy", true, -1, 0, energy_error}) &&
           add(r, (trm_report_series){"kinetic", "J", "energy", false, -1, 0, kinetic}) &&
           add(r, (trm_report_series){"potential", "J", "energy", false, -1, 0, potential}) &&
           add(r, (trm_report_series){"total", "J", "energy", false, -1, 0, total}) &&
           add(r, (trm_report_series){"work", "J", "energy", false, -1, 0, work});
}

static bool add_joint(trm_report *r, int j)
{
    const trm_joint *joint = &r->sim->state->model->joints[j];
    bool added = add(r, (trm_report_series){joint->name, "m", "gap", true, j, 0, gap_of_joint});
    for (int k = 0; added && k < joint->coordinates; k++) {
        const bool length = joint->type->kind[k] == TRM_COORDINATE_LENGTH;
        added = add(r, (trm_report_series){joint->name, length ? "m" : "rad", "coordinate", false, j, k, coordinate});
    }
    if (joint->type->among_forces && joint->host) return added;
    return added && add(r, (trm_report_series){joint->name, "N", "reaction", false, j, 0, reaction}) &&
           add(r, (trm_report_series){joint->name, "N m", "reaction", false, j, 1, reaction});
}

bool trm_report_list_series(trm_report *r)
{
    const trm_model *model = r->sim->state->model;
    bool added = add_energies(r);
    if (added && model->shown_joint_count > 0)
        added = add(r, (trm_report_series){"largest", "m", "gap", true, -1, 0, largest_gap}) &&
                add(r, (trm_report_series){"largest", "rad", "gap", true, -1, 1, largest_gap});
    for (int j = 0; added && j < model->shown_joint_count && j < MOST_JOINTS; j++) added = add_joint(r, j);
    if (added && model->may_collide)
        added = add(r, (trm_report_series){"contacts", "", "contact", false, -1, 0, contacts}) &&
                add(r, (trm_report_series){"impacts so far", "", "contact", false, -1, 1, contacts});
    return added;
}

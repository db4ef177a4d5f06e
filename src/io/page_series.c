/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The numbers that pages plot: energies and their error, gaps, coordinates, forces in joints, contacts. Machines with very many
 * joints have those of the first ones. */

#include "io/page.h"

#include <stdio.h>
#include <string.h>

#include "motion/state.h"

enum { MOST_JOINTS = 100 };

/* ---- Values -------------------------------------------------------------------------------- */

static double kinetic(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_state_energy(state).kinetic;
}

static double potential(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_state_energy(state).potential;
}

static double total(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    return kinetic(all, n, state) + potential(all, n, state);
}

static double energy_error(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    return fabs(total(all, n, state) - all->energy_start - trm_works_sum(state->clock->work));
}

static double work(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all, (void)n;
    return trm_works_sum(state->clock->work);
}

/* index 0: metres, 1: radians */
static double part_of_gap(trm_gap gap, int index)
{
    return index == 0 ? gap.position : gap.angle;
}

static double largest_gap(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    double largest = 0;
    (void)all;
    for (int j = 0; j < state->model->shown_joint_count; j++)
        if (state->attached[j]) largest = fmax(largest, part_of_gap(trm_position_gap(state, j), n->index));
    return largest;
}

static double gap_of_joint(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all;
    return state->attached[n->joint] ? part_of_gap(trm_position_gap(state, n->joint), 0) : 0;
}

static double coordinate(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    double q[TRM_JOINT_COORDINATES];
    (void)all;
    trm_joint_values(state, n->joint, q, NULL);
    return q[n->index];
}

/* index 0: force, 1: torque */
static double reaction(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    const trm_spatial F = trm_joint_reaction(state, n->joint);
    (void)all;
    return trm_length(n->index == 0 ? F.lin : F.ang);
}

static double contacts(const trm_page_series *all, const trm_page_number *n, const trm_state *state)
{
    (void)all;
    return (double)(n->index == 0 ? state->clock->touched : state->clock->strikes);
}

/* ---- The list ------------------------------------------------------------------------------ */

/* Where the list grows. */
typedef struct listing {
    trm_page_series *series;
    trm_arena *arena;
} listing;

static bool add(listing l, trm_page_number number)
{
    trm_page_series *s = l.series;
    trm_page_number *list = trm_arena_grow(l.arena, s->numbers, s->count, sizeof *list);
    if (!list) return false;
    list[s->count++] = number;
    s->numbers = list;
    return true;
}

static bool add_energies(listing l)
{
    return add(l, (trm_page_number){"error |E - E0 - W|", "J", "energy", true, -1, 0, energy_error}) &&
           add(l, (trm_page_number){"kinetic", "J", "energy", false, -1, 0, kinetic}) &&
           add(l, (trm_page_number){"potential", "J", "energy", false, -1, 0, potential}) &&
           add(l, (trm_page_number){"total", "J", "energy", false, -1, 0, total}) &&
           add(l, (trm_page_number){"work", "J", "energy", false, -1, 0, work});
}

static bool add_joint(listing l, int j)
{
    const trm_joint *joint = &l.series->model->joints[j];
    bool added = add(l, (trm_page_number){joint->name, "m", "gap", true, j, 0, gap_of_joint});
    for (int k = 0; added && k < joint->coordinates; k++) {
        const bool length = joint->type->kind[k] == TRM_COORDINATE_LENGTH;
        added = add(l, (trm_page_number){joint->name, length ? "m" : "rad", "coordinate", false, j, k, coordinate});
    }
    if (joint->type->among_forces && joint->host) return added;
    return added && add(l, (trm_page_number){joint->name, "N", "reaction", false, j, 0, reaction}) &&
           add(l, (trm_page_number){joint->name, "N m", "reaction", false, j, 1, reaction});
}

bool trm_page_list_series(trm_page_series *series, const trm_state *start, trm_arena *arena)
{
    const trm_model *model = start->model;
    const trm_energy energy = trm_state_energy(start);
    const listing l = {series, arena};
    *series = (trm_page_series){
        .model = model, .energy_start = energy.kinetic + energy.potential - trm_works_sum(start->clock->work)};
    bool added = add_energies(l);
    if (added && model->shown_joint_count > 0)
        added = add(l, (trm_page_number){"largest", "m", "gap", true, -1, 0, largest_gap}) &&
                add(l, (trm_page_number){"largest", "rad", "gap", true, -1, 1, largest_gap});
    for (int j = 0; added && j < model->shown_joint_count && j < MOST_JOINTS; j++) added = add_joint(l, j);
    if (added && model->may_collide)
        added = add(l, (trm_page_number){"contacts", "", "contact", false, -1, 0, contacts}) &&
                add(l, (trm_page_number){"impacts so far", "", "contact", false, -1, 1, contacts});
    return added;
}

/* ---- Telling ------------------------------------------------------------------------------- */

double trm_page_value(const trm_page_series *series, int index, const trm_state *state)
{
    const trm_page_number *number = &series->numbers[index];
    return number->value(series, number, state);
}

/* Of joints with several coordinates the name tells which one it is. */
static void name_number(const trm_page_series *series, const trm_page_number *number, char *name, size_t size)
{
    const bool many = number->joint >= 0 && strcmp(number->group, "coordinate") == 0 &&
                      series->model->joints[number->joint].coordinates > 1;
    if (many)
        snprintf(name, size, "%s %d", number->name, number->index + 1);
    else
        snprintf(name, size, "%s", number->name);
}

void trm_page_describe(const trm_page_series *series, int index, trm_json_writer *w)
{
    const trm_page_number *number = &series->numbers[index];
    char name[200];
    name_number(series, number, name, sizeof name);
    trm_json_put_text(w, "name", name);
    trm_json_put_text(w, "unit", number->unit);
    trm_json_put_text(w, "group", number->group);
    trm_json_put_bool(w, "log", number->log);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The data of a machine for pages (viewer/DATA.md), in a report and live: its scene, and numbers for plots. */

#ifndef TRM_IO_PAGE_H
#define TRM_IO_PAGE_H

#include "io/animation.h"
#include "model/quantity.h"

typedef struct trm_page_series trm_page_series;

/* A number that is plotted over time. */
typedef struct trm_page_number {
    const char *name, *unit, *group; /* viewer/DATA.md */
    bool log;
    int joint; /* joint to which it belongs; -1: the whole machine */
    int index; /* number among those of the joint or machine */
    double (*value)(const trm_page_series *all, const struct trm_page_number *number, const trm_state *state);
    trm_quantity quantity; /* quantity that `value` reads, if the number is one */
} trm_page_number;

struct trm_page_series {
    const trm_model *model;
    trm_page_number *numbers;
    int count;
    int first_count;            /* number of the first series, which are kept for runs of any length */
    const trm_results *columns; /* columns selected by the user; NULL: none */
    double energy_start;        /* J: energy at the start minus the work done before */
};

/* page_series.c: lists the numbers to plot, with energies relative to this state. Returns false if out of memory. */
bool trm_page_list_series(trm_page_series *series, const trm_state *start, trm_arena *arena);

/* Adds columns selected by the user, which must outlive the list, before all others. Returns false if out of
 * memory. */
bool trm_page_add_columns(trm_page_series *series, const trm_results *columns, trm_arena *arena);

double trm_page_value(const trm_page_series *series, int index, const trm_state *state);

/* Writes name, unit, group and kind of axis of a series into an open object. */
void trm_page_describe(const trm_page_series *series, int index, trm_json_writer *w);

/* page_scene.c: writes bodies, parts and joints as a JSON object. Fails if the sink does or when out of memory. */
trm_status trm_page_write_scene(const trm_animation *animation, const char *name, trm_sink sink);

#endif

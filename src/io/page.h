/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The data of a machine for pages (viewer/DATA.md), in a report and live: its scene, and numbers for plots. */

#ifndef TRM_IO_PAGE_H
#define TRM_IO_PAGE_H

#include "io/animation.h"
#include "model/quantity.h"

typedef struct trm_page_series trm_page_series;

/* One number over time. */
typedef struct trm_page_number {
    const char *name, *unit, *group; /* viewer/DATA.md */
    bool log;
    int joint; /* whose; -1: of the whole machine */
    int index; /* among what it has */
    double (*value)(const trm_page_series *all, const struct trm_page_number *number, const trm_state *state);
    trm_quantity quantity; /* that value reads, of numbers that are such */
} trm_page_number;

struct trm_page_series {
    const trm_model *model;
    trm_page_number *numbers;
    int count;
    int first_count;            /* of them that are kept however long a run is */
    const trm_results *columns; /* that the user has chosen; NULL: none */
    double energy_start;        /* J: what was there, without the work done before */
};

/* page_series.c: which there are, the energy being counted from this state; false: out of memory. */
bool trm_page_list_series(trm_page_series *series, const trm_state *start, trm_arena *arena);

/* Adds columns that the user has chosen, which outlive the list, before all others; false: out of memory. */
bool trm_page_add_columns(trm_page_series *series, const trm_results *columns, trm_arena *arena);

double trm_page_value(const trm_page_series *series, int index, const trm_state *state);

/* Name, unit, group and kind of axis, into an object that is open. */
void trm_page_describe(const trm_page_series *series, int index, trm_json_writer *w);

/* page_scene.c: bodies, parts and joints as a JSON object. */
trm_status trm_page_write_scene(const trm_animation *animation, const char *name, trm_sink sink);

#endif

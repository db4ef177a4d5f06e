/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Our own engine, through its public headers only. */

#ifndef TRM_BENCH_PEERS_TRAMMEL_H
#define TRM_BENCH_PEERS_TRAMMEL_H

#include "common/peers/peers.h"
#include "trammel/trammel.h"

/* Settings with the direct solver. */
typedef struct trammel_settings {
    const char *method;        /* NULL: impulse */
    const trm_option *options; /* options of the method */
    int option_count;
    const char *impact; /* "event", "window"; NULL: no contacts */
    double order;
    double tolerance; /* m and rad, m/s and rad/s */
} trammel_settings;

void *trammel_create(const scene *s, double h, const trammel_settings *settings, const char **why);
/* Moves all bodies of the scene by a vector, m, so that joints to the ground are open by it. */
void trammel_move(void *engine, trm_vec3 by);
bool trammel_step(void *engine, int count);
void trammel_read(void *engine, body_state *states);
void trammel_destroy(void *engine);

#define TRAMMEL_PEER(variant, note, create)                                                                          \
    {                                                                                                                \
        "Trammel", variant, note, trm_version, create, trammel_step, trammel_read, trammel_destroy                   \
    }

#endif

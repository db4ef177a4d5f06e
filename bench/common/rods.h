/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A chain of rods of 1 m and 1 kg, one end held, folded like a zigzag, under gravity along -y. */

#ifndef TRM_BENCH_RODS_H
#define TRM_BENCH_RODS_H

#include "trammel/trammel.h"

/* rad: angle of each rod to the line of the chain. */
#define RODS_FOLD 0.5

/* Makes a chain with joints of a type: "ball", or "hinge" about z. Returns NULL after reporting what is wrong. */
trm_model *make_rods(int rods, const char *joint);

#endif

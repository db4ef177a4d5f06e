/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Table of the joint coordinates with limits or forces, one line each: axis, limits, armature, damping, stiffness,
 * friction, rated force and speed, in SI units. */

#ifndef TRM_CLI_COORDINATE_TABLE_H
#define TRM_CLI_COORDINATE_TABLE_H

#include "trammel/trammel.h"

/* Prints nothing if nothing acts on any coordinate. */
void print_coordinate_table(const trm_model_def *def);

#endif

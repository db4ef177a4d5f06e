/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint coordinates on which anything acts, one line each: axis, limits, armature, damping, stiffness, friction, rated force and speed, in
 * SI units. */

#ifndef TRM_CLI_COORDINATE_TABLE_H
#define TRM_CLI_COORDINATE_TABLE_H

#include "trammel/trammel.h"

/* Prints nothing where nothing acts. */
void print_coordinate_table(const trm_model_def *def);

#endif

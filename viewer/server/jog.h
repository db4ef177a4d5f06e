/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Changes of the pose by pages: of a joint coordinate by a slider, or of a point of a body by the mouse. Loops stay
 * closed, limits and taut ropes are obeyed (trm_inverse_kinematics), and the machine is at rest afterwards. */

#ifndef TRM_VIEWER_JOG_H
#define TRM_VIEWER_JOG_H

#include "request.h"
#include "trammel/trammel.h"

/* Moves a coordinate (trm_coordinate_at) to the value, as far as limits and loops permit. Returns false, with the
 * reason as a sentence, if it cannot move at all; then the state may have changed. */
bool jog_coordinate(const trm_model *model, trm_state *state, double coordinate, double value, char *why);

/* Moves the machine so that a point of a body comes as near to the target as joints and limits permit. body: its
 * number. Returns false, with the reason as a sentence, if the body cannot move. */
bool jog_point(trm_state *state, int body, trm_vec3 point, trm_vec3 target, char *why);

/* Writes the coordinates as a list, with their limits and values (viewer/DATA.md); for large machines the first 64.
 * Returns false if the sink failed. */
bool jog_write(const trm_model *model, const trm_state *state, trm_sink sink);

#endif

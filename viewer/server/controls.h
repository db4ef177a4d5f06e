/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The controls that pages set during a simulation: the model's inputs, then its settings (trm_setting_info_of),
 * numbered in this order. */

#ifndef TRM_VIEWER_CONTROLS_H
#define TRM_VIEWER_CONTROLS_H

#include "request.h"
#include "trammel/trammel.h"

/* Sets a control. value NAN: the value of the model. Returns false with the reason in why. */
bool controls_set(trm_sim *sim, const trm_model *model, double control, double value, char *why);

/* Writes a control, or another quantity that has a slider. */
void put_control(trm_json_writer *w, const char *name, const char *unit, const double *range, double value);

/* Writes the controls as a list, with the poses from which a run can start (viewer/DATA.md). Returns false if the
 * sink failed. */
bool controls_write(trm_sim *sim, const trm_model *model, trm_sink sink);

#endif

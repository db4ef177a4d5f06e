/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What pages set while the machine runs: the model's inputs, then its settings (trm_setting_info_of), numbered in this order. */

#ifndef TRM_VIEWER_CONTROLS_H
#define TRM_VIEWER_CONTROLS_H

#include "request.h"
#include "trammel/trammel.h"

/* NAN: as the model has it. Returns false with the reason in why. */
bool controls_set(trm_sim *sim, const trm_model *model, double control, double value, char *why);

/* Writes a control, or something else that has a slider. */
void put_control(trm_json_writer *w, const char *name, const char *unit, const double *range, double value);

/* As a list, with poses to start from (viewer/DATA.md). */
bool controls_write(trm_sim *sim, const trm_model *model, trm_sink sink);

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Analyses of a model besides its simulation: figures over a run, states as models, statics, kinematics, linearisation,
 * optimisation. SI units and radians throughout. Results are owned by the caller, who destroys them. */

#ifndef TRAMMEL_ANALYSIS_H
#define TRAMMEL_ANALYSIS_H

#include "trammel/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measures ----------------------------------------------------------------------------- */

/* A number computed over the rows of a run: "max(abs(rod.y)) + 0.1*rms(j1.qd)" (docs/measures.md).
 *
 * Columns (trm_results) are series over the run. + - * / ^ and abs sqrt sin cos tan asin acos atan2 exp log, and min and max of
 * two or more, work row by row. These make one number of a series x:
 *
 *   max(x) min(x)          the largest and smallest value at a row
 *   mean(x) rms(x)         over time, by the trapezoidal rule
 *   integral(x)            over time, likewise
 *   initial(x) final(x)    at the first and the last row
 *   at(x, t)               at the time t [s], by a cubic through the four nearest rows
 *   crossing(x, level, n)  the time [s] of the n-th crossing of the level (n = 1 if omitted)
 *   settle(x, band, target) the time [s] from which x stays within band of the target (its final value if omitted) */
typedef struct trm_measure trm_measure;

/* Compiles the text. A name is one of the constants or a column of the model; a name with other characters than letters,
 * digits, _ and . is written in double quotes. On failure *measure is NULL and the messages say why: syntax, an unknown column, or a
 * series where a number is required. The model must outlive the measure. */
TRM_API trm_status trm_measure_create(const trm_model *model, const char *text, const trm_constant *constants,
                                      int constant_count, const trm_allocator *allocator, trm_messages *messages,
                                      trm_measure **measure);
TRM_API void trm_measure_destroy(trm_measure *measure);
/* Returns whether a column is a reaction or an acceleration: then trm_sim_want_reactions. */
TRM_API bool trm_measure_needs_reactions(const trm_measure *measure);
/* Adds the row of a state. Returns false when out of memory; the rows before stay. */
TRM_API bool trm_measure_add(trm_measure *measure, const trm_state *state);
/* The value over the rows so far. NAN where it is not defined: no rows, a level that is never crossed, x that does not settle. */
TRM_API double trm_measure_value(trm_measure *measure);

/* ---- States as models --------------------------------------------------------------------- */

/* Changes a definition so that its start is the given state of the model that was made of it: poses, velocities, what joints read
 * (turns included), which are attached, and the functions that events have set. Its time starts at 0 again: functions of time and
 * events are shifted, those of the past are left out. Joints given in the world are moved with their bodies. Returns
 * TRM_OUT_OF_MEMORY, or TRM_BAD_INPUT after reporting a function of time that cannot be shifted; then the definition is of no use. */
TRM_API trm_status trm_start_at(trm_model_def *def, const trm_state *state, trm_messages *messages);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Whole rows of result columns. */

#ifndef TRM_IO_COLUMNS_H
#define TRM_IO_COLUMNS_H

#include "trammel/io.h"

/* The values of the columns from `first` on, `count` of them, as trm_result_value has each. Columns of one vector, next to each
 * other, are computed together. */
void trm_result_values(const trm_results *columns, const trm_state *state, int first, int count, double *values);

#endif

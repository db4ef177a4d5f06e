/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Whole rows of result columns. */

#ifndef TRM_IO_COLUMNS_H
#define TRM_IO_COLUMNS_H

#include "trammel/io.h"

/* Computes the values of `count` columns from `first` on, as trm_result_value does for one. Adjacent columns of one
 * vector are computed together. */
void trm_result_values(const trm_results *columns, const trm_state *state, int first, int count, double *values);

#endif

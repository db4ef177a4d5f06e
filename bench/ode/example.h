/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model of the examples as plain data. */

#ifndef TRM_BENCH_ODE_EXAMPLE_H
#define TRM_BENCH_ODE_EXAMPLE_H

#include "common/scene.h"

/* Rigid bodies on balls and hinges, as the model has them at its start. NULL: it cannot be read or has something else, said on
 * stderr. */
scene *read_example(const char *name);

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model of the examples as plain data. */

#ifndef TRM_BENCH_ODE_EXAMPLE_H
#define TRM_BENCH_ODE_EXAMPLE_H

#include "common/scene.h"

/* Reads rigid bodies on balls and hinges at their start from a model. Returns NULL after reporting that it cannot be
 * read or has other elements. */
scene *read_example(const char *name);

#endif

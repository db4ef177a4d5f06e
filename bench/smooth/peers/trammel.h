/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#ifndef TRM_BENCH_SMOOTH_TRAMMEL_H
#define TRM_BENCH_SMOOTH_TRAMMEL_H

#include "common/peer.h"

/* Our engine at order 8 with the tightest tolerances, for references. */
extern const peer trammel_reference;

#endif

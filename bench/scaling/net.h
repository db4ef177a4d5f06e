/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A net of n x n rigid crosses on ball joints, hung by two corners, uneven: bodies at
 * (i + .15 sin(1.3 i + 2.1 j), .15 sin(.7 i - 1.9 j), -j + .15 sin(2.3 i + .5 j)), joints half way between neighbours. */

#ifndef TRM_BENCH_SCALING_NET_H
#define TRM_BENCH_SCALING_NET_H

#include "trammel/trammel.h"

trm_model *make_net(int n); /* returns NULL after reporting why */

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Deterministic random numbers: xoshiro256++ (Blackman, Vigna 2019), seeded through splitmix64.
 * The same seed gives the same numbers on every machine. */

#ifndef TRM_BASE_RANDOM_H
#define TRM_BASE_RANDOM_H

#include <stdint.h>

typedef struct trm_random {
    uint64_t s[4];
} trm_random;

trm_random trm_random_seed(uint64_t seed);
uint64_t trm_random_bits(trm_random *random);
double trm_random_uniform(trm_random *random, double lo, double hi); /* lo <= x < hi */
double trm_random_normal(trm_random *random);                        /* mean 0, variance 1 (Box and Muller 1958) */

#endif

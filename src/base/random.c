/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "base/random.h"

#include <math.h>

#include "trammel/elementary.h"
#include "trammel/vecmath.h"

trm_random trm_random_seed(uint64_t seed)
{
    trm_random random;
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random.s[i] = z ^ (z >> 31);
    }
    return random;
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t trm_random_bits(trm_random *random)
{
    uint64_t *s = random->s;
    const uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double trm_random_uniform(trm_random *random, double lo, double hi)
{
    const double unit = (double)(trm_random_bits(random) >> 11) * 0x1p-53;
    const double x = lo + (hi - lo) * unit;
    return x < hi ? x : nextafter(hi, lo); /* the sum may round up to hi: 1 + (1 - 2^-53) is 2 */
}

double trm_random_normal(trm_random *random)
{
    const double u = 1 - trm_random_uniform(random, 0, 1), v = trm_random_uniform(random, 0, 1);
    return sqrt(-2 * trm_log(u)) * trm_cos(2 * TRM_PI * v);
}

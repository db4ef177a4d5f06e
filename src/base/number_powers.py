#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""Powers of ten for number.c: python3 number_powers.py >number_powers.h"""

# 5^27 is the last power of five below 2^64; one of the stored powers must be 10^0, so that exact ones stay exact
FIRST, LAST, APART = -13 * 28, 324, 28


def scaled(k, size):
    """The integer g of so many bits with g 2^e <= 10^k, and whether 10^k is larger."""
    above, below = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = size + below.bit_length() - above.bit_length()
    for shift in (shift, shift - 1, shift + 1):
        g, rest = divmod(above << max(shift, 0), below << max(-shift, 0))
        if g >> (size - 1) == 1:
            return g, rest > 0
    raise AssertionError(k)


def recovered(k):
    """10^k to 128 bits as power_of_ten in number.c computes it: rounded up from 192 bits times a power of five."""
    n, j = divmod(k - FIRST, APART)
    product = scaled(FIRST + APART * n, 192)[0] * 5**j
    shift = product.bit_length() - 128
    return -(-product >> shift)


for k in range(FIRST, LAST + 1):
    g, more = scaled(k, 128)
    assert recovered(k) == g + more

print("""/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Made by number_powers.py: 10^k for every %dth k from %d, scaled by a power of two to 192 bits and truncated; the
 * highest 64 bits first. Times a power of five and rounded up to 128 bits they give all 10^k up to %d exactly rounded,
 * which number_powers.py has checked one by one. */

#ifndef TRM_BASE_NUMBER_POWERS_H
#define TRM_BASE_NUMBER_POWERS_H

#include <stdint.h>

enum { FIRST_POWER = %d, POWERS_APART = %d };

/* clang-format off */
static const uint64_t powers_of_ten[][3] = {""" % (APART, FIRST, LAST, FIRST, APART))
for k in range(FIRST, LAST + 1, APART):
    g = scaled(k, 192)[0]
    print("    {0x%016x, 0x%016x, 0x%016x}, /* %d */" % (g >> 128, g >> 64 & (1 << 64) - 1, g & (1 << 64) - 1, k))
print("""};

static const uint64_t powers_of_five[POWERS_APART] = {""")
for j in range(APART):
    print("    %du," % 5**j)
print("""};
/* clang-format on */

#endif""")

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""Powers of ten to 128 bits for number.c: python3 number_powers.py >number_powers.h"""

FIRST, LAST = -342, 324


def bits(k):
    """The least integer g of 128 bits with 10^k <= g 2^e, and whether it is exact."""
    if k >= 0:
        whole = 10**k
        shift = whole.bit_length() - 128
        g = whole << -shift if shift <= 0 else -(-whole >> shift)
    else:
        whole = 10**-k
        shift = whole.bit_length() + 127
        g = -(-(1 << shift) // whole)
        if g >> 128:
            g = -(-(1 << (shift - 1)) // whole)
    assert g >> 127 == 1
    return g


print("""/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Made by number_powers.py: 10^k for k from %d to %d, scaled by a power of two
 * to 128 bits and rounded up to an integer; high half, low half. */

#ifndef TRM_BASE_NUMBER_POWERS_H
#define TRM_BASE_NUMBER_POWERS_H

#include <stdint.h>

enum { FIRST_POWER = %d, LAST_POWER = %d };

/* clang-format off */
static const uint64_t powers_of_ten[LAST_POWER - FIRST_POWER + 1][2] = {""" % (FIRST, LAST, FIRST, LAST))
for k in range(FIRST, LAST + 1):
    g = bits(k)
    print("    {0x%016x, 0x%016x}, /* %d */" % (g >> 64, g & (1 << 64) - 1, k))
print("""};
/* clang-format on */

#endif""")

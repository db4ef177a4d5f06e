/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Written by elementary_tables.py. The first guess of a cube root. */

#ifndef TRM_BASE_ELEMENTARY_ROOT_TABLES_H
#define TRM_BASE_ELEMENTARY_ROOT_TABLES_H

/* x^(1/3) for 1 <= x <= 8: to 2^-13.1 */
static const double cube_root[8] = {
    0x1.0f656db359ca5p-1,  0x1.546e29913687bp-1, -0x1.0d81ad6e6677ep-2,  0x1.5612facc1572dp-4,
    -0x1.19a94b3de2593p-6, 0x1.196adc2e2dc57p-9, -0x1.34c547e8e4329p-13, 0x1.1c946c75b67dcp-18,
};

#endif

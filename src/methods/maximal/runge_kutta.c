/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "methods/maximal/runge_kutta.h"

static const double NOTHING[] = {0}, WHOLE[] = {1};

static const double HEUN_C[] = {0, 1}, HEUN_A[] = {1}, HEUN_B[] = {0.5, 0.5};

static const double MIDPOINT_C[] = {0, 0.5}, MIDPOINT_A[] = {0.5}, MIDPOINT_B[] = {0, 1};

static const double RK4_C[] = {0, 0.5, 0.5, 1};
static const double RK4_A[] = {0.5, 0, 0.5, 0, 0, 1};
static const double RK4_B[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/* Dormand and Prince 1980: order 5, error estimated by a rule of order 4. */
static const double DOPRI5_C[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double DOPRI5_A[] = {1.0 / 5,
                                  3.0 / 40,
                                  9.0 / 40,
                                  44.0 / 45,
                                  -56.0 / 15,
                                  32.0 / 9,
                                  19372.0 / 6561,
                                  -25360.0 / 2187,
                                  64448.0 / 6561,
                                  -212.0 / 729,
                                  9017.0 / 3168,
                                  -355.0 / 33,
                                  46732.0 / 5247,
                                  49.0 / 176,
                                  -5103.0 / 18656,
                                  35.0 / 384,
                                  0,
                                  500.0 / 1113,
                                  125.0 / 192,
                                  -2187.0 / 6784,
                                  11.0 / 84};
static const double DOPRI5_B[] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
static const double DOPRI5_E[] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* Fehlberg 1968: order 8, error estimated by a rule of order 7. */
static const double FEHLBERG8_C[] = {0,       2.0 / 27, 1.0 / 9, 1.0 / 6, 5.0 / 12, 1.0 / 2, 5.0 / 6,
                                     1.0 / 6, 2.0 / 3,  1.0 / 3, 1,       0,        1};
/* clang-format off */
static const double FEHLBERG8_A[] = {
    2.0 / 27,
    1.0 / 36, 1.0 / 12,
    1.0 / 24, 0, 1.0 / 8,
    5.0 / 12, 0, -25.0 / 16, 25.0 / 16,
    1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5,
    -25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54,
    31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900,
    2, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3,
    -91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12,
    2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41,
    3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41, 0,
    -1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0,
        1};
/* clang-format on */
static const double FEHLBERG8_B[] = {0,        0,         0,         0, 0,          34.0 / 105, 9.0 / 35,
                                     9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840, 41.0 / 840};
static const double FEHLBERG8_E[] = {-41.0 / 840, 0, 0, 0, 0, 0, 0, 0, 0, 0, -41.0 / 840, 41.0 / 840, 41.0 / 840};

static const trm_runge_kutta rules[] = {
    {"euler", 1, 1, NOTHING, NULL, WHOLE, NULL, true},
    {"heun", 2, 2, HEUN_C, HEUN_A, HEUN_B, NULL, false},
    {"midpoint", 2, 2, MIDPOINT_C, MIDPOINT_A, MIDPOINT_B, NULL, false},
    {"rk4", 4, 4, RK4_C, RK4_A, RK4_B, NULL, false},
    {"dopri5", 5, 7, DOPRI5_C, DOPRI5_A, DOPRI5_B, DOPRI5_E, false},
    {"fehlberg8", 8, 13, FEHLBERG8_C, FEHLBERG8_A, FEHLBERG8_B, FEHLBERG8_E, false},
};

const char *const trm_runge_kutta_names[] = {"euler", "heun", "midpoint", "rk4", "dopri5", "fehlberg8", NULL};

const trm_runge_kutta *trm_find_runge_kutta(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    return NULL;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Balances the pole of examples/cart-pole.json, by binary messages:
 *
 *     cc -O2 -o balance examples/controllers/balance.c
 *     trammel run examples/cart-pole.json --controller ./balance --controller-period 0.01 --controller-format binary
 *
 * A message is the time and four sensors, the answer one input, all doubles. The first line is a greeting in JSON that describes them. */

#include <stdio.h>

enum { VALUES = 5 }; /* t [s], lean [rad], lean_rate [rad/s], place [m], speed [m/s] */

static const double GAIN[VALUES] = {0, 54.75, 14.00, 4.472, 7.013}; /* N per each of these */

int main(void)
{
    double values[VALUES];
    int letter;
    while ((letter = getchar()) != '\n' && letter != EOF) continue; /* the greeting */
    while (fread(values, sizeof values[0], VALUES, stdin) == VALUES) {
        double push = 0;
        for (int i = 1; i < VALUES; i++) push += GAIN[i] * values[i];
        if (fwrite(&push, sizeof push, 1, stdout) != 1 || fflush(stdout) != 0) return 1;
    }
    return 0; /* the run has ended */
}

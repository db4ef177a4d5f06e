/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sim/compose.h"

/* The first half of the stages and the middle one. Order 4: Suzuki 1990, g = 1/(4 - 4^(1/3)), the middle stage 1 - 4 g.
 * Orders 6 and 8: the 9 and 15 stages that Hairer, Lubich, Wanner V.3.2 list. */
static const double ORDER_4[] = {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857};
static const double ORDER_6[] = {0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                                 0.082213596293550800230, 0.79854399093482996340};
static const double ORDER_8[] = {0.74167036435061295345,  -0.40910082580003159400, 0.19075471029623837995,
                                 -0.57386247111608226666, 0.29906418130365592384,  0.33462491824529818378,
                                 0.31529309239676659663,  -0.79688793935291635402};

static trm_composition palindrome(const double *half, int count)
{
    trm_composition c = {.stages = 2 * count - 1};
    for (int i = 0; i < count; i++) c.g[i] = c.g[2 * count - 2 - i] = half[i];
    return c;
}

trm_composition trm_composition_of(double order)
{
    if (order == 2) return (trm_composition){1, {1}};
    if (order == 4) return palindrome(ORDER_4, 3);
    if (order == 6) return palindrome(ORDER_6, 5);
    if (order == 8) return palindrome(ORDER_8, 8);
    return (trm_composition){0, {0}};
}

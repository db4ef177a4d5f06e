/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Measures the time of our elementary functions relative to those of the C library, in ns per call and as a ratio.
 * Both are called through pointers on the same arguments, in turn. The least of many rounds counts, so that other
 * work on the machine does not matter. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "trammel/elementary.h"

enum { ARGUMENTS = 4096, ROUNDS = 60 };

typedef struct entry {
    const char *name;
    double (*our_one)(double);
    double (*one)(double);
    double (*our_two)(double, double);
    double (*two)(double, double);
    double low, high; /* of the first argument; the second is in [-3, 3] */
} entry;

#define ONE(name) #name, trm_##name, name, NULL, NULL
#define TWO(name) #name, NULL, NULL, trm_##name, name

static const entry entries[] = {
    {ONE(sin), -0.7, 0.7},  {ONE(sin), -10, 10},     {ONE(sin), 1e9, 1e12}, {ONE(cos), -0.7, 0.7},
    {ONE(cos), -10, 10},    {ONE(tan), -1.5, 1.5},   {ONE(asin), -1, 1},    {ONE(acos), -1, 1},
    {ONE(atan), -5, 5},     {TWO(atan2), -3, 3},     {ONE(exp), -10, 10},   {ONE(expm1), -2, 2},
    {ONE(log), 0.01, 100},  {ONE(log10), 0.01, 100}, {ONE(log1p), -0.5, 5}, {TWO(pow), 0.01, 100},
    {ONE(sinh), -5, 5},     {ONE(cosh), -5, 5},      {ONE(tanh), -3, 3},    {TWO(hypot), -3, 3},
    {ONE(cbrt), -100, 100},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double random_in(double low, double high)
{
    return low + (high - low) * ((double)rand() / RAND_MAX);
}

static volatile double sink;

/* ns per call */
static double time_of(double (*one)(double), double (*two)(double, double), const double x[], const double y[])
{
    const double begin = now();
    double sum = 0;
    if (one)
        for (int i = 0; i < ARGUMENTS; i++) sum += one(x[i]);
    else
        for (int i = 0; i < ARGUMENTS; i++) sum += two(x[i], y[i]);
    sink = sum;
    return (now() - begin) * 1e9 / ARGUMENTS;
}

int main(void)
{
    double x[ARGUMENTS], y[ARGUMENTS], worst = 0;
    printf("%-6s %22s %10s %10s %7s\n", "", "arguments", "ours [ns]", "libm [ns]", "ratio");
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++) {
        const entry *e = &entries[k];
        for (int i = 0; i < ARGUMENTS; i++) x[i] = random_in(e->low, e->high), y[i] = random_in(-3, 3);
        double ours = HUGE_VAL, theirs = HUGE_VAL;
        for (int round = 0; round < ROUNDS; round++) {
            ours = fmin(ours, time_of(e->our_one, e->our_two, x, y));
            theirs = fmin(theirs, time_of(e->one, e->two, x, y));
        }
        printf("%-6s  %9g to %9g %10.2f %10.2f %7.2f\n", e->name, e->low, e->high, ours, theirs, ours / theirs);
        worst = fmax(worst, ours / theirs);
    }
    printf("worst ratio %.2f\n", worst);
    return 0;
}

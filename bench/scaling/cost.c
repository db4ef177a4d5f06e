/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A cost model of several ranks, from counted operations and messages, extrapolated to numbers of ranks that are not
 * available.
 *
 *     scaling net 16; scaling net 32; scaling net 64; scaling chain 100000  |  cost [LATENCY_S BYTES_PER_S]
 *
 * reads rows that bench_scaling wrote of one rank. With B bodies, F operations of reducing and S of solving, and s solves in a
 * step, the time of a step is fitted over the nets, and of a chain b alone:
 *
 *     T(1) = b B + f (F + s S)
 *
 * On K ranks F and S are those of the longest way (trm_find_reduction_cost), B is that of the rank that has most bodies, and
 * messages one after the other cost their latency and their bytes:
 *
 *     T(K) = b B_K + f (F_K + s S_K) + latency (m + 2 s m + s + 2 (3 + s) log2 K) + 8 (E + 2 s g) / bandwidth
 *
 * m messages up the tree, with E numbers of matrices and g of vectors; s times velocities of neighbours; and 3 + s agreements
 * in a step, each up and down a binomial tree. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rods.h"
#include "net.h"

enum { MOST_ROWS = 32, MOST_RANKS = 1024 };

typedef struct row {
    char kind[16];
    int size;
    double seconds, solves;
    trm_model *model;
    trm_reduction_cost alone;
    double b; /* s per body */
} row;

static double operations(const trm_reduction_cost *c, double solves)
{
    return c->longest_reduce + solves * c->longest_solve;
}

static bool find_cost(const row *r, int ranks, trm_reduction_cost *cost)
{
    trm_simulation_def options = *trm_model_simulation(r->model);
    options.solver = "hierarchy";
    return trm_find_reduction_cost(r->model, &options, ranks, NULL, cost) == TRM_OK;
}

static bool read_row(const char *line, row *r)
{
    double milliseconds, newton;
    int ranks;
    if (sscanf(line, "%15s %d %*s %d %lf %*f %*f %*f %*f %*f %lf", r->kind, &r->size, &ranks, &milliseconds,
               &newton) != 5 ||
        ranks != 1)
        return false;
    r->seconds = 1e-3 * milliseconds;
    r->solves = newton - 1;
    r->model = strcmp(r->kind, "chain") == 0 ? make_rods(r->size, "ball") : make_net(r->size);
    return r->model && find_cost(r, 1, &r->alone);
}

/* Fits b and f by least squares over relative errors of the nets. */
static void fit(const row *rows, int count, double *b, double *f)
{
    double bb = 0, bf = 0, ff = 0, b1 = 0, f1 = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(rows[i].kind, "net") != 0) continue;
        const double B = rows[i].alone.most_bodies / rows[i].seconds;
        const double F = operations(&rows[i].alone, rows[i].solves) / rows[i].seconds;
        bb += B * B, bf += B * F, ff += F * F, b1 += B, f1 += F;
    }
    const double det = bb * ff - bf * bf;
    *b = (b1 * ff - f1 * bf) / det;
    *f = (bb * f1 - bf * b1) / det;
}

static void print_ranks(const row *r, int ranks, double f, double latency, double bandwidth)
{
    trm_reduction_cost c;
    if (!find_cost(r, ranks, &c)) return;
    const double s = r->solves, up = log2(ranks);
    const double work = r->b * c.most_bodies + f * operations(&c, s);
    const double wait = ranks == 1 ? 0 : latency * (c.messages * (1 + 2 * s) + s + 2 * (3 + s) * up);
    const double send = ranks == 1 ? 0 : 8 * (c.numbers + 2 * s * c.vectors) / bandwidth;
    const double all = work + wait + send;
    printf("%-6s %7d %6d %9d %12.3g %12.3g %9.0f %10.0f %10.3f %9.2f\n", r->kind, r->size, ranks, c.most_bodies,
           c.longest_reduce, c.longest_solve, c.messages, c.numbers, 1e3 * all, r->seconds / all);
}

int main(int argc, char **argv)
{
    static row rows[MOST_ROWS];
    const double latency = argc > 1 ? atof(argv[1]) : 2e-6, bandwidth = argc > 2 ? atof(argv[2]) : 1e10;
    char line[400];
    int count = 0;
    double b, f;
    while (count < MOST_ROWS && fgets(line, sizeof line, stdin)) count += read_row(line, &rows[count]);
    fit(rows, count, &b, &f);
    printf("nets: %.3g us per body, %.3g ns per operation; latency %g us, %g GB/s\n", 1e6 * b, 1e9 * f, 1e6 * latency,
           1e-9 * bandwidth);
    printf("%-6s %7s %6s %9s %12s %12s %9s %10s %10s %9s\n", "scene", "size", "ranks", "bodies", "reduce", "solve",
           "messages", "numbers", "ms/step", "speed-up");
    for (int i = 0; i < count; i++) {
        rows[i].b =
            strcmp(rows[i].kind, "net") == 0
                ? b
                : (rows[i].seconds - f * operations(&rows[i].alone, rows[i].solves)) / rows[i].alone.most_bodies;
        for (int ranks = 1; ranks <= MOST_RANKS; ranks *= 2) print_ranks(&rows[i], ranks, f, latency, bandwidth);
        trm_model_destroy(rows[i].model);
    }
    return count > 0 ? 0 : 1;
}

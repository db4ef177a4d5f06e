/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "figures.h"
#include "smooth/errors.h"

static const char EXAMPLE[] = "eight-loop";
enum { SECONDS = 10 };

/* Computes the change of energy until i s into change[i], J. */
static bool find_changes(rival_kind kind, const scene *s, const parameters *p, double *change)
{
    rival r = {0};
    body_state *states = calloc((size_t)s->body_count, sizeof *states);
    bool good = states && rival_create(kind, s, p, &r);
    for (int i = 0; good && i <= SECONDS; i++) {
        if (i > 0) good = r.step(r.engine, (int)lround(1 / p->h));
        r.read(r.engine, states);
        change[i] = energy_of(s, states) - (i > 0 ? change[0] : 0);
    }
    rival_destroy(&r);
    free(states);
    return good;
}

bool print_energies(const parameters *given, double h)
{
    static const rival_kind shown[] = {ODE_STEP, OURS_DANTZIG, ODE_QUICK_STEP, OURS_PGS};
    double change[RIVALS][SECONDS + 1];
    parameters p = *given;
    p.h = h;
    scene *s = read_example(EXAMPLE);
    bool good = s != NULL;
    for (int i = 0; good && i < RIVALS; i++) good = find_changes(shown[i], s, &p, change[i]);
    scene_destroy(s);
    if (!good) return false;
    printf("\n8-Loop, h = %g s, ERP %g, CFM %g: E - E0, J\n", h, p.erp, p.cfm);
    printf("%4s %12s %12s %9s %12s %12s %9s\n", "t/s", "dWorldStep", "dantzig", "ratio", "QuickStep", "pgs", "ratio");
    for (int i = 1; i <= SECONDS; i++)
        printf("%4d %12.5f %12.5f %9.5f %12.5f %12.5f %9.5f\n", i, change[0][i], change[1][i],
               change[1][i] / change[0][i], change[2][i], change[3][i], change[3][i] / change[2][i]);
    return true;
}

bool print_losses(const parameters *given, double h)
{
    double change[SECONDS + 1];
    parameters p = *given;
    p.h = h;
    scene *s = read_example(EXAMPLE);
    const bool good = s && find_changes(ODE_STEP, s, &p, change);
    scene_destroy(s);
    if (!good) return false;
    printf("/* %s, E - E0 at 1, 2, ... s, steps of %g s, ERP %g, CFM %g */\n    {", EXAMPLE, h, p.erp, p.cfm);
    for (int i = 1; i <= SECONDS; i++) printf("%s%.17g", i > 1 ? ", " : "", change[i]);
    printf("},\n");
    return true;
}

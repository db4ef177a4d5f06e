/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "figures.h"
#include "smooth/errors.h"
#include "trammel/vecmath.h"

enum { BETWEEN = 50, PLACES = 4 }; /* steps between the positions of the table, and their number */

/* ---- Distances ---------------------------------------------------------------------------- */

static trm_quat quat(const double *q)
{
    return (trm_quat){q[0], q[1], q[2], q[3]};
}

/* rad */
static double largest_angle(const body_state *a, const body_state *b, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const trm_quat turn = trm_quat_mul(trm_quat_conj(quat(a[i].q)), quat(b[i].q));
        const double angle = 2 * atan2(trm_v3_length(trm_v3(turn.x, turn.y, turn.z)), fabs(turn.w));
        if (!(angle <= largest)) largest = angle;
    }
    return largest;
}

/* Runs both, step by step, and compares them. */
static bool follow(const rival *ode, const rival *ours, const scene *s, int steps, double *distance, double *angle)
{
    body_state *theirs = calloc(2 * (size_t)s->body_count, sizeof *theirs), *mine = theirs + s->body_count;
    bool good = theirs != NULL;
    *distance = *angle = 0;
    for (int i = 0; good && i < steps; i++) {
        good = ode->step(ode->engine, 1) && ours->step(ours->engine, 1);
        ode->read(ode->engine, theirs);
        ours->read(ours->engine, mine);
        *distance = fmax(*distance, largest_distance(theirs, mine, s->body_count));
        *angle = fmax(*angle, largest_angle(theirs, mine, s->body_count));
    }
    free(theirs);
    return good;
}

bool print_distances(const char *example, const parameters *p, int steps)
{
    double distance, angle;
    rival ode = {0}, ours = {0};
    scene *s = read_example(example);
    const bool good = s && rival_create(ODE_STEP, s, p, &ode) && rival_create(OURS_DANTZIG, s, p, &ours) &&
                      follow(&ode, &ours, s, steps, &distance, &angle);
    if (good)
        printf("%-22s %8g %6d %6g %8g %12.2e %12.2e\n", example, p->h, steps, p->erp, p->cfm, distance, angle);
    else
        fprintf(stderr, "%s: did not go %d steps\n", example, steps);
    rival_destroy(&ode);
    rival_destroy(&ours);
    scene_destroy(s);
    return good;
}

/* ---- The table ---------------------------------------------------------------------------- */

static void print_row(const body_state *states, int count)
{
    printf("    {");
    for (int i = 0; i < count; i++)
        printf("%s{%.17g, %.17g, %.17g}", i > 0 ? ", " : "", states[i].p[0], states[i].p[1], states[i].p[2]);
    printf("},\n");
}

bool print_places(const char *example, const parameters *p)
{
    rival ode = {0};
    scene *s = read_example(example);
    body_state *states = s ? calloc((size_t)s->body_count, sizeof *states) : NULL;
    bool good = states && rival_create(ODE_STEP, s, p, &ode);
    printf("/* %s, after %d, %d, ... steps of %g s, ERP %g, CFM %g */\n", example, BETWEEN, 2 * BETWEEN, p->h, p->erp,
           p->cfm);
    for (int i = 0; good && i < PLACES; i++) {
        good = ode.step(ode.engine, BETWEEN);
        ode.read(ode.engine, states);
        print_row(states, s->body_count);
    }
    rival_destroy(&ode);
    free(states);
    scene_destroy(s);
    return good;
}

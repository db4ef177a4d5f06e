/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A block on a slope with mu = 0.5, with contacts at its four lower corners. Friction is a box: at most mu times the
 * normal force along each of two directions, here x and y, and so sqrt(2) mu along their diagonal. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/scenes.h"
#include "figures.h"
#include "trammel/vecmath.h"

static const double LASTS = 1; /* s */

/* CFM of ODE's demonstrations. With its default, 1e-10, the twelve rows for six freedoms are too much for dWorldStep:
 * from rest on the diagonal it fails in one step ("LCP internal error"), and the block slips 2 mm. */
static const double SOFTNESS = 1e-5;

static scene *make_slope(const char *name)
{
    const scene_kind *kind = contact_kinds;
    while (kind->name && strcmp(kind->name, name) != 0) kind++;
    return kind->name ? scene_create(kind) : NULL;
}

/* Computes the distance along the slope, and upwards, from the start, m. */
static bool find_way(rival_kind kind, const scene *s, const parameters *p, double *along, double *up)
{
    rival r = {0};
    body_state end;
    const bool good = rival_create(kind, s, p, &r) && r.step(r.engine, (int)lround(LASTS / p->h));
    if (good) {
        r.read(r.engine, &end);
        *along = hypot(end.p[0] - s->bodies[0].p[0], end.p[1] - s->bodies[0].p[1]);
        *up = end.p[2] - s->bodies[0].p[2];
    }
    rival_destroy(&r);
    return good;
}

/* Returns v t + a t^2/2 with friction mu against the motion, which does not stop within that time. */
static double closed_form(const scene *s, double speed, double mu)
{
    const double pull = hypot(s->gravity[0], s->gravity[1]), press = -s->gravity[2];
    return fmax(0, speed * LASTS + 0.5 * (pull - mu * press) * LASTS * LASTS);
}

static bool print_slide(const char *name, double speed, const parameters *p)
{
    double along[RIVALS], up[RIVALS];
    scene *s = make_slope(name);
    bool good = s != NULL;
    for (int k = 0; good && k < 2; k++)
        s->bodies[0].v[k] = speed * s->gravity[k] / hypot(s->gravity[0], s->gravity[1]);
    for (int i = 0; good && i < RIVALS; i++) good = find_way((rival_kind)i, s, p, &along[i], &up[i]);
    if (good) {
        const double wide = s->gravity[1] != 0 ? sqrt(2) : 1; /* factor of the box along the fall line */
        printf("%-20s %5g %9.6f %9.6f", name, speed, closed_form(s, speed, s->friction),
               closed_form(s, speed, wide * s->friction));
        for (int i = 0; i < RIVALS; i++) printf(" %12.9f", along[i]);
        printf(" %10.1e\n", up[OURS_DANTZIG] - up[ODE_STEP]);
    }
    scene_destroy(s);
    return good;
}

bool print_slides(const parameters *given)
{
    parameters p = *given;
    p.h = BENCH_STEP;
    p.cfm = SOFTNESS;
    printf(
        "\nBlock on a slope, mu = 0.5, h = %.5f s, CFM %g: way in %g s, m, by Coulomb's law, by a box of friction,\n"
        "and found; how much higher ours lies\n",
        p.h, p.cfm, LASTS);
    printf("%-20s %5s %9s %9s", "slope", "m/s", "Coulomb", "box");
    for (int i = 0; i < RIVALS; i++) printf(" %12s", rival_names[i]);
    printf(" %10s\n", "higher");
    return print_slide("incline-35", 0, &p) && print_slide("incline-35-diagonal", 0, &p) &&
           print_slide("incline-35-diagonal", 1, &p);
}

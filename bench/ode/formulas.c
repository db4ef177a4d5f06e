/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The formulas of Hishinuma 2018 (paper/ode.h) in ODE and in ours, next to their closed forms. */

#include <math.h>
#include <stdio.h>

#include "../../paper/ode.h"
#include "figures.h"

/* Builds a mass on a ball joint at its centre. */
static bool build_mass(scene *s, const ode_problem *p)
{
    if (!scene_make_room(s, 1, 1)) return false;
    s->gravity[1] = -p->gravity;
    s->bodies[s->body_count++] = (scene_body){.mass = p->mass, .inertia = {1, 1, 1}, .q = {1, 0, 0, 0}};
    s->joints[s->joint_count++] = (scene_joint){.type = SCENE_BALL, .a = -1, .b = 0};
    return true;
}

/* Builds a block of 0.4 x 0.4 x 0.2 m on the floor, with rotated gravity. */
static bool build_block(scene *s, const ode_problem *p)
{
    const double down = p->gravity * sin(ode_slope);
    if (!scene_make_room(s, 1, 0)) return false;
    s->gravity[0] = down * cos(p->direction);
    s->gravity[1] = down * sin(p->direction);
    s->gravity[2] = -p->gravity * cos(ode_slope);
    s->floor = true;
    s->friction = ode_friction;
    s->bodies[s->body_count++] =
        (scene_body){.shape = SCENE_BOX,
                     .size = {0.4, 0.4, 0.2},
                     .mass = p->mass,
                     .inertia = {p->mass / 12 * 0.2, p->mass / 12 * 0.2, p->mass / 12 * 0.32},
                     .p = {0, 0, 0.1},
                     .q = {1, 0, 0, 0}};
    return true;
}

/* Builds problem number given. */
static bool build(scene *s, double given)
{
    ode_problem all[ODE_PROBLEMS];
    ode_list_problems(all);
    const ode_problem *p = &all[(int)given];
    return p->block ? build_block(s, p) : build_mass(s, p);
}

/* Computes the gap or distance after all steps, m. */
static bool find(rival_kind kind, const scene *s, const parameters *given, const ode_problem *p, double *found)
{
    rival r = {0};
    body_state end;
    parameters set = *given;
    set.h = p->h, set.erp = p->erp, set.cfm = p->cfm, set.shift = p->gap, set.pyramid = p->pyramid;
    const bool good = rival_create(kind, s, &set, &r) && r.step(r.engine, p->steps);
    if (good) {
        r.read(r.engine, &end);
        *found = p->block ? end.p[0] * cos(p->direction) + end.p[1] * sin(p->direction) : -end.p[1];
    }
    rival_destroy(&r);
    return good;
}

/* Computes problem number index. found[i]: result of rival i of kinds. */
static bool find_all(const parameters *given, int index, const rival_kind *kinds, int count, double *found)
{
    ode_problem all[ODE_PROBLEMS];
    ode_list_problems(all);
    scene *s = scene_create(&(scene_kind){.name = all[index].name, .build = build, .given = index});
    bool good = s != NULL;
    for (int i = 0; good && i < count; i++) good = find(kinds[i], s, given, &all[index], &found[i]);
    scene_destroy(s);
    return good;
}

bool print_formulas(const parameters *given)
{
    static const rival_kind kinds[] = {ODE_STEP, OURS_DANTZIG};
    ode_problem all[ODE_PROBLEMS];
    ode_list_problems(all);
    printf("\nFormulas of Hishinuma 2018: gaps, sags and ways, m\n");
    printf("%-44s %8s %15s %15s %10s %15s %10s\n", "formula", "h/s", "closed form", "dWorldStep", "off", "lcp",
           "lcp-ODE");
    for (int i = 0; i < ODE_PROBLEMS; i++) {
        double found[2];
        const double right = ode_closed_form(&all[i]);
        if (!find_all(given, i, kinds, 2, found)) return false;
        printf("%-44s %8g %15.12f %15.12f %10.1e %15.12f %10.1e\n", all[i].name, all[i].h, right, found[0],
               found[0] - right, found[1], found[1] - found[0]);
    }
    return true;
}

bool print_record(const parameters *given)
{
    static const rival_kind kind = ODE_STEP;
    ode_problem all[ODE_PROBLEMS];
    ode_list_problems(all);
    printf(
        "/* SPDX-FileCopyrightText: The Trammel authors\n * SPDX-License-Identifier: MIT */\n\n"
        "/* What dWorldStep of ODE %s (Debian's libode, double precision) makes of the problems of paper_ode.c, m.\n"
        " * Written by `bench_ode --record > paper/ode_figures.h`. */\n\n"
        "#define ODE_RECORDED \"%s\"\n\nstatic const double ODE_FIGURES[ODE_PROBLEMS] = {\n",
        world_version(), world_version());
    for (int i = 0; i < ODE_PROBLEMS; i++) {
        double found;
        if (!find_all(given, i, &kind, 1, &found)) return false;
        printf("    %+.16e, /* %s */\n", found, all[i].name);
    }
    printf("};\n");
    return true;
}

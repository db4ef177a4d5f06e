/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "rivals.h"

#include <stdio.h>
#include <string.h>

#include "common/peers/trammel.h"

const char *const rival_names[RIVALS] = {"dWorldStep", "QuickStep", "lcp dantzig", "lcp pgs"};

parameters default_parameters(void)
{
    return (parameters){.h = 0.01, .erp = 0.2, .cfm = 1e-10, .gyroscopic = true, .method = "lcp"};
}

/* Creates ours. Friction has the CFM of all rows, as in ODE. Sweeps are those of QuickStep: 20 with an
 * over-relaxation of 1.3, from zero. */
static void *create_ours(const scene *s, const parameters *p, bool swept)
{
    enum { OF_SWEEPS = 3 };
    const trm_option all[] = {
        {.method = "lcp", .name = "erp", .number = p->erp},
        {.method = "lcp", .name = "cfm", .number = p->cfm},
        {.method = "lcp", .name = "friction_cfm", .number = p->cfm},
        {.method = "lcp", .name = "gyroscopic", .text = p->gyroscopic ? "implicit" : "none"},
        {.method = "lcp", .name = "rotation", .text = p->finite ? "finite" : "infinitesimal"},
        {.method = "lcp", .name = "friction", .text = p->pyramid ? "pyramid" : "box"},
        {.method = "lcp",
         .name = "solver",
         .text = swept        ? "pgs"
                 : p->pyramid ? "lemke"
                              : "dantzig"},
        {.method = "lcp", .name = "directions", .number = 4},
        {.method = "lcp", .name = "iterations", .number = 20},
        {.method = "lcp", .name = "sor", .number = 1.3},
        {.method = "lcp", .name = "warm", .number = 0},
    };
    const int count = (int)(sizeof all / sizeof *all) - (swept ? 0 : OF_SWEEPS);
    const bool is_lcp = strcmp(p->method, "lcp") == 0;
    const trammel_settings settings = {
        .method = p->method, .options = all, .option_count = is_lcp ? count : 0, .order = 2, .tolerance = 1e-10};
    const char *why = "";
    void *engine = trammel_create(s, p->h, &settings, &why);
    if (!engine) fprintf(stderr, "%s: %s\n", p->method, why);
    if (engine) trammel_move(engine, trm_v3(0, -p->shift, 0));
    return engine;
}

bool rival_create(rival_kind kind, const scene *s, const parameters *p, rival *r)
{
    if (kind == ODE_STEP || kind == ODE_QUICK_STEP) {
        *r = (rival){world_create(s, p), world_step, world_read, world_destroy};
        if (kind == ODE_QUICK_STEP) r->step = world_quick_step;
    } else {
        *r = (rival){create_ours(s, p, kind == OURS_PGS), trammel_step, trammel_read, trammel_destroy};
    }
    return r->engine != NULL;
}

void rival_destroy(rival *r)
{
    if (r->engine) r->destroy(r->engine);
    r->engine = NULL;
}

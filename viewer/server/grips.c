/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "grips.h"

#include <math.h>
#include <stdlib.h>

static const double RATE = 12.57; /* rad/s: angular frequency w of the spring */
static const double SHARE = 0.1;  /* s: fraction of the stiffness at which a step of this length would diverge */

typedef struct grip {
    unsigned page;
    int body;
    trm_vec3 point; /* gripped point, in the body frame */
    trm_vec3 target;
} grip;

/* The data of the force on one body. */
typedef struct pulled_body {
    const grips *g;
    int body;
    double mass, joined; /* kg: m and M of grips.h */
    trm_vec3 centre;     /* centre of mass, in the body frame */
    bool is_known;
} pulled_body;

struct grips {
    const trm_model *model;
    double h;
    pulled_body *bodies; /* per body */
    grip list[MOST_PAGES];
    int count;
};

/* ---- Creation ------------------------------------------------------------------------------ */

static void fill_holds(grips *g, const trm_analysis *analysis, double *of_island)
{
    const int count = trm_body_count(g->model);
    for (int i = 0; i < count; i++)
        if (analysis->island_of_body[i] >= 0)
            of_island[analysis->island_of_body[i]] += trm_body_info_of(g->model, i).mass;
    for (int i = 0; i < count; i++) {
        const trm_body_info body = trm_body_info_of(g->model, i);
        const int island = analysis->island_of_body[i];
        g->bodies[i] = (pulled_body){g, i, body.mass, island >= 0 ? of_island[island] : 0, body.principal.p, false};
    }
}

grips *grips_create(const trm_model *model)
{
    grips *g = calloc(1, sizeof *g);
    trm_state *state = trm_state_create(model, NULL);
    trm_analysis *analysis = state ? trm_analyse(state, NULL) : NULL;
    double *of_island = analysis ? calloc((size_t)analysis->island_count + 1, sizeof *of_island) : NULL;
    if (g) g->bodies = calloc((size_t)trm_body_count(model), sizeof *g->bodies);
    const bool good = of_island && g && g->bodies;
    if (good) {
        g->model = model;
        fill_holds(g, analysis, of_island);
    } else {
        grips_destroy(g);
    }
    free(of_island);
    trm_analysis_destroy(analysis);
    trm_state_destroy(state);
    return good ? g : NULL;
}

void grips_destroy(grips *g)
{
    if (g) free(g->bodies);
    free(g);
}

void grips_set_step(grips *g, double h)
{
    g->h = h;
}

/* ---- Forces -------------------------------------------------------------------------------- */

static trm_vec3 force_of(const grips *g, const grip *at, const trm_state *state)
{
    const pulled_body *body = &g->bodies[at->body];
    const trm_vec3 p = trm_point_position(state, at->body, at->point),
                   v = trm_point_velocity(state, at->body, at->point);
    const double k = fmin(RATE * RATE * body->joined, SHARE * body->mass / (g->h * g->h));
    return trm_v3_sub(trm_v3_scale(k, trm_v3_sub(at->target, p)), trm_v3_scale(sqrt(k * body->mass), v));
}

/* Returns the wrench of all pages that pull at the body, about its centre of mass. */
static trm_spatial force_on_body(void *context, const trm_state *state)
{
    const pulled_body *body = context;
    const grips *g = body->g;
    trm_spatial sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < g->count; i++) {
        if (g->list[i].body != body->body) continue;
        const trm_vec3 F = force_of(g, &g->list[i], state);
        const trm_vec3 arm = trm_v3_sub(trm_point_position(state, body->body, g->list[i].point),
                                        trm_point_position(state, body->body, body->centre));
        sum.lin = trm_v3_add(sum.lin, F);
        sum.ang = trm_v3_add(sum.ang, trm_v3_cross(arm, F));
    }
    return sum;
}

trm_status grips_add_forces(grips *g, trm_sim *sim)
{
    trm_status status = TRM_OK;
    for (int i = 1; status == TRM_OK && i < trm_body_count(g->model); i++)
        if (g->bodies[i].is_known) status = trm_sim_add_force(sim, "the mouse", i, force_on_body, &g->bodies[i]);
    return status;
}

bool grips_any(const grips *g)
{
    return g->count > 0;
}

bool grips_knows(const grips *g, int body)
{
    return g->bodies[body].is_known;
}

void grips_learn(grips *g, int body, bool may_be_held)
{
    g->bodies[body].is_known = may_be_held;
}

/* ---- Gripping ------------------------------------------------------------------------------ */

static grip *grip_of(grips *g, unsigned page)
{
    for (int i = 0; i < g->count; i++)
        if (g->list[i].page == page) return &g->list[i];
    return NULL;
}

void grips_hold(grips *g, unsigned page, int body, trm_vec3 point, trm_vec3 target)
{
    grips_release(g, page);
    if (g->count < MOST_PAGES) g->list[g->count++] = (grip){page, body, point, target};
}

void grips_pull(grips *g, unsigned page, trm_vec3 target)
{
    grip *at = grip_of(g, page);
    if (at) at->target = target;
}

void grips_release(grips *g, unsigned page)
{
    grip *at = grip_of(g, page);
    if (at) *at = g->list[--g->count];
}

void grips_release_all(grips *g)
{
    g->count = 0;
    for (int i = 0; i < trm_body_count(g->model); i++) g->bodies[i].is_known = false;
}

int grips_list(const grips *g, const trm_state *state, trm_grip *list)
{
    for (int i = 0; i < g->count; i++) {
        const grip *at = &g->list[i];
        list[i] =
            (trm_grip){at->body, trm_point_position(state, at->body, at->point), at->target, force_of(g, at, state)};
    }
    return g->count;
}

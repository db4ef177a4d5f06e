/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rings of links that close by construction: spatial ones of balls, universals and hinges, planar ones of parallel
 * hinges, with a slider or without; sometimes a second ring shares links with the first. */

#include "common.h"

enum { MOST_LINKS = 8 };

typedef struct ring {
    int count;
    trm_vec3 at[MOST_LINKS]; /* joints */
    int link[MOST_LINKS];    /* from at[i] to at[i + 1] */
    trm_vec3 normal;
} ring;

static ring place_ring(machine *m, bool planar)
{
    ring r = {.count = 3 + (planar ? 1 : 0) + draw_below(m, 5 - (planar ? 1 : 0))};
    const trm_vec3 x = draw_direction(m), y = draw_perpendicular(m, x);
    r.normal = trm_v3_cross(x, y);
    for (int i = 0; i < r.count; i++) {
        const double angle = 2 * TRM_PI * (i + draw_between(m, -0.2, 0.2)) / r.count,
                     size = draw_between(m, 0.7, 1.2);
        r.at[i] = trm_v3_add(trm_v3_scale(size * cos(angle), x), trm_v3_scale(size * sin(angle), y));
        if (!planar) r.at[i] = trm_v3_add_scaled(r.at[i], draw_between(m, -0.3, 0.3), r.normal);
    }
    return r;
}

static void link_up(machine *m, ring *r, bool floats)
{
    for (int i = 0; i < r->count; i++)
        r->link[i] = i == 0 && !floats ? GROUND : add_link(m, r->at[i], r->at[(i + 1) % r->count], draw_mass(m));
}

static void join_planar(machine *m, const ring *r)
{
    const bool slides = draw_chance(m, 0.3), balls = draw_chance(m, 0.3);
    for (int i = 0; i < r->count; i++) {
        const int a = r->link[(i + r->count - 1) % r->count], b = r->link[i];
        const trm_vec3 along = trm_v3_unit(trm_v3_cross(r->normal, draw_direction(m)));
        if (i == 0 && slides)
            add_joint(m, "slider", a, b, r->at[i], along);
        else
            add_joint(m, balls && i == 1 ? "ball" : "hinge", a, b, r->at[i], r->normal);
    }
}

static void join_spatial(machine *m, const ring *r)
{
    static const char *const types[] = {"ball", "ball", "ball", "universal", "hinge", "cylinder"};
    const bool balls = draw_chance(m, 0.5);
    for (int i = 0; i < r->count; i++) {
        const int a = r->link[(i + r->count - 1) % r->count], b = r->link[i];
        add_joint(m, balls ? "ball" : DRAW_WORD(m, types), a, b, r->at[i], draw_direction(m));
    }
}

/* Adds one more link between the ends of two joints of the ring. */
static void cross_over(machine *m, const ring *r, bool planar)
{
    const int i = draw_below(m, r->count), k = (i + 2) % r->count;
    const int body = add_link(m, r->at[i], r->at[k], draw_mass(m));
    add_joint(m, planar ? "hinge" : "ball", r->link[i], body, r->at[i], r->normal);
    add_joint(m, planar ? "hinge" : "ball", r->link[k], body, r->at[k], r->normal);
}

static void draw(machine *m)
{
    const bool planar = draw_chance(m, 0.5), floats = draw_chance(m, 0.3);
    ring r = place_ring(m, planar);
    link_up(m, &r, floats);
    if (planar)
        join_planar(m, &r);
    else
        join_spatial(m, &r);
    if (r.count >= 5 && draw_chance(m, 0.3)) cross_over(m, &r, planar);
    if (draw_chance(m, 0.4)) move_apart(m, 0.5, 1);
    const force_mix mix = {draw_below(m, 3), draw_chance(m, 0.3), draw_chance(m, 0.3)};
    scatter_forces(m, mix);
    m->gravity = draw_chance(m, 0.8) ? trm_v3(0, 0, -9.81) : trm_v3(0, 0, 0);
    set_run(m, 0.01, 0.6);
}

const family family_loop = {"loop", "rings of links, planar and spatial", draw, false};

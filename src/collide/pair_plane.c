/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Solids against planes: every vertex has its own gap, because after a rotation another vertex may be the lowest. */

#include "collide/pairs.h"

static trm_manifold_point on_plane(const trm_pair *pair, trm_feature feature, trm_vec3 place, double gap,
                                   uint32_t code)
{
    const trm_solid *plane = pair->b;
    const trm_vec3 point = trm_v3_scale(plane->offset, plane->normal);
    return (trm_manifold_point){
        .feature = {feature, trm_plane_feature(point, plane->normal)},
        .normal = plane->normal,
        .place = place,
        .gap = gap,
        .code = {code, 0},
    };
}

double trm_vertices_plane(trm_pair *pair)
{
    const trm_solid *a = pair->a, *b = pair->b;
    double least = INFINITY;
    for (int i = 0; i < a->vertex_count; i++) {
        const trm_vec3 x = trm_point_of_a(pair, a->vertices[i]);
        const double gap = trm_v3_dot(b->normal, x) - b->offset - a->radius;
        if (gap < least) least = gap;
        if (!pair->manifold || !(gap < pair->margin)) continue;
        const trm_manifold_point point_at =
            on_plane(pair, trm_point_feature(a->vertices[i], a->radius), x, gap, trm_vertex_code(i));
        trm_add_manifold_point(pair, &point_at);
        if (pair->manifold->count == TRM_MANIFOLD_ROOM) trm_reduce_manifold(pair->manifold, b->normal);
    }
    if (pair->manifold) trm_reduce_manifold(pair->manifold, b->normal);
    return least;
}

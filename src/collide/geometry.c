/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Public queries on shapes (trammel/geometry.h): rays against all solids, nearest points of two bodies. Shapes whose
 * bounding ball is too far away are skipped. */

#include "trammel/geometry.h"

#include <math.h>

#include "base/check.h"
#include "collide/collider.h"
#include "collide/ray.h"
#include "motion/state.h"

struct trm_shape_set {
    trm_arena arena;
    const trm_model *model;
    trm_collider *collider;
    trm_contacts contacts;
};

trm_status trm_shape_set_create(const trm_model *model, const trm_allocator *allocator, trm_shape_set **set)
{
    trm_shape_set *g = trm_owner_create(allocator, sizeof *g);
    *set = NULL;
    if (!g) return TRM_OUT_OF_MEMORY;
    g->model = model;
    g->collider = trm_collider_create(model, &g->arena);
    if (g->collider) {
        *set = g;
        return TRM_OK;
    }
    trm_shape_set_destroy(g);
    return TRM_OUT_OF_MEMORY;
}

void trm_shape_set_destroy(trm_shape_set *set)
{
    trm_owner_destroy(set, sizeof *set);
}

/* ---- Rays ---------------------------------------------------------------------------------- */

/* Returns whether the ray misses the bounding ball of a solid. Planes have no ball. */
static bool misses_ball(const trm_solid *solid, trm_ray ray)
{
    if (solid->kind == TRM_SOLID_PLANE) return false;
    const trm_vec3 p = trm_v3_sub(solid->centre, ray.o);
    const double along = fmax(0, trm_v3_dot(p, ray.d)), size = 1.000001 * solid->size;
    const trm_vec3 off = trm_v3_add_scaled(p, -along, ray.d);
    return trm_v3_dot(off, off) > size * size;
}

bool trm_ray_cast(const trm_shape_set *set, const trm_state *state, trm_vec3 from, trm_vec3 direction,
                  double farthest, int except, trm_ray_hit *hit)
{
    const trm_model *model = set->model;
    const trm_vec3 d = trm_v3_unit(direction);
    TRM_ASSERT(state->model == model && trm_v3_length(direction) > 0);
    *hit = (trm_ray_hit){.body = -1, .shape = -1, .distance = INFINITY};
    for (int b = 0; b < model->body_count; b++) {
        const trm_pose X = state->pose[b];
        const trm_ray ray = {trm_pose_point_back(X, from), trm_rotate_back(X.q, d)};
        for (int k = 0; b != except && k < model->bodies[b].shape_count; k++) {
            trm_vec3 normal;
            const trm_solid *solid = &set->collider->solids[b][k];
            if (!model->bodies[b].shapes[k].collide || misses_ball(solid, ray)) continue;
            const double t = trm_ray_solid(solid, ray, &normal);
            if (!(t <= farthest) || !(t < hit->distance)) continue;
            *hit = (trm_ray_hit){b, k, t, trm_v3_add_scaled(from, t, d), trm_rotate(X.q, normal)};
        }
    }
    return hit->body >= 0;
}

/* ---- Nearest points ------------------------------------------------------------------------ */

/* Returns a lower bound of the distance of two shapes, from their bounding balls. */
static double bound_of(const trm_shape_set *g, const trm_state *state, const trm_near_pair *pair)
{
    trm_vec3 centre[2];
    double sizes = 0;
    for (int i = 0; i < 2; i++) {
        const trm_solid *solid = &g->collider->solids[pair->body[i]][pair->shape[i]];
        if (solid->kind == TRM_SOLID_PLANE) return -INFINITY;
        centre[i] = trm_pose_point(state->pose[pair->body[i]], solid->centre);
        sizes += 1.000001 * solid->size;
    }
    return trm_v3_length(trm_v3_sub(centre[1], centre[0])) - sizes;
}

/* Finds the points of the nearest pair: those of its contact with the least gap. */
static trm_status find_points(trm_shape_set *g, const trm_state *state, const trm_near_pair *pair,
                              trm_nearest_points *nearest)
{
    double least = INFINITY;
    g->contacts.count = 0;
    const double margin = nearest->distance + 1e-6 * fabs(nearest->distance) + 1e-9;
    if (!trm_find_contacts(g->collider, pair, state->pose, margin, &g->contacts)) return TRM_OUT_OF_MEMORY;
    for (int i = 0; i < g->contacts.count; i++) {
        const trm_contact *c = &g->contacts.items[i];
        const trm_contact_at at = trm_contact_at_poses(c, state->pose[c->body[0]], state->pose[c->body[1]]);
        if (!(at.gap < least)) continue;
        least = at.gap;
        nearest->point[0] = at.point[0], nearest->point[1] = at.point[1], nearest->normal = at.normal;
    }
    return TRM_OK;
}

trm_status trm_find_nearest_points(trm_shape_set *set, const trm_state *state, int body_a, int body_b, bool *found,
                                   trm_nearest_points *nearest)
{
    const trm_model *model = set->model;
    trm_near_pair best = {{body_a, body_b}, {-1, -1}};
    TRM_ASSERT(state->model == model && body_a != body_b);
    TRM_ASSERT(body_a >= 0 && body_a < model->body_count && body_b >= 0 && body_b < model->body_count);
    *nearest = (trm_nearest_points){.distance = INFINITY};
    for (int i = 0; i < model->bodies[body_a].shape_count; i++)
        for (int k = 0; k < model->bodies[body_b].shape_count; k++) {
            const trm_near_pair pair = {{body_a, body_b}, {i, k}};
            if (!model->bodies[body_a].shapes[i].collide || !model->bodies[body_b].shapes[k].collide) continue;
            if (bound_of(set, state, &pair) >= nearest->distance) continue;
            const double d = trm_shape_distance(set->collider, &pair, state->pose[body_a], state->pose[body_b]);
            if (d < nearest->distance) nearest->distance = d, best = pair;
        }
    *found = best.shape[0] >= 0;
    if (!*found) return TRM_OK;
    nearest->shape[0] = best.shape[0], nearest->shape[1] = best.shape[1];
    return find_points(set, state, &best, nearest);
}

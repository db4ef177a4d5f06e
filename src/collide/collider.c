/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Creates the collider of a model: it preprocesses the shapes and lists the joints that prevent collisions. */

#include "collide/collider.h"

#include <stdlib.h>
#include <string.h>

#include "collide/solid.h"
#include "model/shape.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static bool is_plane(const trm_shape *shape)
{
    return (shape->type->takes & TRM_SHAPE_TAKES_PLANE) != 0;
}

/* Returns whether two shapes without a mesh are the same solid in the frames of their bodies. */
static bool are_equal_solids(const trm_shape *a, const trm_shape *b)
{
    return a->type == b->type && a->mesh.vertex_count == 0 && b->mesh.vertex_count == 0 &&
           memcmp(&a->pose, &b->pose, sizeof a->pose) == 0 && a->radius == b->radius && a->length == b->length &&
           a->offset == b->offset && memcmp(&a->size, &b->size, sizeof a->size) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

/* Makes a solid. If it equals the one made last, the two share their parts, because piles often consist of equal
 * shapes. Returns false when out of memory. */
static bool make_solid(trm_collider *collider, const trm_body *body, int k, trm_solid *solid, const trm_shape **last,
                       const trm_solid **made)
{
    const trm_shape *shape = &body->shapes[k];
    if (*last && are_equal_solids(*last, shape)) {
        *solid = **made;
        return true;
    }
    *last = shape;
    *made = solid;
    return trm_solid_make(shape, body->inverse_mass > 0, collider->arena, solid);
}

static bool make_solids(trm_collider *collider)
{
    const trm_model *model = collider->model;
    const trm_shape *last = NULL;
    const trm_solid *made = NULL;
    collider->solids = TRM_NEW_ARRAY(collider->arena, trm_solid *, model->body_count);
    for (int i = 0; collider->solids && i < model->body_count; i++) {
        const trm_body *body = &model->bodies[i];
        trm_solid *solids = collider->solids[i] = TRM_NEW_ARRAY(collider->arena, trm_solid, body->shape_count);
        for (int k = 0; solids && k < body->shape_count; k++) {
            if (body->shapes[k].collide && !make_solid(collider, body, k, &solids[k], &last, &made)) return false;
        }
        if (!solids) return false;
    }
    return collider->solids != NULL;
}

static trm_collider_leaf leaf_of(const trm_model *model, int body, int shape)
{
    const trm_shape *of = &model->bodies[body].shapes[shape];
    const trm_extent unbounded = {.points = NULL};
    return (trm_collider_leaf){
        .body = body,
        .shape = shape,
        .free = model->bodies[body].inverse_mass > 0,
        .in_body = of->pose,
        .extent = is_plane(of) ? unbounded : trm_shape_extent(of),
        .size = of->type->reach(of),
        .pose = {{NAN, NAN, NAN, NAN}, {NAN, NAN, NAN}},
        .node = -1,
    };
}

static void count_leaves(trm_collider *collider)
{
    for (int i = 0; i < collider->model->body_count; i++) {
        const trm_body *body = &collider->model->bodies[i];
        for (int k = 0; k < body->shape_count; k++)
            if (body->shapes[k].collide)
                *(is_plane(&body->shapes[k]) ? &collider->plane_count : &collider->leaf_count) += 1;
    }
}

static bool make_leaves(trm_collider *collider)
{
    count_leaves(collider);
    const int count = collider->leaf_count;
    trm_collider_leaf *leaf = collider->leaves = TRM_NEW_ARRAY(collider->arena, trm_collider_leaf, count);
    trm_collider_leaf *plane = collider->planes =
        TRM_NEW_ARRAY(collider->arena, trm_collider_leaf, collider->plane_count);
    collider->grown = TRM_NEW_ARRAY(collider->arena, trm_bounds, count);
    collider->moved = TRM_NEW_ARRAY(collider->arena, int, count);
    collider->found = TRM_NEW_ARRAY(collider->arena, int, count);
    collider->places = TRM_NEW_ARRAY(collider->arena, int, count + 1);
    if (!leaf || !plane || !collider->grown || !collider->moved || !collider->found || !collider->places)
        return false;
    for (int i = 0; i < collider->model->body_count; i++)
        for (int k = 0; k < collider->model->bodies[i].shape_count; k++) {
            const trm_shape *shape = &collider->model->bodies[i].shapes[k];
            if (shape->collide) *(is_plane(shape) ? plane++ : leaf++) = leaf_of(collider->model, i, k);
        }
    return trm_tree_init(&collider->tree, collider->arena, count);
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* Returns whether a joint prevents its bodies from colliding. Limits, motors and gears act on the coordinate of a
 * host joint and never prevent collisions; their host may. */
static bool keeps_apart(const trm_joint *joint)
{
    return !joint->collide && !joint->host && joint->body_count == 2 && joint->body[0] != joint->body[1];
}

static int compare_links(const void *a, const void *b)
{
    const trm_jointed_pair *p = a, *q = b;
    const int order = trm_compare_pairs(p->body, q->body);
    return order != 0 ? order : p->joint - q->joint;
}

static bool make_links(trm_collider *collider)
{
    const trm_model *model = collider->model;
    collider->links = TRM_NEW_ARRAY(collider->arena, trm_jointed_pair, model->joint_count);
    if (!collider->links) return false;
    for (int i = 0; i < model->joint_count; i++) {
        const int a = model->joints[i].body[0], b = model->joints[i].body[1];
        if (keeps_apart(&model->joints[i]))
            collider->links[collider->link_count++] = (trm_jointed_pair){{a < b ? a : b, a < b ? b : a}, i};
    }
    qsort(collider->links, (size_t)collider->link_count, sizeof *collider->links, compare_links);
    return true;
}

/* ---- All ---------------------------------------------------------------------------------- */

trm_collider *trm_collider_create(const trm_model *model, trm_arena *arena)
{
    trm_collider *collider = TRM_NEW(arena, trm_collider);
    if (!collider) return NULL;
    collider->model = model;
    collider->arena = arena;
    return make_solids(collider) && make_leaves(collider) && make_links(collider) ? collider : NULL;
}

bool trm_collider_is_empty(const trm_collider *collider)
{
    return !collider->model->collisions.may_collide;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Broad phase: finds the shapes that are near each other.
 *
 * A query enlarges the bounds of each shape by the distance that its body may move and by half the margin; shapes
 * whose enlarged bounds overlap are near. The tree holds fat bounds, which are larger still. While no shape leaves
 * its fat bounds, the pairs with overlapping fat bounds stay the same, and a query only tests these pairs. A shape
 * that leaves its fat bounds gets new ones, and its pairs are searched again in the tree. So the fat bounds depend on
 * earlier queries, but results do not.
 *
 * Planes have no bounds. There are few, and each is tested against every shape. */

#include <string.h>

#include "collide/collider.h"

/* Excess of fat bounds over enlarged ones, as a fraction of the size of the shape. A larger value means fewer changes
 * of the tree but more pairs to test. A smaller one changes the tree in almost every step. It affects speed only,
 * never results. */
static const double FATNESS = 0.2;

/* Additional excess, as a multiple of the reach: a flying body leaves its fat bounds only after this many steps. A
 * larger one finds more pairs that are far apart, a smaller one changes the tree more often. Only speed depends on
 * it. Tests pass with a tenth and with ten times of it. */
static const double FATNESS_BY_REACH = 2;

/* Fat bounds are renewed when their excess is more than this many times that of new ones. With a larger one, bounds
 * of bodies that have slowed down stay too large; a smaller one renews bounds of bodies that accelerate. Only speed
 * depends on it. Tests pass with a tenth and with ten times of it. */
static const double TOO_FAT = 8;

/* Bounds are sums and products of a few numbers. Their error is a few times 2^-53 of the largest coordinate, which
 * is at most the sum of all. A larger one finds pairs that are just out of reach, which costs time only; a smaller
 * one may miss a pair that is just in reach. Tests pass with a tenth and with ten times of it. */
static const double BOUNDS_ROUNDING = 2e-15;

/* ---- Lists that grow ---------------------------------------------------------------------- */

/* Makes room for `count` pairs and keeps the contents of the list. Fails only when out of memory. */
static bool reserve(trm_leaf_pairs *list, int count, trm_arena *arena)
{
    if (count <= list->room) return true;
    const int room = count > 2 * list->room ? count + count / 2 : 2 * list->room;
    trm_leaf_pair *items = TRM_NEW_ARRAY(arena, trm_leaf_pair, room);
    if (!items) return false;
    if (list->count > 0) memcpy(items, list->items, (size_t)list->count * sizeof *items);
    list->items = items;
    list->room = room;
    return true;
}

static bool append_pair(trm_collider *collider, const trm_collider_leaf *a, const trm_collider_leaf *b)
{
    if (collider->pair_count == collider->pair_room) {
        const int room = collider->pair_room > 0 ? 2 * collider->pair_room : 64;
        trm_near_pair *pairs = TRM_NEW_ARRAY(collider->arena, trm_near_pair, room);
        if (!pairs) return false;
        if (collider->pair_count > 0) memcpy(pairs, collider->pairs, (size_t)collider->pair_count * sizeof *pairs);
        collider->pairs = pairs;
        collider->pair_room = room;
    }
    const bool swap =
        /* the free body first; of two free bodies the one that is first in the model */
        b->free && (!a->free || b->body < a->body);
    if (swap) {
        const trm_collider_leaf *first = a;
        a = b, b = first;
    }
    collider->pairs[collider->pair_count++] = (trm_near_pair){{a->body, b->body}, {a->shape, b->shape}};
    return true;
}

/* ---- Filters ------------------------------------------------------------------------------ */

/* Returns the first link of two bodies, or -1 if there is none. */
static int find_link(const trm_collider *collider, int a, int b)
{
    return trm_find_pair(collider->links, sizeof *collider->links, collider->link_count, a, b);
}

/* Returns whether a joint between the two bodies of the link is attached. */
static bool is_linked(const trm_collider *collider, int link, const bool *attached)
{
    if (link < 0) return false;
    for (int i = link; i < collider->link_count; i++) {
        if (trm_compare_pairs(collider->links[i].body, collider->links[link].body) != 0) return false;
        if (!attached || attached[collider->links[i].joint]) return true;
    }
    return false;
}

/* ---- Bounds of a query -------------------------------------------------------------------- */

static double rounding_of(const trm_bounds *box)
{
    return BOUNDS_ROUNDING * (fabs(box->lo.x) + fabs(box->lo.y) + fabs(box->lo.z) + fabs(box->hi.x) +
                              fabs(box->hi.y) + fabs(box->hi.z));
}

/* Updates the bounds of a leaf for the query. Returns whether its fat bounds still contain them. */
static bool keeps_fat_bounds(trm_collider_leaf *leaf, const trm_pose *pose, double reach, double margin,
                             trm_bounds *grown)
{
    if (memcmp(&leaf->pose, pose, sizeof *pose) != 0) {
        leaf->pose = *pose;
        leaf->bounds = trm_extent_bounds(&leaf->extent, trm_pose_mul(*pose, leaf->in_body));
    }
    *grown = trm_bounds_grown(leaf->bounds, reach + 0.5 * margin + rounding_of(&leaf->bounds));
    const trm_bounds largest = trm_bounds_grown(*grown, TOO_FAT * (FATNESS * leaf->size + reach));
    return leaf->node >= 0 && trm_bounds_contain(&leaf->fat, grown) && trm_bounds_contain(&largest, &leaf->fat);
}

/* Gives new fat bounds to the leaves that left theirs, updates the tree and lists these leaves in collider->moved.
 * Returns their number. */
static int update_tree(trm_collider *collider, const trm_pose *poses, const double *reach, double margin)
{
    int count = 0;
    for (int i = 0; i < collider->leaf_count; i++) {
        trm_collider_leaf *leaf = &collider->leaves[i];
        const double r = reach ? reach[leaf->body] : 0;
        leaf->moved = !keeps_fat_bounds(leaf, &poses[leaf->body], r, margin, &collider->grown[i]);
        if (!leaf->moved) continue;
        leaf->fat = trm_bounds_grown(collider->grown[i], FATNESS * leaf->size + FATNESS_BY_REACH * r);
        if (leaf->node >= 0) trm_tree_remove(&collider->tree, leaf->node);
        leaf->node = trm_tree_insert(&collider->tree, leaf->fat, i);
        collider->moved[count++] = i;
    }
    return count;
}

/* ---- Pairs of fat bounds ------------------------------------------------------------------ */

/* Lists all pairs of a leaf that has moved, except those that an earlier leaf has listed. Fails only when out of
 * memory. */
static bool list_fresh(trm_collider *collider, int index)
{
    const trm_collider_leaf *leaf = &collider->leaves[index];
    trm_leaf_pairs *fresh = &collider->fresh;
    const int found = trm_tree_overlaps(&collider->tree, &leaf->fat, collider->found);
    if (!reserve(fresh, fresh->count + found, collider->arena)) return false;
    for (int i = 0; i < found; i++) {
        const int other = collider->found[i];
        const trm_collider_leaf *b = &collider->leaves[other];
        if (b->moved && other < index) continue;
        if (!trm_shapes_may_collide(collider->model, leaf->body, leaf->shape, b->body, b->shape)) continue;
        const int lower = other < index ? other : index, upper = other < index ? index : other;
        fresh->items[fresh->count++] = (trm_leaf_pair){{lower, upper}, find_link(collider, leaf->body, b->body)};
    }
    return true;
}

/* Sorts pairs by leaf[k], by a stable counting sort. from and to have the same room. */
static void sort_by(trm_collider *collider, const trm_leaf_pair *from, trm_leaf_pair *to, int count, int k)
{
    int *places = collider->places;
    memset(places, 0, (size_t)(collider->leaf_count + 1) * sizeof *places);
    for (int i = 0; i < count; i++) places[from[i].leaf[k] + 1]++;
    for (int i = 0; i < collider->leaf_count; i++) places[i + 1] += places[i];
    for (int i = 0; i < count; i++) to[places[from[i].leaf[k]]++] = from[i];
}

/* Merges near, without the pairs of leaves that have moved, and fresh, both sorted, into spare, which becomes
 * near. */
static void merge(trm_collider *collider)
{
    const trm_leaf_pairs *near = &collider->near, *fresh = &collider->fresh;
    trm_leaf_pairs merged = collider->spare;
    int k = 0;
    merged.count = 0;
    for (int i = 0; i < near->count; i++) {
        const trm_leaf_pair *pair = &near->items[i];
        if (collider->leaves[pair->leaf[0]].moved || collider->leaves[pair->leaf[1]].moved) continue;
        while (k < fresh->count && trm_compare_pairs(fresh->items[k].leaf, pair->leaf) < 0)
            merged.items[merged.count++] = fresh->items[k++];
        merged.items[merged.count++] = *pair;
    }
    while (k < fresh->count) merged.items[merged.count++] = fresh->items[k++];
    collider->spare = collider->near;
    collider->near = merged;
}

int trm_most_near_pairs(const trm_collider *collider)
{
    enum { OF_ALL = 20000, PER_SHAPE = 60, MOST = 1 << 28 };
    return collider->leaf_count < MOST / PER_SHAPE ? OF_ALL + PER_SHAPE * collider->leaf_count : MOST;
}

bool trm_collider_is_crowded(const trm_collider *collider)
{
    return collider->crowded;
}

static bool update_near(trm_collider *collider, int moved)
{
    trm_leaf_pairs *fresh = &collider->fresh, *spare = &collider->spare;
    const int most = trm_most_near_pairs(collider);
    fresh->count = 0;
    for (int i = 0; i < moved && !collider->crowded; i++) {
        if (!list_fresh(collider, collider->moved[i])) return false;
        collider->crowded = fresh->count > most;
    }
    if (collider->crowded) return false;
    spare->count = 0;
    if (!reserve(spare, collider->near.count + fresh->count, collider->arena)) return false;
    sort_by(collider, fresh->items, spare->items, fresh->count, 1);
    sort_by(collider, spare->items, fresh->items, fresh->count, 0);
    merge(collider);
    return true;
}

/* ---- Results ------------------------------------------------------------------------------ */

/* A plane in the world, with the distance below which shapes are near it. */
typedef struct half_space {
    trm_vec3 normal;
    double offset;
    double nearer; /* m: distance below which a shape counts as near, without the enlargement of its bounds */
} half_space;

static half_space half_space_of(const trm_collider *collider, const trm_collider_leaf *plane, const trm_pose *poses,
                                const double *reach, double margin)
{
    const trm_shape *shape = &collider->model->bodies[plane->body].shapes[plane->shape];
    const trm_pose X = trm_pose_mul(poses[plane->body], plane->in_body);
    const trm_vec3 n = trm_rotate(X.q, shape->normal);
    const double offset = shape->offset + trm_v3_dot(n, X.p);
    const double rounding = BOUNDS_ROUNDING * (fabs(shape->offset) + fabs(X.p.x) + fabs(X.p.y) + fabs(X.p.z));
    return (half_space){n, offset, 0.5 * margin + (reach ? reach[plane->body] : 0) + rounding};
}

/* Returns whether a shape is near a plane. Tests the corner of its bounds that is nearest to the plane first, which
 * is at least as near as the shape. */
static bool is_near_plane(const trm_collider_leaf *leaf, const trm_bounds *grown, const half_space *h)
{
    const trm_vec3 n = h->normal;
    const trm_vec3 corner = {n.x > 0 ? grown->lo.x : grown->hi.x, n.y > 0 ? grown->lo.y : grown->hi.y,
                             n.z > 0 ? grown->lo.z : grown->hi.z};
    if (!(trm_v3_dot(n, corner) - h->offset <= h->nearer)) return false;
    const double by = leaf->bounds.lo.x - grown->lo.x; /* m: enlargement of the bounds */
    const trm_pose X = trm_pose_mul(leaf->pose, leaf->in_body);
    return trm_extent_least(&leaf->extent, X, n) - h->offset <= h->nearer + by;
}

static bool list_of_plane(trm_collider *collider, const trm_collider_leaf *plane, const half_space *h,
                          const bool *attached)
{
    for (int i = 0; i < collider->leaf_count; i++) {
        const trm_collider_leaf *leaf = &collider->leaves[i];
        if (!is_near_plane(leaf, &collider->grown[i], h)) continue;
        if (!trm_shapes_may_collide(collider->model, plane->body, plane->shape, leaf->body, leaf->shape)) continue;
        if (is_linked(collider, find_link(collider, plane->body, leaf->body), attached)) continue;
        if (!append_pair(collider, plane, leaf)) return false;
    }
    return true;
}

static bool list_near(trm_collider *collider, const bool *attached)
{
    for (int i = 0; i < collider->near.count; i++) {
        const trm_leaf_pair *pair = &collider->near.items[i];
        if (!trm_bounds_overlap(&collider->grown[pair->leaf[0]], &collider->grown[pair->leaf[1]])) continue;
        if (is_linked(collider, pair->link, attached)) continue;
        if (!append_pair(collider, &collider->leaves[pair->leaf[0]], &collider->leaves[pair->leaf[1]])) return false;
    }
    return true;
}

/* Invalidates all fat bounds, so that the next query finds all pairs again, because some are missing after a failed
 * allocation. Returns -1. */
static int invalidate(trm_collider *collider)
{
    for (int i = 0; i < collider->leaf_count; i++)
        collider->leaves[i].fat = (trm_bounds){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    return -1;
}

int trm_near_pairs(trm_collider *collider, const trm_pose *poses, const double *reach, double margin,
                   const bool *attached, const trm_near_pair **pairs)
{
    collider->crowded = false;
    const int moved = update_tree(collider, poses, reach, margin);
    if (moved > 0 && !update_near(collider, moved)) return invalidate(collider);
    collider->pair_count = 0;
    for (int i = 0; i < collider->plane_count; i++) {
        const half_space h = half_space_of(collider, &collider->planes[i], poses, reach, margin);
        if (!list_of_plane(collider, &collider->planes[i], &h, attached)) return -1;
    }
    if (!list_near(collider, attached)) return -1;
    *pairs = collider->pairs;
    return collider->pair_count;
}

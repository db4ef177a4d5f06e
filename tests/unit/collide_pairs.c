/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "check.h"
#include "collide/gjk.h"
#include "sanitized.h"
#include "shape_pairs.h"

#include <string.h>

/* For distances of about 1 after some tens of operations. */
static const double rounding = 1e-13;

/* Support points alone approach the nearest points of round solids in ever smaller steps. */
static const double of_round = 1e-11;

/* Asserts a claim; on failure prints the pair. */
#define want(pair, claim)                                                                                            \
    do {                                                                                                             \
        if (claim) break;                                                                                            \
        print_error("%s, %s, seed %llu: not %s\n", (pair)->shape[0].type->name, (pair)->shape[1].type->name,         \
                    (unsigned long long)(pair)->seed, #claim);                                                       \
        _fail(__FILE__, __LINE__);                                                                                   \
    } while (0)

#define want_near(pair, actual, expected, tolerance)                                                                 \
    do {                                                                                                             \
        if (!(fabs((actual) - (expected)) <= (tolerance)))                                                           \
            print_error("%s, %s, seed %llu\n", (pair)->shape[0].type->name, (pair)->shape[1].type->name,             \
                        (unsigned long long)(pair)->seed);                                                           \
        assert_near(actual, expected, tolerance);                                                                    \
    } while (0)

static const char *const with_vertices[] = {"sphere", "capsule", "box", "hull"};
enum { WITH_VERTICES = 4 };

static void set_up_pair(shape_pair *pair, trm_random *random, const char *type_a, const char *type_b)
{
    trm_arena_init(&pair->arena, NULL);
    pair->shape[0] = random_shape(random, &pair->arena, type_a);
    pair->shape[1] = random_shape(random, &pair->arena, type_b);
    assert_true(make_pair(pair, true, true));
}

static bool is_plane(const trm_shape *shape)
{
    return strcmp(shape->type->name, "plane") == 0;
}

static double true_distance(const shape_pair *pair, const trm_pose *poses)
{
    if (is_plane(&pair->shape[1])) {
        const trm_solid *plane = &pair->solid[1];
        const trm_vec3 n = trm_rotate(poses[1].q, plane->normal);
        return least_along(&pair->solid[0], poses[0], n) - trm_v3_dot(n, poses[1].p) - plane->offset -
               pair->solid[0].radius;
    }
    return distance_by_trying(&pair->solid[0], poses[0], &pair->solid[1], poses[1]);
}

static double least_gap(const shape_pair *pair, const trm_pose *poses)
{
    const trm_contacts *contacts = &pair->contacts;
    double least = INFINITY;
    for (int i = 0; i < contacts->count; i++) {
        const trm_contact *c = &contacts->items[i];
        const trm_contact_at at = trm_contact_at_poses(c, poses[c->body[0]], poses[c->body[1]]);
        want(pair, isfinite(at.gap) && trm_v3_is_finite(at.normal) && trm_v3_is_finite(at.point[0]) &&
                       trm_v3_is_finite(at.point[1]));
        want_near(pair, trm_v3_length(at.normal), 1, 1e-14);
        want_near(pair, trm_v3_dot(at.normal, trm_v3_sub(at.point[0], at.point[1])), at.gap, rounding);
        const double radii = c->feature[0].radius + c->feature[1].radius;
        const bool cores_meet = radii > 0 && at.gap + radii < 1e-12; /* all directions are equivalent */
        want(pair, cores_meet || trm_v3_dot(at.normal, trm_rotate(poses[c->body[1]].q, c->outward)) > 0.999);
        least = fmin(least, at.gap);
    }
    return least;
}

static void check_ids_differ(const shape_pair *pair)
{
    const trm_contacts *contacts = &pair->contacts;
    for (int i = 0; i < contacts->count; i++)
        for (int k = 0; k < i; k++) want(pair, contacts->items[i].id != contacts->items[k].id);
}

/* flush: distance up to which corners outside of a face count as over it. */
static void check_pair(shape_pair *pair, const trm_pose *poses, double margin, double expected, double tolerance,
                       double flush)
{
    const double distance = trm_shape_distance(&pair->collider, &the_pair, poses[0], poses[1]);
    want_near(pair, distance, expected, tolerance);
    want_near(pair, trm_shape_distance(&pair->collider, &the_pair_turned, poses[1], poses[0]), distance, rounding);

    for (int turn = 0; turn < 2; turn++) {
        pair->contacts.count = 0;
        assert_true(
            trm_find_contacts(&pair->collider, turn ? &the_pair_turned : &the_pair, poses, margin, &pair->contacts));
        check_ids_differ(pair);
        const double least = least_gap(pair, poses);
        if (distance >= margin + rounding) want(pair, pair->contacts.count == 0);
        if (distance < margin - rounding - flush) want(pair, pair->contacts.count > 0);
        if (pair->contacts.count == 0) continue;
        /* overlapping solids may have their deepest vertex next to the face */
        const bool cores_overlap = distance + pair->solid[0].radius + pair->solid[1].radius <= 0;
        if (!cores_overlap)
            want_near(pair, least, distance, rounding + flush);
        else
            want(pair, least >= distance - tolerance - rounding - flush && least < flush);
    }
}

static void distances_and_least_gaps_are_those_found_by_trying_everything(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    for (int i = 0; i < WITH_VERTICES; i++)
        for (int k = 0; k <= WITH_VERTICES; k++)
            for (uint64_t n = 0; n < ROUNDS; n++) {
                const uint64_t seed = 1000000 * (uint64_t)(10 * i + k) + n;
                trm_random random = trm_random_seed(seed);
                shape_pair pair = {.seed = seed};
                set_up_pair(&pair, &random, with_vertices[i], k < WITH_VERTICES ? with_vertices[k] : "plane");
                const trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
                check_pair(&pair, poses,
                           n % 3 == 0   ? 0.01
                           : n % 3 == 1 ? 0.3
                                        : 3,
                           true_distance(&pair, poses), rounding, 0);
                trm_arena_destroy(&pair.arena);
            }
}

/* For sizes of 1, points over a flat part may be deeper than the nearest parts by this. */
static const double of_level_parts = 3e-9;

/* Two rims whose best axis is nearly that of a cap may be separated along the cap. */
static const double of_ways_out = 1e-6;

/* Asserts that no axis gives a larger separation, and that the nearest points of another algorithm are no nearer. */
static void check_rounded(const char *a, const char *b, uint64_t seed)
{
    shape_pair pair = {.seed = seed};
    trm_random random = trm_random_seed(pair.seed);
    set_up_pair(&pair, &random, a, b);
    const trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
    const double distance = trm_shape_distance(&pair.collider, &the_pair, poses[0], poses[1]);
    const double sampled = distance_by_sampling(&pair, poses, &random);
    /* with an overlap there are several directions out of it, and a slightly longer one may be chosen */
    want(&pair, distance >= sampled - (sampled > 0 ? rounding : sampled > -0.05 ? of_ways_out : 0.05));

    const trm_pose X = trm_pose_mul(trm_pose_inverse(poses[1]), poses[0]);
    const trm_pair cores = {.a = &pair.solid[0], .b = &pair.solid[1], .R = trm_quat_matrix(X.q), .t = X.p};
    const double radius = pair.solid[0].kind == TRM_SOLID_CYLINDER ? 0 : pair.solid[0].radius;
    if (distance + radius > 0) want_near(&pair, distance, trm_gjk(&cores).distance - radius, of_round);
    check_pair(&pair, poses, seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 0.3 : 3, distance, rounding, of_level_parts);
    trm_arena_destroy(&pair.arena);
}

static void cylinders_are_as_far_away_as_axes_and_nearest_points_say(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    const char *const others[] = {"sphere", "capsule", "box", "hull", "cylinder"};
    for (int k = 0; k < 5; k++)
        for (uint64_t n = 0; n < ROUNDS; n++) check_rounded(others[k], "cylinder", 1000000 * (uint64_t)(50 + k) + n);
}

static void ellipsoids_are_as_far_away_as_axes_and_nearest_points_say(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    const char *const others[] = {"sphere", "capsule", "box", "hull", "cylinder", "ellipsoid"};
    for (int k = 0; k < 6; k++)
        for (uint64_t n = 0; n < ROUNDS; n++) check_rounded(others[k], "ellipsoid", 1000000 * (uint64_t)(70 + k) + n);
}

/* The least n.x over the points of an ellipsoid is that of its centre less |A^T n|. */
static void ellipsoids_are_as_far_from_planes_as_their_support_says(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    for (uint64_t n = 0; n < ROUNDS; n++) {
        shape_pair pair = {.seed = 76000000 + n};
        trm_random random = trm_random_seed(pair.seed);
        set_up_pair(&pair, &random, "ellipsoid", "plane");
        const trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
        const trm_vec3 normal = trm_rotate(poses[1].q, pair.solid[1].normal);
        const double height = least_of(&pair.solid[0], poses[0], normal) - trm_v3_dot(normal, poses[1].p);
        check_pair(&pair, poses, 0.3, height - pair.solid[1].offset, rounding, 0);
        trm_arena_destroy(&pair.arena);
    }
}

/* The separation has several maxima close together there, next to edges along both axes. */
static void cylinders_stacked_askew_are_parted_along_the_best_axis(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    for (uint64_t n = 0; n < ROUNDS; n++) {
        shape_pair pair = {.seed = 60000000 + n};
        trm_random random = trm_random_seed(pair.seed);
        set_up_pair(&pair, &random, "cylinder", "cylinder");
        const trm_solid *a = &pair.solid[0], *b = &pair.solid[1];
        const double aside = trm_random_uniform(&random, 0, a->radius + b->radius);
        const double up = a->half_length + b->half_length + trm_random_uniform(&random, -0.02, 0.02);
        /* axes of both along z, then a turned a little */
        const trm_quat upright[2] = {trm_quat_between(trm_column(a->axes, 2), trm_v3(0, 0, 1)),
                                     trm_quat_between(trm_column(b->axes, 2), trm_v3(0, 0, 1))};
        const trm_quat askew = trm_quat_exp(random_vector(&random, 0.05));
        trm_pose poses[2] = {{trm_quat_mul(askew, upright[0]), {aside, 0, up}}, {upright[1], {0, 0, 0}}};
        poses[0].p = trm_v3_sub(poses[0].p, trm_rotate(poses[0].q, a->centre));
        poses[1].p = trm_v3_sub(poses[1].p, trm_rotate(poses[1].q, b->centre));
        const double distance = trm_shape_distance(&pair.collider, &the_pair, poses[0], poses[1]);
        want(&pair, distance >= distance_by_sampling(&pair, poses, &random) - rounding);
        check_pair(&pair, poses, 0.1, distance, rounding, of_level_parts);
        trm_arena_destroy(&pair.arena);
    }
}

/* ---- Bodies at rest on each other --------------------------------------------------------- */

/* One body resting on another, whose frame is at the origin. */
typedef struct rest_case {
    trm_shape a, b;
    trm_vec3 turn, at; /* of a: rotation vector, position where they just touch */
    int contacts;
} rest_case;

static void check_rest(const rest_case *rest, double gap, trm_vec3 noise, uint64_t number)
{
    shape_pair pair = {.shape = {rest->a, rest->b}, .seed = number};
    trm_arena_init(&pair.arena, NULL);
    assert_true(make_pair(&pair, true, true));
    trm_pose poses[2] = {{trm_quat_mul(trm_quat_exp(noise), trm_quat_exp(rest->turn)), rest->at},
                         trm_pose_identity()};
    poses[0].p.z += gap;
    for (int turn = 0; turn < 2; turn++) {
        pair.contacts.count = 0;
        const trm_near_pair *near = turn ? &the_pair_turned : &the_pair;
        assert_true(trm_find_contacts(&pair.collider, near, poses, gap + 1e-3, &pair.contacts));
        want(&pair, pair.contacts.count == rest->contacts);
        for (int i = 0; i < pair.contacts.count; i++) {
            const trm_contact *c = &pair.contacts.items[i];
            const trm_contact_at at = trm_contact_at_poses(c, poses[c->body[0]], poses[c->body[1]]);
            want_near(&pair, at.gap, gap, 1e-15 + 2 * trm_v3_length(noise));
            want_near(&pair, at.normal.z, turn ? -1 : 1, 1e-15 + 2 * trm_v3_length(noise));
        }
    }
    trm_arena_destroy(&pair.arena);
}

/* Bodies above, at and below the place where they touch, and rotated by some roundings, which must not change the
 * number of contacts. */
static void bodies_at_rest_have_the_contacts_that_hold_them(void **state)
{
    (void)state;
    const trm_shape cube = box_shape(0.2, 0.2, 0.2), plate = box_shape(1, 1, 0.2);
    const trm_shape ground = plane_shape(trm_v3(0, 0, 1), 0), ball = round_shape("sphere", 0.1, 0);
    const trm_shape pill = round_shape("capsule", 0.1, 0.3), can = round_shape("cylinder", 0.1, 0.2);
    const trm_vec3 none = {0, 0, 0}, down = {0, TRM_PI / 2, 0}, eighth = {0, 0, TRM_PI / 4};
    const trm_vec3 on_edge = {TRM_PI / 4, 0, 0};
    const rest_case cases[] = {
        {ball, ground, none, {0.3, 0, 0.1}, 1},
        {pill, ground, none, {0.3, 0, 0.25}, 1},
        {pill, ground, down, {0.3, 0, 0.1}, 2},
        {cube, ground, none, {0.3, 0, 0.1}, 4},
        {cube, ground, on_edge, {0.3, 0, 0.1 * sqrt(2)}, 2},
        {can, ground, none, {0.3, 0, 0.1}, 4},
        {can, ground, down, {0.3, 0, 0.1}, 2},
        {ball, cube, none, {0.03, 0.02, 0.2}, 1},
        {pill, plate, none, {0.03, 0.02, 0.35}, 1},
        {pill, plate, down, {0.03, 0.02, 0.2}, 2},
        {pill, cube, down, {0.03, 0.02, 0.2}, 2},
        {cube, cube, none, {0, 0, 0.2}, 4},
        {cube, cube, none, {0.03, 0.02, 0.2}, 4},
        {cube, cube, none, {0.1, 0.1, 0.2}, 4},
        {cube, cube, eighth, {0, 0, 0.2}, 8},
        {cube, plate, eighth, {0, 0, 0.2}, 4},
        {plate, cube, eighth, {0, 0, 0.2}, 4},
        {cube, plate, on_edge, {0, 0, 0.1 + 0.1 * sqrt(2)}, 2},
        {can, plate, none, {0.03, 0.02, 0.2}, 4},
        {can, plate, down, {0.03, 0.02, 0.2}, 2},
        {can, cube, down, {0.05, 0.02, 0.2}, 2},
        {plate, can, none, {0.03, 0.02, 0.2}, 4},
        {can, can, none, {0, 0, 0.2}, 8},
        {can, can, none, {0.15, 0, 0.2}, 4},
        {pill, can, none, {0.03, 0.02, 0.35}, 1},
        {pill, can, down, {0.03, 0, 0.2}, 2},
        {ball, can, none, {0.03, 0.02, 0.2}, 1},
        {can, can, down, {0.03, 0, 0.2}, 2},
        {pill, pill, down, {0, 0, 0.35}, 1},
        {ball, pill, none, {0, 0, 0.35}, 1},
    };
    const double gaps[] = {1e-4, 0, -1e-4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            trm_random random = trm_random_seed(i);
            check_rest(&cases[i], gaps[k], none, i);
            for (int n = 0; n < 20; n++) check_rest(&cases[i], gaps[k], random_vector(&random, 1e-14), i);
        }
}

/* Returns a quarter or an eighth of a turn about an axis, sometimes with a small additional rotation. */
static trm_quat nearly_straight(trm_random *random)
{
    const int axis = (int)trm_random_uniform(random, 0, 3), eighths = (int)trm_random_uniform(random, 0, 8);
    const double little = pow(10, trm_random_uniform(random, -18, -2)) * (trm_random_uniform(random, 0, 1) < 0.7);
    const trm_quat straight = trm_quat_exp(trm_v3_scale(eighths * TRM_PI / 4, trm_axis(axis)));
    return trm_quat_mul(trm_quat_exp(trm_v3_scale(little, random_direction(random))), straight);
}

/* Sizes in tenths, so that faces, edges and corners meet exactly, up to rounding, or up to a small distance. */
static trm_shape tenths_shape(trm_random *random, const char *type)
{
    trm_shape shape = plain_shape(type);
    shape.size =
        trm_v3(0.1 * (1 + (int)trm_random_uniform(random, 0, 4)), 0.1 * (1 + (int)trm_random_uniform(random, 0, 4)),
               0.1 * (1 + (int)trm_random_uniform(random, 0, 4)));
    shape.radius = 0.5 * shape.size.x;
    shape.length = shape.size.y;
    return shape;
}

static trm_vec3 tenths(trm_random *random)
{
    const double little = pow(10, trm_random_uniform(random, -18, -2)) * (trm_random_uniform(random, 0, 1) < 0.5);
    const trm_vec3 p = {0.05 * (int)trm_random_uniform(random, -9, 9), 0.05 * (int)trm_random_uniform(random, -9, 9),
                        0.05 * (int)trm_random_uniform(random, -9, 9)};
    return trm_v3_add_scaled(p, little, random_direction(random));
}

/* Edges whose sine is below 1e-6 count as parallel, which may change the depth of an overlap by about size * 1e-6. */
static const double of_parallel_edges = 1e-6;

/* Corners up to this distance outside of a face of size 1 count as over it. */
static const double of_flush_corners = 2e-8;

static void straight_shapes_that_just_touch_are_as_far_apart_as_by_trying(void **state)
{
    (void)state;
    enum { ROUNDS = 1500 };
    const char *const types[] = {"sphere", "capsule", "box"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (uint64_t n = 0; n < ROUNDS; n++) {
                shape_pair pair = {.seed = 1000000 * (uint64_t)(100 + 10 * i + k) + n};
                trm_random random = trm_random_seed(pair.seed);
                trm_arena_init(&pair.arena, NULL);
                pair.shape[0] = tenths_shape(&random, types[i]);
                pair.shape[1] = tenths_shape(&random, types[k]);
                assert_true(make_pair(&pair, true, true));
                const trm_pose poses[2] = {{nearly_straight(&random), tenths(&random)},
                                           {nearly_straight(&random), tenths(&random)}};
                const double expected = true_distance(&pair, poses);
                const bool overlap = expected + pair.solid[0].radius + pair.solid[1].radius <= 0;
                check_pair(&pair, poses,
                           n % 3 == 0   ? 0.01
                           : n % 3 == 1 ? 0.3
                                        : 3,
                           expected, overlap ? of_parallel_edges : rounding, of_flush_corners);
                trm_arena_destroy(&pair.arena);
            }
}

/* The separation of nearly parallel lines has a flat maximum: rounding of its axis costs up to this for sizes of 1. */
static const double of_near_parallels = 1e-8;

/* Cylinders whose axes are parallel to edges, or nearly so: wheels at a curb or at the end of a table. */
static void cylinders_along_edges_are_as_far_away_as_nearest_points_say(void **state)
{
    (void)state;
    enum { ROUNDS = 1500 };
    int apart = 0;
    for (uint64_t n = 0; n < ROUNDS; n++) {
        shape_pair pair = {.seed = 150000000 + n};
        trm_random random = trm_random_seed(pair.seed);
        trm_arena_init(&pair.arena, NULL);
        pair.shape[0] = tenths_shape(&random, n % 4 == 0 ? "cylinder" : "box");
        pair.shape[1] = tenths_shape(&random, "cylinder");
        assert_true(make_pair(&pair, true, true));
        const trm_pose poses[2] = {{nearly_straight(&random), tenths(&random)},
                                   {nearly_straight(&random), tenths(&random)}};
        const trm_pose X = trm_pose_mul(trm_pose_inverse(poses[1]), poses[0]);
        const trm_pair cores = {.a = &pair.solid[0], .b = &pair.solid[1], .R = trm_quat_matrix(X.q), .t = X.p};
        const double nearest = trm_gjk(&cores).distance;
        const double distance = trm_shape_distance(&pair.collider, &the_pair, poses[0], poses[1]);
        if (nearest > of_parallel_edges) want_near(&pair, distance, nearest, of_near_parallels);
        apart += nearest > of_parallel_edges;
        trm_arena_destroy(&pair.arena);
    }
    assert_true(apart > ROUNDS / 4);
}

/* ---- Names -------------------------------------------------------------------------------- */

static int contacts_named(const trm_contacts *contacts, uint64_t id)
{
    int count = 0;
    for (int i = 0; i < contacts->count; i++) count += contacts->items[i].id == id;
    return count;
}

/* Identifiers stay the same after a small motion, though the list may be in another order. */
static void names_stay_with_the_features(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    const char *const types[] = {"sphere", "capsule", "box", "hull", "cylinder"};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            for (uint64_t n = 0; n < ROUNDS; n++) {
                shape_pair pair = {.seed = 1000000 * (uint64_t)(200 + 10 * i + k) + n};
                trm_random random = trm_random_seed(pair.seed);
                set_up_pair(&pair, &random, types[i], types[k]);
                trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
                assert_true(trm_find_contacts(&pair.collider, &the_pair, poses, 0.1, &pair.contacts));
                trm_contacts after = {0};
                const double little = 1e-10;
                poses[0].p = trm_v3_add_scaled(poses[0].p, little, random_direction(&random));
                poses[0].q = trm_quat_mul(trm_quat_exp(random_vector(&random, little)), poses[0].q);
                assert_true(trm_find_contacts(&pair.collider, &the_pair, poses, 0.1, &after));
                want(&pair, after.count == pair.contacts.count);
                for (int c = 0; c < after.count; c++)
                    want(&pair, contacts_named(&pair.contacts, after.items[c].id) == 1);
                trm_arena_destroy(&pair.arena);
            }
}

/* Boxes flush on each other, whichever of their faces is chosen. */
static void names_do_not_depend_on_how_a_tie_falls(void **state)
{
    (void)state;
    shape_pair pair = {.shape = {box_shape(0.2, 0.2, 0.2), box_shape(0.4, 0.4, 0.2)}};
    trm_arena_init(&pair.arena, NULL);
    assert_true(make_pair(&pair, true, true));
    trm_contacts first = {0};
    for (int way = 0; way < 16; way++) {
        const double tilt = 1e-8;
        const trm_vec3 turn = {way & 1 ? tilt : -tilt, way & 2 ? tilt : -tilt, 0.3};
        const trm_pose poses[2] = {{trm_quat_exp(turn), {way & 4 ? 0.11 : 0.05, 0.12, way & 8 ? 0.2 : 0.19999}},
                                   trm_pose_identity()};
        pair.contacts.count = 0;
        assert_true(trm_find_contacts(&pair.collider, &the_pair, poses, 0.01, &pair.contacts));
        if (way % 8 == 0 || way % 8 == 4) {
            first = pair.contacts;
            pair.contacts = (trm_contacts){0};
            continue;
        }
        assert_int_equal(pair.contacts.count, first.count);
        for (int c = 0; c < first.count; c++) assert_int_equal(contacts_named(&pair.contacts, first.items[c].id), 1);
    }
    trm_arena_destroy(&pair.arena);
}

/* ---- Meshes ------------------------------------------------------------------------------- */

/* Makes the hull of random points as a mesh of a fixed body; *as_hull: the same as a solid. */
static void set_up_mesh(shape_pair *pair, trm_random *random, const char *type, trm_solid *as_hull)
{
    trm_arena_init(&pair->arena, NULL);
    pair->shape[0] = random_shape(random, &pair->arena, type);
    pair->shape[1] = random_shape(random, &pair->arena, "hull");
    assert_true(trm_solid_make(&pair->shape[1], false, &pair->arena, as_hull));
    pair->shape[1].type = trm_find_shape_type("mesh");
    assert_true(make_pair(pair, true, false));
    assert_int_equal(pair->solid[1].kind, TRM_SOLID_MESH);
}

/* When separated, a closed convex mesh has the distance of the solid of the same shape, and the same nearest
 * contact. */
static void convex_meshes_are_as_far_away_as_the_hulls_in_them(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    const char *const others[] = {"sphere", "capsule", "box", "hull", "cylinder", "ellipsoid"};
    for (int k = 0; k < 6; k++)
        for (uint64_t n = 0; n < ROUNDS; n++) {
            shape_pair pair = {.seed = 1000000 * (uint64_t)(60 + k) + n};
            trm_random random = trm_random_seed(pair.seed);
            trm_solid hull;
            set_up_mesh(&pair, &random, others[k], &hull);
            const trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
            shape_pair convex = pair;
            convex.solid[1] = hull;
            convex.solids[0] = &convex.solid[0], convex.solids[1] = &convex.solid[1];
            convex.collider.solids = convex.solids;
            const double expected = trm_shape_distance(&convex.collider, &the_pair, poses[0], poses[1]);
            const double core = k >= 4 ? expected : expected + pair.solid[0].radius;
            if (core > 0) check_pair(&pair, poses, n % 3 == 0 ? 0.01 : n % 3 == 1 ? 0.3 : 3, expected, rounding, 0);
            trm_arena_destroy(&pair.arena);
        }
}

/* A level floor of 2 * SQUARES * SQUARES triangles from -1 to 1, whose vertices are displaced within it. */
enum { SQUARES = 16, ALONG = SQUARES + 1 };

static trm_shape floor_shape(trm_arena *arena, trm_random *random, double bumps)
{
    trm_shape shape = plain_shape("mesh");
    shape.mesh.vertices = TRM_NEW_ARRAY(arena, trm_vec3, ALONG * ALONG);
    shape.mesh.triangles = trm_arena_array(arena, 2 * SQUARES * SQUARES, sizeof *shape.mesh.triangles);
    shape.mesh.vertex_count = ALONG * ALONG;
    const double step = 2.0 / SQUARES;
    for (int i = 0; i < ALONG * ALONG; i++) {
        const trm_vec3 shift = random_vector(random, 0.15 * step);
        shape.mesh.vertices[i] = trm_v3(i % ALONG * step - 1 + shift.x, i / ALONG * step - 1 + shift.y,
                                        bumps * trm_random_uniform(random, -1, 1));
    }
    for (int i = 0; i < SQUARES; i++)
        for (int k = 0; k < SQUARES; k++) {
            const int v = k * ALONG + i;
            const int both[2][3] = {{v, v + 1, v + ALONG + 1}, {v, v + ALONG + 1, v + ALONG}};
            memcpy(shape.mesh.triangles[shape.mesh.triangle_count], both, sizeof both);
            shape.mesh.triangle_count += 2;
        }
    return shape;
}

static void contacts_with_a_bumpy_floor_are_finite_and_differ(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    const char *const types[] = {"sphere", "capsule", "box", "hull", "cylinder"};
    for (int k = 0; k < 5; k++)
        for (uint64_t n = 0; n < ROUNDS; n++) {
            shape_pair pair = {.seed = 1000000 * (uint64_t)(80 + k) + n};
            trm_random random = trm_random_seed(pair.seed);
            trm_arena_init(&pair.arena, NULL);
            pair.shape[0] = random_shape(&random, &pair.arena, types[k]);
            pair.shape[1] = floor_shape(&pair.arena, &random, 0.03);
            assert_true(make_pair(&pair, true, false));
            trm_pose poses[2] = {random_pose(&random), trm_pose_identity()};
            poses[0].p = trm_v3(0.3 * poses[0].p.x, 0.3 * poses[0].p.y, trm_random_uniform(&random, 0.4, 0.9));
            const double distance = trm_shape_distance(&pair.collider, &the_pair, poses[0], poses[1]);
            assert_true(trm_find_contacts(&pair.collider, &the_pair, poses, 0.05, &pair.contacts));
            const double least = least_gap(&pair, poses);
            check_ids_differ(&pair);
            if (distance > rounding && distance < 0.05 - rounding) want_near(&pair, least, distance, rounding);
            if (distance >= 0.05 + rounding) want(&pair, pair.contacts.count == 0);
            trm_arena_destroy(&pair.arena);
        }
}

/* A solid on a level floor of triangles has as many contacts as on a plane, with the same gaps, all upward, whatever
 * edges are below. */
static void edges_inside_a_level_floor_are_not_felt(void **state)
{
    (void)state;
    enum { ROUNDS = SANITIZED ? 60 : 300 };
    const trm_shape solids[] = {round_shape("sphere", 0.1, 0), round_shape("capsule", 0.1, 0.4),
                                box_shape(0.3, 0.4, 0.2), round_shape("cylinder", 0.2, 0.2),
                                round_shape("cylinder", 0.1, 0.4)};
    const double heights[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    const int counts[] = {1, 2, 4, 4, 2};
    const bool lies[] = {false, true, false, false, true};
    for (int k = 0; k < 5; k++)
        for (uint64_t n = 0; n < ROUNDS; n++) {
            shape_pair pair = {.seed = 1000000 * (uint64_t)(70 + k) + n};
            trm_random random = trm_random_seed(pair.seed);
            trm_arena_init(&pair.arena, NULL);
            pair.shape[0] = solids[k];
            pair.shape[1] = floor_shape(&pair.arena, &random, 0);
            assert_true(make_pair(&pair, true, false));
            /* a little above, at, and a little or much below */
            const double lift[] = {1e-3, 0, -1e-3, -0.03};
            const double turn = trm_random_uniform(&random, 0, 6), gap = lift[n % 4];
            const trm_quat down = trm_quat_exp(trm_v3(0, lies[k] ? TRM_PI / 2 : 0, 0));
            const trm_pose poses[2] = {
                {trm_quat_mul(trm_quat_exp(trm_v3(0, 0, turn)), down),
                 {trm_random_uniform(&random, -0.5, 0.5), trm_random_uniform(&random, -0.5, 0.5), heights[k] + gap}},
                trm_pose_identity()};
            assert_true(trm_find_contacts(&pair.collider, &the_pair, poses, 0.01, &pair.contacts));
            want(&pair, pair.contacts.count == counts[k]);
            for (int i = 0; i < pair.contacts.count; i++) {
                const trm_contact_at at = trm_contact_at_poses(&pair.contacts.items[i], poses[0], poses[1]);
                want_near(&pair, at.gap, gap, rounding);
                want_near(&pair, at.normal.z, 1, rounding);
            }
            trm_arena_destroy(&pair.arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_and_least_gaps_are_those_found_by_trying_everything),
        cmocka_unit_test(cylinders_are_as_far_away_as_axes_and_nearest_points_say),
        cmocka_unit_test(ellipsoids_are_as_far_away_as_axes_and_nearest_points_say),
        cmocka_unit_test(ellipsoids_are_as_far_from_planes_as_their_support_says),
        cmocka_unit_test(cylinders_stacked_askew_are_parted_along_the_best_axis),
        cmocka_unit_test(bodies_at_rest_have_the_contacts_that_hold_them),
        cmocka_unit_test(straight_shapes_that_just_touch_are_as_far_apart_as_by_trying),
        cmocka_unit_test(cylinders_along_edges_are_as_far_away_as_nearest_points_say),
        cmocka_unit_test(names_stay_with_the_features),
        cmocka_unit_test(names_do_not_depend_on_how_a_tie_falls),
        cmocka_unit_test(contacts_with_a_bumpy_floor_are_finite_and_differ),
        cmocka_unit_test(convex_meshes_are_as_far_away_as_the_hulls_in_them),
        cmocka_unit_test(edges_inside_a_level_floor_are_not_felt),
    };
    return RUN_TESTS(tests);
}

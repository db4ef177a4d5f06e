/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bounding boxes of shapes compared with points of their surfaces; the tree and the near pairs compared with a test
 * of every pair. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "collide/collider.h"
#include "failing_allocator.h"
#include "model/shape.h"
#include "random_bodies.h"

static const double ROUNDING = 1e-13; /* coordinates of about 10, about ten operations */

/* ---- A scene ------------------------------------------------------------------------------ */

enum { BODIES = 40, MOST_SHAPES = 3, JOINTS = 25, PARTED = 25, HULL_POINTS = 12, POINTS = 8, TRIANGLES = 12 };

static const char *const type_names[] = {"sphere", "box", "capsule", "cylinder", "hull", "plane", "mesh"};
enum { TYPES = 7 };

/* The random bodies of a model; exists longer than the model's definition. */
typedef struct scene {
    char names[BODIES][16];
    trm_shape_def shapes[BODIES][MOST_SHAPES];
    trm_vec3 hull[BODIES][MOST_SHAPES][HULL_POINTS];
    trm_joint_def joints[JOINTS];
    char joint_names[JOINTS][16];
    trm_body_pair parted[PARTED];
    trm_model *model;
} scene;

/* A mesh that is a box: corner i is at (i & 1, i >> 1 & 1, i >> 2 & 1). */
static const int box_triangles[TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static trm_shape_def random_shape(trm_random *random, const char *type, trm_vec3 *points)
{
    trm_shape_def shape = trm_default_shape_def();
    shape.type = type;
    shape.radius = trm_random_uniform(random, 0.05, 0.5);
    shape.length = trm_random_uniform(random, 0.1, 1);
    shape.size = trm_v3(trm_random_uniform(random, 0.1, 1), trm_random_uniform(random, 0.1, 1),
                        trm_random_uniform(random, 0.1, 1));
    shape.normal = random_direction(random);
    shape.offset = trm_random_uniform(random, -4, -2);
    shape.position = random_vector(random, 0.5);
    shape.orientation = random_rotation(random);
    for (int i = 0; i < HULL_POINTS; i++) points[i] = random_vector(random, 0.5);
    if (strcmp(type, "mesh") == 0)
        for (int i = 0; i < POINTS; i++) points[i] = trm_v3(0.3 * (i & 1), 0.2 * (i >> 1 & 1), 0.5 * (i >> 2 & 1));
    shape.points = points;
    shape.point_count = strcmp(type, "mesh") == 0 ? POINTS : HULL_POINTS;
    shape.triangles = box_triangles;
    shape.triangle_count = TRIANGLES;
    if (strcmp(type, "plane") == 0) shape.position = trm_v3(0, 0, 0), shape.orientation = trm_quat_identity();
    return shape;
}

static void add_bodies(scene *s, trm_random *random, trm_model_def *def)
{
    for (int i = 0; i < BODIES; i++) {
        snprintf(s->names[i], sizeof s->names[i], "b%d", i + 1);
        trm_body_def body = random_body(random, s->names[i]);
        body.shapes = s->shapes[i];
        body.shape_count = 1 + i % MOST_SHAPES;
        for (int k = 0; k < body.shape_count; k++) {
            const int type =
                (i + 3 * k) % TYPES; /* planes are on bodies of all kinds, and shapes of all types on free bodies */
            const bool plane = type == 5 && i > TYPES * 2;
            s->shapes[i][k] = random_shape(random, plane ? "sphere" : type_names[type], s->hull[i][k]);
            s->shapes[i][k].collide = trm_random_uniform(random, 0, 1) < 0.9;
        }
        if (i % 5 == 1 || i % 5 == 2) {
            body.kind = i % 5 == 1 ? TRM_BODY_FIXED : TRM_BODY_MOVING;
            body.mass = 0;
            for (int k = 0; k < 6; k++) body.inertia[k] = NAN;
            body.com = trm_v3(NAN, NAN, NAN);
            body.velocity = body.angular_velocity = trm_v3(0, 0, 0);
            if (body.kind == TRM_BODY_MOVING) body.position = trm_v3(0, 0, 0), body.orientation = trm_quat_identity();
        }
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
    }
}

static const char *random_name(scene *s, trm_random *random)
{
    return s->names[(int)trm_random_uniform(random, 0, BODIES)];
}

static void two_names(scene *s, trm_random *random, const char *names[2])
{
    names[0] = names[1] = random_name(s, random);
    while (strcmp(names[0], names[1]) == 0) names[1] = random_name(s, random);
}

static void add_joints(scene *s, trm_random *random, trm_model_def *def)
{
    for (int i = 0; i < JOINTS; i++) {
        trm_joint_def *joint = &s->joints[i];
        *joint = trm_default_joint_def();
        snprintf(s->joint_names[i], sizeof s->joint_names[i], "j%d", i);
        joint->name = s->joint_names[i];
        joint->type = "hinge";
        do two_names(s, random, joint->bodies);
        while (strtol(joint->bodies[0] + 1, NULL, 10) % 5 == 2 || strtol(joint->bodies[0] + 1, NULL, 10) % 5 == 3);
        joint->anchor = trm_v3(0, 0, 0);
        joint->axis = trm_v3(0, 0, 1);
        joint->limits[0] = -1,
        joint->limits[1] = 1; /* a joint that acts on a joint, without any setting of collisions */
        joint->friction = 0.1;
        joint->collide = i % 3 == 0;
        assert_int_equal(trm_add_joint(def, joint), TRM_OK);
    }
}

static void scene_init(scene *s, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    trm_model_def *def = trm_model_def_create(NULL);
    trm_messages *messages = trm_messages_create(NULL);
    assert_non_null(def);
    add_bodies(s, &random, def);
    add_joints(s, &random, def);
    for (int i = 0; i < PARTED; i++) two_names(s, &random, s->parted[i].bodies);
    def->no_collide = s->parted;
    def->no_collide_count = PARTED;
    if (trm_model_create(def, NULL, messages, &s->model) != TRM_OK)
        for (int i = 0; i < trm_message_count(messages); i++) print_error("%s\n", trm_message_at(messages, i)->text);
    assert_non_null(s->model);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
}

/* ---- Queries, and their answers by testing every pair ------------------------------------- */

typedef struct question {
    trm_pose poses[BODIES + 1];
    double reach[BODIES + 1];
    bool attached[4 * JOINTS]; /* including joints that the model adds for limits and friction */
    double margin;
    bool at_rest, all_attached;
} question;

static question random_question(const scene *s, trm_random *random, double spread)
{
    question q = {.margin = trm_random_uniform(random, 0, 0.2),
                  .at_rest = trm_random_uniform(random, 0, 1) < 0.3,
                  .all_attached = trm_random_uniform(random, 0, 1) < 0.3};
    for (int i = 0; i <= BODIES; i++) {
        q.poses[i] = (trm_pose){random_rotation(random), random_vector(random, spread)};
        q.reach[i] = trm_random_uniform(random, 0, 0.2);
    }
    assert_true(s->model->joint_count <= 4 * JOINTS);
    for (int i = 0; i < 4 * JOINTS; i++) q.attached[i] = trm_random_uniform(random, 0, 1) < 0.5;
    return q;
}

/* Moves the bodies as in a time step: most of them a little, a few to another place. */
static void move_on(question *q, trm_random *random)
{
    for (int i = 0; i <= BODIES; i++) {
        const double kind = trm_random_uniform(random, 0, 1), far = kind < 0.3 ? 0 : kind < 0.95 ? 0.05 : 2;
        q->poses[i].p = trm_v3_add(q->poses[i].p, random_vector(random, far));
        q->poses[i].q = trm_quat_mul(trm_quat_exp(random_vector(random, far)), q->poses[i].q);
        q->reach[i] = trm_random_uniform(random, 0, kind < 0.9 ? 0.05 : 1);
    }
}

static int ask(trm_collider *collider, const question *q, const trm_near_pair **pairs)
{
    return trm_near_pairs(collider, q->poses, q->at_rest ? NULL : q->reach, q->margin,
                          q->all_attached ? NULL : q->attached, pairs);
}

static int number_of(const char *name)
{
    return (int)strtol(name + 1, NULL, 10);
}

static bool names_both(const char *const names[2], int a, int b)
{
    const int first = number_of(names[0]), second = number_of(names[1]);
    return (first == a && second == b) || (first == b && second == a);
}

static bool is_free(int body)
{
    return body > 0 && (body - 1) % 5 != 1 && (body - 1) % 5 != 2;
}

/* Returns whether two shapes may collide, according to the scene instead of the model. */
static bool may_collide(const scene *s, const question *q, int a, int b)
{
    if (a == b || !(is_free(a) || is_free(b))) return false;
    for (int i = 0; i < PARTED; i++)
        if (names_both(s->parted[i].bodies, a, b)) return false;
    for (int i = 0; i < JOINTS; i++)
        if (!s->joints[i].collide && (q->all_attached || q->attached[i]) && names_both(s->joints[i].bodies, a, b))
            return false;
    return true;
}

/* Returns the least distance of two shapes' bounding boxes along the world's axes, or of a shape and a plane. */
static double parted_by(const scene *s, const question *q, const int body[2], const int shape[2])
{
    trm_pose X[2];
    trm_bounds box[2];
    const trm_shape *of[2];
    for (int k = 0; k < 2; k++) {
        of[k] = &s->model->bodies[body[k]].shapes[shape[k]];
        X[k] = trm_pose_mul(q->poses[body[k]], of[k]->pose);
    }
    for (int k = 0; k < 2; k++) {
        if (of[k]->type == trm_find_shape_type("plane")) {
            if (of[1 - k]->type == of[k]->type) return INFINITY;
            const trm_extent extent = trm_shape_extent(of[1 - k]);
            const trm_vec3 n = trm_rotate(X[k].q, of[k]->normal);
            return trm_extent_least(&extent, X[1 - k], n) - trm_v3_dot(n, X[k].p) - of[k]->offset;
        }
    }
    for (int k = 0; k < 2; k++) {
        const trm_extent extent = trm_shape_extent(of[k]);
        box[k] = trm_extent_bounds(&extent, X[k]);
    }
    const trm_vec3 a = trm_v3_sub(box[0].lo, box[1].hi), b = trm_v3_sub(box[1].lo, box[0].hi);
    return fmax(fmax(fmax(a.x, a.y), a.z), fmax(fmax(b.x, b.y), b.z));
}

static bool is_listed(const trm_near_pair *pairs, int count, const int body[2], const int shape[2])
{
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            found += pairs[i].body[0] == body[k] && pairs[i].body[1] == body[1 - k] &&
                     pairs[i].shape[0] == shape[k] && pairs[i].shape[1] == shape[1 - k];
    assert_true(found <= 1);
    return found == 1;
}

/* Asserts that pairs nearer than the margin are listed and those farther than it are not, up to rounding. Returns how
 * many are near. */
static int check_answer(const scene *s, const question *q, const trm_near_pair *pairs, int count)
{
    int near = 0;
    for (int a = 0; a <= BODIES; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < s->model->bodies[a].shape_count; i++)
                for (int k = 0; k < s->model->bodies[b].shape_count; k++) {
                    const int body[2] = {a, b}, shape[2] = {i, k};
                    const bool listed = is_listed(pairs, count, body, shape);
                    const bool may =
                        s->shapes[a - 1][i].collide && s->shapes[b - 1][k].collide && may_collide(s, q, a, b);
                    const double nearer = q->margin + (q->at_rest ? 0 : q->reach[a] + q->reach[b]);
                    const double d = parted_by(s, q, body, shape) - nearer;
                    assert_int_equal(listed, may && (fabs(d) < ROUNDING ? listed : d < 0));
                    near += listed;
                }
    for (int i = 0; i < count; i++) assert_true(is_free(pairs[i].body[0]));
    assert_int_equal(near, count);
    return near;
}

/* ---- Bounding boxes ----------------------------------------------------------------------- */

/* Returns a random point of the shape's surface in its own axes, which may be its farthest point in some
 * direction. */
static trm_vec3 surface_point(const trm_shape *shape, trm_random *random)
{
    const double sign = trm_random_uniform(random, 0, 1) < 0.5 ? -1 : 1;
    const double turn = trm_random_uniform(random, 0, 2 * TRM_PI);
    const trm_vec3 end = {0, 0, sign * 0.5 * shape->length};
    const trm_vec3 corner = {trm_random_uniform(random, 0, 1) < 0.5 ? -0.5 : 0.5,
                             trm_random_uniform(random, 0, 1) < 0.5 ? -0.5 : 0.5, sign * 0.5};
    switch (shape->type->name[1]) {
    case 'p': return trm_v3_scale(shape->radius, random_direction(random));                  /* sphere */
    case 'a': return trm_v3_add_scaled(end, shape->radius, random_direction(random));        /* capsule */
    case 'y': return trm_v3_add_scaled(end, shape->radius, trm_v3(cos(turn), sin(turn), 0)); /* cylinder */
    case 'o': return trm_v3(corner.x * shape->size.x, corner.y * shape->size.y, corner.z * shape->size.z); /* box */
    default: return shape->mesh.vertices[(int)trm_random_uniform(random, 0, shape->mesh.vertex_count)];
    }
}

/* m: the farthest of this many random points on a sphere or a rim is within this of its farthest point. */
static const double SAMPLED = 0.01;

static void bounds_hold_every_point_of_a_shape_and_touch_it(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    scene_init(s, 1);
    trm_random random = trm_random_seed(2);
    for (int body = 1; body <= BODIES; body++) {
        const trm_shape *shape = &s->model->bodies[body].shapes[0];
        if (shape->type == trm_find_shape_type("plane")) continue;
        const trm_extent extent = trm_shape_extent(shape);
        const trm_pose X = random_pose(&random);
        const trm_vec3 u = random_direction(&random);
        const trm_bounds box = trm_extent_bounds(&extent, X), wider = trm_bounds_grown(box, ROUNDING);
        const double least = trm_extent_least(&extent, X, u);
        trm_bounds seen = {trm_v3(9, 9, 9), trm_v3(-9, -9, -9)};
        double least_seen = 9;
        for (int i = 0; i < 5000; i++) {
            const trm_vec3 x = trm_pose_point(X, surface_point(shape, &random));
            const trm_bounds point = {x, x};
            assert_true(trm_bounds_contain(&wider, &point));
            assert_true(trm_v3_dot(u, x) >= least - ROUNDING);
            seen = trm_bounds_union(&seen, &point);
            least_seen = fmin(least_seen, trm_v3_dot(u, x));
        }
        const trm_bounds seen_wider = trm_bounds_grown(seen, SAMPLED);
        assert_true(trm_bounds_contain(
            &seen_wider, &box)); /* the mesh of this scene is a box, so that its bounds are exact, too */
        assert_near(least_seen, least, SAMPLED);
    }
    trm_model_destroy(s->model);
    free(s);
}

/* ---- The tree ----------------------------------------------------------------------------- */

/* Asserts that every inner node is the union of its children, and that every leaf is visited once; returns the
 * depth. */
static int check_tree(const trm_bounds_tree *tree, int node, int *leaves)
{
    const trm_tree_node *n = &tree->nodes[node];
    if (n->child[0] < 0) {
        ++*leaves;
        return 0;
    }
    const trm_tree_node *a = &tree->nodes[n->child[0]], *b = &tree->nodes[n->child[1]];
    const trm_bounds both = trm_bounds_union(&a->box, &b->box);
    assert_memory_equal(&n->box, &both, sizeof both);
    assert_true(a->parent == node && b->parent == node);
    const int depth[2] = {check_tree(tree, n->child[0], leaves), check_tree(tree, n->child[1], leaves)};
    return 1 + (depth[0] > depth[1] ? depth[0] : depth[1]);
}

static trm_bounds random_box(trm_random *random)
{
    const trm_vec3 p = random_vector(random, 5);
    return (trm_bounds){p, trm_v3_add(p, trm_v3_scale(trm_random_uniform(random, 0, 1), trm_v3(1, 1, 1)))};
}

static void the_tree_finds_what_overlaps_however_it_was_changed(void **state)
{
    (void)state;
    enum { LEAVES = 200, DEEPEST = 40 };
    trm_arena arena;
    trm_bounds_tree tree;
    trm_bounds boxes[LEAVES];
    int nodes[LEAVES], found[LEAVES];
    bool in[LEAVES] = {false};
    trm_random random = trm_random_seed(3);
    trm_arena_init(&arena, NULL);
    assert_true(trm_tree_init(&tree, &arena, LEAVES));
    assert_int_equal(tree.root, -1);
    for (int round = 0, count = 0; round < 20000; round++) {
        const int i = (int)trm_random_uniform(&random, 0, LEAVES);
        if (in[i]) trm_tree_remove(&tree, nodes[i]);
        boxes[i] = random_box(&random);
        if (!in[i]) nodes[i] = trm_tree_insert(&tree, boxes[i], i);
        in[i] = !in[i];
        count += in[i] ? 1 : -1;
        if (round % 100 != 0) continue;
        int leaves = 0;
        if (tree.root >= 0) assert_in_range(check_tree(&tree, tree.root, &leaves), 0, DEEPEST);
        assert_int_equal(leaves, count);
        const trm_bounds box = random_box(&random);
        const int hits = trm_tree_overlaps(&tree, &box, found);
        int expected = 0;
        for (int k = 0; k < LEAVES; k++) expected += in[k] && trm_bounds_overlap(&boxes[k], &box);
        assert_int_equal(hits, expected);
        for (int k = 0; k < hits; k++) assert_true(in[found[k]] && trm_bounds_overlap(&boxes[found[k]], &box));
    }
    trm_arena_destroy(&arena);
}

/* Boxes that are added in order along a line are the worst case for a tree that is never rebuilt. */
static void the_tree_of_a_row_is_shallow(void **state)
{
    (void)state;
    enum { LEAVES = 1000, DEEPEST = 30 }; /* a balanced tree has 10 */
    trm_arena arena;
    trm_bounds_tree tree;
    int leaves = 0;
    trm_arena_init(&arena, NULL);
    assert_true(trm_tree_init(&tree, &arena, LEAVES));
    for (int i = 0; i < LEAVES; i++) trm_tree_insert(&tree, (trm_bounds){trm_v3(i, 0, 0), trm_v3(i + 0.9, 1, 1)}, i);
    assert_in_range(check_tree(&tree, tree.root, &leaves), 10, DEEPEST);
    assert_int_equal(leaves, LEAVES);
    trm_arena_destroy(&arena);
}

/* ---- Near pairs --------------------------------------------------------------------------- */

static void near_pairs_are_those_that_a_look_at_every_pair_finds(void **state)
{
    (void)state;
    int near = 0;
    scene *s = malloc(sizeof *s);
    for (uint64_t seed = 10; seed < 14; seed++) {
        scene_init(s, seed);
        trm_random random = trm_random_seed(seed);
        trm_arena arena;
        const trm_near_pair *pairs;
        trm_arena_init(&arena, NULL);
        trm_collider *collider = trm_collider_create(s->model, &arena);
        assert_non_null(collider);
        assert_false(trm_collider_is_empty(collider));
        question q = random_question(s, &random, 3);
        for (int round = 0; round < 60; round++) {
            if (round % 20 == 0) q = random_question(s, &random, 3);
            const int count = ask(collider, &q, &pairs);
            assert_true(count >= 0);
            near += check_answer(s, &q, pairs, count);
            move_on(&q, &random);
        }
        trm_arena_destroy(&arena);
        trm_model_destroy(s->model);
    }
    assert_true(near > 1000); /* otherwise little was tested */
    free(s);
}

static void results_do_not_depend_on_earlier_queries(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    scene_init(s, 20);
    trm_random random = trm_random_seed(21);
    trm_arena arena, another;
    const trm_near_pair *pairs, *expected;
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(s->model, &arena);
    question q = random_question(s, &random, 2);
    for (int round = 0; round < 100; round++) {
        trm_arena_init(&another, NULL);
        trm_collider *fresh = trm_collider_create(s->model, &another);
        const int count = ask(collider, &q, &pairs);
        assert_true(count > 0);
        assert_int_equal(count, ask(fresh, &q, &expected));
        assert_memory_equal(pairs, expected, (size_t)count * sizeof *pairs);
        trm_arena_destroy(&another);
        if (round % 10 == 9)
            q = random_question(s, &random, 2);
        else
            move_on(&q, &random);
    }
    trm_arena_destroy(&arena);
    trm_model_destroy(s->model);
    free(s);
}

/* Poses that are not numbers have no near pairs; queries afterwards are answered correctly. */
static void poses_that_are_not_numbers_do_no_lasting_harm(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    scene_init(s, 30);
    trm_random random = trm_random_seed(31);
    trm_arena arena;
    const trm_near_pair *pairs;
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(s->model, &arena);
    const question good = random_question(s, &random, 2);
    for (int round = 0; round < 20; round++) {
        question bad = good;
        for (int i = round % 3; i <= BODIES; i += 1 + round % 4)
            bad.poses[i].p.x = round % 2 ? NAN : INFINITY, bad.poses[i].q.w = round % 5 ? 1 : NAN;
        assert_true(ask(collider, &bad, &pairs) >= 0);
        const int count = ask(collider, &good, &pairs);
        check_answer(s, &good, pairs, count);
    }
    trm_arena_destroy(&arena);
    trm_model_destroy(s->model);
    free(s);
}

/* ---- Filters and emptiness ---------------------------------------------------------------- */

/* Two boxes at the same place, joined by a hinge with limits, and a floor far below. */
static trm_model *joined_boxes(bool collide, bool shapes_collide)
{
    trm_model_def *def = trm_model_def_create(NULL);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model;
    trm_shape_def box = trm_default_shape_def();
    trm_joint_def hinge = trm_default_joint_def();
    box.type = "box", box.size = trm_v3(1, 1, 1), box.density = 1, box.collide = shapes_collide;
    for (int i = 0; i < 2; i++) {
        trm_body_def body = trm_default_body_def();
        body.name = i == 0 ? "a" : "b", body.shapes = &box, body.shape_count = 1;
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
    }
    hinge.name = "h", hinge.type = "hinge", hinge.bodies[0] = "a", hinge.bodies[1] = "b";
    hinge.anchor = trm_v3(0, 0, 0), hinge.axis = trm_v3(0, 0, 1), hinge.limits[0] = -1, hinge.limits[1] = 1;
    hinge.collide = collide;
    assert_int_equal(trm_add_joint(def, &hinge), TRM_OK);
    assert_int_equal(trm_model_create(def, NULL, messages, &model), TRM_OK);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
    return model;
}

static void bodies_of_a_joint_collide_only_if_it_allows_it_or_is_detached(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        trm_model *model = joined_boxes(collide, true);
        trm_arena arena;
        const trm_near_pair *pairs;
        const trm_pose poses[3] = {trm_pose_identity(), trm_pose_identity(), trm_pose_identity()};
        const bool detached[8] = {false}, but_its_limits[8] = {false, true, true, true, true};
        trm_arena_init(&arena, NULL);
        trm_collider *collider = trm_collider_create(model, &arena);
        assert_true(model->joint_count > 1 && model->joint_count <= 8);
        assert_int_equal(trm_near_pairs(collider, poses, NULL, 0, NULL, &pairs), collide);
        assert_int_equal(trm_near_pairs(collider, poses, NULL, 0, detached, &pairs), 1);
        assert_int_equal(trm_near_pairs(collider, poses, NULL, 0, but_its_limits, &pairs), 1);
        assert_false(trm_collider_is_empty(collider)); /* the joint may be detached */
        trm_arena_destroy(&arena);
        trm_model_destroy(model);
    }
}

static void a_collider_whose_shapes_do_not_collide_is_empty(void **state)
{
    (void)state;
    trm_model *model = joined_boxes(true, false);
    trm_arena arena;
    const trm_near_pair *pairs;
    const trm_pose poses[3] = {trm_pose_identity(), trm_pose_identity(), trm_pose_identity()};
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(model, &arena);
    assert_true(trm_collider_is_empty(collider));
    assert_int_equal(trm_near_pairs(collider, poses, NULL, 1, NULL, &pairs), 0);
    trm_arena_destroy(&arena);
    trm_model_destroy(model);
}

/* Boxes that touch are near with zero margin, however their coordinates are rounded. */
static void touching_boxes_are_near(void **state)
{
    (void)state;
    trm_model *model = joined_boxes(true, true);
    trm_random random = trm_random_seed(40);
    trm_arena arena;
    const trm_near_pair *pairs;
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(model, &arena);
    for (int i = 0; i < 1000; i++) {
        trm_pose poses[3] = {trm_pose_identity(), trm_pose_identity(), trm_pose_identity()};
        poses[1].p = random_vector(&random, 100);
        poses[2].p = trm_v3_add(poses[1].p, trm_axis(i % 3));
        assert_int_equal(trm_near_pairs(collider, poses, NULL, 0, NULL, &pairs), 1);
        poses[2].p = trm_v3_add_scaled(poses[1].p, 1 + 1e-11, trm_axis(i % 3));
        assert_int_equal(trm_near_pairs(collider, poses, NULL, 0, NULL, &pairs), 0);
    }
    trm_arena_destroy(&arena);
    trm_model_destroy(model);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Creates a collider and makes several queries with an allocator that may fail; the next query checks the state after
 * a failure. */
static bool ask_with(const scene *s, const trm_allocator *hooks, const question *questions, int count)
{
    trm_arena arena;
    const trm_near_pair *pairs;
    bool done = true;
    trm_arena_init(&arena, hooks);
    trm_collider *collider = trm_collider_create(s->model, &arena);
    for (int i = 0; collider && i < count; i++) {
        int found = ask(collider, &questions[i], &pairs);
        if (found < 0) {
            done = false;
            found = ask(collider, &questions[i], &pairs); /* only one allocation fails */
        }
        check_answer(s, &questions[i], pairs, found);
    }
    trm_arena_destroy(&arena);
    return done && collider;
}

static void out_of_memory_is_survived_without_lasting_effect(void **state)
{
    (void)state;
    enum { QUESTIONS = 3 };
    scene *s = malloc(sizeof *s);
    question questions[QUESTIONS];
    scene_init(s, 50);
    trm_random random = trm_random_seed(51);
    for (int i = 0; i < QUESTIONS; i++) questions[i] = random_question(s, &random, 4.0 / (i + 1));
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        done = ask_with(s, &hooks, questions, QUESTIONS);
        assert_int_equal(done, memory.refusals == 0);
        assert_true(failing_allocator_is_clean(&memory));
    }
    trm_model_destroy(s->model);
    free(s);
}

static void questions_of_the_same_kind_allocate_nothing(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    scene_init(s, 60);
    trm_random random = trm_random_seed(61);
    trm_arena arena;
    const trm_near_pair *pairs;
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(s->model, &arena);
    const question near = random_question(s, &random, 1);
    ask(collider, &near, &pairs);
    ask(collider, &near, &pairs);
    question far = random_question(s, &random, 4);
    ask(collider, &far, &pairs);
    const size_t used = arena.bytes_used;
    for (int i = 0; i < 50; i++) {
        const int count = ask(collider, &far, &pairs);
        assert_true(count >= 0);
        move_on(&far, &random);
    }
    assert_int_equal(arena.bytes_used, used);
    trm_arena_destroy(&arena);
    trm_model_destroy(s->model);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_every_point_of_a_shape_and_touch_it),
        cmocka_unit_test(the_tree_finds_what_overlaps_however_it_was_changed),
        cmocka_unit_test(the_tree_of_a_row_is_shallow),
        cmocka_unit_test(near_pairs_are_those_that_a_look_at_every_pair_finds),
        cmocka_unit_test(results_do_not_depend_on_earlier_queries),
        cmocka_unit_test(poses_that_are_not_numbers_do_no_lasting_harm),
        cmocka_unit_test(bodies_of_a_joint_collide_only_if_it_allows_it_or_is_detached),
        cmocka_unit_test(a_collider_whose_shapes_do_not_collide_is_empty),
        cmocka_unit_test(touching_boxes_are_near),
        cmocka_unit_test(out_of_memory_is_survived_without_lasting_effect),
        cmocka_unit_test(questions_of_the_same_kind_allocate_nothing),
    };
    return RUN_TESTS(tests);
}

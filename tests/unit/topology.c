/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Islands, spanning tree and loops of machines whose graphs are known. */

#include "model/topology.h"

#include "machines.h"

typedef struct graph {
    trm_model *model;
    trm_arena arena;
    trm_topology topology;
} graph;

static graph graph_of(machine *m, const bool *attached)
{
    graph g = {.model = machine_finish(m)};
    trm_arena_init(&g.arena, NULL);
    assert_true(trm_topology_find(g.model, attached, &g.arena, &g.topology));
    return g;
}

static void graph_free(graph *g)
{
    trm_arena_destroy(&g->arena);
    trm_model_destroy(g->model);
}

static int tree_joints(const graph *g)
{
    int count = 0;
    for (int j = 0; j < g->model->joint_count; j++) count += g->topology.tree_joint[j];
    return count;
}

static bool is_held(const graph *g, int body)
{
    return g->model->bodies[body].inverse_mass == 0;
}

/* Returns the other body of a joint of two bodies. */
static int across(const graph *g, int joint, int body)
{
    const int *bodies = g->model->joints[joint].body;
    return bodies[0] == body ? bodies[1] : bodies[0];
}

/* Asserts properties of every graph: the order lists each free body once, after its parent; the tree joints are the
 * parents' joints; joints and the bodies that they join are in the same island. */
static void assert_is_a_tree(const graph *g)
{
    const trm_topology *t = &g->topology;
    int place[MACHINE_MOST], parents = 0, free_bodies = 0;
    for (int i = 0; i < g->model->body_count; i++) place[i] = -1;
    for (int i = 0; i < t->order_count; i++) {
        assert_int_equal(place[t->order[i]], -1);
        place[t->order[i]] = i;
    }
    for (int i = 0; i < g->model->body_count; i++) {
        assert_int_equal(place[i] >= 0, !is_held(g, i));
        assert_int_equal(t->island_of_body[i] >= 0, !is_held(g, i));
        free_bodies += !is_held(g, i);
        if (t->parent_joint[i] < 0) continue;
        const int parent = across(g, t->parent_joint[i], i);
        assert_true(t->tree_joint[t->parent_joint[i]]);
        assert_true(is_held(g, parent) || place[parent] < place[i]);
        parents++;
    }
    assert_int_equal(t->order_count, free_bodies);
    assert_int_equal(tree_joints(g), parents);
    for (int j = 0; j < g->model->joint_count; j++)
        for (int k = 0; t->island_of_joint[j] >= 0 && k < g->model->joints[j].body_count; k++) {
            const int body = g->model->joints[j].body[k];
            if (!is_held(g, body)) assert_int_equal(t->island_of_body[body], t->island_of_joint[j]);
        }
}

static void a_chain_is_one_island_without_loops(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    for (int i = 1; i <= 10; i++) add_ball(&m, i, 0, 0);
    for (int i = 1; i <= 10; i++) add_hinge(&m, i - 1, i, i - 0.5, 0, 0);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 1);
    assert_int_equal(tree_joints(&g), 10);
    for (int i = 1; i <= 10; i++) assert_int_equal(g.topology.parent_joint[i], i - 1);
    for (int i = 0; i < 10; i++) assert_int_equal(g.topology.order[i], i + 1);
    graph_free(&g);
}

/* Held at both ends, from which the tree grows breadth first: the joint in the middle closes the loop. */
static void a_loop_through_the_ground_has_one_joint_beyond_the_tree(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    for (int i = 1; i <= 4; i++) add_ball(&m, i, 0, 0);
    for (int i = 1; i <= 4; i++) add_joint_at(&m, "ball", i - 1, i, i - 0.5, 0, 0);
    add_joint_at(&m, "ball", 4, 0, 4.5, 0, 0);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 1);
    assert_int_equal(tree_joints(&g), 4);
    assert_false(g.topology.tree_joint[2]);
    graph_free(&g);
}

static void bodies_joined_only_through_fixed_ones_are_separate_islands(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int wall = add_fixed(&m, 0, 0, 0);
    for (int i = 0; i < 4; i++) add_ball(&m, i + 1, 0, 0);
    add_joint_at(&m, "ball", 0, 2, 0, 0, 0); /* two on the ground */
    add_joint_at(&m, "ball", 2, 3, 1.5, 0, 0);
    add_joint_at(&m, "ball", wall, 4, 3, 0, 0); /* one on the wall, one alone */
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 3);
    assert_int_equal(g.topology.island_of_body[2], 0);
    assert_int_equal(g.topology.island_of_body[3], 0);
    assert_int_equal(g.topology.island_of_body[4], 1);
    assert_int_equal(g.topology.island_of_body[5], 2);
    assert_int_equal(g.topology.island_of_body[wall], -1);
    assert_int_equal(g.topology.island_of_body[0], -1);
    graph_free(&g);
}

static void a_floating_pair_hangs_on_its_first_body(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 0, 0, 0);
    add_ball(&m, 1, 0, 0);
    add_joint_at(&m, "ball", 2, 1, 0.5, 0, 0);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 1);
    assert_int_equal(g.topology.parent_joint[1], -1);
    assert_int_equal(g.topology.parent_joint[2], 0);
    graph_free(&g);
}

static void a_net_of_points_has_a_loop_per_mesh(void **state)
{
    (void)state;
    enum { SIDE = 5 };
    machine m;
    machine_init(&m);
    for (int i = 0; i < SIDE * SIDE; i++) add_point(&m, i % SIDE, i / SIDE, 0);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int body = 1 + y * SIDE + x;
            if (x + 1 < SIDE) add_bar(&m, body, body + 1);
            if (y + 1 < SIDE) add_bar(&m, body, body + SIDE);
        }
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 1);
    assert_int_equal(g.model->joint_count, 40);
    assert_int_equal(g.model->joint_count - tree_joints(&g), 16);
    graph_free(&g);
}

static void two_joints_between_the_same_bodies_make_a_loop(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 0, 0, 0);
    add_joint_at(&m, "ball", 0, 1, 0, 0, 0);
    add_joint_at(&m, "ball", 1, 0, 0, 0, 1);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_true(g.topology.tree_joint[0]);
    assert_false(g.topology.tree_joint[1]);
    graph_free(&g);
}

static void a_joint_that_is_not_attached_joins_nothing(void **state)
{
    (void)state;
    for (int by_state = 0; by_state < 2; by_state++) {
        machine m;
        machine_init(&m);
        for (int i = 1; i <= 3; i++) add_ball(&m, i, 0, 0);
        for (int i = 1; i <= 3; i++) {
            trm_joint_def *joint = add_joint_at(&m, "ball", i - 1, i, i, 0, 0);
            if (i == 2) joint->attached = by_state == 1; /* set by the model, or by the caller */
        }
        graph g = graph_of(&m, by_state ? (const bool[]){true, false, true} : NULL);
        assert_is_a_tree(&g);
        assert_int_equal(g.topology.island_count, 2);
        assert_int_equal(g.topology.island_of_joint[1], -1);
        assert_false(g.topology.tree_joint[1]);
        assert_int_equal(g.topology.parent_joint[2], -1);
        graph_free(&g);
    }
}

static void a_drive_is_no_edge_but_is_in_the_island_of_its_host(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 0, 0);
    add_ball(&m, 2, 0, 0);
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_joint_at(&m, "hinge", 1, 2, 1.5, 0, 0)->axis = trm_v3(0, 0, 1);
    add_drive(&m, 1, 0);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(tree_joints(&g), 2);
    assert_false(g.topology.tree_joint[2]);
    assert_int_equal(g.topology.island_of_joint[2], 0);
    graph_free(&g);
}

static void nothing_at_all_has_no_island(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    graph g = graph_of(&m, NULL);
    assert_is_a_tree(&g);
    assert_int_equal(g.topology.island_count, 0);
    assert_int_equal(g.topology.order_count, 0);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_one_island_without_loops),
        cmocka_unit_test(a_loop_through_the_ground_has_one_joint_beyond_the_tree),
        cmocka_unit_test(bodies_joined_only_through_fixed_ones_are_separate_islands),
        cmocka_unit_test(a_floating_pair_hangs_on_its_first_body),
        cmocka_unit_test(a_net_of_points_has_a_loop_per_mesh),
        cmocka_unit_test(two_joints_between_the_same_bodies_make_a_loop),
        cmocka_unit_test(a_joint_that_is_not_attached_joins_nothing),
        cmocka_unit_test(a_drive_is_no_edge_but_is_in_the_island_of_its_host),
        cmocka_unit_test(nothing_at_all_has_no_island),
    };
    return RUN_TESTS(tests);
}

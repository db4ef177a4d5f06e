/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Degrees of freedom, rank and redundant rows: of known machines, and of random ones compared with the singular
 * values of the whole Jacobian (LAPACK); gaps at the start and their messages. */

#include <lapacke.h>
#include <stdlib.h>

#include "machines.h"
#include "motion/state.h"
#include "random_bodies.h"

typedef struct analysed {
    trm_model *model;
    trm_state *state;
    trm_analysis *analysis;
} analysed;

static analysed analyse(trm_model *model)
{
    analysed a = {.model = model, .state = start_of(model)};
    a.analysis = trm_analyse(a.state, NULL);
    assert_non_null(a.analysis);
    return a;
}

static void analysed_free(analysed *a)
{
    trm_analysis_destroy(a->analysis);
    trm_state_destroy(a->state);
    trm_model_destroy(a->model);
}

static int freedom(const analysed *a)
{
    return a->analysis->whole.freedoms - a->analysis->whole.rank;
}

/* Asserts that totals are the sums over islands, and that every redundant row is one row of an attached joint and
 * listed once. */
static void assert_adds_up(const analysed *a)
{
    const trm_analysis *s = a->analysis;
    trm_island sum = {0};
    for (int i = 0; i < s->island_count; i++) {
        sum.bodies += s->islands[i].bodies;
        sum.joints += s->islands[i].joints;
        sum.loops += s->islands[i].loops;
        sum.freedoms += s->islands[i].freedoms;
        sum.rows += s->islands[i].rows;
        sum.rank += s->islands[i].rank;
    }
    assert_memory_equal(&sum, &s->whole, sizeof sum);
    assert_int_equal(sum.rows - sum.rank, s->redundant_count);
    for (int i = 0; i < s->redundant_count; i++) {
        assert_true(trm_joint_attached(a->state, s->redundant[i].joint));
        assert_true(s->redundant[i].row < trm_joint_info_of(a->model, s->redundant[i].joint).rows);
        for (int k = 0; k < i; k++)
            assert_true(s->redundant[k].joint != s->redundant[i].joint || s->redundant[k].row != s->redundant[i].row);
    }
}

/* ---- Known machines ----------------------------------------------------------------------- */

/* Eight corners of a cuboid and all 28 distances: a rigid body has 6 of 24 freedoms, so 18 rows are independent. */
static void a_cuboid_of_points_is_rigid_with_ten_redundant_rows(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    for (int i = 0; i < 8; i++) add_point(&m, i & 1, 2 * ((i >> 1) & 1), 3 * (i >> 2));
    for (int i = 1; i <= 8; i++)
        for (int k = 1; k < i; k++) add_bar(&m, k, i);
    analysed a = analyse(machine_finish(&m));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->whole.rows, 28);
    assert_int_equal(a.analysis->whole.rank, 18);
    assert_int_equal(a.analysis->redundant_count, 10);
    assert_int_equal(freedom(&a), 6);
    assert_int_equal(a.analysis->whole.loops, 28 - 7);
    analysed_free(&a);
}

static void a_hinge_of_two_balls_has_one_redundant_row_at_the_second(void **state)
{
    (void)state;
    analysed a = analyse(model_of_file(TRM_EXAMPLES "/two-ball-hinge.json"));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->redundant_count, 1);
    assert_int_equal(a.analysis->redundant[0].joint, 1);
    assert_int_equal(freedom(&a), 1);
    analysed_free(&a);
}

static void the_eight_loop_has_its_freedoms(void **state)
{
    (void)state;
    analysed balls = analyse(model_of_file(TRM_EXAMPLES "/eight-loop.json"));
    assert_adds_up(&balls);
    assert_int_equal(freedom(&balls), 21);
    assert_int_equal(balls.analysis->redundant_count, 0);
    assert_int_equal(balls.analysis->whole.loops, 1);
    analysed_free(&balls);
    analysed hinges = analyse(model_of_file(TRM_EXAMPLES "/eight-loop-hinges.json"));
    assert_adds_up(&hinges);
    assert_int_equal(freedom(&hinges), 6);
    assert_int_equal(hinges.analysis->redundant_count, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(hinges.analysis->redundant[i].joint, 8);
    analysed_free(&hinges);
}

/* The rank does not depend on the unit of length: machines scaled by 1000 or 1/1000 have the same rank. */
static void size_does_not_change_the_rank(void **state)
{
    (void)state;
    static const double sizes[] = {1e-4, 1e-2, 1, 1e2, 1e4};
    for (int i = 0; i < 5; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "{\"trammel\": 1, \"constants\": {\"s\": %g}, \"bodies\": ["
            "{\"name\": \"a\", \"rod\": {\"from\": [0, 0, 0], \"to\": [\"s\", 0, 0], \"mass\": 1, \"radius\": "
            "\"s/50\"}},"
            "{\"name\": \"b\", \"rod\": {\"from\": [\"s\", 0, 0], \"to\": [\"s\", \"s\", 0], \"mass\": 1}}], "
            "\"joints\": ["
            "{\"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], "
            "\"axis\": [0, 0, 1]},"
            "{\"name\": \"k\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [\"s\", 0, 0], \"axis\": "
            "[0, 0, 1]},"
            "{\"name\": \"l\", \"type\": \"hinge\", \"bodies\": [\"b\", \"ground\"], \"anchor\": [\"s\", \"s\", 0],"
            " \"axis\": [0, 0, 1]}]}",
            sizes[i]);
        analysed a = analyse(model_of_text(text));
        assert_adds_up(&a);
        assert_int_equal(a.analysis->whole.rank, 12);
        assert_int_equal(a.analysis->redundant_count, 3);
        analysed_free(&a);
    }
}

static void islands_are_counted_apart(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    for (int i = 1; i <= 4; i++) add_ball(&m, i, 0, 0);
    add_point(&m, 0, 5, 0);
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_hinge(&m, 1, 2, 1.5, 1, 0);
    add_joint_at(&m, "ball", 3, 4, 3.5, 0, 0);
    add_hinge(&m, 2, 0, 2.5, 0, 0);
    analysed a = analyse(machine_finish(&m));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->island_count, 3);
    const trm_island *loop = &a.analysis->islands[0], *pair = &a.analysis->islands[1],
                     *point = &a.analysis->islands[2];
    assert_memory_equal(loop, (&(trm_island){2, 3, 1, 12, 15, 12}), sizeof *loop); /* a triangle: no freedom */
    assert_memory_equal(pair, (&(trm_island){2, 1, 0, 12, 3, 3}), sizeof *pair);
    assert_memory_equal(point, (&(trm_island){1, 0, 0, 3, 0, 0}), sizeof *point);
    analysed_free(&a);
}

static void a_drive_is_a_row_but_no_loop(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 0, 0);
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_drive(&m, 0, 0);
    analysed a = analyse(machine_finish(&m));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->whole.loops, 0);
    assert_int_equal(a.analysis->whole.joints, 2);
    assert_int_equal(a.analysis->whole.rows, 6);
    assert_int_equal(freedom(&a), 0);
    assert_int_equal(a.analysis->redundant_count, 0);
    analysed_free(&a);
}

/* Two hinges on one line form a loop; the second drive is redundant. */
static void a_drive_of_a_second_joint_on_the_same_line_is_redundant(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 0, 0);
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_hinge(&m, 0, 1, 0, 0, 0);
    add_drive(&m, 0, 0);
    add_drive(&m, 1, 0);
    analysed a = analyse(machine_finish(&m));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->whole.joints, 4);
    assert_int_equal(a.analysis->whole.rows, 12);
    assert_int_equal(freedom(&a), 0);
    assert_int_equal(a.analysis->redundant_count, 6);
    analysed_free(&a);
}

static void a_slack_rope_has_no_row(void **state)
{
    (void)state;
    static const struct {
        double length;
        bool rope;
        int rows;
    } cases[] = {{1, false, 1}, {1, true, 1}, {1 + 1e-12, true, 1}, {1.1, true, 0}};
    for (int i = 0; i < 4; i++) {
        machine m;
        machine_init(&m);
        add_point(&m, 1, 0, 0);
        trm_joint_def *bar = add_bar(&m, 0, 1);
        bar->length = cases[i].length;
        bar->rope = cases[i].rope;
        analysed a = analyse(machine_finish(&m));
        assert_int_equal(a.analysis->whole.rows, cases[i].rows);
        assert_int_equal(a.analysis->whole.rank, cases[i].rows);
        assert_int_equal(a.analysis->whole.joints, 1);
        analysed_free(&a);
    }
}

static void a_joint_that_is_not_attached_has_no_row(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 0, 0);
    add_hinge(&m, 0, 1, 0, 0, 0)->attached = false;
    trm_joint_def *away = add_joint(&m, "ball", 0, 1);
    away->anchors[0] = trm_v3(5, 5, 5), away->anchors[1] = trm_v3(0, 0, 0), away->attached = false;
    analysed a = analyse(machine_finish(&m));
    assert_int_equal(a.analysis->whole.rows, 0);
    assert_int_equal(freedom(&a), 6);
    assert_near(a.analysis->gaps[1].position, 0, 0); /* a detached joint has no gap */
    analysed_free(&a);
}

static void a_machine_of_nothing_has_nothing(void **state)
{
    (void)state;
    analysed a = analyse(model_of_text("{\"trammel\": 1, \"bodies\": [{\"name\": \"wall\", \"fixed\": true}]}"));
    assert_adds_up(&a);
    assert_int_equal(a.analysis->island_count, 0);
    assert_int_equal(a.analysis->whole.freedoms, 0);
    analysed_free(&a);
}

/* ---- Comparison with singular values ------------------------------------------------------ */

/* Singular values below zero_value count as zero; values between both bounds would leave the rank undecided. */
static const double zero_value = 1e-9, clear_value = 1e-5;

/* Returns all attached rows as a dense matrix, row by row, with angular columns scaled by 1/rho as in
 * motion/analysis.c. */
static double *dense_jacobian(const analysed *a, int *rows, int *columns)
{
    const trm_model *model = a->model;
    *columns = 6 * model->body_count;
    *rows = 0;
    double *matrix = calloc((size_t)model->row_count * (size_t)*columns + 1, sizeof *matrix);
    for (int j = 0; j < model->joint_count; j++) {
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        const trm_joint *joint = &model->joints[j];
        const trm_joint_at at = trm_joint_now(a->state, j);
        trm_joint_jacobian(&at, J);
        for (int row = 0; row < joint->rows; row++, ++*rows) {
            for (int k = 0; k < joint->body_count; k++) {
                const trm_body *body = &model->bodies[joint->body[k]];
                const trm_spatial *entry = &J[row * joint->body_count + k];
                double *to = matrix + (size_t)*rows * (size_t)*columns + 6 * (size_t)joint->body[k];
                const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
                const double scale = largest > 0 ? sqrt(body->mass / largest) : 0;
                if (body->inverse_mass == 0) continue;
                to[0] = entry->lin.x, to[1] = entry->lin.y, to[2] = entry->lin.z;
                to[3] = scale * entry->ang.x, to[4] = scale * entry->ang.y, to[5] = scale * entry->ang.z;
            }
        }
    }
    return matrix;
}

/* Returns the rank by singular values, or -1 if it is undecided. */
static int rank_by_singular_values(const analysed *a)
{
    int rows, columns, rank = 0;
    double *matrix = dense_jacobian(a, &rows, &columns);
    const int most = rows < columns ? rows : columns;
    double *values = calloc((size_t)most + 1, sizeof *values), *unused = calloc((size_t)most + 1, sizeof *unused);
    assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', rows, columns, matrix, columns, values, NULL, rows,
                                    NULL, columns, unused),
                     0);
    for (int i = 0; i < most && rank >= 0; i++) {
        if (values[i] > zero_value * values[0] && values[i] < clear_value * values[0]) rank = -1;
        if (rank >= 0 && values[i] > zero_value * values[0]) rank++;
    }
    free(matrix);
    free(values);
    free(unused);
    return rank;
}

/* Random bodies with joints of all types at random places between random pairs. Parallel axes and common anchors are
 * frequent, so that rows depend on each other. */
static trm_model *random_machine(trm_random *random)
{
    static const char *const types[] = {"ball", "hinge", "universal", "slider", "fixed", "distance"};
    machine m;
    machine_init(&m);
    const int bodies = 1 + (int)(trm_random_bits(random) % 8), joints = 1 + (int)(trm_random_bits(random) % 16);
    for (int i = 0; i < bodies; i++) add_body(&m, random_body(random, NULL));
    for (int i = 0; i < joints; i++) {
        const int a = (int)(trm_random_bits(random) % (uint64_t)(bodies + 1));
        const int b = (a + 1 + (int)(trm_random_bits(random) % (uint64_t)bodies)) % (bodies + 1);
        const char *type = types[trm_random_bits(random) % 6];
        const bool neat = trm_random_bits(random) % 2;
        trm_joint_def *joint = add_joint(&m, type, a, b);
        const trm_vec3 axis = neat ? trm_axis(2) : random_direction(random);
        joint->axis = axis;
        joint->axis2 = trm_v3_unit(trm_v3_cross(axis, trm_v3(1, 0.1, 0.2)));
        joint->anchor = neat ? trm_v3((double)(trm_random_bits(random) % 2), 0, 0) : random_vector(random, 1);
        if (strcmp(type, "distance") == 0) {
            joint->anchors[0] = random_vector(random, 1);
            joint->anchors[1] = random_vector(random, 1);
            joint->anchor = joint->axis = joint->axis2 = trm_v3(NAN, NAN, NAN);
        }
    }
    return machine_finish(&m);
}

static void random_machines_have_the_rank_of_their_singular_values(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(3);
    int compared = 0, redundant = 0;
    for (int round = 0; round < 500; round++) {
        analysed a = analyse(random_machine(&random));
        const int rank = rank_by_singular_values(&a);
        assert_adds_up(&a);
        if (rank >= 0) {
            assert_int_equal(a.analysis->whole.rank, rank);
            compared++;
            redundant += a.analysis->redundant_count > 0;
        }
        analysed_free(&a);
    }
    assert_true(compared > 400);
    assert_true(redundant > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cuboid_of_points_is_rigid_with_ten_redundant_rows),
        cmocka_unit_test(a_hinge_of_two_balls_has_one_redundant_row_at_the_second),
        cmocka_unit_test(the_eight_loop_has_its_freedoms),
        cmocka_unit_test(size_does_not_change_the_rank),
        cmocka_unit_test(islands_are_counted_apart),
        cmocka_unit_test(a_drive_is_a_row_but_no_loop),
        cmocka_unit_test(a_drive_of_a_second_joint_on_the_same_line_is_redundant),
        cmocka_unit_test(a_slack_rope_has_no_row),
        cmocka_unit_test(a_joint_that_is_not_attached_has_no_row),
        cmocka_unit_test(a_machine_of_nothing_has_nothing),
        cmocka_unit_test(random_machines_have_the_rank_of_their_singular_values),
    };
    return RUN_TESTS(tests);
}

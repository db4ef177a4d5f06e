/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Regular and singular poses (Schmitt, Bender, Prautzsch 2005, section 4): machines for which it is known which rows
 * are redundant and which depend on others in one pose only. */

#include "base/random.h"
#include "check.h"
#include "machines.h"
#include "motion/state.h"
#include "random_bodies.h"

typedef struct judged {
    trm_model *model;
    trm_state *state;
    trm_analysis *analysis;
    trm_regularity *regularity;
} judged;

static judged judge(trm_model *model)
{
    judged j = {.model = model, .state = start_of(model)};
    j.analysis = trm_analyse(j.state, NULL);
    assert_non_null(j.analysis);
    j.regularity = trm_find_regularity(j.state, j.analysis, NULL);
    assert_non_null(j.regularity);
    return j;
}

static void judged_free(judged *j)
{
    trm_regularity_destroy(j->regularity);
    trm_analysis_destroy(j->analysis);
    trm_state_destroy(j->state);
    trm_model_destroy(j->model);
}

/* Asserts that each dependent row is in exactly one list, and that both lists are in the order of the analysis. */
static void assert_lists_are_whole(const judged *j)
{
    const trm_regularity *r = j->regularity;
    int redundant = 0, singular = 0;
    for (int i = 0; i < j->analysis->redundant_count; i++) {
        const trm_row_name row = j->analysis->redundant[i];
        if (redundant < r->redundant_count && memcmp(&row, &r->redundant[redundant], sizeof row) == 0)
            redundant++;
        else if (singular < r->singular_count && memcmp(&row, &r->singular[singular], sizeof row) == 0)
            singular++;
        else
            fail_msg("row %d is in neither list", i);
    }
    assert_int_equal(redundant, r->redundant_count);
    assert_int_equal(singular, r->singular_count);
    assert_int_equal(r->rows, j->analysis->whole.rows - redundant);
    if (r->known) assert_int_equal(r->regular, singular == 0);
}

static void assert_verdict(judged j, const char *name, int redundant, int singular, bool infinitesimal)
{
    const trm_regularity *r = j.regularity;
    const bool right = r->known && r->redundant_count == redundant && r->singular_count == singular &&
                       r->infinitesimal == infinitesimal;
    if (!right)
        print_error("%s: %s, %d redundant, %d singular%s\n", name, r->known ? "known" : "not known",
                    r->redundant_count, r->singular_count, r->infinitesimal ? ", infinitesimal" : "");
    assert_true(right);
    assert_lists_are_whole(&j);
    judged_free(&j);
}

/* ---- Examples ------------------------------------------------------------------------------ */

static void examples_have_the_verdict_that_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int redundant, singular;
    } cases[] = {
        {"double-pendulum", 0, 0}, /* a tree */
        {"eight-loop", 0, 0},      /* one loop of balls, whose rods are not collinear */
        {"two-ball-hinge", 1, 0},  /* both the door and the frame keep the distance of the balls */
        {"bricard", 1, 0},         /* is movable because of its symmetry, in all poses */
        {"eight-loop-hinges", 3,
         0}, /* parallel axes: the chain cannot leave its plane, and the last hinge repeats these rows */
        {"four-bar", 3, 0},
        {"parallelogram", 3, 0}, /* starts as a rectangle; singular when its bars lie on one line */
        {"rhombus", 3, 0},       /* starts as a square; likewise */
        {"slider-crank", 3, 0},
        {"trammel", 3, 0},
        {"eight-loop-folded", 0, 1}, /* balls, with all rods on one line: no row prevents the line from bending */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[200];
        snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", cases[i].name);
        assert_verdict(judge(model_of_file(path)), cases[i].name, cases[i].redundant, cases[i].singular, false);
    }
}

/* ---- Points -------------------------------------------------------------------------------- */

/* The corners of a cuboid and their distances, without the marked ones. */
static trm_model *cuboid(const bool *without)
{
    machine m;
    machine_init(&m);
    for (int i = 0; i < 8; i++) add_point(&m, i & 1, 2 * ((i >> 1) & 1), 3 * (i >> 2));
    for (int i = 1, number = 0; i <= 8; i++)
        for (int k = 1; k < i; k++, number++)
            if (!without || !without[number]) add_bar(&m, k, i);
    return machine_finish(&m);
}

/* The example of the paper: 28 rows, 18 of which are sufficient. */
static void a_cuboid_is_regular_without_the_ten_rows_that_are_named(void **state)
{
    (void)state;
    bool without[28] = {false};
    judged j = judge(cuboid(NULL));
    assert_true(j.regularity->regular);
    assert_int_equal(j.regularity->rows, 18);
    assert_int_equal(j.regularity->redundant_count, 10);
    for (int i = 0; i < 10; i++) without[j.regularity->redundant[i].joint] = true;
    judged_free(&j);
    judged left = judge(cuboid(without));
    assert_int_equal(left.analysis->whole.rows, 18);
    assert_int_equal(left.analysis->whole.rank, 18);
    assert_verdict(left, "cuboid of 18 distances", 0, 0, false);
}

/* Adds points at x[1] ... x[count - 2] on a line, with bars between neighbours; the first and the last are pins. */
static void add_line(machine *m, const double *x, int count)
{
    int before = add_fixed(m, x[0], 0, 0);
    for (int i = 1; i < count; i++) {
        const int next = i + 1 < count ? add_point(m, x[i], 0, 0) : add_fixed(m, x[i], 0, 0);
        add_bar(m, before, next);
        before = next;
    }
}

static void a_folded_chain_is_singular_and_moves(void **state)
{
    (void)state;
    static const double folded[] = {0, 2, 1, 4};
    machine m;
    machine_init(&m);
    add_line(&m, folded, 4);
    assert_verdict(judge(machine_finish(&m)), "folded", 0, 1, false);
}

static void a_chain_stretched_taut_is_singular_and_does_not_move(void **state)
{
    (void)state;
    static const double taut[] = {0, 1, 2, 3};
    machine m;
    machine_init(&m);
    add_line(&m, taut, 4);
    assert_verdict(judge(machine_finish(&m)), "taut", 0, 1, true);
}

/* The triangle can move as a whole, but its corners stay on one line in all poses; without its longest side they
 * could leave it. */
static void a_flat_triangle_is_singular_wherever_it_goes(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    for (int i = 0; i < 3; i++) add_point(&m, i, 0, 0);
    for (int i = 1; i < 3; i++) add_bar(&m, i, i + 1);
    add_bar(&m, 1, 3);
    assert_verdict(judge(machine_finish(&m)), "flat triangle", 0, 1, true);
}

/* The last bar is doubled: one of the two is redundant, the other is not, although neither is independent in this
 * pose. */
static void a_doubled_bar_is_redundant_in_a_singular_pose_too(void **state)
{
    (void)state;
    static const double folded[] = {0, 2, 1, 4};
    machine m;
    machine_init(&m);
    add_line(&m, folded, 4);
    add_bar(&m, 3, 4); /* the last point and its pin */
    judged j = judge(machine_finish(&m));
    assert_int_equal(j.regularity->redundant[0].joint, 3);
    assert_int_equal(j.regularity->singular[0].joint, 2);
    assert_verdict(j, "doubled", 1, 1, false);
}

/* ---- Bodies -------------------------------------------------------------------------------- */

/* Cranks of length a from (i, 0, 0) to a common coupler, at an angle; all joints are hinges. */
static trm_model *cranks(int count, double size, double angle)
{
    machine m;
    machine_init(&m);
    const double a = 0.3 * size, x = a * cos(angle), y = a * sin(angle);
    const int coupler = add_ball(&m, size / 2 + x, y, 0);
    for (int i = 0; i < count; i++) {
        const int crank = add_ball(&m, i * size + x / 2, y / 2, 0);
        add_hinge(&m, 0, crank, i * size, 0, 0);
        add_hinge(&m, crank, coupler, i * size + x, y, 0);
    }
    for (int i = 0; i < m.def->body_count; i++)
        for (int k = 0; k < 3; k++) m.def->bodies[i].inertia[k] *= size * size;
    return machine_finish(&m);
}

/* Three rows of the loop repeat that it is planar. With all bars on a line a fourth row depends on others, and the
 * coupler may leave this pose as a parallelogram or as an antiparallelogram. */
static void a_parallelogram_is_singular_where_its_bars_lie_on_one_line(void **state)
{
    (void)state;
    static const double sizes[] = {1e-3, 1, 1e3};
    for (int i = 0; i < 3; i++) {
        assert_verdict(judge(cranks(2, sizes[i], 1)), "parallelogram", 3, 0, false);
        assert_verdict(judge(cranks(2, sizes[i], 0)), "parallelogram in line", 3, 1, false);
    }
}

/* With a third crank it must leave the pose as a parallelogram: then one row of the plane is redundant, too, although
 * it does not depend on the others for all motions that they allow. */
static void a_third_crank_is_redundant_on_the_way_out_of_the_line(void **state)
{
    (void)state;
    assert_verdict(judge(cranks(3, 1, 1)), "three cranks", 7, 0, false);
    assert_verdict(judge(cranks(3, 1, 0)), "three cranks in line", 7, 1, false);
}

static void sliders_side_by_side_are_redundant(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        trm_joint_def *slider = add_joint_at(&m, "slider", 0, 1, 0, i, 0);
        slider->axis = trm_axis(0);
    }
    assert_verdict(judge(machine_finish(&m)), "sliders", 5, 0, false);
}

/* An immobile island, a triangle of hinges, cannot be singular; the loop besides it is. */
static void islands_are_judged_apart(void **state)
{
    (void)state;
    static const double folded[] = {0, 2, 1, 4};
    machine m;
    machine_init(&m);
    for (int i = 0; i < 2; i++) add_ball(&m, 10 + i, i, 0);
    add_hinge(&m, 0, 1, 10, 5, 0);
    add_hinge(&m, 1, 2, 11, 6, 0);
    add_hinge(&m, 2, 0, 12, 5, 0);
    add_line(&m, folded, 4);
    judged j = judge(machine_finish(&m));
    assert_int_equal(j.regularity->singular[0].joint, 5);
    assert_verdict(j, "triangle and folded chain", 3, 1, false);
}

/* A slack rope constrains nothing, in this pose and nearby. */
static void a_slack_rope_is_not_asked(void **state)
{
    (void)state;
    static const double folded[] = {0, 2, 1, 4};
    for (int slack = 0; slack < 2; slack++) {
        machine m;
        machine_init(&m);
        add_line(&m, folded, 4);
        trm_joint_def *rope = &m.def->joints[2];
        rope->rope = true;
        rope->length = 3 + slack;
        assert_verdict(judge(machine_finish(&m)), "rope", 0, slack ? 0 : 1, false);
    }
}

/* ---- All kinds ------------------------------------------------------------------------------ */

/* Random bodies with joints in one plane or in space, closed in the given pose. */
static trm_model *random_machine(trm_random *random)
{
    static const char *const types[] = {"ball", "hinge", "universal", "slider", "fixed"};
    machine m;
    machine_init(&m);
    const int bodies = 2 + (int)(trm_random_bits(random) % 5), joints = bodies + (int)(trm_random_bits(random) % 3);
    for (int i = 0; i < bodies; i++) add_body(&m, random_body(random, NULL));
    for (int i = 0; i < joints; i++) {
        const int a = i % (bodies + 1),
                  b = (a + 1 + (int)(trm_random_bits(random) % (uint64_t)bodies)) % (bodies + 1);
        const bool neat = trm_random_bits(random) % 2;
        trm_joint_def *joint = add_joint(&m, types[trm_random_bits(random) % 5], a, b);
        joint->axis = neat ? trm_axis(2) : random_direction(random);
        joint->axis2 = trm_v3_unit(trm_v3_cross(joint->axis, trm_v3(1, 0.1, 0.2)));
        joint->anchor = neat ? trm_v3((double)(trm_random_bits(random) % 2), 0, 0) : random_vector(random, 1);
    }
    return machine_finish(&m);
}

/* Returns the rank at the nearest pose with closed joints after all bodies were displaced a little; -1: none was
 * found. */
static int rank_near(const judged *j, trm_random *random)
{
    const double by = 0.01;
    int rank = -1;
    trm_state *shaken = trm_state_create(j->model, NULL);
    trm_messages *messages = trm_messages_create(NULL);
    for (int i = 1; i < j->model->body_count; i++) {
        const trm_vec3 turn = random_vector(random, by);
        trm_pose pose = trm_body_pose(shaken, i);
        pose.p = trm_v3_add(pose.p, random_vector(random, by));
        pose.q = trm_quat_mul((trm_quat){1, turn.x, turn.y, turn.z}, pose.q);
        trm_set_body_pose(shaken, i, pose);
    }
    if (trm_assemble(shaken, NULL, messages, NULL) == TRM_OK) {
        trm_analysis *analysis = trm_analyse(shaken, NULL);
        rank = analysis->whole.rank;
        trm_analysis_destroy(analysis);
    }
    trm_messages_destroy(messages);
    trm_state_destroy(shaken);
    return rank;
}

/* A regular machine has the same rank in all poses nearby. */
static void random_machines_have_one_verdict_each(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(8);
    int known = 0, dependent = 0, compared = 0, agree = 0;
    for (int round = 0; round < 200; round++) {
        judged j = judge(random_machine(&random));
        trm_regularity *again = trm_find_regularity(j.state, j.analysis, NULL);
        assert_lists_are_whole(&j);
        assert_int_equal(again->regular, j.regularity->regular);
        assert_int_equal(again->singular_count, j.regularity->singular_count);
        known += j.regularity->known;
        dependent += j.analysis->redundant_count > 0;
        const int rank = j.regularity->regular ? rank_near(&j, &random) : -1;
        compared += rank >= 0;
        agree += rank == j.analysis->whole.rank;
        trm_regularity_destroy(again);
        judged_free(&j);
    }
    print_message("of 200 machines %d have dependent rows, %d were found elsewhere, %d of them with the same rank\n",
                  dependent, compared, agree);
    assert_int_equal(known, 200);
    assert_true(dependent > 100 && compared > 150);
    assert_int_equal(agree, compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_have_the_verdict_that_is_known),
        cmocka_unit_test(a_cuboid_is_regular_without_the_ten_rows_that_are_named),
        cmocka_unit_test(a_folded_chain_is_singular_and_moves),
        cmocka_unit_test(a_chain_stretched_taut_is_singular_and_does_not_move),
        cmocka_unit_test(a_flat_triangle_is_singular_wherever_it_goes),
        cmocka_unit_test(a_doubled_bar_is_redundant_in_a_singular_pose_too),
        cmocka_unit_test(a_parallelogram_is_singular_where_its_bars_lie_on_one_line),
        cmocka_unit_test(a_third_crank_is_redundant_on_the_way_out_of_the_line),
        cmocka_unit_test(sliders_side_by_side_are_redundant),
        cmocka_unit_test(islands_are_judged_apart),
        cmocka_unit_test(a_slack_rope_is_not_asked),
        cmocka_unit_test(random_machines_have_one_verdict_each),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Poses by name and coordinates from arrays: set values are read back, bodies follow, loops are closed. */

#include "check.h"
#include "choosing.h"
#include "trammel/arrays.h"

#define ARM(more)                                                                                                    \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, "   \
    "0] },"                                                                                                          \
    "{ \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [2.5, 0, 0], \"com\": [0.25, 0, 0] }],"   \
    "\"joints\": [{ \"name\": \"hip\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0]," \
    "\"axis\": [0, 0, 1], \"armature\": 0.5 }, { \"name\": \"knee\", \"type\": \"universal\", \"bodies\": [\"a\", "  \
    "\"b\"],"                                                                                                        \
    "\"anchor\": [2, 0, 0], \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0] }]" more " }"

static void coordinates_that_are_set_are_read(void **state)
{
    (void)state;
    trm_model *model = model_of_text(ARM(""));
    trm_state *s = start_of(model);
    const double q[] = {7.5, 0.3, -0.4}, qd[] = {1, 2, -3}; /* more than a turn */
    double q_read[3], qd_read[3];
    assert_int_equal(trm_coordinate_count(model), 3);
    assert_int_equal(trm_set_coordinates(s, q, qd), TRM_OK);
    trm_get_coordinates(s, q_read, qd_read);
    for (int i = 0; i < 3; i++) {
        assert_near(q_read[i], q[i], 1e-14);
        assert_near(qd_read[i], qd[i], 1e-14);
    }
    assert_near(trm_position_gap(s, 0).position + trm_position_gap(s, 1).position, 0, 1e-14);
    assert_near(trm_velocity_gap(s, 1).position, 0, 1e-13);
    assert_near(trm_body_pose(s, 1).p.x, cos(7.5), 1e-14);
    assert_int_equal(trm_set_joint_values(s, 1, (double[]){NAN, 0.2}, NULL), TRM_OK);
    trm_get_coordinates(s, q_read, NULL);
    assert_near(q_read[0], 7.5, 1e-14);
    assert_near(q_read[1], 0.3, 1e-14);
    assert_near(q_read[2], 0.2, 1e-14);
    trm_state_destroy(s);
    trm_model_destroy(model);
}

static void a_run_starts_with_the_pose_that_is_named(void **state)
{
    (void)state;
    running r = run_text(ARM(", \"poses\": { \"zero\": {}, \"home\": { \"hip\": 0.5, \"knee\": [0.1, 0.2] } },"
                             "\"simulation\": { \"start\": \"home\" }"),
                         0.01, 1e-12);
    assert_near(coordinate_of(&r, "hip"), 0.5, 1e-13);
    assert_near(place_of(&r, "a").y, sin(0.5), 1e-13);
    assert_int_equal(trm_find_pose(r.model, "home"), 1);
    go(&r, 0.1);
    assert_near(coordinate_of(&r, "hip"), 0.5, 1e-12);
    stop(&r);
}

/* The crank of a parallelogram; the other hinges follow by assembly. */
static void loops_are_closed_after_setting_a_pose(void **state)
{
    (void)state;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"l\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, 1, 0], "
        "\"mass\": 1 } },"
        "{ \"name\": \"m\", \"rod\": { \"from\": [0, 1, 0], \"to\": [3, 1, 0], \"mass\": 1 } },"
        "{ \"name\": \"r\", \"rod\": { \"from\": [3, 1, 0], \"to\": [3, 0, 0], \"mass\": 1 } }], \"joints\": ["
        "{ \"name\": \"A\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"l\"], \"anchor\": [0, 0, 0], \"axis\": "
        "[0, 0, 1] },"
        "{ \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"l\", \"m\"], \"anchor\": [0, 1, 0], \"axis\": [0, 0, "
        "1] },"
        "{ \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"m\", \"r\"], \"anchor\": [3, 1, 0], \"axis\": [0, 0, "
        "1] },"
        "{ \"name\": \"D\", \"type\": \"hinge\", \"bodies\": [\"r\", \"ground\"], \"anchor\": [3, 0, 0], \"axis\": "
        "[0, 0, 1] }],"
        "\"poses\": { \"turned\": { \"A\": 0.05, \"D\": -0.05 } }, \"simulation\": { \"start\": \"turned\" } }");
    running r = run_model(model, NULL);
    for (int j = 0; j < 4; j++) assert_near(trm_position_gap(trm_sim_state(r.sim), j).position, 0, 1e-9);
    assert_true(coordinate_of(&r, "A") > 0.02);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_that_are_set_are_read),
        cmocka_unit_test(a_run_starts_with_the_pose_that_is_named),
        cmocka_unit_test(loops_are_closed_after_setting_a_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* States in arrays: the same numbers as by body and by joint, in both directions; steps that fill them. */

#include "trammel/arrays.h"

#include "check.h"
#include "running.h"

static running four_bar(void)
{
    return run_file(TRM_EXAMPLES "/four-bar.json", 0.01, 1e-10);
}

static void coordinates_are_those_of_the_joints(void **unused)
{
    (void)unused;
    running r = run_file(TRM_EXAMPLES "/arm.json", 0.01, 1e-10);
    const int count = trm_coordinate_count(r.model);
    double q[16], qd[16];
    assert_int_equal(count, 7);
    assert_true(trm_sim_steps(r.sim, 0.01, 60, &(trm_arrays){.q = q, .qd = qd}, &(trm_outcome){0}));
    for (int i = 0; i < count; i++) {
        const trm_coordinate_name name = trm_coordinate_at(r.model, i);
        double one_q[TRM_JOINT_COORDINATES], one_qd[TRM_JOINT_COORDINATES];
        trm_joint_values(trm_sim_state(r.sim), name.joint, one_q, one_qd);
        assert_true(q[i] == one_q[name.coordinate] && qd[i] == one_qd[name.coordinate]);
        assert_string_equal(trm_coordinate_unit(r.model, i), "rad");
    }
    stop(&r);
}

static void joints_of_several_coordinates_are_counted(void **unused)
{
    (void)unused;
    running r = run_text("{\"trammel\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
                         "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
                         "\"joints\": [{\"name\": \"ball\", \"type\": \"ball\", \"bodies\": [\"ground\", \"a\"],"
                         "\"anchor\": [0, 0, 0]}, {\"name\": \"rail\", \"type\": \"slider\","
                         "\"bodies\": [\"a\", \"b\"], \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0]}]}",
                         0.01, 1e-10);
    const int count = trm_coordinate_count(r.model);
    const trm_coordinate_name last = trm_coordinate_at(r.model, count - 1);
    assert_int_equal(count, 4);
    assert_int_equal(last.joint, 1);
    assert_int_equal(last.coordinate, 0);
    assert_string_equal(trm_coordinate_unit(r.model, count - 1), "m");
    stop(&r);
}

static void poses_and_velocities_are_those_of_the_bodies(void **unused)
{
    (void)unused;
    running r = four_bar();
    double p[30], o[40], v[30], w[30];
    const trm_arrays all = {.positions = p, .orientations = o, .velocities = v, .angular_velocities = w};
    assert_true(trm_sim_steps(r.sim, 0.01, 5, &all, &(trm_outcome){0}));
    for (int i = 0; i < trm_body_count(r.model); i++) {
        const trm_pose X = trm_body_pose(trm_sim_state(r.sim), i);
        const trm_spatial V = trm_body_velocity(trm_sim_state(r.sim), i);
        assert_true(p[3 * i] == X.p.x && p[3 * i + 1] == X.p.y && p[3 * i + 2] == X.p.z);
        assert_true(o[4 * i] == X.q.w && o[4 * i + 3] == X.q.z);
        assert_true(v[3 * i] == V.lin.x && v[3 * i + 2] == V.lin.z && w[3 * i] == V.ang.x && w[3 * i + 2] == V.ang.z);
    }
    stop(&r);
}

static void what_is_set_is_read_back(void **unused)
{
    (void)unused;
    /* two roundings by the conversion to the principal frame */
    const double rounding = 1e-14;
    running r = four_bar(), other = four_bar();
    double p[30], o[40], v[30], w[30], p2[30], v2[30];
    const int n = trm_body_count(r.model);
    const trm_arrays all = {.positions = p, .orientations = o, .velocities = v, .angular_velocities = w};
    assert_true(trm_sim_steps(r.sim, 0.01, 20, &all, &(trm_outcome){0}));
    assert_true(trm_sim_steps(other.sim, 0.01, 3, NULL, &(trm_outcome){0}));
    trm_set_poses(trm_sim_state(other.sim), p, o);
    trm_set_velocities(trm_sim_state(other.sim), v, w);
    trm_get_poses(trm_sim_state(other.sim), p2, NULL);
    trm_get_velocities(trm_sim_state(other.sim), v2, NULL);
    trm_sim_restart_account(other.sim);
    assert_true(trm_sim_observe(other.sim).ok);
    assert_true(trm_sim_accuracy(other.sim).observed == 1);
    assert_near(trm_sim_accuracy(other.sim).energy_error_max, 0,
                rounding); /* the energy of the new state is the start's */
    assert_near(trm_sim_accuracy(other.sim).energy_start, trm_sim_accuracy(r.sim).energy_start, 0.1);
    for (int i = 0; i < 3 * n; i++) {
        assert_near(p2[i], p[i], rounding);
        assert_near(v2[i], v[i], 10 * rounding);
    }
    stop(&r);
    stop(&other);
}

static void many_steps_are_single_ones(void **unused)
{
    (void)unused;
    running a = four_bar(), b = four_bar();
    trm_outcome outcome;
    assert_true(trm_sim_steps(a.sim, 0.01, 30, NULL, &outcome));
    for (int i = 0; i < 30; i++) assert_true(trm_sim_steps(b.sim, 0.01, 1, NULL, &outcome));
    assert_true(trm_state_hash(trm_sim_state(a.sim)) == trm_state_hash(trm_sim_state(b.sim)));
    stop(&a);
    stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_are_those_of_the_joints),
        cmocka_unit_test(joints_of_several_coordinates_are_counted),
        cmocka_unit_test(poses_and_velocities_are_those_of_the_bodies),
        cmocka_unit_test(what_is_set_is_read_back),
        cmocka_unit_test(many_steps_are_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

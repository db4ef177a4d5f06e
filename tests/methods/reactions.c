/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Forces in joints compared with closed forms, with both solvers. */

#include "running.h"

static running begin(const char *text, double step, double order)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    options.order = order;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 1e-13;
    running r = run_model(model, &options);
    trm_sim_enable_reactions(r.sim, true);
    return r;
}

/* A point on a bar of length 1 is released level: at depth y the bar pulls with 3 m g |y|. */
static void the_bar_of_a_pendulum_pulls_by_three_times_the_depth(void **state)
{
    (void)state;
    static const double RELATIVE = 1e-9; /* relative error of the state at order 8 */
    running r =
        begin("{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"bob\", \"point\": true, "
              "\"mass\": 2, \"position\": [-1, 0, 0]}], \"joints\": [{\"name\": \"bar\", \"type\": \"distance\", "
              "\"bodies\": [\"ground\", \"bob\"], \"anchors\": [[0,0,0],[0,0,0]]}]}",
              0.01, 8);
    for (int i = 1; i <= 20; i++) {
        go_every(&r, 0.1 * i, 0.1);
        const trm_vec3 p = place_of(&r, "bob"), f = trm_joint_reaction(trm_sim_state(r.sim), 0).lin;
        const double pull = 3 * 2 * 9.81 * -p.y;
        assert_near(f.x, -pull * p.x, RELATIVE * 60);
        assert_near(f.y, -pull * p.y, RELATIVE * 60);
    }
    stop(&r);
}

/* Two equal slender rods, level and at rest when released: the shoulder carries 2 m g/7, the elbow lifts the lower
 * rod by -m g/14. */
static void two_rods_let_go_level_hang_by_two_sevenths(void **state)
{
    (void)state;
    static const double SLENDER =
        2e-7; /* radius 1e-4: moments of inertia differ from those of slender rods by 3 r^2/l^2 */
    running r =
        begin("{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
              "{\"name\": \"a\", \"rod\": {\"from\": [0,0,0], \"to\": [1,0,0], \"mass\": 1, \"radius\": 1e-4}}, "
              "{\"name\": \"b\", \"rod\": {\"from\": [1,0,0], \"to\": [2,0,0], \"mass\": 1, \"radius\": 1e-4}}], "
              "\"joints\": [{\"name\": \"s\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": "
              "[0,0,0], \"axis\": [0,0,1]}, {\"name\": \"e\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], "
              "\"anchor\": [1,0,0], \"axis\": [0,0,1]}]}",
              0.01, 2);
    assert_good(trm_sim_observe(r.sim));
    const trm_spatial s = trm_joint_reaction(trm_sim_state(r.sim), 0),
                      e = trm_joint_reaction(trm_sim_state(r.sim), 1);
    assert_near(s.lin.y, 2 * 9.81 / 7, SLENDER * 9.81);
    assert_near(e.lin.y, -9.81 / 14, SLENDER * 9.81);
    assert_near(s.ang.z, 0, 1e-12); /* a hinge carries no torque about its axis */
    stop(&r);
}

/* Flores' slider crank at 150 rad/s (problems R09): driver torque, pin and guide forces at t = 0.01 s. */
static void a_driven_slider_crank_meets_its_reference(void **state)
{
    (void)state;
    static const double RELATIVE = 1e-9;
    running r = begin(
        "{\"trammel\": 1, \"gravity\": [0, -9.81, 0], \"constants\": {\"w\": 150}, \"bodies\": ["
        "{\"name\": \"crank\", \"mass\": 0.038, \"inertia\": [7.4e-5, 7.4e-5, 7.4e-5], \"position\": [0.0765, 0, 0], "
        "\"velocity\": [0, \"w*0.0765\", 0], \"angular_velocity\": [0, 0, \"w\"]}, "
        "{\"name\": \"rod\", \"mass\": 0.038, \"inertia\": [5.9e-4, 5.9e-4, 5.9e-4], \"position\": [0.306, 0, 0], "
        "\"velocity\": [0, \"w*0.153/2\", 0], \"angular_velocity\": [0, 0, \"-w/2\"]}, "
        "{\"name\": \"slider\", \"mass\": 0.076, \"inertia\": [1e-4, 1e-4, 1e-4], \"position\": [0.459, 0, 0]}], "
        "\"joints\": [{\"name\": \"O\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"crank\"], \"anchor\": "
        "[0,0,0], "
        "\"axis\": [0,0,1]}, {\"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"crank\", \"rod\"], \"anchor\": "
        "[0.153,0,0], \"axis\": [0,0,1]}, {\"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"rod\", \"slider\"], "
        "\"anchor\": [0.459,0,0], \"axis\": [0,0,1]}, {\"name\": \"S\", \"type\": \"slider\", \"bodies\": "
        "[\"ground\", "
        "\"slider\"], \"anchor\": [0.459,0,0], \"axis\": [1,0,0]}], \"forces\": [{\"name\": \"drive\", \"type\": "
        "\"drive\", \"joint\": \"O\", \"motion\": \"w*t\"}]}",
        0.0005, 8);
    go_every(&r, 0.01, 0.01);
    const trm_state *now = trm_sim_state(r.sim);
    assert_near(place_of(&r, "slider").x, 0.27604747551703057, 1e-10);
    assert_near(trm_joint_reaction(now, 4).ang.z, -25.781025747768588, RELATIVE * 26);
    assert_near(trm_joint_reaction(now, 0).lin.x, 154.0701519476839, RELATIVE * 260);
    assert_near(trm_joint_reaction(now, 0).lin.y, -209.31061804395787, RELATIVE * 260);
    assert_near(trm_joint_reaction(now, 2).lin.x, 130.65891118707557, RELATIVE * 260);
    assert_near(trm_joint_reaction(now, 3).lin.y, 80.31443137134848, RELATIVE * 260);
    stop(&r);
}

/* A door on two balls at rest: together they carry its weight and its moment. */
static void redundant_balls_carry_the_weight_between_them(void **state)
{
    (void)state;
    running r = run_file(TRM_EXAMPLES "/two-ball-hinge.json", 0.01, 1e-12);
    trm_state *now = trm_sim_state(r.sim);
    trm_sim_enable_reactions(r.sim, true);
    trm_set_body_velocity(now, 1, (trm_spatial){{0, 0, 0}, {0, 0, 0}});
    assert_good(trm_sim_observe(r.sim));
    const trm_vec3 lower = trm_joint_reaction(now, 0).lin, upper = trm_joint_reaction(now, 1).lin;
    const double weight = 9.81 * trm_body_info_of(r.model, 1).mass;
    assert_near(lower.z + upper.z, weight, 1e-10 * weight);
    assert_near(lower.x, weight * 0.5 / 1.6,
                1e-10 * weight); /* moment of the weight divided by the distance of the balls */
    assert_near(upper.x, -weight * 0.5 / 1.6, 1e-10 * weight);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bar_of_a_pendulum_pulls_by_three_times_the_depth),
        cmocka_unit_test(two_rods_let_go_level_hang_by_two_sevenths),
        cmocka_unit_test(a_driven_slider_crank_meets_its_reference),
        cmocka_unit_test(redundant_balls_carry_the_weight_between_them),
    };
    return RUN_TESTS(tests);
}

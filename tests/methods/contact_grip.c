/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies gripped between two fingers, in all contact modes and with the method lcp. Friction holds them by a whole face.
 * A solution in which only few points of a face are loaded obeys all laws of rigid bodies, too, but lets the body
 * turn about these points. It must not be found. */

#include "lcp_runs.h"
#include "math/rotation.h"

/* m: displacement of a gripped body in its hand by rounding and by the accuracy of contacts. */
static const double STAYS = 1e-8;

/* A plate between a fixed finger and one with a servo, whose force is 1.24 times the necessary one. The hand
 * swings. */
static const char *const SWING =
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": {\"friction\": 0.4}, \"bodies\": ["
    "{\"name\": \"plate\", \"position\": [0, 0, 0.5], \"mass\": 0.2,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.2, 0.3]}]},"
    "{\"name\": \"left\", \"position\": [-0.06, 0, 0.5], \"mass\": 0.2,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.02, 0.06, 0.12]}]},"
    "{\"name\": \"right\", \"position\": [0.06, 0, 0.5], \"mass\": 0.2,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.02, 0.06, 0.12]}]},"
    "{\"name\": \"hand\", \"position\": [0, 0, 0.8], \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01]}],"
    "\"joints\": ["
    "{\"name\": \"slide\", \"type\": \"slider\", \"bodies\": [\"hand\", \"left\"], \"anchor\": [-0.06, 0, 0.5],"
    " \"axis\": [1, 0, 0]},"
    "{\"name\": \"weld\", \"type\": \"fixed\", \"bodies\": [\"hand\", \"right\"], \"anchor\": [0.06, 0, 0.5]},"
    "{\"name\": \"turn\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"hand\"], \"anchor\": [0, 0, 0.8],"
    " \"axis\": [1, 0, 0]}],"
    "\"forces\": ["
    "{\"type\": \"servo\", \"joint\": \"slide\", \"target\": 0.02, \"kp\": 2000, \"kd\": 50, \"max\": 7.6},"
    "{\"type\": \"drive\", \"joint\": \"turn\", \"motion\": \"0.24*(1 - cos(2.5*t))\"}],"
    "\"simulation\": {\"impact\": \"window\"}}";

/* A box between two fingers with motors; one arrives later than the other. */
static const char *const MOTORS =
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": {\"friction\": 0.6}, \"bodies\": ["
    "{\"name\": \"box\", \"position\": [0, 0, 0.5], \"mass\": 0.5,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}]},"
    "{\"name\": \"left\", \"position\": [-0.061, 0, 0.5], \"mass\": 0.5,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.02, 0.06, 0.12]}]},"
    "{\"name\": \"right\", \"position\": [0.06, 0, 0.5], \"mass\": 0.5,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.02, 0.06, 0.12]}]}],"
    "\"joints\": ["
    "{\"name\": \"l\", \"type\": \"slider\", \"bodies\": [\"ground\", \"left\"], \"anchor\": [-0.061, 0, 0.5],"
    " \"axis\": [1, 0, 0]},"
    "{\"name\": \"r\", \"type\": \"slider\", \"bodies\": [\"ground\", \"right\"], \"anchor\": [0.06, 0, 0.5],"
    " \"axis\": [-1, 0, 0]}],"
    "\"forces\": [{\"type\": \"motor\", \"joint\": \"l\", \"velocity\": 1, \"max\": 7.14213428733161},"
    "{\"type\": \"motor\", \"joint\": \"r\", \"velocity\": 1, \"max\": 7.14213428733161}],"
    "\"simulation\": {\"impact\": \"window\"}}";

/* A box between two fingers that a gear couples. The servo of one of them stays below its limit, but exceeds half of
 * it. */
static const char *const COUPLED =
    "{\"trammel\": 1, \"defaults\": {\"friction\": 0.5}, \"bodies\": ["
    "{\"name\": \"box\", \"mass\": 0.06, \"shapes\": [{\"type\": \"box\", \"size\": [0.04, 0.04, 0.08]}]},"
    "{\"name\": \"left\", \"position\": [-0.05, 0, 0], \"mass\": 0.1,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.01, 0.03, 0.06]}]},"
    "{\"name\": \"right\", \"position\": [0.05, 0, 0], \"mass\": 0.1,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.01, 0.03, 0.06]}]},"
    "{\"name\": \"hand\", \"position\": [0, 0, 0.2], \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01]}],"
    "\"joints\": ["
    "{\"name\": \"l\", \"type\": \"slider\", \"bodies\": [\"hand\", \"left\"], \"anchor\": [-0.05, 0, 0],"
    " \"axis\": [1, 0, 0]},"
    "{\"name\": \"r\", \"type\": \"slider\", \"bodies\": [\"hand\", \"right\"], \"anchor\": [0.05, 0, 0],"
    " \"axis\": [-1, 0, 0]},"
    "{\"name\": \"weld\", \"type\": \"fixed\", \"bodies\": [\"ground\", \"hand\"], \"anchor\": [0, 0, 0.2]},"
    "{\"name\": \"mimic\", \"type\": \"gear\", \"joints\": [\"r\", \"l\"], \"ratio\": 1}],"
    "\"forces\": [{\"type\": \"servo\", \"joint\": \"l\", \"target\": \"0.04*smooth(t, 0, 0.5)\", \"kp\": 1000,"
    " \"kd\": 20, \"max\": 20}],"
    "\"simulation\": {\"impact\": \"event\"}}";

/* A hand of 400 m that lifts a box, while the stronger finger pushes it aside. A light box and light fingers make the
 * impulses so small that rounding decides the sign of their work. */
static const char *const LARGE =
    "{\"trammel\": 1, \"gravity\": [0, 0, -9.809999999999999], \"defaults\": {\"friction\": 0.437}, "
    "\"bodies\": [{\"name\": \"b0\", \"fixed\": true, \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, "
    "1]}]}, {\"name\": \"b1\", \"mass\": 1.103602e-05, \"inertia\": [0.144727, 0.1415662, 0.1621193, "
    "0.0005923103, 0.005742704, 0.001280153], \"com\": [0, 0, 0], \"position\": [0.0, 0.0, "
    "370.8157]}, {\"name\": \"b2\", \"mass\": 2.210681e-06, \"inertia\": [0.00666262, 0.004734976, "
    "0.004763952, -0.0004623138, -0.0002971464, -5.27596e-05], \"com\": [0, 0, 0], \"position\": "
    "[249.5276, 0.0, 185.4079], \"shapes\": [{\"type\": \"box\", \"size\": [37.08157, 92.70394, "
    "231.7598]}]}, {\"name\": \"b3\", \"mass\": 2.222107e-06, \"inertia\": [0.004532986, 0.005236083, "
    "0.005544408, 0.0007012736, 0.0003092042, -0.0005102153], \"com\": [0, 0, 0], \"position\": "
    "[-203.8599, 0.0, 185.4079], \"shapes\": [{\"type\": \"box\", \"size\": [37.08157, 92.70394, "
    "231.7598]}]}, {\"name\": \"b4\", \"mass\": 4.097206e-06, \"inertia\": [0.009029307, 0.01321534, "
    "0.01085919, -2.310128e-06, -0.003483452, 7.866651e-05], \"com\": [0, 0, 0], \"position\": "
    "[0.0, 0.0, 92.70394], \"shapes\": [{\"type\": \"box\", \"size\": [148.3263, 148.3263, "
    "185.4079]}]}], \"joints\": [{\"name\": \"j0\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b1\"], "
    "\"anchor\": [0.0, 0.0, 370.8157], \"axis\": [0, 0, 1]}, {\"name\": \"j2\", \"type\": \"slider\", "
    "\"bodies\": [\"b1\", \"b2\"], \"anchor\": [249.5276, 0.0, 324.4638], \"axis\": [-1, 0, 0]}, "
    "{\"name\": \"j4\", \"type\": \"slider\", \"bodies\": [\"b1\", \"b3\"], \"anchor\": [-203.8599, 0.0, "
    "324.4638], \"axis\": [1, 0, 0]}], \"forces\": [{\"name\": \"j1\", \"type\": \"drive\", \"joint\": "
    "\"j0\", \"motion\": \"92.7*(1 - cos(0.0657*t))\"}, {\"name\": \"j3\", \"type\": \"motor\", \"joint\": "
    "\"j2\", \"velocity\": 16.72248, \"max\": 9.051642e-05}, {\"name\": \"j5\", \"type\": \"motor\", "
    "\"joint\": \"j4\", \"velocity\": 11.78105, \"max\": 8.310973e-05}], \"simulation\": {\"impact\": "
    "\"window\"}}";

static running grip(const char *text, double step)
{
    trm_model *model = model_of_text(text);
    trm_simulation_def options = *trm_model_simulation(model);
    options.step = step;
    return run_model(model, &options);
}

/* Returns the position of a body in the frame of another. */
static trm_vec3 place_in(const running *r, const char *frame, const char *body)
{
    const trm_pose pose = trm_body_pose(trm_sim_state(r->sim), trm_find_body(r->model, frame));
    return trm_rotate_back(pose.q, trm_v3_sub(place_of(r, body), pose.p));
}

static void a_plate_stays_in_a_swinging_hand_at_every_step(void **state)
{
    (void)state;
    static const double STEPS[] = {0.005, 0.002, 0.0005};
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        running r = grip(SWING, STEPS[i]);
        const trm_vec3 before = place_in(&r, "hand", "plate");
        go_every(&r, 0.6, 0.6);
        assert_true(trm_v3_length(trm_v3_sub(place_in(&r, "hand", "plate"), before)) < STAYS);
        assert_int_equal(trm_sim_counters(r.sim)->dissipative, 0);
        stop(&r);
    }
}

static void a_box_between_two_motors_does_not_sink(void **state)
{
    (void)state;
    running r = grip(MOTORS, 0.0005);
    go_every(&r, 0.1, 0.1);
    const trm_vec3 before = place_of(&r, "box");
    go_every(&r, 1, 1);
    assert_true(trm_v3_length(trm_v3_sub(place_of(&r, "box"), before)) < STAYS);
    stop(&r);
}

/* The gear acts on the hand by both of its sliders. Counted as two, its response to the servo was wrong. */
static void fingers_coupled_by_a_gear_hold_a_box(void **state)
{
    (void)state;
    running r = grip(COUPLED, 0.002);
    go_every(&r, 0.6, 0.6);
    assert_true(trm_v3_length(place_of(&r, "box")) < STAYS);
    assert_true(trm_v3_length(trm_body_velocity(trm_sim_state(r.sim), trm_find_body(r.model, "box")).lin) < STAYS);
    assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
    stop(&r);
}

/* rad: a box turns by less when fingers touch it one after the other; it turned by 1 to 3 rad in the grip. */
static const double HARDLY_TURNS = 1e-5;

/* Steps begin with the forces of the last step, unless these would add energy. If rounding counts as energy, a step
 * begins without forces, and its solution may load few points of a face, about which the box turns. */
static void a_box_does_not_turn_in_a_large_hand(void **state)
{
    (void)state;
    static const double STEPS[] = {0.04, 0.03, 0.02};
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        running r = grip(LARGE, STEPS[i]);
        go_every(&r, 30, 30);
        const trm_pose pose = trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, "b4"));
        assert_true(trm_v3_length(trm_quat_log(pose.q)) < HARDLY_TURNS);
        stop(&r);
    }
}

/* ---- The method lcp ------------------------------------------------------------------------- */

static const char *const SOLVERS[] = {"lcp", "lcp:solver=lemke"};
/* m: openings of contacts and joints that h^2 w^2 r explains, with a step of 1 ms. */
static const double STAYS_IN_LCP = 1e-6;

static void lcp_holds_a_plate_in_a_swinging_hand(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        running r = run_lcp(model_of_text(SWING), SOLVERS[i], 0.001);
        const trm_vec3 before = place_in(&r, "hand", "plate");
        make_steps(&r, 300, 0.001);
        assert_true(trm_v3_length(trm_v3_sub(place_in(&r, "hand", "plate"), before)) < STAYS_IN_LCP);
        stop(&r);
    }
}

/* A cart on four wheels rolls down a slope of 0.1 rad: a = g sin M/(M + sum I/r^2) with solid wheels. */
static const char *const CART =
    "{\"trammel\": 1, \"gravity\": [\"9.81*sin(0.1)\", 0, \"-9.81*cos(0.1)\"], \"defaults\": {\"friction\": 0.6},"
    "\"bodies\": [{\"name\": \"cart\", \"position\": [0, 0, 0.3], \"mass\": 10,"
    " \"shapes\": [{\"type\": \"box\", \"size\": [0.8, 0.4, 0.1], \"collide\": false}]},"
    "{\"name\": \"wheel{i}\", \"repeat\": 4, \"position\": [\"0.6*floor({i}/2) - 0.3\", \"0.5*mod({i}, 2) - 0.25\", "
    "0.15],"
    " \"mass\": 1, \"shapes\": [{\"type\": \"cylinder\", \"radius\": 0.15, \"length\": 0.05,"
    " \"orientation\": {\"axis\": [1, 0, 0], \"angle\": \"90*deg\"}}]},"
    "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 1]}]}],"
    "\"joints\": [{\"name\": \"axle{i}\", \"repeat\": 4, \"type\": \"hinge\", \"bodies\": [\"cart\", \"wheel{i}\"],"
    " \"anchor\": [\"0.6*floor({i}/2) - 0.3\", \"0.5*mod({i}, 2) - 0.25\", 0.15], \"axis\": [0, 1, 0]}]}";

static void all_wheels_of_a_cart_roll_in_lcp(void **state)
{
    (void)state;
    static const double STEP = 0.005;
    const double right = 0.5 * 9.81 * sin(0.1) * 14 / 16;
    for (int i = 0; i < 2; i++) {
        running r = run_lcp(model_of_text(CART), SOLVERS[i], STEP);
        make_steps(&r, 200, STEP);
        assert_near(place_of(&r, "cart").x / right, 1, 1.1 * STEP); /* semi-implicit Euler gives t (t + h) for t^2 */
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_stays_in_a_swinging_hand_at_every_step),
        cmocka_unit_test(a_box_between_two_motors_does_not_sink),
        cmocka_unit_test(a_box_does_not_turn_in_a_large_hand),
        cmocka_unit_test(fingers_coupled_by_a_gear_hold_a_box),
        cmocka_unit_test(lcp_holds_a_plate_in_a_swinging_hand),
        cmocka_unit_test(all_wheels_of_a_cart_roll_in_lcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

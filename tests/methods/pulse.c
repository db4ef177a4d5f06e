/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A machine at rest that a force pushes for a short time. Error control alone would step over the push, because the
 * force is 0 at both ends of a long step. */

#include "math/rotation.h"
#include "running.h"

/* A triangle of 100 N m and 40 ms: 2 N m s on 0.1 kg m^2 + 1 kg (0.5 m)^2. */
static const double RATE = 2 / 0.35;
/* rad/s: for the requested errors, enlarged by the corners of the triangle. */
static const double NEAR = 1e-2;

static const char PUSHED[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, 0],"
    "\"bodies\": [ { \"name\": \"rod\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 0] } ],"
    "\"joints\": [ { \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"], \"anchor\": [0, 0, 0],"
    "\"axis\": [0, 1, 0] } ], \"forces\": [ { \"type\": \"effort\", \"joint\": \"j\", \"value\": %s } ] }";

static running start_pushed(const char *value, const char *method, double step)
{
    char text[1000];
    snprintf(text, sizeof text, PUSHED, value);
    trm_model *model = model_of_text(text);
    trm_simulation_def o = *trm_model_simulation(model);
    o.method = method;
    o.error = 1e-4;
    o.every = 5;
    o.step = step;
    return run_model(model, &o);
}

/* more: rate from the rest of the force, rad/s */
static void assert_pushed(const char *value, const char *method, double more)
{
    double q, qd;
    running r = start_pushed(value, method, 0.01);
    assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 5, .every = 5}));
    trm_joint_values(trm_sim_state(r.sim), 0, &q, &qd);
    print_message("    %s: %.2e rad/s off\n", method, qd - RATE - more);
    assert_near(qd, RATE + more, NEAR);
    stop(&r);
}

static void no_method_passes_over_a_short_push(void **unused)
{
    (void)unused;
    const char *values[] = {"\"100*max(0, 1 - abs(t - 3.7)/0.02)\"",
                            "{ \"t\": [0, 3.68, 3.7, 3.72, 10], \"y\": [0, 0, 100, 0, 0] }"};
    const char *methods[] = {"impulse", "lagrange", "minimal", "auto"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) assert_pushed(values[i], methods[k], 0);
}

/* A push that is small next to the rest of the force. */
static void a_push_on_a_slow_force_is_seen(void **unused)
{
    (void)unused;
    const char *methods[] = {"impulse", "lagrange", "minimal", "auto"};
    for (int k = 0; k < 4; k++)
        assert_pushed("\"3*sin(t) + 100*max(0, 1 - abs(t - 3.7)/0.02)\"", methods[k], 3 * (1 - cos(5)) / 0.35);
}

/* Where functions are smooth at their samples, steps are as long as the error permits. */
static void smooth_functions_do_not_shorten_steps(void **unused)
{
    (void)unused;
    static const double step = 0.001;
    const char *methods[] = {"minimal", "auto"};
    for (int k = 0; k < 2; k++) {
        running r = start_pushed("\"sin(2*t)\"", methods[k], step);
        assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 5, .every = 5}));
        const trm_counters *c = trm_sim_counters(r.sim);
        print_message("    %s: %lld steps, %lld evaluations\n", methods[k], c->steps, c->evaluations);
        assert_true((double)c->evaluations < 0.1 * 5 / step);
        stop(&r);
    }
}

/* A force or torque that reverses leaves the velocity of a step unchanged in whose middle it seems to do so, as a free
 * flight does. 2e-5 m and rad: ten times what is requested for 2 s. */
static void a_force_that_reverses_is_no_free_flight(void **unused)
{
    (void)unused;
    static const char *const forces[] = {"\"force\", \"body\": \"b\", \"value\": [0, 0, \"if(t < 0.3333, 1, -1)\"]",
                                         "\"torque\", \"body\": \"b\", \"value\": [0, 0, \"if(t < 0.3333, 1, -1)\"]"};
    const double way = 2 * 2 / 2. - (2 - 0.3333) * (2 - 0.3333);
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [2, 2, 2] }], \"forces\": "
            "[{ \"type\": %s }] }",
            forces[i]);
        trm_model *model = model_of_text(text);
        trm_simulation_def o = *trm_model_simulation(model);
        o.error = 1e-6;
        running r = run_model(model, &o);
        assert_good(trm_sim_run(r.sim, &(const trm_run_def){.until = 2, .every = 2}));
        const trm_pose pose = trm_body_pose(trm_sim_state(r.sim), 1);
        assert_near(i ? trm_quat_log(pose.q).z : pose.p.z, way / 2, 2e-5);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_method_passes_over_a_short_push),
        cmocka_unit_test(a_push_on_a_slow_force_is_seen),
        cmocka_unit_test(smooth_functions_do_not_shorten_steps),
        cmocka_unit_test(a_force_that_reverses_is_no_free_flight),
    };
    return RUN_TESTS(tests);
}

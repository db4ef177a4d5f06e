/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Extrapolated steps, and steps with error control. */

#include "check.h"
#include "choosing.h"
#include "resuming.h"

/* m, rad: tolerance of joints, so small that the remaining error is that of the step. */
static const double TIGHT = 1e-13;

/* A double pendulum with a force that acts on it. */
#define DOUBLE_PENDULUM(force)                                                                                       \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "    { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } },"                     \
    "    { \"name\": \"b\", \"rod\": { \"from\": [1, 0, 0], \"to\": [2, 0.3, 0], \"mass\": 1 } }],"                  \
    "  \"joints\": ["                                                                                                \
    "    { \"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"           \
    "      \"axis\": [0, 0, 1] },"                                                                                   \
    "    { \"name\": \"j2\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0],"                \
    "      \"axis\": [0, 0, 1] }],"                                                                                  \
    "  \"forces\": [{ " force " }] }"

static const char *const DAMPED =
    DOUBLE_PENDULUM("\"type\": \"spring\", \"bodies\": [\"ground\", \"b\"], \"anchors\": [[0.5, 1, 0], [0.4, 0, 0]],"
                    "  \"stiffness\": 20, \"damping\": 1.5");
static const char *const DRIVEN =
    DOUBLE_PENDULUM("\"type\": \"drive\", \"joint\": \"j1\", \"motion\": \"0.3 * (1 - cos(3 * t))\"");

static const char *const DRIVEN_THROUGHOUT =
    DOUBLE_PENDULUM("\"type\": \"drive\", \"joint\": \"j1\", \"motion\": \"0.3 * (1 - cos(3 * t))\" },"
                    "  { \"type\": \"drive\", \"joint\": \"j2\", \"motion\": \"0.5 * (cos(2 * t) - 1)\"");

typedef struct setting {
    const char *scheme;
    double order, step, error;
} setting;

static running start(trm_model *model, setting s)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.scheme = s.scheme;
    options.order = s.order;
    options.step = s.step;
    options.error = s.error;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TIGHT;
    return run_model(model, &options);
}

static running start_extrapolated(trm_model *model, double step)
{
    return start(model, (setting){"extrapolation", 4, step, NAN});
}

/* Starts with the default scheme of the order, and joints so closely closed that errors of 1e-13 m can be seen. */
static running start_by_itself(trm_model *model, double order, double step)
{
    trm_simulation_def options = *trm_model_simulation(model);
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = 0.1 * TIGHT;
    options.order = order;
    options.step = step;
    return run_model(model, &options);
}

/* ---- Order -------------------------------------------------------------------------------- */

typedef struct problem {
    trm_model *(*make)(void);
    const char *body;
    double step;
    trm_vec3 fine; /* its accurate position after 1 s */
} problem;

static trm_model *damped(void)
{
    return model_of_text(DAMPED);
}

static trm_model *driven(void)
{
    return model_of_text(DRIVEN);
}

static trm_model *eight_loop(void)
{
    return model_of_file(TRM_EXAMPLES "/eight-loop.json");
}

static trm_model *double_pendulum(void)
{
    return model_of_file(TRM_EXAMPLES "/double-pendulum.json");
}

static trm_model *free_body(void)
{
    return model_of_file(TRM_EXAMPLES "/free-body.json");
}

static trm_vec3 place_after_1_s(const problem *p, double step)
{
    running r = start_extrapolated(p->make(), step);
    go_every(&r, 1, 1);
    assert_true(trm_sim_accuracy(r.sim).gap.position <= TIGHT);
    const trm_vec3 place = place_of(&r, p->body);
    stop(&r);
    return place;
}

static double error_after_1_s(double step, const void *context)
{
    const problem *p = context;
    return trm_v3_length(trm_v3_sub(place_after_1_s(p, step), p->fine));
}

static void extrapolation_has_order_four_for_smooth_motion(void **state)
{
    (void)state;
    problem problems[] = {{.make = damped, .body = "b", .step = 0.005},
                          {.make = driven, .body = "b", .step = 0.005},
                          {.make = double_pendulum, .step = 0.005},
                          {.make = eight_loop, .step = 0.00125}}; /* at this step its error follows the powers of h */
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        problem *p = &problems[i];
        trm_model *model = p->make();
        char last[40];
        if (!p->body) {
            snprintf(last, sizeof last, "%s", trm_body_info_of(model, trm_body_count(model) - 1).name);
            p->body = last;
        }
        trm_model_destroy(model);
        p->fine = place_after_1_s(p, p->step / 10);
        const double order = order_between(error_after_1_s, p, p->step);
        print_message("problem %zu: order %.2f\n", i, order);
        assert_near(order, 4, 0.4);
    }
}

typedef struct high_order {
    trm_model *(*make)(void);
    double order, step;
    trm_vec3 fine;
} high_order;

static double error_by_itself(double step, const void *context)
{
    const high_order *p = context;
    running r = start_by_itself(p->make(), p->order, step);
    go_every(&r, 2, 2);
    assert_string_equal(trm_sim_options(r.sim)->scheme, "extrapolation");
    assert_near(trm_sim_options(r.sim)->order, p->order, 0);
    const double error = trm_v3_length(trm_v3_sub(place_of(&r, "b"), p->fine));
    stop(&r);
    return error;
}

static trm_model *held_by_a_servo(void)
{
    return model_of_text(
        DOUBLE_PENDULUM("\"type\": \"servo\", \"joint\": \"j1\", \"kp\": 60, \"kd\": 4, \"target\": 0.5"));
}

/* With forces that depend on velocities, extrapolation is chosen by default, and has the order that was requested. */
static void damped_machines_have_orders_6_and_8(void **state)
{
    (void)state;
    high_order problems[] = {{damped, 6, 0.025, {0, 0, 0}},
                             {damped, 8, 0.05, {0, 0, 0}},
                             {held_by_a_servo, 6, 0.025, {0, 0, 0}},
                             {held_by_a_servo, 8, 0.05, {0, 0, 0}}};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        high_order *p = &problems[i];
        running fine = start_by_itself(p->make(), 8, p->step / 4); /* shorter steps accumulate more rounding */
        go_every(&fine, 2, 2);
        p->fine = place_of(&fine, "b");
        stop(&fine);
        const double order = order_between(error_by_itself, p, p->step);
        print_message("problem %zu: order %.2f of %g\n", i, order, p->order);
        assert_near(order, p->order, 0.5);
    }
}

/* The table on which a pendulum hangs is moved. */
static trm_model *moved(void)
{
    return model_of_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"table\", \"moving\": { \"position\": [\"0.3 * (1 - cos(3 * t))\", 0, 0] } },"
        "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } }],"
        "  \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"table\", \"rod\"],"
        "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }");
}

static double balance_error(double step, const void *context)
{
    const problem *p = context;
    running r = start_extrapolated(p->make(), step);
    go_every(&r, 1, 0.1);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

/* The work of dampers and of moving bodies is counted: E - E0 - W also decreases with the fourth power. */
static void the_energy_balance_has_order_four(void **state)
{
    (void)state;
    const problem problems[] = {{.make = damped}, {.make = moved}, {.make = driven}};
    for (int i = 0; i < 3; i++) assert_near(order_between(balance_error, &problems[i], 0.01), 4, 0.5);
}

/* A free body moves by its closed form with any step. */
static void a_free_body_is_left_as_it_is(void **state)
{
    (void)state;
    running r = start_extrapolated(free_body(), 0.01), s = start(free_body(), (setting){"composition", 2, 0.01, NAN});
    go_every(&r, 1, 1);
    go_every(&s, 1, 1);
    const char *name = trm_body_info_of(r.model, 1).name;
    assert_near(trm_v3_length(trm_v3_sub(place_of(&r, name), place_of(&s, name))), 0, 1e-12);
    assert_near(trm_sim_accuracy(r.sim).energy_error_max, 0, 1e-11);
    stop(&r);
    stop(&s);
}

static void refuse_model(trm_model *model, setting s, const char *said)
{
    trm_simulation_def options = *trm_model_simulation(model);
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    options.scheme = s.scheme;
    options.order = s.order;
    options.error = s.error;
    assert_int_equal(trm_sim_create(model, &options, NULL, messages, &sim), TRM_BAD_INPUT);
    assert_null(sim);
    if (!strstr(trm_message_at(messages, 0)->text, said)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, said));
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

static void refuse(setting s, const char *said)
{
    refuse_model(damped(), s, said);
}

static trm_model *implicit(void)
{
    return model_of_text(
        DOUBLE_PENDULUM("\"name\": \"stiff\", \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"],"
                        "  \"anchors\": [[0.5, 1, 0], [0.4, 0, 0]], \"stiffness\": 20, \"implicit\": true"));
}

/* Implicit springs give steps of order 1: extrapolated as if they were of order 2, they would converge to another
 * motion. */
static void implicit_springs_are_refused_above_order_2(void **state)
{
    (void)state;
    refuse_model(implicit(), (setting){"extrapolation", 2, 0.01, NAN}, "force 'stiff' is applied implicitly");
    refuse_model(implicit(), (setting){"extrapolation", 2, 0.01, 1e-6}, "force 'stiff' is applied implicitly");
    for (double order = 4; order <= 8; order += 2) {
        refuse_model(implicit(), (setting){"auto", order, 0.01, NAN}, "force 'stiff' is applied implicitly");
        refuse_model(implicit(), (setting){"composition", order, 0.01, NAN}, "force 'stiff' is applied implicitly");
    }
    running r = start(implicit(), (setting){"auto", 2, 0.01, NAN});
    go_every(&r, 0.1, 0.1);
    stop(&r);
}

static void what_a_scheme_is_not_is_refused(void **state)
{
    (void)state;
    refuse((setting){"extrapolation", 10, 0.01, NAN}, "there is no order 10");
    refuse((setting){"composition", 4, 0.01, NAN}, "take the scheme extrapolation");
    refuse((setting){"guessing", 2, 0.01, NAN}, "there is no scheme \"guessing\"");
    refuse((setting){"composition", 2, 0.01, -1}, "the error is -1");
}

/* The default order 2 of the options becomes that of the scheme. */
static void the_order_of_extrapolation_need_not_be_given(void **state)
{
    (void)state;
    running r = start(damped(), (setting){"extrapolation", 2, 0.01, NAN});
    assert_near(trm_sim_options(r.sim)->order, 4, 0);
    stop(&r);
}

/* ---- Error control ------------------------------------------------------------------------ */

/* A ball that spins about z under a torque about x: its velocity changes linearly, and only the turning of its axis has an
 * error. */
static trm_model *turning_ball(void)
{
    return model_of_text("{ \"trammel\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { \"name\": \"ball\", \"mass\": 1,"
                         "  \"inertia\": [0.1, 0.1, 0.1], \"angular_velocity\": [0, 0, 5] } ], \"forces\": ["
                         "  { \"type\": \"torque\", \"body\": \"ball\", \"value\": [1, 0, 0] } ] }");
}

static trm_quat turned(double order, double error)
{
    running r = start(turning_ball(), (setting){"auto", order, 0.01, error});
    go_every(&r, 1, 1);
    const trm_quat q = trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, "ball")).q;
    stop(&r);
    return q;
}

static void a_turning_axis_has_the_error_asked_for(void **state)
{
    (void)state;
    const trm_quat exact = turned(8, NAN);
    for (double error = 1e-3; error > 5e-8; error *= 1e-2) {
        const trm_quat off = trm_quat_mul(turned(2, error), trm_quat_conj(exact));
        const double angle = 2 * trm_v3_length(trm_v3(off.x, off.y, off.z));
        print_message("    requested %.0e rad per s, off by %.1e\n", error, angle);
        assert_true(angle < 10 * error);
    }
}

/* A whole step and two halves would be 1.5 times as many factorisations as steps. */
static void steps_of_order_2_are_made_once_under_error_control(void **state)
{
    (void)state;
    running r = start(model_of_file(TRM_EXAMPLES "/double-pendulum.json"), (setting){"composition", 2, 0.01, 1e-4});
    go_every(&r, 2, 1);
    const trm_counters *c = trm_sim_counters(r.sim);
    const double once = (double)c->factorisations / (double)c->steps;
    running fixed =
        start(model_of_file(TRM_EXAMPLES "/double-pendulum.json"), (setting){"composition", 2, 0.01, NAN});
    go_every(&fixed, 2, 1);
    c = trm_sim_counters(fixed.sim);
    const double least = (double)c->factorisations / (double)c->steps;
    print_message("    %.3f factorisations per step, %.3f with fixed steps\n", once, least);
    assert_true(once <= 1.2 * least);
    stop(&fixed);
    stop(&r);
}

/* Drives prescribe all motion, so that the poses of every step are exact: only the work has an error. Long steps
 * between few rows show it: 0.2 of 20 J at order 2 if error control does not see it. */
static void error_control_sees_the_work_of_drives(void **state)
{
    (void)state;
    static const double TIME = 2, SIZE = 1, WITHIN = 10; /* s; m; local errors add up */
    enum { WAYS = 4 };
    static const way ways[WAYS] = {{.choice = "impulse", .error = 1e-4},
                                   {.choice = "impulse", .error = 1e-4, .order = 4},
                                   {.choice = "lagrange:integrator=rk4", .error = 1e-4},
                                   {.choice = "lagrange:integrator=dopri5", .error = 1e-4}};
    for (int i = 0; i < WAYS; i++) {
        running r = run_chosen(model_of_text(DRIVEN_THROUGHOUT), ways[i]);
        trm_verdict verdict;
        go_every(&r, TIME, TIME / 2);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        const double allowed = ways[i].error * TIME * a.energy_scale / SIZE;
        trm_sim_verdict(r.sim, &verdict);
        print_message("    %s, order %g: energy off by %.1e of %.3g J\n", ways[i].choice, ways[i].order,
                      a.energy_error_max, a.energy_scale);
        assert_true(a.energy_error_max <= WITHIN * allowed);
        assert_int_equal(verdict.grade, TRM_GOOD);
        stop(&r);
    }
}

static double error_of_control(trm_model *(*make)(void), const char *scheme, double order, double error,
                               trm_vec3 fine, const char *body, long long *steps)
{
    running r = start(make(), (setting){scheme, order, 0.25, error});
    go_every(&r, 2, 0.5);
    assert_near(trm_state_time(trm_sim_state(r.sim)), 2, 0);
    *steps = trm_sim_counters(r.sim)->steps;
    const double distance = trm_v3_length(trm_v3_sub(place_of(&r, body), fine));
    stop(&r);
    return distance;
}

static void check_control(trm_model *(*make)(void), const char *scheme, double order, const char *body)
{
    running exact = start_extrapolated(make(), 0.0005);
    go_every(&exact, 2, 0.5);
    const trm_vec3 fine = place_of(&exact, body);
    stop(&exact);
    long long before = 0;
    for (double error = 1e-4; error > 5e-9; error *= 1e-2) {
        long long steps;
        const double reached = error_of_control(make, scheme, order, error, fine, body, &steps);
        print_message("%s %g: requested %.0e per s, off by %.1e after 2 s, %lld steps\n", scheme, order, error,
                      reached, steps);
        /* The requested error is per second; the machine may enlarge it, and the estimate is of leading order. */
        assert_true(reached < 10 * 2 * error);
        assert_true(steps > before);
        before = steps;
    }
}

static void the_error_asked_for_is_kept(void **state)
{
    (void)state;
    check_control(damped, "composition", 2, "b");
    check_control(damped, "extrapolation", 4, "b");
    check_control(driven, "composition", 4, "b");
    check_control(driven, "composition", 6, "b");
}

/* A point on a long ellipse about the end of a stiff spring: it is slow near the turning points and fast between
 * them. */
static trm_model *slingshot(void)
{
    return model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 1,"
                         "  \"position\": [1, 0, 0], \"velocity\": [0, 0.1, 0] }],"
                         "  \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"],"
                         "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"rest\": 0.5, \"stiffness\": 400 }] }");
}

static bool is_at_a_quarter(void *context, const trm_state *state)
{
    double *last = context;
    *last = trm_state_time(state);
    return *last / 0.25 == floor(*last / 0.25);
}

static void rows_are_at_exact_times_with_any_steps(void **state)
{
    (void)state;
    double last = NAN;
    running r = start(slingshot(), (setting){"composition", 4, 0.01, 1e-8});
    const trm_run_def run = {.until = 2, .every = 0.25, .row = is_at_a_quarter, .context = &last};
    assert_good(trm_sim_run(r.sim, &run));
    assert_near(last, 2, 0);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max < 1e-5);
    stop(&r);
}

/* If rounding alone exceeds the requested error, the error is as small as the tolerance of joints permits, and the
 * run ends. */
static void an_error_below_all_reason_gives_what_can_be_had(void **state)
{
    (void)state;
    running r = start(slingshot(), (setting){"composition", 8, 0.01, 1e-30});
    go_every(&r, 0.5, 0.5);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max < 1e-9);
    assert_true(trm_sim_counters(r.sim)->steps < 20000);
    stop(&r);
}

/* With a requested error per step below the gaps of joints, steps must not become shorter and shorter without
 * becoming more accurate. */
static void an_error_that_gaps_hide_does_not_shorten_steps_for_ever(void **state)
{
    (void)state;
    trm_model *model = eight_loop();
    trm_simulation_def options = *trm_model_simulation(model);
    for (options.error = 1e-5; options.error > 5e-9; options.error *= 0.1)
        for (int k = 0; k < 2; k++) { /* rows shorten steps and thereby change the gaps of joints */
            running r = run_model(eight_loop(), &options);
            go_every(&r, 0.5, k == 0 ? 0.1 : 0.0025);
            print_message("error %.0e: %lld steps\n", options.error, trm_sim_counters(r.sim)->steps);
            assert_true(trm_sim_counters(r.sim)->steps < 20000);
            stop(&r);
        }
    trm_model_destroy(model);
}

/* At a distance of a million metres from the origin rounding is 1e-10 m. */
static void rounding_of_large_coordinates_is_not_counted_as_error(void **state)
{
    (void)state;
    running r = start(model_of_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"b\","
                                    "  \"point\": true, \"mass\": 1, \"position\": [1e6, 0, 0] }] }"),
                      (setting){"composition", 2, 0.01, 1e-12});
    go_every(&r, 1, 0.5);
    assert_true(trm_sim_counters(r.sim)->steps < 10000);
    stop(&r);
}

/* A force that jumps at 0.3 s, which short steps cross. */
static trm_spatial jump(void *context, const trm_state *state)
{
    (void)context;
    return trm_sp(trm_v3(0, 0, 0), trm_v3(trm_state_time(state) < 0.3 ? 0 : 10, 0, 0));
}

static void a_jump_is_passed(void **state)
{
    (void)state;
    running r = start(slingshot(), (setting){"extrapolation", 4, 0.01, 1e-6});
    assert_int_equal(trm_sim_add_force(r.sim, "jump", 1, jump, NULL), TRM_OK);
    go_every(&r, 0.5, 0.5);
    assert_true(trm_sim_counters(r.sim)->rejections > 5);
    stop(&r);
}

/* ---- Resuming ----------------------------------------------------------------------------- */

static void check_resuming(setting s)
{
    assert_resumes_bit_identically(start(damped(), s), start(damped(), s));
}

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    check_resuming((setting){"extrapolation", 4, 0.01, NAN});
    check_resuming((setting){"extrapolation", 8, 0.01, NAN});
    check_resuming((setting){"extrapolation", 4, 0.01, 1e-7});
    check_resuming((setting){"composition", 2, 0.01, 1e-5});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extrapolation_has_order_four_for_smooth_motion),
        cmocka_unit_test(damped_machines_have_orders_6_and_8),
        cmocka_unit_test(implicit_springs_are_refused_above_order_2),
        cmocka_unit_test(an_error_that_gaps_hide_does_not_shorten_steps_for_ever),
        cmocka_unit_test(the_energy_balance_has_order_four),
        cmocka_unit_test(a_free_body_is_left_as_it_is),
        cmocka_unit_test(what_a_scheme_is_not_is_refused),
        cmocka_unit_test(the_order_of_extrapolation_need_not_be_given),
        cmocka_unit_test(the_error_asked_for_is_kept),
        cmocka_unit_test(error_control_sees_the_work_of_drives),
        cmocka_unit_test(a_turning_axis_has_the_error_asked_for),
        cmocka_unit_test(steps_of_order_2_are_made_once_under_error_control),
        cmocka_unit_test(rows_are_at_exact_times_with_any_steps),
        cmocka_unit_test(an_error_below_all_reason_gives_what_can_be_had),
        cmocka_unit_test(rounding_of_large_coordinates_is_not_counted_as_error),
        cmocka_unit_test(a_jump_is_passed),
        cmocka_unit_test(a_resumed_run_is_bit_identical),
    };
    return RUN_TESTS(tests);
}

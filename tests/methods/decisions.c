/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Events that wait for a condition: their times, actions, delays, the end of a run, and joints that weld bodies in
 * their present pose. */

#include <string.h>

#include "choosing.h"
#include "running.h"

static trm_event_note note_of(const running *r, int index)
{
    trm_event_note note = {0};
    assert_true(trm_sim_event(r->sim, index, &note));
    return note;
}

/* ---- The trebuchet ------------------------------------------------------------------------ */

/* A beam on a hinge, from -60 degrees at rest, with a counterweight of 100 kg at 1 m on one side and a stone of 2 kg
 * welded at 4 m on the other. The stone is released when the beam is at 40 degrees. About the hinge I = 40 + 100*1 +
 * 2*16 kg m^2 and M = (100*1 - 2*4) g: I q'^2 / 2 = M (sin q - sin q0). */
#define TREBUCHET                                                                                                    \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"constants\": { \"c\": \"cos(60*deg)\", \"s\": \"sin(60*deg)\" " \
    "},"                                                                                                             \
    "\"bodies\": [{ \"name\": \"beam\", \"mass\": 1, \"inertia\": [40, 40, 40], \"position\": [0, 0, 0] },"          \
    "{ \"name\": \"weight\", \"point\": true, \"mass\": 100, \"position\": [\"-c\", 0, \"s\"] },"                    \
    "{ \"name\": \"stone\", \"point\": true, \"mass\": 2, \"position\": [\"4*c\", 0, \"-4*s\"] }],"                  \
    "\"joints\": [{ \"name\": \"axle\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"beam\"], \"anchor\": [0, "   \
    "0, 0],"                                                                                                         \
    "  \"axis\": [0, -1, 0], \"q0\": \"-60*deg\" },"                                                                 \
    "{ \"name\": \"hung\", \"type\": \"ball\", \"bodies\": [\"beam\", \"weight\"], \"anchor\": [\"-c\", 0, \"s\"] "  \
    "},"                                                                                                             \
    "{ \"name\": \"sling\", \"type\": \"ball\", \"bodies\": [\"beam\", \"stone\"], \"anchor\": [\"4*c\", 0, "        \
    "\"-4*s\"] }],"                                                                                                  \
    "\"outputs\": { \"aim\": \"axle.q - 40*deg\" },"                                                                 \
    "\"events\": [{ \"when\": \"aim > 0\", \"detach\": \"sling\" }%s] }"

/* Returns the time from q0 to q1: dt = dq sqrt(I / (2 M (sin q - sin q0))), smooth with q = q0 + (q1 - q0) x^2, by
 * Simpson's rule. */
static double release_time(void)
{
    const double deg = TRM_PI / 180, q0 = -60 * deg, q1 = 40 * deg, I = 40 + 100 + 32, M = (100 - 8) * 9.81;
    const int n = 20000;
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        const double x = (double)i / n, q = q0 + (q1 - q0) * x * x;
        const double ratio = x == 0 ? (q1 - q0) / cos(q0) : (q1 - q0) * (q1 - q0) * x * x / (sin(q) - sin(q0));
        const double f = 2 * sqrt(ratio) * sqrt(I / (2 * M));
        sum += f * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
    }
    return sum / (3 * n);
}

static double released_at(double step, double order, double error, const char *more)
{
    char text[3000];
    snprintf(text, sizeof text, TREBUCHET, more);
    running r =
        run_chosen(model_of_text(text),
                   (way){.choice = "impulse", .order = order, .step = step, .error = error, .tolerance = 1e-13});
    go(&r, 1.5);
    const trm_event_note note = note_of(&r, 0);
    assert_string_equal(note.what, "detached");
    assert_string_equal(note.name, "sling");
    stop(&r);
    return note.time;
}

static void a_trebuchet_lets_go_at_an_angle_to_the_order_of_the_scheme(void **state)
{
    (void)state;
    const double exact = release_time();
    const double coarse = fabs(released_at(0.01, 4, 0, "") - exact),
                 fine = fabs(released_at(0.005, 4, 0, "") - exact);
    const double finest = fabs(released_at(0.001, 4, 0, "") - exact);
    print_message("    released at %.6f s; errors %.1e, %.1e and %.1e s at steps of 10, 5 and 1 ms\n", exact, coarse,
                  fine, finest);
    assert_true(finest <= 1e-10);
    assert_true(fine <= coarse / 10); /* 16 at order 4 */
    assert_true(fabs(released_at(0.01, 4, 1e-10, "") - exact) <= 1e-8);
}

static running trebuchet_with(const char *more)
{
    char text[3000];
    snprintf(text, sizeof text, TREBUCHET, more);
    return run_chosen(model_of_text(text), (way){.choice = "impulse", .order = 4, .step = 0.005, .tolerance = 1e-13});
}

static void an_event_may_end_the_run_or_act_later(void **state)
{
    (void)state;
    running r = trebuchet_with(", { \"when\": \"axle.q > 0\", \"stop\": true }");
    go(&r, 1.5);
    const double level = trm_state_time(trm_sim_state(r.sim));
    assert_true(level < 1.004);
    assert_string_equal(note_of(&r, 0).what, "stopped");
    assert_near(note_of(&r, 0).time, level, 0);
    go(&r, 1.5); /* another call continues the run */
    assert_near(trm_state_time(trm_sim_state(r.sim)), 1.5, 0);
    stop(&r);
    const double delay = 0.0123456, rounding = 1e-12;
    r = trebuchet_with(", { \"when\": \"axle.q > 0\", \"delay\": 0.0123456, \"detach\": \"hung\" }");
    go(&r, 1.5);
    assert_string_equal(note_of(&r, 0).name, "hung");
    assert_near(note_of(&r, 0).time, level + delay, rounding);
    stop(&r);
}

/* ---- The end of a run --------------------------------------------------------------------- */

#define BALL                                                                                                         \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{ \"name\": \"ball\", \"point\": true, \"mass\": 1,"   \
    "  \"position\": [0, 0, 5], \"velocity\": [1, 0, 0] }], \"events\": [%s] }"

typedef struct rows {
    int count;
    double last;
} rows;

static bool take_row(void *context, const trm_state *state)
{
    rows *seen = context;
    seen->count++;
    seen->last = trm_state_time(state);
    return true;
}

/* 5 - 5 t^2 < 1.2 at t = sqrt(0.76). */
static void a_run_ends_with_a_row_at_its_event(void **state)
{
    (void)state;
    char text[600];
    snprintf(text, sizeof text, BALL, "{ \"when\": \"ball.z < 1.2 and ball.x > 0.5\", \"stop\": true }");
    running r = run_chosen(model_of_text(text), (way){.choice = "impulse", .order = 2, .step = 0.01});
    rows seen = {0};
    const trm_run_def run = {.until = 2, .every = 0.1, .row = take_row, .context = &seen};
    assert_good(trm_sim_run(r.sim, &run));
    assert_near(seen.last, sqrt(0.76), 1e-12);
    assert_int_equal(seen.count, 10); /* 0, 0.1 .. 0.8, and the end */
    stop(&r);
}

static void a_condition_that_is_true_at_the_start_must_be_false_first(void **state)
{
    (void)state;
    char text[600];
    snprintf(text, sizeof text, BALL, "{ \"when\": \"ball.z > 4\", \"stop\": true }");
    running r = run_chosen(model_of_text(text), (way){.choice = "impulse", .order = 2, .step = 0.01});
    go(&r, 1);
    assert_int_equal(trm_sim_event_count(r.sim), 0);
    stop(&r);
}

/* ---- The gripper -------------------------------------------------------------------------- */

/* A hand is driven through a part that tumbles freely; it grips the part in its present pose when their centres are
 * 0.3 m apart. */
#define GRIPPER                                                                                                      \
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"hand\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1] },"              \
    "{ \"name\": \"part\", \"mass\": 0.5, \"inertia\": [0.02, 0.03, 0.04], \"position\": [1, 0.2, 0.1],"             \
    "  \"orientation\": { \"rpy\": [0.3, -1.1, 2.5] }, \"velocity\": [-0.5, 0, 0], \"angular_velocity\": [3, -2, "   \
    "5] }],"                                                                                                         \
    "\"joints\": [{ \"name\": \"grip\", \"type\": \"fixed\", \"bodies\": [\"hand\", \"part\"], \"attached\": false," \
    "  \"anchor\": [0, 0, 0],"                                                                                       \
    "  \"align\": \"%s\" }], \"outputs\": { \"pose\": { \"of\": \"part\", \"in\": \"hand\" },"                       \
    "  \"apart\": \"sqrt(pose.x^2 + pose.y^2 + pose.z^2)\" },"                                                       \
    "\"events\": [{ \"when\": \"apart < 0.3\", \"attach\": \"grip\" }] }"

static trm_pose relative(const running *r)
{
    const trm_state *s = trm_sim_state(r->sim);
    return trm_pose_mul(trm_pose_inverse(trm_body_pose(s, trm_find_body(r->model, "hand"))),
                        trm_body_pose(s, trm_find_body(r->model, "part")));
}

static void a_gripper_welds_a_part_in_the_orientation_it_has(void **state)
{
    (void)state;
    static const char *const choices[] = {"impulse", "lagrange:integrator=rk4"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        const double kept = 1e-12;
        snprintf(text, sizeof text, GRIPPER, "now");
        running r =
            run_chosen(model_of_text(text),
                       (way){.choice = choices[i], .order = i == 0 ? 4 : NAN, .step = 0.002, .tolerance = 1e-13});
        while (trm_sim_event_count(r.sim) == 0 && trm_state_time(trm_sim_state(r.sim)) < 5)
            assert_good(trm_sim_step(r.sim, 0.002));
        const trm_pose at = relative(&r);
        const trm_momentum before = trm_state_momentum(trm_sim_state(r.sim));
        assert_true(fabs(at.q.w) < 0.99); /* not the initial orientation */
        assert_near(trm_v3_length(at.p), 0.3, 0.01);
        go(&r, 5);
        const trm_pose later = relative(&r);
        const trm_momentum after = trm_state_momentum(trm_sim_state(r.sim));
        print_message("    %s: relative pose kept to %.1e m and %.1e\n", choices[i],
                      trm_v3_length(trm_v3_sub(later.p, at.p)),
                      fabs(later.q.x * at.q.w - at.q.x * later.q.w) + fabs(later.q.y * at.q.w - at.q.y * later.q.w));
        assert_true(trm_v3_length(trm_v3_sub(later.p, at.p)) <= kept);
        const trm_quat turn = trm_quat_mul(trm_quat_conj(at.q), later.q);
        assert_true(trm_v3_length(trm_v3(turn.x, turn.y, turn.z)) <= kept);
        assert_true(trm_v3_length(trm_v3_sub(after.linear, before.linear)) <= 1e-12);
        stop(&r);
    }
}

/* Returns how far the welded bodies separate, m, in steps of h that close the fraction ERP of the gap each. */
static double opened_by_lcp(double step, double erp)
{
    char text[2000], choice[40];
    snprintf(text, sizeof text, GRIPPER, "now");
    snprintf(choice, sizeof choice, "lcp:erp=%g", erp);
    running r = run_chosen(model_of_text(text), (way){.choice = choice, .step = step});
    go(&r, 5);
    const double gap = trm_sim_accuracy(r.sim).gap.position;
    stop(&r);
    return gap;
}

/* lcp closes joints in velocities: a step of two welded bodies that turn opens the weld by about h^2 w^2 r, and the
 * next one closes the fraction ERP of it. */
static void lcp_keeps_a_weld_closed_to_the_square_of_the_step_over_erp(void **state)
{
    (void)state;
    const double usual = opened_by_lcp(0.002, 0.2), half = opened_by_lcp(0.001, 0.2), hard = opened_by_lcp(0.002, 1);
    print_message("    h = 2 ms: %.2e m, 1 ms: %.2e m; ERP 1: %.2e m\n", usual, half, hard);
    assert_near(usual / half, 4, 0.1);
    assert_near(usual / hard, 5, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trebuchet_lets_go_at_an_angle_to_the_order_of_the_scheme),
        cmocka_unit_test(an_event_may_end_the_run_or_act_later),
        cmocka_unit_test(a_run_ends_with_a_row_at_its_event),
        cmocka_unit_test(a_condition_that_is_true_at_the_start_must_be_false_first),
        cmocka_unit_test(a_gripper_welds_a_part_in_the_orientation_it_has),
        cmocka_unit_test(lcp_keeps_a_weld_closed_to_the_square_of_the_step_over_erp),
    };
    return RUN_TESTS(tests);
}

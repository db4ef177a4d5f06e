/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method of Lagrange multipliers: the order of its integrators, the effect of its stabilizers on gaps, its energy
 * balance, and its joint forces. */

#include "lagrange_models.h"
#include "math/rotation.h"
#include "motion/state.h"

/* ---- Order -------------------------------------------------------------------------------- */

static const char *const FINE = "lagrange:integrator=fehlberg8:stabilise=projection";

typedef struct rule {
    const char *name;
    double order;
    double step; /* s: the error shows its power of h and exceeds rounding */
} rule;

static const rule RULES[] = {{"euler", 1, 0.0005}, {"heun", 2, 0.002},    {"midpoint", 2, 0.002},
                             {"rk4", 4, 0.01},     {"dopri5", 5, 0.0025}, {"fehlberg8", 8, 0.02}};
enum { RULES_THERE_ARE = sizeof RULES / sizeof *RULES };
static const double ORDER_SEEN = 0.3;

typedef struct order_case {
    const char *rule, *stabiliser;
} order_case;

static running start_fine(void)
{
    return run_chosen(example("double-pendulum"), (way){.choice = FINE, .step = 0.005, .tolerance = TIGHT});
}

/* Returns the mean distance at ten times within a second: at a single time, terms of the error may cancel. */
static double mean_distance(running *r, running *s)
{
    double sum = 0;
    for (int k = 1; k <= 10; k++) {
        go_every(r, 0.1 * k, 0.1);
        go_every(s, 0.1 * k, 0.1);
        sum += apart(r, s);
    }
    stop(r);
    stop(s);
    return sum / 10;
}

static double distance_from_fine(double step, const void *context)
{
    const order_case *o = context;
    char choice[100];
    snprintf(choice, sizeof choice, "lagrange:integrator=%s:stabilise=%s", o->rule, o->stabiliser);
    running r = run_chosen(example("double-pendulum"), (way){.choice = choice, .step = step, .tolerance = TIGHT});
    running fine = start_fine();
    return mean_distance(&r, &fine);
}

static void each_rule_has_its_order_whether_joints_are_kept_or_not(void **state)
{
    (void)state;
    static const char *const stabilisers[] = {"none", "projection"};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < RULES_THERE_ARE; i++) {
            const order_case o = {RULES[i].name, stabilisers[s]};
            const double order = order_between(distance_from_fine, &o, RULES[i].step);
            print_message("%s, %s: order %.2f, off by %.1e at h = %g\n", o.rule, o.stabiliser, order,
                          distance_from_fine(RULES[i].step, &o), RULES[i].step);
            assert_near(order, RULES[i].order, ORDER_SEEN);
        }
}

/* The reference solution is confirmed by another method. */
static void the_fine_run_is_that_of_the_impulse_method(void **state)
{
    (void)state;
    running fine = start_fine(),
            other = run_chosen(example("double-pendulum"),
                               (way){.choice = "impulse", .step = 0.001, .tolerance = TIGHT, .order = 8});
    const double distance = mean_distance(&fine, &other);
    print_message("fine runs of two methods are %.1e apart\n", distance);
    assert_true(distance < 1e-12);
}

/* Semi-implicit: a weight that is released falls by g h^2 in the first step; explicit Euler would give zero. */
static void euler_moves_with_the_velocity_that_it_has_found(void **state)
{
    (void)state;
    running r = run_chosen(model_of_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                                         "  { \"name\": \"b\", \"point\": true, \"mass\": 1 }] }"),
                           (way){.choice = "lagrange:integrator=euler", .step = 0.125});
    assert_good(trm_sim_step(r.sim, 0.125));
    assert_near(place_of(&r, "b").y, -9.81 * 0.125 * 0.125, 1e-15);
    stop(&r);
}

/* A body that turns by 43 rad per step about an axis that its joint holds: no rule may lose whole turns of it. */
static void a_fast_rotor_turns_by_its_speed_times_the_time(void **state)
{
    (void)state;
    static const char *const choices[] = {"lagrange:integrator=euler", "lagrange", "lagrange:integrator=dopri5",
                                          "subsystem"};
    static const double SPEED = 8660.25;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        running r = run_chosen(
            model_of_text("{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"mass\": 1,"
                          "    \"inertia\": [1, 1, 2], \"angular_velocity\": [0, 0, 8660.25] }],"
                          "  \"joints\": [{ \"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"],"
                          "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }"),
            (way){.choice = choices[i], .step = 0.005});
        for (int k = 1; k <= 20; k++) assert_good(trm_sim_step(r.sim, 0.005));
        double q = 0, rate = 0;
        trm_get_coordinates(trm_sim_state(r.sim), &q, &rate);
        print_message("%s: turned by %.9g rad\n", choices[i], q);
        assert_near(q, SPEED * 0.1, 1e-9);
        stop(&r);
    }
}

/* ---- Baumgarte ---------------------------------------------------------------------------- */

enum { MOST_ROWS = 60 };

/* Residuals of all joint rows and their rates. */
typedef struct gaps {
    int rows;
    double c[MOST_ROWS], rate[MOST_ROWS];
} gaps;

static gaps gaps_of(const running *r)
{
    const trm_state *state = trm_sim_state(r->sim);
    gaps g = {.rows = state->model->row_count};
    assert_true(g.rows <= MOST_ROWS);
    for (int j = 0; j < state->model->joint_count; j++) {
        const trm_joint *joint = &state->model->joints[j];
        const trm_joint_at at = trm_joint_now(state, j);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        double *rate = g.rate + joint->row_offset;
        trm_joint_residual_at(joint, state->pose, state->clock->time, state->memory, g.c + joint->row_offset);
        trm_joint_jacobian_at(joint, state->pose, state->clock->time, state->memory, J);
        trm_joint_rate(&at, rate);
        for (int k = 0; k < joint->rows * joint->body_count; k++)
            rate[k / joint->body_count] += trm_sp_dot(J[k], state->velocity[joint->body[k % joint->body_count]]);
    }
    return g;
}

typedef struct damped_case {
    const char *name;
    double beta, gamma;
} damped_case;

static const damped_case DAMPINGS[] = {{"over", 20, 10}, {"critically ", 10, 10}, {"under", 3, 20}};

/* Returns c1 exp((-beta + root) t) + c2 exp((-beta - root) t) for c and c' at 0, also for double and complex
 * roots. */
static double dying_gap(const damped_case *d, double c, double rate, double t)
{
    const double square = d->beta * d->beta - d->gamma * d->gamma, root = sqrt(fabs(square));
    const double even = square > 0 ? cosh(root * t) : square < 0 ? cos(root * t) : 1;
    const double odd = square > 0 ? sinh(root * t) / root : square < 0 ? sin(root * t) / root : t;
    return exp(-d->beta * t) * (c * even + (rate + d->beta * c) * odd);
}

/* How the body is displaced, turned, and which velocity it gets. */
typedef struct tear {
    const char *model, *body;
    trm_vec3 shift, turn, speed, spin;
} tear;

static const tear TEARS[] = {
    {ON_A_BALL, "rod", {0.01, -0.02, 0.005}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    {ON_A_BALL, "rod", {0.01, -0.02, 0.005}, {0, 0, 0}, {0.3, 0.1, -0.2}, {0, 0, 0}},
    {UNDRIVEN, "b", {0.01, -0.02, 0.005}, {0.02, 0.03, 0.1}, {0, 0, 0}, {0, 0, 0}},
    {UNDRIVEN, "b", {0, 0, 0}, {0.02, 0.03, 0}, {0.1, 0.1, 0.2}, {0.2, -0.3, 0.1}},
    {"four-bar", "coupler", {0.01, -0.005, 0}, {0, 0, 0.02}, {0.05, 0.02, 0}, {0, 0, 0.1}},
    {"eight-loop", "rod4", {0.004, 0.003, 0.002}, {0, 0, 0}, {0, 0.1, 0.1}, {0, 0, 0}},
};

static void tear_away(const running *r, const tear *t)
{
    trm_state *state = trm_sim_state(r->sim);
    const int body = trm_find_body(r->model, t->body);
    assert_true(body > 0);
    trm_pose pose = trm_body_pose(state, body);
    trm_spatial V = trm_body_velocity(state, body);
    pose.p = trm_v3_add(pose.p, t->shift);
    pose.q = trm_quat_mul(trm_quat_exp(t->turn), pose.q);
    V = trm_sp(trm_v3_add(V.ang, t->spin), trm_v3_add(V.lin, t->speed));
    trm_set_body_pose(state, body, pose);
    trm_set_body_velocity(state, body, V);
}

/* Relative to the largest gap so far of the formula: the error of the integrator at this step. */
static const double DYING = 1e-9;

static double check_dying(const tear *t, const damped_case *d)
{
    char choice[100];
    double worst = 0;
    snprintf(choice, sizeof choice, "lagrange:integrator=fehlberg8:stabilise=baumgarte:beta=%g:gamma=%g", d->beta,
             d->gamma);
    running r = run_chosen(model_of(t->model), (way){.choice = choice, .step = 0.0025});
    tear_away(&r, t);
    const gaps start = gaps_of(&r);
    double largest = 0;
    for (int i = 0; i < start.rows; i++) largest = fmax(largest, fmax(fabs(start.c[i]), fabs(start.rate[i]) / 20));
    assert_true(largest > 1e-3); /* the joint is open */
    for (int k = 1; k <= 10; k++) {
        const double time = 0.05 * k;
        go_every(&r, time, 0.05);
        const gaps now = gaps_of(&r);
        for (int i = 0; i < start.rows; i++)
            worst = fmax(worst, fabs(now.c[i] - dying_gap(d, start.c[i], start.rate[i], time)) / largest);
    }
    stop(&r);
    return worst;
}

static void gaps_die_as_the_closed_form_says(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof TEARS / sizeof *TEARS; t++)
        for (size_t d = 0; d < sizeof DAMPINGS / sizeof *DAMPINGS; d++) {
            const double off = check_dying(&TEARS[t], &DAMPINGS[d]);
            print_message("tear %zu, %sdamped: off by %.1e of the gap\n", t, DAMPINGS[d].name, off);
            assert_true(off < DYING);
        }
}

/* ---- Drift -------------------------------------------------------------------------------- */

/* A rod that spins and precesses about its end without gravity: in the frame that turns with it everything is at
 * rest, so that every step makes the same error along the axis of precession. (Errors across that axis turn with the
 * rod and cancel, as do those along the bar of a point that moves on a circle.) */
static const char *const PRECESSING =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\","
    "    \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1, \"radius\": 0.1 },"
    "    \"velocity\": [0, 0, -0.5], \"angular_velocity\": [30, 1, 0] }],"
    "  \"joints\": [{ \"name\": \"end\", \"type\": \"ball\", \"bodies\": [\"ground\", \"b\"],"
    "    \"anchor\": [0, 0, 0] }] }";

static void gaps_that_nothing_closes_grow_with_the_square_of_time(void **state)
{
    (void)state;
    static const char *const rules[] = {"heun", "midpoint"};
    for (int i = 0; i < 2; i++) {
        char choice[100];
        snprintf(choice, sizeof choice, "lagrange:integrator=%s:stabilise=none", rules[i]);
        running r = run_chosen(model_of_text(PRECESSING), (way){.choice = choice, .step = 0.0005});
        go_every(&r, 8, 8);
        const double first = trm_position_gap(trm_sim_state(r.sim), 0).position;
        go_every(&r, 16, 8);
        const double second = trm_position_gap(trm_sim_state(r.sim), 0).position;
        print_message("%s: gap %.2e m at 8 s, %.2e m at 16 s: t^%.2f\n", rules[i], first, second,
                      log2(second / first));
        assert_near(log2(second / first), 2, 0.1);
        stop(&r);
    }
}

static void projection_leaves_no_gap_and_no_rate_of_one(void **state)
{
    (void)state;
    for (int i = 0; i < RULES_THERE_ARE; i++) {
        char choice[100];
        snprintf(choice, sizeof choice, "lagrange:integrator=%s:stabilise=projection", RULES[i].name);
        running r = run_chosen(model_of_text(ON_A_BALL), (way){.choice = choice, .step = 0.01, .tolerance = TIGHT});
        for (int k = 0; k < 200; k++) { /* without rows, because rows would project velocities */
            assert_good(trm_sim_step(r.sim, 0.01));
            assert_true(trm_position_gap(trm_sim_state(r.sim), 0).position <= TIGHT);
            assert_true(trm_velocity_gap(trm_sim_state(r.sim), 0).position <= TIGHT);
        }
        stop(&r);
    }
}

/* ---- Energy ------------------------------------------------------------------------------- */

/* Drag in proportion to the square of the speed. */
static trm_spatial drag(void *context, const trm_state *state)
{
    const int *body = context;
    const trm_vec3 v = trm_body_velocity(state, *body).lin;
    return trm_sp(trm_v3(0, 0, 0), trm_v3_scale(-0.3 * trm_v3_length(v), v));
}

typedef struct balance_case {
    const char *name, *model;
    trm_model *(*make)(void); /* NULL: the model is a text */
    int dragged;              /* index of the body; 0: no drag */
    double step;
    const char *choice;
} balance_case;

static double balance_error(double step, const void *context)
{
    const balance_case *b = context;
    int body = b->dragged;
    running r = run_chosen(b->make ? b->make() : model_of(b->model),
                           (way){.choice = b->choice, .step = step, .tolerance = TIGHT});
    if (body > 0) assert_int_equal(trm_sim_add_force(r.sim, "drag", body, drag, &body), TRM_OK);
    go_every(&r, 1, 0.1);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(fabs(a.work) > 1e-2); /* work is done */
    stop(&r);
    return a.energy_error_max;
}

/* E - E0 - W decreases at least with the order of the integrator: the work of drives, moving bodies, dampers and the
 * caller's forces is integrated by the same rule. */
static void the_energy_balance_has_the_order_of_the_rule(void **state)
{
    (void)state;
    const balance_case cases[] = {
        {.name = "damped", .model = DAMPED, .step = 0.01},
        {.name = "driven", .model = DRIVEN, .step = 0.01},
        {.name = "moved", .model = MOVED, .step = 0.01},
        {.name = "driven slider crank", .make = driven_crank, .step = 0.005},
        {.name = "dragged", .model = UNDRIVEN, .dragged = 2, .step = 0.01},
        {.name = "spring and mass", .model = "spring-mass", .step = 0.01},
    };
    static const rule rules[] = {{"heun", 2, 0.25}, {"rk4", 4, 1}, {"dopri5", 5, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            balance_case b = cases[i];
            char choice[100];
            snprintf(choice, sizeof choice, "lagrange:integrator=%s", rules[k].name);
            b.choice = choice;
            const double step = b.step * rules[k].step, order = order_between(balance_error, &b, step);
            print_message("%s, %s: order %.2f, %.1e J at h = %g\n", b.name, rules[k].name, order,
                          balance_error(step, &b), step);
            assert_true(order > rules[k].order - 0.5);
        }
}

/* ---- Reactions ---------------------------------------------------------------------------- */

static double largest_reaction(const running *r, const running *s, double *difference)
{
    double largest = 0;
    *difference = 0;
    for (int j = 0; j < trm_joint_count(r->model); j++) {
        const trm_spatial a = trm_joint_reaction(trm_sim_state(r->sim), j),
                          b = trm_joint_reaction(trm_sim_state(s->sim), j), d = trm_sp_add_scaled(a, -1, b);
        largest = fmax(largest, sqrt(trm_sp_dot(a, a)));
        *difference = fmax(*difference, sqrt(trm_sp_dot(d, d)));
    }
    return largest;
}

static void check_reactions(trm_model *model, const char *choice)
{
    const way how = {.choice = choice, .tolerance = TIGHT, .step = 0.001};
    chosen c;
    trm_simulation_def options;
    options_of(model, &how, &c, &options);
    running impulse = run_model_at(model, 0.001, TIGHT), lagrange = run_model(model, &options);
    trm_sim_enable_reactions(impulse.sim, true);
    trm_sim_enable_reactions(lagrange.sim, true);
    for (int k = 1; k <= 3; k++) {
        double difference;
        go_every(&impulse, 0.2 * k, 0.2);
        trm_state_copy(trm_sim_state(lagrange.sim), trm_sim_state(impulse.sim));
        assert_good(trm_sim_observe(lagrange.sim));
        const double largest = largest_reaction(&lagrange, &impulse, &difference);
        assert_true(largest > 0.1);
        assert_true(difference <= 1e-9 * largest);
    }
    trm_sim_destroy(lagrange.sim);
    stop(&impulse);
}

static void forces_in_the_joints_are_those_of_the_impulse_method(void **state)
{
    (void)state;
    static const char *const models[] = {"four-bar", "eight-loop", "two-ball-hinge", DAMPED, DRIVEN, MOVED, POINTS};
    static const char *const choices[] = {"lagrange:stabilise=none", "lagrange:stabilise=projection",
                                          "lagrange:stabilise=baumgarte"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int k = 0; k < 3; k++) check_reactions(model_of(models[m]), choices[k]);
    check_reactions(driven_crank(), choices[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_its_order_whether_joints_are_kept_or_not),
        cmocka_unit_test(the_fine_run_is_that_of_the_impulse_method),
        cmocka_unit_test(euler_moves_with_the_velocity_that_it_has_found),
        cmocka_unit_test(a_fast_rotor_turns_by_its_speed_times_the_time),
        cmocka_unit_test(gaps_die_as_the_closed_form_says),
        cmocka_unit_test(gaps_that_nothing_closes_grow_with_the_square_of_time),
        cmocka_unit_test(projection_leaves_no_gap_and_no_rate_of_one),
        cmocka_unit_test(the_energy_balance_has_the_order_of_the_rule),
        cmocka_unit_test(forces_in_the_joints_are_those_of_the_impulse_method),
    };
    return RUN_TESTS(tests);
}

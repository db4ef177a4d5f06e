/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs with minimal coordinates: interrupting and resuming, rows between and within steps, hooks, fixed steps, forces
 * of every kind and their work, rotations of many turns, and refusals. */

#include "choosing.h"
#include "lagrange_models.h"
#include "resuming.h"

static const double AGREE = 1e-7;    /* m, rad: between methods, after 1 s */
static const double TIGHTLY = 1e-12; /* tolerance where methods are compared */

static running start(const char *what, const char *choice, double error)
{
    return run_chosen(model_of(what), (way){.choice = choice, .step = 0.01, .error = error});
}

/* ---- Resuming ----------------------------------------------------------------------------- */

static void a_resumed_run_is_bit_identical(void **state)
{
    (void)state;
    static const struct {
        const char *what, *choice;
        double error;
    } list[] = {{"four-bar", "minimal", 1e-9},
                {"problems/s02-rotating-pendulum", "minimal", 1e-6},
                {"problems/s02-rotating-pendulum", "minimal:history=differences", 1e-6},
                {"problems/s03-triple-rocker", "minimal:history=restart", 1e-9},
                {"problems/s07-slider-rocker", "minimal", 1e-9},
                {"problems/s08-bricard", "minimal", 1e-9},
                {"problems/s09-rssr", "minimal", 1e-9},
                {"problems/s05-parallelogram", "minimal:angles=absolute", 1e-9},
                {"problems/r10-heavy-top", "minimal", 1e-9},
                {"free-body", "minimal", 1e-9},
                {DAMPED, "minimal", 1e-9},
                {DRIVEN, "minimal", 1e-9},
                {MOVED, "minimal", 1e-9},
                {"four-bar", "minimal:integrator=rk4", 0},
                {"four-bar", "minimal:integrator=fehlberg8", 0},
                {DAMPED, "minimal:integrator=rk4", 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        print_message("%.30s by %s\n", list[i].what, list[i].choice);
        assert_resumes_bit_identically(start(list[i].what, list[i].choice, list[i].error),
                                       start(list[i].what, list[i].choice, list[i].error));
    }
}

/* ---- Rows and steps ----------------------------------------------------------------------- */

/* Rows are interpolated within the integrator's steps and do not change them. */
static void rows_cost_no_evaluations(void **state)
{
    (void)state;
    static const double SAME = 1e-9; /* m, rad: interpolated within steps of tolerance 1e-10 */
    running few = start("problems/s02-rotating-pendulum", "minimal", 1e-10),
            many = start("problems/s02-rotating-pendulum", "minimal", 1e-10);
    go_every(&few, 1, 1);
    go_every(&many, 1, 0.0005);
    assert_true(trm_sim_counters(few.sim)->evaluations == trm_sim_counters(many.sim)->evaluations);
    assert_int_equal(trm_sim_counters(few.sim)->switches, trm_sim_counters(many.sim)->switches);
    assert_true(apart(&few, &many) < SAME);
    stop(&few);
    stop(&many);
}

typedef struct path {
    trm_vec3 place[11];
    int count;
} path;

static bool keep_place(void *context, const trm_state *state)
{
    path *p = context;
    assert_true(p->count < 11);
    p->place[p->count++] = trm_body_pose(state, 2).p;
    return true;
}

/* The integrator interpolates rows within a step of 0.3 s, in which a link turns by radians; a cubic between its ends
 * would not represent them. */
static void rows_within_long_steps_are_those_of_the_motion(void **state)
{
    (void)state;
    static const double SAME = 1e-7; /* m: with a tolerance of 1e-9 per second */
    path paths[2] = {0};
    for (int i = 0; i < 2; i++) {
        running r =
            run_chosen(model_of("four-bar"), (way){.choice = "minimal", .step = i ? 0.1 : 0.3, .error = 1e-9});
        const trm_run_def run = {.until = 1, .every = 0.1, .row = keep_place, .context = &paths[i]};
        assert_good(trm_sim_run(r.sim, &run));
        stop(&r);
    }
    assert_int_equal(paths[0].count, paths[1].count);
    for (int k = 0; k < paths[0].count; k++)
        assert_true(trm_v3_length(trm_v3_sub(paths[0].place[k], paths[1].place[k])) < SAME);
}

/* All rows lie within one step of the integrator. */
static void a_thousand_rows_fit_into_a_step(void **state)
{
    (void)state;
    static const double SAME = 1e-10; /* m: interpolated within a step of tolerance 1e-12 */
    running r = start("problems/s01-swinging-pendulum", "minimal", 1e-12),
            fine = start("problems/s01-swinging-pendulum", "minimal", 1e-12);
    go_every(&r, 0.3, 0.3);
    go_every(&fine, 0.3, 0.3);
    const long long before = trm_sim_counters(r.sim)->evaluations;
    for (int i = 1; i <= 1000; i++) {
        assert_good(trm_sim_step(r.sim, 1e-7));
        assert_true(trm_sim_accuracy(r.sim).gap.position < 1e-12);
    }
    assert_true(trm_sim_counters(r.sim)->evaluations <= before + 2);
    assert_good(trm_sim_step(fine.sim, 1e-4));
    assert_true(apart(&r, &fine) < SAME);
    stop(&r);
    stop(&fine);
}

/* Reverses all velocities at 0.5 s. */
static bool turn_round(void *context, trm_sim *sim)
{
    const trm_model **model = context;
    trm_state *state = trm_sim_state(sim);
    if (!*model || trm_state_time(state) < 0.5) return true;
    for (int i = 1; i < trm_body_count(*model); i++)
        trm_set_body_velocity(
            state, i, trm_sp_add_scaled(trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0)), -1, trm_body_velocity(state, i)));
    *model = NULL;
    return true;
}

/* When a hook changes velocities, the integrator restarts: the machine returns to where it began. */
static void a_motion_that_is_turned_round_leads_back(void **state)
{
    (void)state;
    static const char *const list[] = {"four-bar", "problems/s02-rotating-pendulum", "problems/s10-unequal-loop",
                                       "double-pendulum", ON_A_BALL};
    static const char *const choices[] = {"minimal", "minimal:integrator=rk4"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int k = 0; k < 2; k++) {
            const double error = k == 0 ? TIGHTLY : 0;
            running r = run_chosen(model_of(list[i]), (way){.choice = choices[k], .step = 0.0005, .error = error}),
                    begin =
                        run_chosen(model_of(list[i]), (way){.choice = choices[k], .step = 0.0005, .error = error});
            const trm_model *model = r.model;
            trm_sim_set_hooks(r.sim, turn_round, NULL, &model);
            for (int n = 0; n < 2000; n++) assert_good(trm_sim_step(r.sim, 0.0005));
            assert_null(model);
            print_message("%.30s by %s: %.1e from the start\n", list[i], choices[k], apart(&r, &begin));
            assert_true(apart(&r, &begin) < AGREE);
            stop(&r);
            stop(&begin);
        }
}

/* ---- Fixed steps -------------------------------------------------------------------------- */

static double error_of_rk4(double step, const void *context)
{
    running r = run_chosen(model_of(context), (way){.choice = "minimal:integrator=rk4", .step = step}),
            fine = start(context, "minimal", TIGHTLY);
    go_every(&r, 1, 1);
    go_every(&fine, 1, 1);
    const double error = apart(&r, &fine);
    stop(&r);
    stop(&fine);
    return error;
}

static void fixed_steps_have_order_four(void **state)
{
    (void)state;
    static const char *const list[] = {
        "four-bar", "problems/s03-triple-rocker", "problems/s02-rotating-pendulum", "problems/r10-heavy-top", DRIVEN,
        DAMPED};
    static const double steps[] = {0.005, 0.005, 0.01, 0.002, 0.01, 0.01};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const double order = order_between(error_of_rk4, list[i], steps[i]);
        print_message("%.30s: order %.2f\n", list[i], order);
        assert_true(order > 3.7);
    }
}

static void coordinates_are_exchanged_with_fixed_steps_too(void **state)
{
    (void)state;
    running r = run_chosen(example("problems/s02-rotating-pendulum"),
                           (way){.choice = "minimal:integrator=rk4", .step = 0.001});
    go_every(&r, 10, 0.1);
    print_message("energy off by %.1e J\n", trm_sim_accuracy(r.sim).energy_error_max);
    assert_near((double)trm_sim_counters(r.sim)->switches, 31, 2);
    assert_true(trm_sim_accuracy(r.sim).energy_error_max <
                1e-6); /* J: (w h)^4 of 14.69 J is 4e-8 at w = 7 rad/s, and grows */
    stop(&r);
}

/* ---- Comparison with impulses ------------------------------------------------------------- */

#define ARM                                                                                                          \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["                                                    \
    "  { \"name\": \"l1\", \"rod\": { \"from\": [0,0,0], \"to\": [0,0,0.4], \"mass\": 4, \"radius\": 0.06 } },"      \
    "  { \"name\": \"l2\", \"rod\": { \"from\": [0,0,0.4], \"to\": [0,0,0.7], \"mass\": 3, \"radius\": 0.06 } },"    \
    "  { \"name\": \"l3\", \"rod\": { \"from\": [0,0,0.7], \"to\": [0.1,0,0.9], \"mass\": 3, \"radius\": 0.05 } },"  \
    "  { \"name\": \"l4\", \"rod\": { \"from\": [0.1,0,0.9], \"to\": [0.4,0,0.9], \"mass\": 2, \"radius\": 0.05 } "  \
    "},"                                                                                                             \
    "  { \"name\": \"l5\", \"rod\": { \"from\": [0.4,0,0.9], \"to\": [0.6,0.1,0.9], \"mass\": 2, \"radius\": 0.04 "  \
    "} },"                                                                                                           \
    "  { \"name\": \"l6\", \"rod\": { \"from\": [0.6,0.1,0.9], \"to\": [0.7,0.1,0.9], \"mass\": 1, \"radius\": "     \
    "0.04 } },"                                                                                                      \
    "  { \"name\": \"l7\", \"rod\": { \"from\": [0.7,0.1,0.9], \"to\": [0.7,0.1,0.8], \"mass\": 1, \"radius\": "     \
    "0.04 } }],"                                                                                                     \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"a1\", \"type\": \"hinge\", \"bodies\": [\"ground\",\"l1\"], \"anchor\": [0,0,0], \"axis\": "    \
    "[0,0,1] },"                                                                                                     \
    "  { \"name\": \"a2\", \"type\": \"hinge\", \"bodies\": [\"l2\",\"l1\"], \"anchor\": [0,0,0.4], \"axis\": "      \
    "[0,1,0] },"                                                                                                     \
    "  { \"name\": \"a3\", \"type\": \"hinge\", \"bodies\": [\"l2\",\"l3\"], \"anchor\": [0,0,0.7], \"axis\": "      \
    "[0,0,1] },"                                                                                                     \
    "  { \"name\": \"a4\", \"type\": \"hinge\", \"bodies\": [\"l3\",\"l4\"], \"anchor\": [0.1,0,0.9], \"axis\": "    \
    "[0,1,0] },"                                                                                                     \
    "  { \"name\": \"a5\", \"type\": \"hinge\", \"bodies\": [\"l4\",\"l5\"], \"anchor\": [0.4,0,0.9], \"axis\": "    \
    "[1,0,0] },"                                                                                                     \
    "  { \"name\": \"a6\", \"type\": \"hinge\", \"bodies\": [\"l6\",\"l5\"], \"anchor\": [0.6,0.1,0.9], \"axis\": "  \
    "[0,1,0] },"                                                                                                     \
    "  { \"name\": \"a7\", \"type\": \"hinge\", \"bodies\": [\"l6\",\"l7\"], \"anchor\": [0.7,0.1,0.9], \"axis\": "  \
    "[0,0,1] }],"                                                                                                    \
    "  \"forces\": [" ARM_FORCES "] }"
#define ARM_FORCES ""
static const char BARE_ARM[] = ARM;
#undef ARM_FORCES
#define ARM_FORCES                                                                                                   \
    "{ \"name\": \"s1\", \"type\": \"servo\", \"joint\": \"a1\", \"kp\": 80, \"kd\": 9, \"target\": \"sin(2*t)\" }," \
    "{ \"name\": \"s2\", \"type\": \"servo\", \"joint\": \"a2\", \"kp\": 300, \"kd\": 30, \"target\": 0.3 },"        \
    "{ \"name\": \"s4\", \"type\": \"servo\", \"joint\": \"a4\", \"kp\": 200, \"kd\": 10, \"target\": \"0.2*t\" }"
static const char SERVO_ARM[] = ARM;

static void impulses_of_order_eight_go_the_same_way(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double step;
    } list[] = {{"four-bar", 0.0025},
                {"slider-crank", 0.001},
                {"bricard", 0.0025},
                {"double-pendulum", 0.0025},
                {BARE_ARM, 0.001}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        running one = start(list[i].what, "minimal", TIGHTLY),
                two = run_chosen(model_of(list[i].what),
                                 (way){.choice = "impulse", .order = 8, .step = list[i].step, .tolerance = TIGHT});
        go_every(&one, 1, 0.25);
        go_every(&two, 1, 0.25);
        print_message("%.30s: %.1e\n", list[i].what, apart(&one, &two));
        assert_true(apart(&one, &two) < AGREE);
        stop(&one);
        stop(&two);
    }
}

/* ---- Forces and their work ---------------------------------------------------------------- */

#define PENDULUM_WITH(joints, forces)                                                                                \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "    { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1 } },"                     \
    "    { \"name\": \"b\", \"rod\": { \"from\": [1, 0, 0], \"to\": [2, 0.3, 0], \"mass\": 1 } }],"                  \
    "  \"joints\": ["                                                                                                \
    "    { \"name\": \"j1\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"           \
    "      \"axis\": [0, 0, 1] },"                                                                                   \
    "    { \"name\": \"j2\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0],"                \
    "      \"axis\": [0, 0, 1] }" joints "],"                                                                        \
    "  \"forces\": [" forces "] }"

static const struct {
    const char *name, *what;
} LOADED[] = {
    {"damped spring", DAMPED},
    {"drive", DRIVEN},
    {"moving table", MOVED},
    {"servos", SERVO_ARM},
    {"motor", PENDULUM_WITH("", "{ \"type\": \"motor\", \"joint\": \"j1\", \"velocity\": \"2*sin(3*t)\" }")},
    {"gear",
     PENDULUM_WITH(", { \"name\": \"g\", \"type\": \"gear\", \"joints\": [\"j2\", \"j1\"], \"ratio\": -2 }", "")},
    {"force of time",
     PENDULUM_WITH("", "{ \"type\": \"force\", \"body\": \"b\", \"value\": [\"3*cos(4*t)\", 1, 0] }")},
    {"drive of the second hinge",
     PENDULUM_WITH("", "{ \"type\": \"drive\", \"joint\": \"j2\", \"motion\": \"0.5*(1 - cos(4*t))\" }")},
};

static void energy_is_balanced_by_work(void **state)
{
    (void)state;
    static const double BALANCE = 1e-8; /* J at an error of 1e-12 */
    for (size_t i = 0; i < sizeof LOADED / sizeof *LOADED; i++) {
        running r = start(LOADED[i].what, "minimal", TIGHTLY);
        go_every(&r, 1, 0.05);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        print_message("%s: work %.3g J, energy off by %.1e J\n", LOADED[i].name, a.work, a.energy_error_max);
        assert_true(a.energy_error_max < BALANCE);
        stop(&r);
    }
}

static void forces_drives_and_gears_act_as_with_multipliers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LOADED / sizeof *LOADED; i++) {
        running one = start(LOADED[i].what, "minimal", TIGHTLY),
                two = start(LOADED[i].what, "lagrange:integrator=fehlberg8", 1e-12);
        go_every(&one, 1, 0.25);
        go_every(&two, 1, 0.25);
        print_message("%s: %.1e\n", LOADED[i].name, apart(&one, &two));
        assert_true(apart(&one, &two) < AGREE);
        stop(&one);
        stop(&two);
    }
}

static trm_spatial stir(void *context, const trm_state *state)
{
    const trm_spatial V = trm_body_velocity(state, *(const int *)context);
    return trm_sp(trm_v3_scale(-0.1, V.ang), trm_v3(2, -0.3 * V.lin.y, 0));
}

static void forces_of_the_caller_act(void **state)
{
    (void)state;
    static const char *const choices[] = {"minimal", "lagrange:integrator=fehlberg8"};
    running r[2];
    for (int i = 0; i < 2; i++) {
        static int body;
        r[i] = start("double-pendulum", choices[i], TIGHTLY);
        body = trm_body_count(r[i].model) - 1;
        assert_int_equal(trm_sim_add_force(r[i].sim, "stir", body, stir, &body), TRM_OK);
        go_every(&r[i], 1, 0.05);
    }
    assert_true(apart(&r[0], &r[1]) < AGREE);
    assert_true(trm_sim_accuracy(r[0].sim).work != 0);
    assert_true(trm_sim_accuracy(r[0].sim).energy_error_max < 1e-8); /* J */
    stop(&r[0]);
    stop(&r[1]);
}

/* A torque that the caller changes after each step must act at once, not only from the end of a longer step of the
 * integrator on. */
static trm_spatial push_by(void *context, const trm_state *state)
{
    (void)state;
    return trm_sp(trm_v3(0, 0, *(const double *)context), trm_v3(0, 0, 0));
}

static void changes_by_the_caller_between_steps_act_at_once(void **state)
{
    (void)state;
    static const char *const choices[] = {"minimal", "minimal:integrator=rk4", "impulse"};
    static const char WHEEL[] =
        "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2] }],"
        "\"joints\": [{ \"name\": \"ja\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, "
        "0],"
        "  \"axis\": [0, 0, 1] }] }";
    for (int i = 0; i < 3; i++) {
        running r = start(WHEEL, choices[i], i == 0 ? 1e-10 : 0);
        double torque = 0, q = 0, rate = 0;
        assert_int_equal(trm_sim_add_force(r.sim, "push", 1, push_by, &torque), TRM_OK);
        for (int k = 0; k < 20; k++) {
            torque = k % 3 - 0.7;
            q += 0.01 * rate + 0.5 * 0.0001 * torque / 0.2;
            rate += 0.01 * torque / 0.2;
            assert_good(trm_sim_step(r.sim, 0.01));
        }
        print_message("%s: off by %.1e rad\n", choices[i], coordinate_of(&r, "ja") - q);
        assert_near(coordinate_of(&r, "ja"), q, 1e-12);
        stop(&r);
    }
}

/* ---- Many turns --------------------------------------------------------------------------- */

/* Rotation vectors are replaced by shorter ones when they exceed half a turn; impulses of order 8, the reference, do
 * not use them. */
static void rotations_of_many_turns_keep_their_accuracy(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double until, step, agree;
    } list[] = {
        {"free-body", 10, 0.005, 1e-7}, {"problems/r10-heavy-top", 2, 0.0005, 1e-6}, {ON_A_BALL, 10, 0.0025, 1e-6}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        running one = start(list[i].what, "minimal", TIGHTLY),
                two = run_chosen(model_of(list[i].what),
                                 (way){.choice = "impulse", .order = 8, .step = list[i].step, .tolerance = TIGHT});
        go_every(&one, list[i].until, list[i].until / 20);
        go_every(&two, list[i].until, list[i].until);
        print_message("%.30s: %.1e after %g s, energy off by %.1e J, %lld evaluations\n", list[i].what,
                      apart(&one, &two), list[i].until, trm_sim_accuracy(one.sim).energy_error_max,
                      trm_sim_counters(one.sim)->evaluations);
        assert_true(apart(&one, &two) < list[i].agree);
        stop(&one);
        stop(&two);
    }
}

/* Two wheels and a torsion spring whose angle is several turns from its rest angle. With rows a second apart, between
 * which everything turns many times, the result is the same as with rows every millisecond. */
#define WHEELS                                                                                                       \
    "{ \"trammel\": 1, \"bodies\": ["                                                                                \
    "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, 90] },"            \
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 0],"                       \
    "    \"angular_velocity\": [0, 0, -270] }],"                                                                     \
    "\"joints\": ["                                                                                                  \
    "  { \"name\": \"ja\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"             \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"jb\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [1, 0, 0],"             \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"gear\", \"type\": \"gear\", \"joints\": [\"jb\", \"ja\"], \"ratio\": -3 }],"                    \
    "\"forces\": [{ \"type\": \"torsion\", \"joint\": \"ja\", \"stiffness\": 20, \"rest\": 0 }] }"

static void turns_between_rows_are_counted(void **state)
{
    (void)state;
    static const char *const choices[] = {"minimal", "minimal:integrator=rk4"};
    for (int i = 0; i < 2; i++) {
        const double error = i == 0 ? TIGHTLY : 0;
        running seldom = start(WHEELS, choices[i], error), often = start(WHEELS, choices[i], error);
        go_every(&seldom, 2, 1);
        go_every(&often, 2, 0.001);
        /* 0.2 + 9 * 0.1 kg m^2 on 20 N m: A sin(w t) */
        const double w = sqrt(20 / 1.1), angle = 90 / w * sin(2 * w);
        print_message("%s: after %.1f turns off by %.1e rad, with rows every millisecond by %.1e\n", choices[i],
                      angle / (2 * TRM_PI), coordinate_of(&seldom, "ja") - angle,
                      coordinate_of(&often, "ja") - angle);
        assert_near(coordinate_of(&often, "ja"), angle, 1e-5);
        assert_near(coordinate_of(&seldom, "ja"), angle, 1e-5);
        assert_near(coordinate_of(&seldom, "jb"), -3 * angle, 3e-5);
        stop(&seldom);
        stop(&often);
    }
}

/* A bead on a helix of 0.2 m per turn, which falls six turns in 8 s: z = -g sin^2 t^2/2. With rows a second apart, up to
 * 1.5 turns, the place on the curve is followed from step to step of the integrator. */
static void places_on_curves_are_followed_between_rows(void **state)
{
    (void)state;
    const char *helix = "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'bead', 'point': true,"
                        " 'mass': 1, 'position': [0.5, 0, 0] }], 'joints': [{ 'name': 'wire', 'type': 'curve',"
                        " 'bodies': ['ground', 'bead'], 'curve': { 'helix': { 'origin': [0, 0, 0],"
                        " 'axis': [0, 0, 1], 'radius': 0.5, 'pitch': 0.2 } } }] }";
    const double rise = 0.2 / (2 * TRM_PI), sin2 = rise * rise / (rise * rise + 0.25);
    for (double every = 0.01; every < 5; every *= 20) {
        running r = run_chosen(quoted(helix), (way){.choice = "minimal", .step = every, .error = 1e-10});
        go_every(&r, 8, every);
        assert_near(place_of(&r, "bead").z, -9.81 * sin2 * 8 * 8 / 2, 1e-7);
        stop(&r);
    }
}

/* ---- Loops with gaps near rounding -------------------------------------------------------- */

#define FOUR_BAR_AT(x, y)                                                                                            \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"constants\": { \"X\": " x ", \"Y\": " y " }, \"bodies\": ["     \
    "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [\"X\", \"Y+0.5\", 0] },"      \
    "  { \"name\": \"b\", \"mass\": 2, \"inertia\": [0.1, 0.1, 0.1], \"position\": [\"X+1\", \"Y+1\", 0] },"         \
    "  { \"name\": \"c\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"position\": [\"X+2.002\", \"Y+0.5\", 0] "  \
    "}],"                                                                                                            \
    "\"joints\": ["                                                                                                  \
    "  { \"name\": \"A\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [\"X\", \"Y\", 0],"      \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"B\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [\"X\", \"Y+1\", 0],"         \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"C\", \"type\": \"hinge\", \"bodies\": [\"b\", \"c\"], \"anchor\": [\"X+2\", \"Y+1\", 0],"       \
    "    \"axis\": [0, 0, 1] },"                                                                                     \
    "  { \"name\": \"D\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"c\"], \"anchor\": [\"X+2.004\", \"Y\", "   \
    "0],"                                                                                                            \
    "    \"axis\": [0, 0, 1] }] }"

/* Gaps cannot become smaller than the rounding of positions, 2e-12 m at a distance of ten kilometres. */
static void a_loop_far_from_the_origin_moves_as_one_near_it(void **state)
{
    (void)state;
    static const char *const choices[] = {"minimal", "minimal:closure=newton"};
    for (int i = 0; i < 2; i++) {
        running near = start(FOUR_BAR_AT("0", "0"), choices[i], 1e-10),
                far = start(FOUR_BAR_AT("1e4", "-7e3"), choices[i], 1e-10);
        go_every(&near, 2, 0.1);
        go_every(&far, 2, 0.1);
        const double apart_by = fabs(coordinate_of(&near, "B") - coordinate_of(&far, "B"));
        print_message("%s: %.1e rad apart\n", choices[i], apart_by);
        assert_true(apart_by < 1e-6);
        stop(&near);
        stop(&far);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void refuse(const char *what, const char *choice, double error, const char *said)
{
    chosen c;
    trm_model *model = model_of(what);
    trm_simulation_def options;
    options_of(model, &(way){.choice = choice, .error = error}, &c, &options);
    options.scheme = trm_default_simulation_def().scheme;
    options.order = trm_default_simulation_def().order;
    print_message("%.20s %s: %s\n", what, choice, said);
    assert_refused(model, &options, said);
}

static void unsupported_elements_are_refused_by_name(void **state)
{
    (void)state;
    refuse("stack", "minimal", 0, "body 'box1' has shapes that may collide");
    refuse("crane", "minimal", 0, "joint 'rope' is a rope");
    refuse("arm", "minimal", 0, "has events");
    refuse(
        PENDULUM_WITH(
            ", { \"name\": \"stop\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [2, 0.3, 0],"
            "    \"axis\": [0, 0, 1], \"limits\": [-1, 1] }",
            ""),
        "minimal", 0, "joint 'stop'");
    refuse(
        PENDULUM_WITH(
            ", { \"name\": \"rough\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [2, 0.3, 0],"
            "    \"axis\": [0, 0, 1], \"friction\": 1 }",
            ""),
        "minimal", 0, "joint 'rough'");
    refuse(PENDULUM_WITH(
               "", "{ \"name\": \"weak\", \"type\": \"motor\", \"joint\": \"j1\", \"velocity\": 1, \"max\": 3 }"),
           "minimal", 0, "joint 'weak' is a motor whose force is limited");
    refuse("eight-loop-folded", "minimal", 0, "closes a loop in a singular pose");
    refuse("four-bar", "minimal:cut=Z", 0, "'minimal.cut' names 'Z'");
    refuse("bricard", "minimal:angles=absolute", 0, "does not turn in one plane with the others");
    refuse("four-bar", "minimal:integrator=rk4", 1e-6, "rk4, whose steps are fixed; leave out the error");
    refuse("four-bar", "minimal:ratio=0.5", 0, "minimal.ratio is 0.5; it must be 1 or more");
    refuse("four-bar", "minimal:history=none", 0, "minimal.history is \"none\"; it can be");
    refuse("four-bar", "minimal:integrator=euler", 0, "minimal.integrator is \"euler\"; it can be");
}

static void time_runs_back_with_fixed_steps_alone(void **state)
{
    (void)state;
    running r = start("four-bar", "minimal", 1e-9), fixed = start("four-bar", "minimal:integrator=rk4", 0),
            begin = start("four-bar", "minimal:integrator=rk4", 0);
    assert_good(trm_sim_step(r.sim, 0.01));
    const trm_outcome outcome = trm_sim_step(r.sim, -0.01);
    assert_false(outcome.ok);
    assert_string_equal(outcome.why, "runs forward in time only");
    for (int i = 0; i < 200; i++) assert_good(trm_sim_step(fixed.sim, i < 100 ? 0.001 : -0.001));
    assert_true(apart(&fixed, &begin) < 1e-9);
    stop(&r);
    stop(&fixed);
    stop(&begin);
}

/* ---- Changes by the caller ---------------------------------------------------------------- */

static void velocities_that_violate_joints_are_projected_as_by_impulse(void **state)
{
    (void)state;
    static const char *const choices[] = {"minimal", "impulse"};
    running r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = run_chosen(model_of("four-bar"), (way){.choice = choices[i], .step = 0.001, .tolerance = 1e-13});
        go_every(&r[i], 0.1, 0.1);
        const int body = trm_body_count(r[i].model) - 1;
        trm_spatial V = trm_body_velocity(trm_sim_state(r[i].sim), body);
        V.lin.x += 0.3, V.ang.z += 1;
        trm_set_body_velocity(trm_sim_state(r[i].sim), body, V);
        assert_good(trm_sim_observe(r[i].sim));
    }
    double most = 0;
    for (int b = 1; b < trm_body_count(r[0].model); b++) {
        const trm_spatial one = trm_body_velocity(trm_sim_state(r[0].sim), b),
                          other = trm_body_velocity(trm_sim_state(r[1].sim), b);
        most = fmax(
            most, fmax(trm_v3_length(trm_v3_sub(one.lin, other.lin)), trm_v3_length(trm_v3_sub(one.ang, other.ang))));
    }
    print_message("    velocities that were set differ by %.1e m/s and rad/s behind both\n", most);
    assert_true(most < 1e-4); /* the states before differ by the error of impulse of order 2 */
    assert_good(trm_sim_step(r[0].sim, 0.01));
    assert_good(trm_sim_observe(r[0].sim));
    for (int j = 0; j < trm_joint_count(r[0].model); j++)
        assert_true(trm_velocity_gap(trm_sim_state(r[0].sim), j).position < 1e-12);
    stop(&r[0]);
    stop(&r[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_is_bit_identical),
        cmocka_unit_test(rows_cost_no_evaluations),
        cmocka_unit_test(rows_within_long_steps_are_those_of_the_motion),
        cmocka_unit_test(a_thousand_rows_fit_into_a_step),
        cmocka_unit_test(a_motion_that_is_turned_round_leads_back),
        cmocka_unit_test(fixed_steps_have_order_four),
        cmocka_unit_test(coordinates_are_exchanged_with_fixed_steps_too),
        cmocka_unit_test(impulses_of_order_eight_go_the_same_way),
        cmocka_unit_test(energy_is_balanced_by_work),
        cmocka_unit_test(forces_drives_and_gears_act_as_with_multipliers),
        cmocka_unit_test(forces_of_the_caller_act),
        cmocka_unit_test(changes_by_the_caller_between_steps_act_at_once),
        cmocka_unit_test(rotations_of_many_turns_keep_their_accuracy),
        cmocka_unit_test(turns_between_rows_are_counted),
        cmocka_unit_test(places_on_curves_are_followed_between_rows),
        cmocka_unit_test(a_loop_far_from_the_origin_moves_as_one_near_it),
        cmocka_unit_test(unsupported_elements_are_refused_by_name),
        cmocka_unit_test(time_runs_back_with_fixed_steps_alone),
        cmocka_unit_test(velocities_that_violate_joints_are_projected_as_by_impulse),
    };
    return RUN_TESTS(tests);
}

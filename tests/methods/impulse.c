/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The impulse method compared with closed forms and references: motion, order, energy balance, momentum, gaps. */

#include "check.h"
#include "model/joint.h"
#include "random_bodies.h"
#include "running.h"
#include "sanitized.h"

/* m, rad: tolerance of joints, so small that the remaining error is that of the step. */
static const double TIGHT = 1e-12;

static double distance(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_length(trm_v3_sub(a, b));
}

/* ---- Pendulums ---------------------------------------------------------------------------- */

#define PENDULUM(g, x, y)                                                                                            \
    "{ \"trammel\": 1, \"gravity\": [0, " g ", 0],"                                                                  \
    "  \"bodies\": [{ \"name\": \"bob\", \"point\": true, \"mass\": 1, \"position\": [" x ", " y ", 0] }],"          \
    "  \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\", \"bodies\": [\"ground\", \"bob\"],"                 \
    "    \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 }] }"

/* IFToMM A01 (problems.md R01): closed form, from (-1, 0) at rest. */
static const char *const pendulum = PENDULUM("-9.81", "-1", "0");
static const trm_vec3 pendulum_at_1 = {0.98629175113187532, -0.16501085312554117, 0};
static const trm_vec3 pendulum_at_5 = {-0.94230543504375734, -0.33475433841400058, 0};
static const trm_vec3 pendulum_at_10 = {-0.27508746257611686, -0.96141920509912506, 0};

static double pendulum_error(double step, const void *context)
{
    (void)context;
    running r = run_text(pendulum, step, TIGHT);
    go(&r, 1);
    const double error = distance(place_of(&r, "bob"), pendulum_at_1);
    stop(&r);
    return error;
}

static void the_pendulum_moves_with_order_2(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    for (double h = 0.01; h > 0.002; h /= 2) assert_near(order_between(pendulum_error, NULL, h), 2, slack);
    assert_true(pendulum_error(0.01, NULL) < 1e-3);
}

static void the_pendulum_meets_its_reference_over_10_s(void **unused)
{
    (void)unused;
    const double tolerance = 2e-5; /* second order at h = 0.0005: 1.5e-5 after 10 s */
    running r = run_text(pendulum, 0.0005, TIGHT);
    go_every(&r, 5, 0.1);
    assert_near(distance(place_of(&r, "bob"), pendulum_at_5), 0, tolerance);
    go_every(&r, 10, 0.1);
    assert_near(distance(place_of(&r, "bob"), pendulum_at_10), 0, tolerance);
    stop(&r);
}

/* Times at which the bob passes its lowest point, one per half swing: x = 0 on the cubic through the last two
 * steps. */
typedef struct passes {
    double t, x, vx;
    double last;
    int count;
} passes;

static bool watch_passes(void *context, const trm_state *state)
{
    passes *p = context;
    const double t = trm_state_time(state), x = trm_body_pose(state, 1).p.x, vx = trm_body_velocity(state, 1).lin.x;
    if (p->x * x < 0) {
        const double h = t - p->t;
        double s = p->x / (p->x - x);
        for (int i = 0; i < 5; i++) { /* Newton on Hermite's cubic in s = 0 .. 1 */
            const double a = p->x, b = h * p->vx, c = 3 * (x - a) - h * vx - 2 * b, d = 2 * (a - x) + b + h * vx;
            s -= (a + s * (b + s * (c + s * d))) / (b + s * (2 * c + s * 3 * d));
        }
        p->last = p->t + s * h;
        p->count++;
    }
    p->t = t, p->x = x, p->vx = vx;
    return true;
}

/* Returns twice the mean of the half periods between the first and the last pass. */
static double period_of(const char *text, double step, double until)
{
    running r = run_text(text, step, TIGHT);
    passes p = {0};
    double first = 0;
    const trm_run_def to_first = {.until = until / 10, .every = NAN, .row = watch_passes, .context = &p};
    const trm_run_def to_last = {.until = until, .every = NAN, .row = watch_passes, .context = &p};
    assert_good(trm_sim_run(r.sim, &to_first));
    assert_int_equal(p.count, 1);
    first = p.last;
    assert_good(trm_sim_run(r.sim, &to_last));
    stop(&r);
    return 2 * (p.last - first) / (p.count - 1);
}

/* T = 4 sqrt(l/g) K(sin(amplitude/2)), K = pi / (2 agm(1, cos(amplitude/2))) */
static double right_period(double g, double amplitude)
{
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 10; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * TRM_PI / (a * sqrt(g));
}

static double period_error(double step, const void *context)
{
    (void)context;
    return fabs(period_of(pendulum, step, 10) - right_period(9.81, TRM_PI / 2));
}

static void the_period_converges_with_order_2_to_the_elliptic_integral(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    assert_near(order_between(period_error, NULL, 0.01), 2, slack);
    assert_near(order_between(period_error, NULL, 0.005), 2, slack);
}

/* Erratum 4: the relative error of the period is -h^2/24 where l/g = 1 s^2; at h = 0.01 it is 0.0004167 %. */
static void small_swings_are_too_fast_by_h2_over_24(void **unused)
{
    (void)unused;
    const double share = 0.02; /* the next term of the series in h, and the interpolation of passes */
    const double h = 0.01, amplitude = 0.01;
    const char *const text = PENDULUM("-1", "\"-sin(0.01)\"", "\"-cos(0.01)\"");
    const double right = right_period(1, amplitude), found = period_of(text, h, 40);
    assert_near((right - found) / right, h * h / 24, share * h * h / 24);
}

/* A body whose reduced pendulum length (I + m d^2)/(m d) is 1 m: the point 1 m from its pivot moves as the bob of a
 * simple pendulum. */
static void a_rigid_rod_swings_like_the_point_in_its_centre_of_oscillation(void **unused)
{
    (void)unused;
    const char *const rod =
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"
        "  \"bodies\": [{ \"name\": \"rod\", \"mass\": 3, \"inertia\": [0.1, 0.8, 0.75], \"position\": [-0.5, 0, 0] "
        "}],"
        "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"],"
        "    \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }] }";
    const double tolerance = 2e-5; /* second order at h = 0.001 */
    running r = run_text(rod, 0.001, TIGHT);
    go(&r, 1);
    const int body = trm_find_body(r.model, "rod");
    assert_near(distance(trm_point_position(trm_sim_state(r.sim), body, trm_v3(-0.5, 0, 0)), pendulum_at_1), 0,
                tolerance);
    assert_near(coordinate_of(&r, "pin"), TRM_PI + atan2(pendulum_at_1.y, pendulum_at_1.x), tolerance);
    stop(&r);
}

/* ---- Chains ------------------------------------------------------------------------------- */

static const char *const double_pendulum = TRM_EXAMPLES "/double-pendulum.json";

static trm_vec3 lower_rod_at_1(double step)
{
    running r = run_file(double_pendulum, step, TIGHT);
    go_every(&r, 1, 1);
    const trm_vec3 place = place_of(&r, "lower");
    stop(&r);
    return place;
}

static double double_pendulum_error(double step, const void *context)
{
    return distance(lower_rod_at_1(step), *(const trm_vec3 *)context);
}

static void the_double_pendulum_converges_with_order_2_to_its_fine_solution(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    const trm_vec3 fine = lower_rod_at_1(0.0001);
    for (double h = 0.004; h > 0.0015; h /= 2) assert_near(order_between(double_pendulum_error, &fine, h), 2, slack);
}

/* Points p1 .. pn on links of 0.25 m, initially level. Links are distance joints. */
static trm_model *chain_of_points(int n)
{
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [");
    for (int i = 1; i <= n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{ \"name\": \"p%d\", \"point\": true, \"mass\": 1, \"position\": [%.2f, 0, 0] },",
                                 i, 0.25 * i);
    used += (size_t)snprintf(text + used, sizeof text - used, "], \"joints\": [");
    for (int i = 1; i <= n; i++) {
        char before[20] = "ground";
        if (i > 1) snprintf(before, sizeof before, "p%d", i - 1);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "{ \"name\": \"j%d\", \"type\": \"distance\", \"bodies\": [\"%s\", \"p%d\"], "
                                 "\"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 0.25 },",
                                 i, before, i);
    }
    snprintf(text + used, sizeof text - used, "] }");
    return model_of_text(text);
}

/* problems.md R13, chain8: the tip after 0.25 s. */
static double chain_error(double step, const void *context)
{
    (void)context;
    running r = run_model_at(chain_of_points(8), step, TIGHT);
    go_every(&r, 0.25, 0.25);
    const double error = distance(place_of(&r, "p8"), trm_v3(1.9159002949162977, -0.30656249999639325, 0));
    stop(&r);
    return error;
}

static void a_chain_of_points_converges_with_order_2_to_its_reference(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    assert_near(order_between(chain_error, NULL, 0.005), 2, slack);
    assert_near(order_between(chain_error, NULL, 0.0025), 2, slack);
}

/* ---- Joint types -------------------------------------------------------------------------- */

#define DOOR(joints)                                                                                                 \
    "{ \"trammel\": 1, \"gravity\": [2, -9.81, 1], \"bodies\": [{ \"name\": \"door\", \"mass\": 1,"                  \
    " \"inertia\": [0.3, 0.2, 0.4, 0.02, 0.01, -0.03], \"position\": [0.5, 0, 0] }], \"joints\": [" joints "] }"

static void a_hinge_and_two_balls_move_alike(void **unused)
{
    (void)unused;
    const double tolerance = 1e-9; /* of joints kept to 1e-12, over 400 steps */
    running hinge = run_text(DOOR("{ \"name\": \"h\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"door\"],"
                                  " \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1] }"),
                             0.005, TIGHT);
    running balls = run_text(DOOR("{ \"name\": \"a\", \"type\": \"ball\", \"bodies\": [\"ground\", \"door\"],"
                                  " \"anchor\": [0, 0, -0.5] },"
                                  "{ \"name\": \"b\", \"type\": \"ball\", \"bodies\": [\"ground\", \"door\"],"
                                  " \"anchor\": [0, 0, 0.5] }"),
                             0.005, TIGHT);
    for (int i = 1; i <= 20; i++) {
        go_every(&hinge, 0.1 * i, 0.1);
        go_every(&balls, 0.1 * i, 0.1);
        assert_near(distance(place_of(&hinge, "door"), place_of(&balls, "door")), 0, tolerance);
    }
    assert_true(distance(place_of(&hinge, "door"), trm_v3(0.5, 0, 0)) > 0.1); /* the door moved */
    stop(&hinge);
    stop(&balls);
}

static void a_slider_falls_down_its_slope(void **unused)
{
    (void)unused;
    const double tolerance = 1e-9; /* constant acceleration is exact: 200 steps of D_max */
    running r = run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"
                         "  \"bodies\": [{ \"name\": \"b\", \"mass\": 2, \"inertia\": [1, 2, 2.5] }],"
                         "  \"joints\": [{ \"name\": \"s\", \"type\": \"slider\", \"bodies\": [\"ground\", \"b\"],"
                         "    \"anchor\": [0.3, 0.2, 0.1], \"axis\": [\"-cos(30*deg)\", \"-sin(30*deg)\", 0] }] }",
                         0.01, TIGHT);
    go(&r, 2);
    const double s = 0.5 * 9.81 * 0.5 * 2 * 2;
    assert_near(coordinate_of(&r, "s"), s, tolerance);
    assert_near(distance(place_of(&r, "b"), trm_v3(-s * sqrt(0.75), -s / 2, 0)), 0, tolerance);
    stop(&r);
}

/* Two cubes side by side as two bodies held fixed, and as one body. */
#define HALF_CUBE(name, x)                                                                                           \
    "{ \"name\": \"" name "\", \"mass\": 1, \"inertia\": [0.2, 0.3, 0.4], \"position\": [" x ", 0, 0],"              \
    "  \"velocity\": [0, \"3*(" x ")\", \"-0.2*(" x ")\"], \"angular_velocity\": [1, 0.2, 3] }"

static double fixed_pair_error(double step, const void *context)
{
    (void)context;
    running pair = run_text(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0],"
        "  \"bodies\": [" HALF_CUBE("left", "-0.5") ", " HALF_CUBE(
            "right",
            "0.5") "],"
                   "  \"joints\": [{ \"name\": \"f\", \"type\": \"fixed\", \"bodies\": [\"left\", \"right\"],"
                   "    \"anchor\": [0, 0, 0] }] }",
        step, TIGHT);
    running whole = run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"one\","
                             " \"mass\": 2, \"inertia\": [0.4, 1.1, 1.3], \"angular_velocity\": [1, 0.2, 3] }] }",
                             step, TIGHT);
    go_every(&pair, 1, 1);
    go_every(&whole, 1, 1);
    const trm_vec3 right = trm_point_position(trm_sim_state(whole.sim), 1, trm_v3(0.5, 0, 0));
    const double error = distance(place_of(&pair, "right"), right);
    stop(&pair);
    stop(&whole);
    return error;
}

static void two_bodies_held_fixed_move_as_one(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    assert_near(order_between(fixed_pair_error, NULL, 0.01), 2, slack);
    assert_true(fixed_pair_error(0.01, NULL) < 1e-3);
}

/* problems.md R15e: a Hooke joint between shafts at 30 degrees; tan(out) = cos(30 deg) tan(in). */
static bool watch_hooke(void *context, const trm_state *state)
{
    const double tolerance = 1e-8; /* three joints kept to 1e-10 */
    double in = 0, out = 0;
    (void)context;
    trm_joint_values(state, 0, &in, NULL);
    trm_joint_values(state, 1, &out, NULL);
    assert_near(in, 10 * trm_state_time(state), tolerance);
    assert_near(sin(out) * cos(in), cos(TRM_PI / 6) * sin(in) * cos(out), tolerance);
    assert_near(out, in, 0.2); /* within the same turn */
    return true;
}

static void a_universal_joint_turns_unevenly_by_the_law_of_hooke(void **unused)
{
    (void)unused;
    running r = run_text(
        "{ \"trammel\": 1, \"constants\": { \"c\": \"cos(30*deg)\", \"s\": \"sin(30*deg)\" }, \"bodies\": ["
        "  { \"name\": \"in\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.02], \"position\": [-0.5, 0, 0],"
        "    \"angular_velocity\": [10, 0, 0] },"
        "  { \"name\": \"out\", \"mass\": 1, \"inertia\": [0.02, 0.02, 0.02], \"position\": [\"0.5*c\", \"0.5*s\", "
        "0],"
        "    \"angular_velocity\": [\"10*c*c\", \"10*c*s\", 0] }], \"joints\": ["
        "  { \"name\": \"a\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"in\"], \"anchor\": [-1, 0, 0],"
        "    \"axis\": [1, 0, 0] },"
        "  { \"name\": \"b\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"out\"], \"anchor\": [\"c\", \"s\", 0],"
        "    \"axis\": [\"c\", \"s\", 0] },"
        "  { \"name\": \"u\", \"type\": \"universal\", \"bodies\": [\"in\", \"out\"], \"anchor\": [0, 0, 0],"
        "    \"axis\": [0, 0, 1], \"axis2\": [\"-s\", \"c\", 0] }],"
        "  \"forces\": [{ \"name\": \"d\", \"type\": \"drive\", \"joint\": \"a\", \"motion\": \"10*t\" }] }",
        0.005, 1e-10);
    const trm_run_def run = {.until = 2, .every = NAN, .row = watch_hooke};
    assert_good(trm_sim_run(r.sim, &run));
    stop(&r);
}

/* ---- Energy balance ----------------------------------------------------------------------- */

/* A model and how long it runs. */
typedef struct balanced {
    const char *text;
    double until;
} balanced;

static double energy_error(double step, const void *context)
{
    const balanced *b = context;
    running r = run_text(b->text, step, TIGHT);
    go(&r, b->until);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    stop(&r);
    return a.energy_error_max;
}

/* Asserts that |E - E0 - W| decreases with h^2 or is rounding, and that W changed much more, so that there was
 * something to balance. */
static void check_balance(const char *text, double until, double step)
{
    const double slack = 0.2, rounding = 1e-9; /* J: joints closed to 1e-12 in some hundred steps */
    const balanced b = {text, until};
    for (int i = 0; i < 2; i++, step /= 2)
        if (energy_error(step, &b) > rounding) assert_near(order_between(energy_error, &b, step), 2, slack);
    running r = run_text(text, step, TIGHT);
    go(&r, until);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(fabs(a.work) > 50 * a.energy_error_max);
    assert_true(fabs(a.work) > 1e-3);
    stop(&r);
}

#define DRIVEN_ROD(motion)                                                                                           \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"rod\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, -0.6, 0], \"mass\": 2, \"radius\": 0.01 },"  \
    "    \"velocity\": [\"0.3*2.4\", 0, 0], \"angular_velocity\": [0, 0, 2.4] }], \"joints\": ["                     \
    "  { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"], \"anchor\": [0, 0, 0],"          \
    "    \"axis\": [0, 0, 1] }], \"forces\": ["                                                                      \
    "  { \"name\": \"motor\", \"type\": \"drive\", \"joint\": \"pin\", \"motion\": \"" motion "\" }] }"

/* problems.md R15g */
static const char *const driven_rod = DRIVEN_ROD("0.8*sin(3*t)");

static bool watch_drive(void *context, const trm_state *state)
{
    double q;
    (void)context;
    trm_joint_values(state, 0, &q, NULL);
    assert_near(q, 0.8 * sin(3 * trm_state_time(state)), 1e-10); /* D_max */
    return true;
}

static void a_drive_leads_its_coordinate_within_the_tolerance(void **unused)
{
    (void)unused;
    running r = run_text(driven_rod, 0.01, 1e-10);
    const trm_run_def run = {.until = 3, .every = NAN, .row = watch_drive};
    assert_good(trm_sim_run(r.sim, &run));
    stop(&r);
}

static void the_work_of_a_drive_closes_the_energy_balance(void **unused)
{
    (void)unused;
    check_balance(driven_rod, 1.3, 0.01);
}

static void the_work_of_a_moving_body_closes_the_energy_balance(void **unused)
{
    (void)unused;
    check_balance(
        "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
        "  { \"name\": \"table\", \"moving\": { \"position\": [\"0.1*(1 - cos(5*t))\", \"0.05*sin(3*t)^2\", 0],"
        "    \"angle\": \"0.3*sin(t)^2\", \"axis\": [0, 0, 1] } },"
        "  { \"name\": \"rod\", \"rod\": { \"from\": [0.1, 0, 0], \"to\": [0.1, -0.5, 0], \"mass\": 1,"
        "    \"radius\": 0.01 } }], \"joints\": ["
        "  { \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"table\", \"rod\"],"
        "    \"anchor\": [0.1, 0, 0], \"axis\": [0, 0, 1] }] }",
        1.3, 0.01);
}

static void a_spring_on_a_moving_body_closes_the_energy_balance(void **unused)
{
    (void)unused;
    check_balance("{ \"trammel\": 1, \"bodies\": ["
                  "  { \"name\": \"shaker\", \"moving\": { \"position\": [\"0.1*(1 - cos(5*t))\", 0, 0] } },"
                  "  { \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1, 0, 0] }], \"forces\": ["
                  "  { \"type\": \"spring\", \"bodies\": [\"shaker\", \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]],"
                  "    \"rest\": 1, \"stiffness\": 50, \"damping\": 1 }] }",
                  2, 0.02);
}

static const char *const free_bodies_under_force =
    "{ \"trammel\": 1, \"bodies\": ["
    "  { \"name\": \"a\", \"mass\": 2, \"inertia\": [0.2, 0.3, 0.4], \"angular_velocity\": [1, 2, 3] },"
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.2, 0.3, 0.4], \"position\": [3, 0, 0],"
    "    \"angular_velocity\": [0, 1, 2] }], \"forces\": [%s] }";

static void check_force(const char *force)
{
    char text[2000];
    snprintf(text, sizeof text, free_bodies_under_force, force);
    check_balance(text, 2, 0.02);
}

static void forces_and_torques_close_the_energy_balance(void **unused)
{
    (void)unused;
    check_force("{ \"type\": \"force\", \"body\": \"a\", \"at\": [0.1, 0.2, 0], \"value\": [\"sin(3*t)\", 2, 1] }");
    check_force("{ \"type\": \"force\", \"body\": \"a\", \"at\": [0.1, 0.2, 0], \"value\": [\"cos(3*t)\", 2, 1],"
                " \"frame\": \"body\" }");
    check_force("{ \"type\": \"torque\", \"body\": \"b\", \"value\": [0.3, \"0.5*sin(t)\", 0.1] }");
    check_force(
        "{ \"type\": \"torque\", \"body\": \"b\", \"value\": [0.3, \"0.5*sin(t)\", 0.1], \"frame\": \"body\" }");
    check_force("{ \"type\": \"spring\", \"bodies\": [\"a\", \"b\"], \"anchors\": [[0.3, 0, 0], [-0.2, 0.1, 0]],"
                " \"rest\": 2, \"stiffness\": 10, \"damping\": 0.5 }");
}

/* An example, checked for its energy balance at its own step, half of it and a quarter of it. */
typedef struct example {
    const char *path;
    double until;
} example;

static double example_energy_error(double step, const void *context)
{
    const example *e = context;
    running r = run_file(e->path, step, 1e-11);
    go(&r, e->until);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

static void the_examples_with_forces_balance_their_energy_with_order_2(void **unused)
{
    (void)unused;
    const double slack = 0.2;
    const example spring_mass = {TRM_EXAMPLES "/spring-mass.json", 5};
    const example trammel = {TRM_EXAMPLES "/trammel.json", 4};
    assert_near(order_between(example_energy_error, &spring_mass, 0.01), 2, slack);
    assert_near(order_between(example_energy_error, &trammel, 0.01), 2, slack);
}

/* ---- Damping ------------------------------------------------------------------------------ */

/* m x'' + c x' + k x = 0, with x = length - rest, from x0 = 0.5 at rest: omega = sqrt(k/m - (c/2m)^2). */
static double damped_spring_error(double step, const void *context)
{
    (void)context;
    running r =
        run_text("{ \"trammel\": 1, \"bodies\": ["
                 "  { \"name\": \"p\", \"point\": true, \"mass\": 1, \"position\": [1.5, 0, 0] }], \"forces\": ["
                 "  { \"type\": \"spring\", \"bodies\": [\"ground\", \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]],"
                 "    \"rest\": 1, \"stiffness\": 25, \"damping\": 4 }] }",
                 step, TIGHT);
    go(&r, 1);
    const double omega = sqrt(25 - 4), x = 0.5 * exp(-2) * (cos(omega) + 2 / omega * sin(omega));
    const double v = -0.5 * exp(-2) * 25 / omega * sin(omega);
    const double error = hypot(place_of(&r, "p").x - 1 - x, velocity_of(&r, "p").x - v);
    stop(&r);
    return error;
}

static void a_damped_spring_moves_with_order_2(void **unused)
{
    (void)unused;
    const double slack = 0.2; /* explicit halves would give order 1 */
    for (double h = 0.02; h > 0.004; h /= 2) assert_near(order_between(damped_spring_error, NULL, h), 2, slack);
    assert_true(damped_spring_error(0.01, NULL) < 1e-3);
}

/* A drag that the caller applies: force and torque against the motion. */
typedef struct drag {
    double linear, angular;
    int body;
} drag;

static trm_spatial drag_force(void *context, const trm_state *state)
{
    const drag *d = context;
    const trm_spatial V = trm_body_velocity(state, d->body);
    return trm_sp(trm_v3_scale(-d->angular, V.ang), trm_v3_scale(-d->linear, V.lin));
}

/* A falling, spinning ball is slowed down by drag: v = v0 exp(-ct/m) + (1 - exp(-ct/m)) m g/c. */
static double drag_error(double step, const void *context)
{
    running r =
        run_text("{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["
                 "  { \"name\": \"ball\", \"mass\": 0.5, \"inertia\": [0.1, 0.1, 0.1], \"velocity\": [3, 0, 0],"
                 "    \"angular_velocity\": [0, 2, 0] }] }",
                 step, TIGHT);
    drag d = {0.7, 0.2, 1};
    assert_int_equal(trm_sim_add_force(r.sim, "drag", 1, drag_force, &d), TRM_OK);
    go(&r, 1);
    const double slow = exp(-0.7 / 0.5), terminal = -9.81 * 0.5 / 0.7;
    const trm_spatial V = trm_body_velocity(trm_sim_state(r.sim), 1);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    stop(&r);
    assert_false(a.is_free); /* momentum is not conserved, and no error of it is computed */
    assert_true(a.work < -1);
    if (context) return a.energy_error_max;
    return distance(V.lin, trm_v3(3 * slow, (1 - slow) * terminal, 0)) + fabs(V.ang.y - 2 * exp(-0.2 / 0.1));
}

static void a_drag_of_the_caller_acts_with_order_2_and_its_work_is_counted(void **unused)
{
    (void)unused;
    const double slack = 0.1;
    const int energy = 1;
    assert_near(order_between(drag_error, NULL, 0.02), 2, slack);
    assert_near(order_between(drag_error, &energy, 0.02), 2, slack);
    assert_true(drag_error(0.01, NULL) < 1e-3);
}

/* c dt/2m = 10: the fixed-point iteration diverges until the step has been halved often enough. */
static void a_steep_drag_of_the_caller_halves_the_step(void **unused)
{
    (void)unused;
    running r = run_text("{ \"trammel\": 1, \"bodies\": ["
                         "  { \"name\": \"p\", \"point\": true, \"mass\": 1, \"velocity\": [3, 0, 0] }] }",
                         0.1, TIGHT);
    drag d = {200, 0, 1};
    assert_int_equal(trm_sim_add_force(r.sim, "drag", 1, drag_force, &d), TRM_OK);
    go(&r, 0.5);
    assert_true(trm_sim_counters(r.sim)->halvings >= 4);
    assert_near(velocity_of(&r, "p").x, 0, 1e-9);
    assert_near(place_of(&r, "p").x, 3.0 / 200, 1e-2); /* m v0/c; the step is as long as the motion */
    stop(&r);
}

/* ---- Conserved quantities ------------------------------------------------------------------- */

/* Adds a third body on another hinge of the second body, and a gear between both hinges. */
static void add_gear(trm_model_def *def, const trm_joint_type *type, trm_random *random)
{
    static const double bent[] = {0.5, 0.25};
    static trm_term_def terms[2]; /* borrowed until the model is built */
    for (int k = 0; k < 2; k++)
        terms[k] = (trm_term_def){.joint = k == 0 ? "j" : "k", .coordinate = NAN, .factor = 1};
    terms[1].polynomial = bent, terms[1].polynomial_count = 2;
    trm_body_def body = random_body(random, "c");
    trm_joint_def hinge = trm_default_joint_def(), gear = trm_default_joint_def();
    body.velocity = def->bodies[1].velocity;
    hinge.name = "k";
    hinge.type = "hinge";
    hinge.bodies[0] = "b", hinge.bodies[1] = "c";
    hinge.anchor = random_vector(random, 0.5);
    hinge.axis = random_direction(random);
    gear.name = "g";
    gear.type = type->name;
    gear.joints[0] = "j", gear.joints[1] = "k";
    gear.ratio = -1.5;
    if (type->takes & (TRM_TAKES_TERMS | TRM_TAKES_SUM)) gear.terms = terms, gear.term_count = 2;
    assert_int_equal(trm_add_body(def, &body), TRM_OK);
    assert_int_equal(trm_add_joint(def, &hinge), TRM_OK);
    assert_int_equal(trm_add_joint(def, &gear), TRM_OK);
}

/* Returns a circle or cylinder through a point. */
static trm_round_def ring_beside(trm_vec3 point)
{
    return (trm_round_def){.origin = trm_v3_sub(point, trm_v3(1, 0, 0)), .axis = {0, 0, 1}, .radius = 1};
}

/* Two random bodies at rest in a joint of the type, or with a drive of their hinge; or three bodies with a gear on
 * their two hinges. */
static trm_model *random_pair(const trm_joint_type *type, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    trm_model_def *def = trm_model_def_create(NULL);
    const bool geared = (type->takes & (TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM)) != 0;
    trm_body_def bodies[2] = {random_body(&random, "a"), random_body(&random, "b")};
    trm_joint_def joint = trm_default_joint_def(), drive = trm_default_joint_def();
    assert_non_null(def);
    bodies[1].velocity = bodies[0].velocity;
    for (int i = 0; i < 2; i++) assert_int_equal(trm_add_body(def, &bodies[i]), TRM_OK);
    joint.name = "j";
    joint.type = (type->takes & TRM_TAKES_JOINT) || geared ? "hinge" : type->name;
    joint.bodies[0] = "a";
    joint.bodies[1] = "b";
    trm_coordinate_def links[2] = {trm_default_coordinate_def(), trm_default_coordinate_def()};
    if (type->takes & TRM_TAKES_CHAIN) {
        for (int i = 0; i < 2; i++) {
            links[i].type = "hinge";
            links[i].anchor = random_vector(&random, 0.5);
            links[i].axis = trm_axis(i);
        }
        joint.coordinates = links, joint.coordinate_count = 2;
    } else if (type->takes & (TRM_TAKES_LENGTH | TRM_TAKES_SPAN)) {
        joint.anchors[0] = random_vector(&random, 0.5);
        joint.anchors[1] = random_vector(&random, 0.5);
    } else {
        joint.anchor = random_vector(&random, 0.5);
        joint.axis = trm_v3(0, 0, 1);
        if (type->takes & TRM_TAKES_AXIS2) joint.axis2 = trm_v3(1, 0, 0);
        if (type->takes & TRM_TAKES_CURVE) joint.curve.circle = ring_beside(joint.anchor);
        if (type->takes & TRM_TAKES_SURFACE) joint.surface.cylinder = ring_beside(joint.anchor);
        if (type->takes & TRM_TAKES_PITCH) joint.pitch = 0.2;
    }
    assert_int_equal(trm_add_joint(def, &joint), TRM_OK);
    if ((type->takes & TRM_TAKES_JOINT)) {
        drive.name = "d";
        drive.type = type->name;
        drive.joint = "j";
        drive.motion = trm_expression_function("0.3*sin(2*t)");
        assert_int_equal(trm_add_joint(def, &drive), TRM_OK);
    }
    if (geared) add_gear(def, type, &random);
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    return model;
}

static void a_free_pair_conserves_momentum_with_any_joint(void **unused)
{
    (void)unused;
    const double tolerance = 1e-12; /* rounding of a thousand steps, and impulses across gaps of 1e-13 m */
    for (int i = 0; i < trm_joint_type_count(); i++)
        for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 3); seed++) {
            running r = run_model_at(random_pair(trm_joint_type_at(i), seed), 0.001, 1e-13);
            go(&r, 1);
            const trm_accuracy a = trm_sim_accuracy(r.sim);
            assert_true(a.is_free);
            assert_int_equal(a.observed, 1001);
            assert_near(a.linear_error, 0, tolerance);
            assert_near(a.angular_error, 0, tolerance);
            assert_near(a.energy_error_max, 0, 1e-3); /* the motion stayed stable */
            stop(&r);
        }
}

static void momentum_changes_as_gravity_demands(void **unused)
{
    (void)unused;
    const double tolerance = 1e-11; /* of 100 kg m^2/s */
    running r = run_text(
        "{ \"trammel\": 1, \"gravity\": [1, -9.81, 2], \"bodies\": [" HALF_CUBE("left", "-0.5") ", " HALF_CUBE(
            "right", "0.5") "], \"joints\": [{ \"name\": \"f\", \"type\": \"ball\","
                            " \"bodies\": [\"left\", \"right\"], \"anchor\": [0, 0, 0] }] }",
        0.01, 1e-13);
    go(&r, 3);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(a.is_free);
    assert_near(a.linear_error, 0, tolerance);
    assert_near(a.angular_error, 0, tolerance);
    stop(&r);
}

static const char *const example_names[] = {"double-pendulum", "eight-loop",    "eight-loop-hinges", "four-bar",
                                            "free-body",       "pendulum",      "slider-crank",      "spring-mass",
                                            "trammel",         "two-ball-hinge"};

static void no_example_opens_a_joint_beyond_the_tolerance(void **unused)
{
    (void)unused;
    const double rounding = 1e-14; /* the pose is computed once more after the step has been accepted */
    for (size_t i = 0; i < sizeof example_names / sizeof *example_names; i++) {
        char path[300];
        snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", example_names[i]);
        running r = run_model(model_of_file(path), NULL);
        const trm_simulation_def *o = trm_sim_options(r.sim);
        go(&r, 2);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        if (trm_joint_count(r.model) > 0) assert_true(a.observed > 100);
        assert_true(a.gap.position <= o->position_tolerance + rounding);
        assert_true(a.gap.angle <= o->angle_tolerance + rounding);
        assert_true(a.velocity_gap.position <= o->velocity_tolerance + rounding);
        assert_true(a.velocity_gap.angle <= o->velocity_tolerance + rounding);
        stop(&r);
    }
}

/* P-step 4 does not change positions: both kinds of impulses act at the same pose. */
static void positions_are_the_same_whether_velocities_are_corrected_or_not(void **unused)
{
    (void)unused;
    const double tolerance = 1e-7; /* of joints closed to 1e-9 in 400 steps */
    running lazy = run_file(TRM_EXAMPLES "/eight-loop.json", 0.0025, 1e-9);
    running eager = run_file(TRM_EXAMPLES "/eight-loop.json", 0.0025, 1e-9);
    go_every(&lazy, 1, 1);
    go(&eager, 1);
    assert_int_equal(trm_sim_accuracy(lazy.sim).observed, 2);
    assert_int_equal(trm_sim_accuracy(eager.sim).observed, 401);
    for (int i = 1; i < trm_body_count(lazy.model); i++)
        assert_near(
            distance(trm_body_pose(trm_sim_state(lazy.sim), i).p, trm_body_pose(trm_sim_state(eager.sim), i).p), 0,
            tolerance);
    stop(&lazy);
    stop(&eager);
}

static void flip_velocities(const running *r)
{
    trm_state *state = trm_sim_state(r->sim);
    for (int i = 1; i < trm_body_count(r->model); i++) {
        const trm_spatial V = trm_body_velocity(state, i);
        trm_set_body_velocity(state, i, trm_sp(trm_v3_neg(V.ang), trm_v3_neg(V.lin)));
    }
}

static void a_run_with_its_velocities_turned_round_comes_back(void **unused)
{
    (void)unused;
    static const char *const names[] = {"/double-pendulum.json", "/four-bar.json", "/slider-crank.json"};
    const double tolerance = 1e-8; /* D_max = 1e-12 in 400 steps, and the motion enlarges it */
    for (int k = 0; k < 3; k++) {
        char path[300];
        snprintf(path, sizeof path, "%s%s", TRM_EXAMPLES, names[k]);
        running r = run_file(path, 0.005, TIGHT);
        trm_state *start = start_of(r.model);
        go(&r, 1);
        flip_velocities(&r);
        assert_true(distance(trm_body_pose(trm_sim_state(r.sim), 1).p, trm_body_pose(start, 1).p) > 1e-2);
        go(&r, 2);
        for (int i = 1; i < trm_body_count(r.model); i++)
            assert_near(distance(trm_body_pose(trm_sim_state(r.sim), i).p, trm_body_pose(start, i).p), 0, tolerance);
        trm_state_destroy(start);
        stop(&r);
    }
}

static void a_step_of_negative_length_goes_back(void **unused)
{
    (void)unused;
    const double tolerance = 1e-9;
    running r = run_file(TRM_EXAMPLES "/four-bar.json", 0.005, TIGHT);
    trm_state *start = start_of(r.model);
    assert_good(trm_sim_observe(r.sim));
    for (int i = 0; i < 100; i++) assert_good(trm_sim_step(r.sim, 0.005));
    assert_good(trm_sim_observe(r.sim));
    for (int i = 0; i < 100; i++) assert_good(trm_sim_step(r.sim, -0.005));
    assert_near(trm_state_time(trm_sim_state(r.sim)), 0, 1e-15);
    for (int i = 1; i < trm_body_count(r.model); i++)
        assert_near(distance(trm_body_pose(trm_sim_state(r.sim), i).p, trm_body_pose(start, i).p), 0, tolerance);
    trm_state_destroy(start);
    stop(&r);
}

/* Largest |E - E0| in the first and in the second half of a run. */
typedef struct halves {
    double middle, start, largest[2];
    bool begun;
} halves;

static bool watch_halves(void *context, const trm_state *state)
{
    halves *h = context;
    const trm_energy energy = trm_state_energy(state);
    const double E = energy.kinetic + energy.potential;
    if (!h->begun) h->start = E;
    h->begun = true;
    const int half = trm_state_time(state) > h->middle;
    h->largest[half] = fmax(h->largest[half], fabs(E - h->start));
    return true;
}

static void the_energy_of_a_pendulum_does_not_drift_in_100_s(void **unused)
{
    (void)unused;
    const double share = 1.1;
    running r = run_text(pendulum, 0.01, TIGHT);
    halves h = {.middle = 50};
    const trm_run_def run = {.until = 100, .every = NAN, .row = watch_halves, .context = &h};
    assert_good(trm_sim_run(r.sim, &run));
    assert_true(h.largest[1] <= share * h.largest[0]);
    assert_true(h.largest[0] > 0 && h.largest[0] < 1e-2);
    stop(&r);
}

/* When the caller changes poses between steps, data of the old poses must not be used any more. */
static void a_pose_set_between_steps_is_taken_into_account(void **unused)
{
    (void)unused;
    running moved = run_text(pendulum, 0.01, TIGHT), fresh = run_text(PENDULUM("-9.81", "0.6", "-0.8"), 0.01, TIGHT);
    go(&moved, 0.5);
    trm_state *state = trm_sim_state(moved.sim);
    trm_set_body_pose(state, 1, (trm_pose){{1, 0, 0, 0}, {0.6, -0.8, 0}});
    trm_set_body_velocity(state, 1,
                          (trm_spatial){{0, 0, 0}, {1, 0, 0}}); /* violates the joints: (0.64, 0.48) would fit */
    trm_set_body_velocity(trm_sim_state(fresh.sim), 1, (trm_spatial){{0, 0, 0}, {0.64, 0.48, 0}});
    assert_good(trm_sim_observe(moved.sim));
    assert_near(distance(velocity_of(&moved, "bob"), trm_v3(0.64, 0.48, 0)), 0, 1e-11);
    go(&moved, 1);
    go(&fresh, 0.5);
    assert_near(distance(place_of(&moved, "bob"), place_of(&fresh, "bob")), 0, 1e-9);
    stop(&moved);
    stop(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_moves_with_order_2),
        cmocka_unit_test(the_pendulum_meets_its_reference_over_10_s),
        cmocka_unit_test(the_period_converges_with_order_2_to_the_elliptic_integral),
        cmocka_unit_test(small_swings_are_too_fast_by_h2_over_24),
        cmocka_unit_test(a_rigid_rod_swings_like_the_point_in_its_centre_of_oscillation),
        cmocka_unit_test(the_double_pendulum_converges_with_order_2_to_its_fine_solution),
        cmocka_unit_test(a_chain_of_points_converges_with_order_2_to_its_reference),
        cmocka_unit_test(a_hinge_and_two_balls_move_alike),
        cmocka_unit_test(a_slider_falls_down_its_slope),
        cmocka_unit_test(two_bodies_held_fixed_move_as_one),
        cmocka_unit_test(a_universal_joint_turns_unevenly_by_the_law_of_hooke),
        cmocka_unit_test(a_drive_leads_its_coordinate_within_the_tolerance),
        cmocka_unit_test(the_work_of_a_drive_closes_the_energy_balance),
        cmocka_unit_test(the_work_of_a_moving_body_closes_the_energy_balance),
        cmocka_unit_test(a_spring_on_a_moving_body_closes_the_energy_balance),
        cmocka_unit_test(forces_and_torques_close_the_energy_balance),
        cmocka_unit_test(the_examples_with_forces_balance_their_energy_with_order_2),
        cmocka_unit_test(a_damped_spring_moves_with_order_2),
        cmocka_unit_test(a_drag_of_the_caller_acts_with_order_2_and_its_work_is_counted),
        cmocka_unit_test(a_steep_drag_of_the_caller_halves_the_step),
        cmocka_unit_test(a_free_pair_conserves_momentum_with_any_joint),
        cmocka_unit_test(momentum_changes_as_gravity_demands),
        cmocka_unit_test(no_example_opens_a_joint_beyond_the_tolerance),
        cmocka_unit_test(positions_are_the_same_whether_velocities_are_corrected_or_not),
        cmocka_unit_test(a_run_with_its_velocities_turned_round_comes_back),
        cmocka_unit_test(a_step_of_negative_length_goes_back),
        cmocka_unit_test(the_energy_of_a_pendulum_does_not_drift_in_100_s),
        cmocka_unit_test(a_pose_set_between_steps_is_taken_into_account),
    };
    return RUN_WITH_ALL_SOLVERS(tests);
}

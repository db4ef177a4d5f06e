/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Joint friction that depends on load (journal bearings, guides, ropes around pulleys) or on speed (Stribeck),
 * compared with closed forms. */

#include "check.h"
#include "choosing.h"

static const double CREEP = 1e-12; /* m, rad: largest motion of a sticking joint */
static const double KEPT = 1e-8;   /* m, rad: joints are closed to 1e-10 m in each of hundreds of steps */
static const char *const METHODS[] = {"impulse", "lagrange"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static running make(const char *text, const char *method, double step)
{
    return run_chosen(quoted(text), (way){.choice = method, .step = step});
}

/* A rotor of 3 kg and 0.5 kg m^2 about a horizontal axis, with its centre of mass at a distance from the axis. */
#define ROTOR(gravity, offset, spin, more)                                                                           \
    "{ 'trammel': 1, 'gravity': [0, 0, " gravity                                                                     \
    "], 'bodies': [{ 'name': 'rotor', 'mass': 3, 'inertia': [0.5, 0.5, "                                             \
    "0.5], 'position': [" offset ", 0, 0], 'angular_velocity': [0, " spin ", 0], 'velocity': [0, 0, '-" spin         \
    "*" offset                                                                                                       \
    "'] }], 'joints': [{ 'name': 'pin', 'type': 'hinge', 'bodies': ['ground', 'rotor'], 'anchor': [0, 0, "           \
    "0], 'axis': [0, 1, 0], " more " }] }"

static double coordinate_at(running *r, double until, const char *joint)
{
    go(r, until);
    return coordinate_of(r, joint);
}

/* I w' = -mu r m g until the rotor stops; then it stays at rest. */
static void a_balanced_rotor_runs_down_in_its_journal_bearing(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        running r = make(ROTOR("-10", "0", "4", "'mu': 0.2, 'radius': 0.05"), METHODS[i], 0.01);
        const double alpha = 0.2 * 0.05 * 3 * 10 / 0.5;
        assert_near(coordinate_at(&r, 5, "pin"), 4 * 5 - 0.5 * alpha * 25, KEPT);
        const double end = 16 / (2 * alpha), stands = coordinate_at(&r, 8, "pin");
        assert_near(stands, end, KEPT);
        assert_near(coordinate_at(&r, 20, "pin"), stands, CREEP);
        stop(&r);
    }
}

/* The rotor on a vertical axis through its centre of mass. */
#define SHAFT(type, more)                                                                                            \
    "{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'rotor', 'mass': 3, 'inertia': [0.5, 0.5, 0.5] "   \
    "}], "                                                                                                           \
    "'joints': [{ 'name': 'pin', 'type': " type ", 'bodies': ['ground', 'rotor'], 'anchor': [0, 0, 0], "             \
    "'axis': [0, 0, 1], 'mu': 0.2, 'radius': 0.05 }], " more " }"

/* A vertical shaft has no force across its axis, and no friction: it starts freely in either direction. A screw whose
 * weight acts along its axis does so, too. */
static void a_bearing_without_load_starts_freely_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            running r =
                make(sign > 0 ? SHAFT("'hinge'", "'forces': [{ 'type': 'effort', 'joint': 'pin', 'value': 0.2 }]")
                              : SHAFT("'hinge'", "'forces': [{ 'type': 'effort', 'joint': 'pin', 'value': -0.2 }]"),
                     METHODS[i], 0.01);
            assert_near(coordinate_at(&r, 1, "pin"), sign * 0.5 * 0.2 / 0.5, KEPT);
            stop(&r);
        }
        running r = make(SHAFT("'screw', 'pitch': 0.01", "'forces': []"), METHODS[i], 0.01);
        assert_near(coordinate_at(&r, 1, "pin"), -0.5 * 3 * 10 * 0.01 / (0.5 + 3 * 0.01 * 0.01), KEPT);
        stop(&r);
    }
}

/* The load is m e sqrt(w^4 + w'^2), which friction itself contributes to: w' = -k w^2, k = c/sqrt(1 - c^2), c = mu r
 * m e/I. */
static double off_balance(const char *method, double step)
{
    running r = make(ROTOR("0", "0.2", "5", "'mu': 0.3, 'radius': 0.1"), method, step);
    const double c = 0.3 * 0.1 * 3 * 0.2 / (0.5 + 3 * 0.04), k = c / sqrt(1 - c * c);
    const double error = coordinate_at(&r, 2, "pin") - log(1 + k * 5 * 2) / k;
    stop(&r);
    return error;
}

static void an_unbalanced_rotor_follows_its_closed_form_to_order_2(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const double coarse = off_balance(METHODS[i], 0.01), fine = off_balance(METHODS[i], 0.005);
        print_message("%s: error %.3g rad at h = 0.01 s, %.3g rad at h = 0.005 s\n", METHODS[i], coarse, fine);
        assert_true(fabs(fine) < 2e-4 && fabs(coarse / fine) > 3.5);
    }
}

/* A lever sticks as long as the line of action of its weight is within the friction circle of radius mu r, 0.01 m
 * here. */
static void a_lever_sticks_within_the_friction_circle(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        running within = make(ROTOR("-10", "0.00999", "0", "'mu': 0.2, 'radius': 0.05"), METHODS[i], 0.01);
        running beyond = make(ROTOR("-10", "0.01001", "0", "'mu': 0.2, 'radius': 0.05"), METHODS[i], 0.01);
        assert_near(coordinate_at(&within, 10, "pin"), 0, CREEP);
        assert_true(coordinate_at(&beyond, 10, "pin") > 1e-3);
        stop(&within);
        stop(&beyond);
    }
}

/* A carriage in a guide that rises by 30 degrees: gravity is [-5, 0, -8.66] in the axes of the guide. */
#define CARRIAGE(more)                                                                                               \
    "{ 'trammel': 1, 'gravity': [-5, 0, '-5*sqrt(3)'], 'bodies': [{ 'name': 'cart', 'mass': 2, 'inertia': [1, 1, "   \
    "1] "                                                                                                            \
    "}], 'joints': [{ 'name': 'x', 'type': 'slider', 'bodies': ['ground', 'cart'], 'anchor': [0, 0, 0], 'axis': "    \
    "[1, "                                                                                                           \
    "0, 0], " more " }] }"

static void a_carriage_on_a_slope_slides_or_sticks_by_its_angle(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        running slides = make(CARRIAGE("'mu': 0.3"), METHODS[i], 0.01);
        running sticks = make(CARRIAGE("'mu': 0.58"), METHODS[i], 0.01); /* tan 30 degrees is 0.577 */
        assert_near(coordinate_at(&slides, 2, "x"), -0.5 * 4 * (5 - 0.3 * 5 * sqrt(3)), KEPT);
        assert_near(coordinate_at(&sticks, 10, "x"), 0, CREEP);
        stop(&slides);
        stop(&sticks);
    }
}

/* ---- Ropes around a pulley ------------------------------------------------------------------ */

/* Two masses m1 = 1 kg and m2 on a rope that is wrapped around a fixed drum by half a turn, mu = 0.2. */
#define CAPSTAN(m2, v, more)                                                                                         \
    "{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'a', 'point': true, 'mass': 1, 'position': "       \
    "[-0.1, 0, -5], 'velocity': [0, 0, " v "] }, { 'name': 'b', 'point': true, 'mass': " m2                          \
    ", 'position': [0.1, 0, -5], 'velocity': [0, 0, '-(" v ")'] }], 'joints': [{ 'name': 'A', 'type': 'span', "      \
    "'bodies': ['ground', 'a'], 'anchors': [[-0.1, 0, 0], [0, 0, 0]] }, { 'name': 'B', 'type': 'span', 'bodies': "   \
    "['ground', 'b'], 'anchors': [[0.1, 0, 0], [0, 0, 0]] }, { 'name': 'rope', 'type': 'coupling', 'terms': [{ "     \
    "'joint': 'A' }, { 'joint': 'B' }], 'mu': 0.2, 'wrap': 'pi' " more " }] }"

/* Euler and Eytelwein: the tension of the pulling end is E = exp(mu pi) times that of the other end. If b moves down,
 * m2 (g - a) = E m1 (g + a); if b moves up, E m2 (g - a) = m1 (g + a). */
static void a_rope_around_a_drum_slides_and_sticks_by_eulers_formula(void **state)
{
    (void)state;
    const double g = 10, E = exp(0.2 * TRM_PI), down = g * (3 - E) / (3 + E), up = g * (3 * E - 1) / (3 * E + 1);
    for (int i = 0; i < METHOD_COUNT; i++) {
        for (int rope = 0; rope < 2; rope++) {
            running slides =
                make(rope ? CAPSTAN("3", "0", ", 'rope': true") : CAPSTAN("3", "0", ""), METHODS[i], 0.01);
            const double found = coordinate_at(&slides, 1, "B") - 5;
            print_message("capstan, %s: off by %.2g m\n", METHODS[i], found - 0.5 * down);
            assert_near(found, 0.5 * down, KEPT);
            stop(&slides);
        }
        running rises = make(CAPSTAN("3", "-2", ""), METHODS[i], 0.01); /* b moves up at first */
        assert_near(coordinate_at(&rises, 0.2, "B") - 5, -2 * 0.2 + 0.5 * up * 0.04, KEPT);
        stop(&rises);
        running sticks = make(CAPSTAN("1.87", "0", ""), METHODS[i], 0.01); /* E = 1.8745 */
        assert_near(coordinate_at(&sticks, 10, "B"), 5, CREEP);
        stop(&sticks);
        running creeps = make(CAPSTAN("1.88", "0", ""), METHODS[i], 0.01);
        assert_near(coordinate_at(&creeps, 10, "B") - 5, 50 * g * (1.88 - E) / (1.88 + E), 1e-6);
        stop(&creeps);
    }
}

/* ---- Stribeck ----------------------------------------------------------------------------- */

#define SLED(more, forces)                                                                                           \
    "{ 'trammel': 1, 'bodies': [{ 'name': 'sled', 'mass': 2, 'inertia': [1, 1, 1], 'velocity': [" more               \
    ", 0, 0] }], "                                                                                                   \
    "'joints': [{ 'name': 'x', 'type': 'slider', 'bodies': ['ground', 'sled'], 'anchor': [0, 0, 0], 'axis': [1, 0, " \
    "0], 'friction': 3, 'static_friction': 7, 'stribeck_velocity': 0.5 }] " forces " }"

static double sled_slope(double v)
{
    return -(3 + 4 * exp(-v * v / 0.25)) / 2;
}

/* Returns x after a time, starting at v, by the Runge-Kutta method. */
static double sled_at(double v, double until)
{
    enum { STEPS = 20000 };
    const double h = until / STEPS;
    double x = 0;
    for (int i = 0; i < STEPS; i++) {
        const double a = sled_slope(v), b = sled_slope(v + 0.5 * h * a), c = sled_slope(v + 0.5 * h * b);
        const double d = sled_slope(v + h * c), next = v + h / 6 * (a + 2 * b + 2 * c + d);
        x += h / 6 * (v + 4 * (0.5 * (v + next) - h / 8 * (sled_slope(next) - a)) + next);
        v = next;
    }
    return x;
}

static void friction_follows_the_stribeck_curve_to_order_2(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            running r = make(SLED("2", ""), METHODS[i], 0.01 / (1 + k));
            error[k] = coordinate_at(&r, 1, "x") - sled_at(2, 1);
            stop(&r);
        }
        print_message("%s: error %.3g m at h = 0.01 s, %.3g m at h = 0.005 s\n", METHODS[i], error[0], error[1]);
        assert_true(fabs(error[1]) < 1e-4 && fabs(error[0] / error[1]) > 3.5);
    }
}

/* Returns x under a force 2 t, which moves the sled from 3.5 s on, by the midpoint rule. */
static double pulled_to(double until)
{
    enum { STEPS = 20000 };
    const double h = (until - 3.5) / STEPS;
    double x = 0, v = 0;
    for (int i = 0; i < STEPS; i++) {
        const double t = 3.5 + i * h, middle = v + 0.5 * h * (t + sled_slope(v));
        x += h * middle;
        v += h * (t + 0.5 * h + sled_slope(middle));
    }
    return x;
}

static void a_sled_breaks_away_at_its_static_friction(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            running r = make(SLED("0", ", 'forces': [{ 'type': 'effort', 'joint': 'x', 'value': '2*t' }]"),
                             METHODS[i], k == 0 ? 0.01 : 0.0025);
            assert_near(coordinate_at(&r, 3.49, "x"), 0, CREEP);
            error[k] = coordinate_at(&r, 4.5, "x") - pulled_to(4.5);
            stop(&r);
        }
        print_message("%s: error %.3g m at h = 0.01 s, %.3g m at h = 0.0025 s\n", METHODS[i], error[0], error[1]);
        assert_true(fabs(error[1]) < 3e-5 && fabs(error[0] / error[1]) > 12);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static bool is_refused(const char *text, const char *method, const char *why)
{
    trm_model *model = quoted(text);
    trm_messages *messages = trm_messages_create(NULL);
    trm_simulation_def options = *trm_model_simulation(model);
    trm_sim *sim = NULL;
    bool said = false;
    options.method = method;
    const trm_status status = trm_sim_create(model, &options, NULL, messages, &sim);
    for (int i = 0; i < trm_message_count(messages); i++) {
        const trm_message *m = trm_message_at(messages, i);
        said = said || strstr(m->text, why) || strstr(m->element, why);
    }
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return status == TRM_BAD_INPUT && said;
}

#define DOOR                                                                                                         \
    "{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'door', 'mass': 3, 'inertia': [1, 1, 1], "         \
    "'position': [0.5, 0, 0] }], 'joints': [{ 'name': 'low', 'type': 'hinge', 'bodies': ['ground', 'door'], "        \
    "'anchor': [0, 0, 0], 'axis': [0, 0, 1], 'mu': 0.2, 'radius': 0.01 }, { 'name': 'high', 'type': 'hinge', "       \
    "'bodies': ['ground', 'door'], 'anchor': [0, 0, 1], 'axis': [0, 0, 1] }] }"

static void a_load_that_is_not_unique_is_refused_by_name(void **state)
{
    (void)state;
    assert_true(is_refused(DOOR, "impulse", "joint 'low'"));
    assert_true(is_refused(DOOR, "impulse", "not unique"));
    assert_true(is_refused(ROTOR("-10", "0", "4", "'mu': 0.2, 'radius': 0.05"), "lcp", "load"));
    assert_true(is_refused(ROTOR("-10", "0", "4", "'mu': 0.2, 'radius': 0.05"), "minimal", "load"));
}

/* A parallelogram of hinges has three redundant rows, but its forces in the plane are unique. Bearing friction holds
 * the light cranks and their coupler as long as the torque m g l sin(a) is at most mu r m g/2. */
#define FRAME(lean, more)                                                                                            \
    "{ 'trammel': 1, 'gravity': [0, 0, -10], 'constants': { 'a': " lean " }, 'bodies': ["                            \
    "{ 'name': 'p', 'mass': 0.01, 'inertia': [0.01, 0.01, 0.01], 'position': ['sin(a)/2', 0, '-cos(a)/2'] },"        \
    "{ 'name': 'q', 'mass': 0.01, 'inertia': [0.01, 0.01, 0.01], 'position': ['2 + sin(a)/2', 0, '-cos(a)/2'] },"    \
    "{ 'name': 'bar', 'mass': 3, 'inertia': [1, 1, 1], 'position': ['1 + sin(a)', 0, '-cos(a)'] }], 'joints': ["     \
    "{ 'name': 'A', 'type': 'hinge', 'bodies': ['ground', 'p'], 'anchor': [0, 0, 0], 'axis': [0, 1, 0]" more " },"   \
    "{ 'name': 'B', 'type': 'hinge', 'bodies': ['p', 'bar'], 'anchor': ['sin(a)', 0, '-cos(a)'], 'axis': [0, 1, 0]"  \
    " }, { 'name': 'C', 'type': 'hinge', 'bodies': ['ground', 'q'], 'anchor': [2, 0, 0], 'axis': [0, 1, 0] },"       \
    "{ 'name': 'D', 'type': 'hinge', 'bodies': ['q', 'bar'], 'anchor': ['2 + sin(a)', 0, '-cos(a)'], 'axis': [0, "   \
    "1, "                                                                                                            \
    "0] }] }"

static void forces_in_the_plane_of_a_redundant_linkage_are_loads(void **state)
{
    (void)state;
    running r = make(FRAME("0.014", ", 'mu': 0.3, 'radius': 0.1"), "impulse", 0.01);
    assert_near(coordinate_at(&r, 2, "A"), 0, CREEP);
    stop(&r);
    r = make(FRAME("0.5", ", 'mu': 0.3, 'radius': 0.1"), "impulse", 0.01);
    assert_true(fabs(coordinate_at(&r, 0.5, "A")) > 0.1);
    stop(&r);
}

/* A machine whose initial velocities are zero starts at the speed of its drive: friction opposes the motion by no
 * impulse, but slips from the first step on. Friction R r does the work R r w t. */
static void a_drive_starts_at_speed_against_friction(void **state)
{
    (void)state;
    static const char *const DRIVES[] = {"'type': 'motor', 'velocity': 2", "'type': 'drive', 'motion': '2*t'"};
    static const char *const FRICTIONS[] = {"'friction': 0.3", "'mu': 0.2, 'radius': 0.05"};
    for (int i = 0; i < METHOD_COUNT * 4; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{ 'trammel': 1, 'gravity': [0, 0, -10], 'bodies': [{ 'name': 'rotor', 'mass': 3, 'inertia': [0.5, "
                 "0.5, 0.5] }], "
                 "'joints': [{ 'name': 'pin', 'type': 'hinge', 'bodies': ['ground', 'rotor'], 'anchor': [0, 0, 0], "
                 "'axis': [0, 1, 0], %s }], 'forces': [{ 'name': 'm', 'joint': 'pin', %s }] }",
                 FRICTIONS[i % 2], DRIVES[i / 2 % 2]);
        running r = make(text, METHODS[i / 4], 0.01);
        assert_near(coordinate_at(&r, 1.5, "pin"), 3, KEPT);
        assert_near(trm_sim_accuracy(r.sim).works.friction, -0.3 * 3, KEPT);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_balanced_rotor_runs_down_in_its_journal_bearing),
        cmocka_unit_test(a_bearing_without_load_starts_freely_both_ways),
        cmocka_unit_test(an_unbalanced_rotor_follows_its_closed_form_to_order_2),
        cmocka_unit_test(a_lever_sticks_within_the_friction_circle),
        cmocka_unit_test(a_rope_around_a_drum_slides_and_sticks_by_eulers_formula),
        cmocka_unit_test(a_carriage_on_a_slope_slides_or_sticks_by_its_angle),
        cmocka_unit_test(friction_follows_the_stribeck_curve_to_order_2),
        cmocka_unit_test(a_sled_breaks_away_at_its_static_friction),
        cmocka_unit_test(a_load_that_is_not_unique_is_refused_by_name),
        cmocka_unit_test(forces_in_the_plane_of_a_redundant_linkage_are_loads),
        cmocka_unit_test(a_drive_starts_at_speed_against_friction),
    };
    return RUN_TESTS(tests);
}

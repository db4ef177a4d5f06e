/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Torsional friction: a contact with the normal force N resists rotation about its normal with a torque of at most
 * c N. A body of inertia I and mass m that spins at w on a level plane stops after w I / (c m g), having turned by
 * w^2 I / (2 c m g); a torque of less than c m g does not turn a body at rest. */

#include "choosing.h"
#include "scenes.h"

static const double ARM = 0.004, SPIN = 20; /* m, rad/s */
static const double EXACTLY = 1e-9;         /* rad, rad/s: constant accelerations are integrated exactly */
static const double CREEP = 1e-12;          /* rad: a body at rest does not turn */
static const double AT_REST = 1e-10;        /* rad/s: the tolerance of velocities */
static const double ENERGY = 1e-9;          /* J */

/* How steps are made, and the allowed error of the angle, rad. The end of a rotation is an event only in event-driven
 * steps; otherwise the last step has an error of at most a h^2/8. Steps of lcp have order 1: they turn by w h/2 less,
 * and infinitesimally. */
typedef struct manner {
    const char *choice, *impact;
    double off;
} manner;

static const manner MANNERS[] = {
    {"impulse", "event", 1e-9},
    {"impulse", "window", 1.3e-4},
    {"lcp", "event", 0.2},
    {"lcp:solver=lemke", "event", 0.2},
    {"lcp:solver=pgs:iterations=200", "event", 0.2},
    {"lcp:solver=lemke:friction=pyramid", "event", 0.2},
};
enum { MANNER_COUNT = sizeof MANNERS / sizeof *MANNERS };

static running run_in(scene *s, const manner *how, double step)
{
    s->m.def->simulation.impact = how->impact;
    return run_chosen(machine_finish(&s->m), (way){.choice = how->choice, .step = step});
}

/* ---- Spinning to rest --------------------------------------------------------------------- */

typedef struct spinner {
    const char *what;
    trm_shape_def shape;
    double height, friction;
    double inertia; /* m^2: moment about the vertical per mass */
} spinner;

/* A lying disc has contacts around its rim: without their friction only torsional friction brakes it. */
static int spinners(spinner *list)
{
    const double r = 0.1, l = 0.05;
    list[0] = (spinner){"ball", sphere_of(r), r, 0.4, 0.4 * r * r};
    list[1] = (spinner){"disc", round_of("cylinder", r, l), 0.5 * l, 0, 0.5 * r * r};
    list[2] = (spinner){"box", box_of(r, 2 * r, l), 0.5 * l, 0, 5 * r * r / 12};
    return 3;
}

static running spin(const spinner *it, const manner *how, double step)
{
    scene s;
    scene_init(&s, it->friction, 0);
    trm_shape_def shape = it->shape;
    shape.torsional = ARM; /* the contact has the larger value of both shapes */
    add_solid(&s, shape, 2, trm_v3(0, 0, it->height))->angular_velocity = trm_v3(0, 0, SPIN);
    add_floor(&s);
    return run_in(&s, how, step);
}

/* Returns the angle turned since the pose a, up to full turns. */
static double turned(trm_quat a, trm_quat b)
{
    const trm_quat d = trm_quat_mul(b, trm_quat_conj(a));
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

static trm_quat orientation_of(const running *r, const char *body)
{
    return trm_body_pose(trm_sim_state(r->sim), trm_find_body(r->model, body)).q;
}

static void check_spin(const spinner *it, const manner *how)
{
    const double step = 0.01, slows = ARM * G / it->inertia, stops = SPIN / slows, angle = SPIN * stops / 2;
    running r = spin(it, how, step);
    go(&r, 0.5);
    assert_near(motion_of(&r, "b1").ang.z, SPIN - 0.5 * slows, EXACTLY);
    go(&r, stops + 2 * step);
    const trm_quat rest = orientation_of(&r, "b1");
    const double off = turned(trm_quat_exp(trm_v3(0, 0, angle)), rest);
    go(&r, stops + 3);
    const double crept = turned(rest, orientation_of(&r, "b1"));
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    print_message("    %-4s %s %s: angle off by %.1e rad, then creeps by %.1e rad; energy %.1e J\n", it->what,
                  how->choice, how->impact, off, crept, a.energy_error_max);
    assert_true(off <= how->off);
    assert_true(crept <= CREEP);
    assert_near(trm_v3_length(motion_of(&r, "b1").ang), 0, AT_REST);
    assert_near(place_of(&r, "b1").x, 0, EXACTLY);
    trm_verdict verdict;
    trm_sim_verdict(r.sim, &verdict);
    assert_true(a.energy_error_max <= ENERGY && verdict.grade == TRM_GOOD);
    stop(&r);
}

static void spinning_bodies_stop_after_their_time_and_stay_at_rest(void **state)
{
    (void)state;
    spinner list[3];
    const int count = spinners(list);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < MANNER_COUNT; k++) check_spin(&list[i], &MANNERS[k]);
}

/* ---- Torques on bodies at rest ------------------------------------------------------------ */

/* Returns the rotation by a torque about the vertical, given as a fraction of the largest torque of friction. */
static double spin_under(double part, const manner *how, double until, double *angle)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{ 'trammel': 1, 'gravity': [0, 0, -%g], 'defaults': { 'friction': 0.4 }, 'bodies': ["
        " { 'name': 'ball', 'position': [0, 0, 0.1], 'mass': 2, 'inertia': [0.008, 0.008, 0.008],"
        "   'shapes': [{ 'type': 'sphere', 'radius': 0.1 }] },"
        " { 'name': 'floor', 'fixed': true, 'shapes': [{ 'type': 'plane', 'normal': [0, 0, 1], 'offset': 0 }] }],"
        " 'contacts': [{ 'bodies': ['ball', 'floor'], 'torsional': %g }],"
        " 'forces': [{ 'type': 'torque', 'body': 'ball', 'value': [0, 0, %.17g] }],"
        " 'simulation': { 'step': 0.01, 'impact': '%s' } }",
        G, ARM, part * ARM * 2 * G, how->impact);
    running r = run_chosen(quoted(text), (way){.choice = how->choice});
    go(&r, until);
    *angle = turned(trm_quat_exp(trm_v3(0, 0, 0)), orientation_of(&r, "ball"));
    const double rate = motion_of(&r, "ball").ang.z;
    stop(&r);
    return rate;
}

static void a_torque_turns_a_body_only_above_the_limit(void **state)
{
    (void)state;
    const double inertia = 0.004; /* m^2, per mass */
    for (int k = 0; k < MANNER_COUNT; k++) {
        double angle;
        spin_under(0.999, &MANNERS[k], 5, &angle);
        print_message("    %s %s: held, creeps by %.1e rad in 5 s\n", MANNERS[k].choice, MANNERS[k].impact, angle);
        assert_true(angle <= CREEP);
        assert_near(spin_under(1.25, &MANNERS[k], 0.5, &angle), 0.5 * 0.25 * ARM * G / inertia, EXACTLY);
    }
}

/* ---- A pinched plate ---------------------------------------------------------------------- */

/* Two fingers press a plate with the force F at a distance d from its centre of mass: it stays level while m g d <= 2
 * c F. Fingers are balls: without torsional friction they are an axle. */
#define PINCHED(arm, step, more)                                                                                     \
    "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'defaults': { 'friction': 0.8 }, 'bodies': ["                         \
    " { 'name': 'plate', 'shapes': [{ 'type': 'box', 'size': [0.3, 0.02, 0.1], 'density': 500,"                      \
    "   'torsional': " arm " }] },"                                                                                  \
    " { 'name': 'left', 'position': [0.1, -0.03, 0], 'shapes': [{ 'type': 'sphere', 'radius': 0.02, 'density': "     \
    "1000 }] },"                                                                                                     \
    " { 'name': 'right', 'position': [0.1, 0.03, 0], 'shapes': [{ 'type': 'sphere', 'radius': 0.02, 'density': "     \
    "1000 }] }],"                                                                                                    \
    " 'joints': ["                                                                                                   \
    " { 'name': 'l', 'type': 'slider', 'bodies': ['ground', 'left'], 'axis': [0, 1, 0], 'anchor': [0.1, -0.03, 0] "  \
    "},"                                                                                                             \
    " { 'name': 'r', 'type': 'slider', 'bodies': ['ground', 'right'], 'axis': [0, -1, 0], 'anchor': [0.1, 0.03, 0] " \
    "}],"                                                                                                            \
    " 'forces': [{ 'type': 'effort', 'joint': 'l', 'value': 20 }, { 'type': 'effort', 'joint': 'r', 'value': 20 }]," \
    " 'simulation': { 'step': " step " " more "} }"

static double plate_turns(const char *text, const manner *how, double until)
{
    trm_model *model = quoted(text);
    running r = run_chosen(model, (way){.choice = how->choice});
    go(&r, until);
    const double angle = turned(trm_quat_exp(trm_v3(0, 0, 0)), orientation_of(&r, "plate"));
    stop(&r);
    return angle;
}

static void two_ball_fingers_hold_a_plate_level_by_torsional_friction(void **state)
{
    (void)state;
    /* m g d = 0.3 kg * 9.81 * 0.1 m = 0.294 N m; 2 c F = 0.32 and 0.28 N m */
    const manner *event = &MANNERS[0], *window = &MANNERS[1], *lcp = &MANNERS[2];
    const double held = plate_turns(PINCHED("0.008", "0.01", ""), event, 2);
    const double in_windows = plate_turns(PINCHED("0.008", "0.01", ", 'impact': 'window'"), window, 2);
    const double by_lcp = plate_turns(PINCHED("0.008", "0.01", ""), lcp, 2);
    const double slips = plate_turns(PINCHED("0.007", "0.01", ""), event, 2);
    print_message("    held: %.1e, in windows %.1e, lcp %.1e rad; slips by %.3f rad\n", held, in_windows, by_lcp,
                  slips);
    assert_true(held <= 1e-10 && in_windows <= 1e-10 && by_lcp <= 1e-10);
    assert_true(slips > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_bodies_stop_after_their_time_and_stay_at_rest),
        cmocka_unit_test(a_torque_turns_a_body_only_above_the_limit),
        cmocka_unit_test(two_ball_fingers_hold_a_plate_level_by_torsional_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
